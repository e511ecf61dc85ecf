"""``rollcall group timeline``: a group along time, in a terminal (docs/facts.md)."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final

import typer

from rollcall.cli.context import At, Form, GroupId, rest_of
from rollcall.cli.groups import app
from rollcall.cli.output import Column, Output, say, show, show_one

BLOCKS: Final = "▁▂▃▄▅▆▇█"
NAME_MAX: Final = 28
WIDTH_MIN: Final = 20
EVENTS_MAX: Final = 20
"""Lines below the lanes, the newest; ``-o json`` has all."""

REBALANCED, SEVERAL, SILENT, GONE = "|", "#", "~", "x"

LANES: Final[Sequence[Column]] = (
    Column("LANE", "name"),
    Column("DETAIL", "detail"),
    Column("LIVES", "lives"),
    Column("LEFT", "left"),
    Column("LOST", "lost"),
    Column("WAITED-MS", "waited_ms"),
)


class Scale:
    """From times to columns of a terminal."""

    def __init__(self, found: Mapping[str, Any], columns: int) -> None:
        self.since, self.until = (datetime.fromisoformat(found[key]) for key in ("since", "until"))
        self.columns = columns

    def column(self, at: str) -> int:
        """The column of a time."""
        share = (datetime.fromisoformat(at) - self.since) / (self.until - self.since)
        return min(self.columns - 1, max(0, int(share * self.columns)))


@app.command()
def timeline(
    context: typer.Context,
    group: GroupId,
    since: At = None,
    until: At = None,
    host: Annotated[str | None, typer.Option(help="Only members on this host.")] = None,
    output: Form = Output.TABLE,
) -> None:
    """Show a group along time: who was there, who owned how much, and what happened."""
    rest = rest_of(context)
    found = rest.get("/group/timeline", group_id=group, since=since, until=until, host=host)
    if output is Output.TABLE:
        for line in lines(found, shutil.get_terminal_size().columns):
            say(line)
    elif output is Output.CSV:
        show(found["lanes"], LANES, output)
    else:
        show_one(found, LANES, output)


def lines(found: Mapping[str, Any], width: int) -> Iterator[str]:
    """The timeline, so many characters wide."""
    lanes = found["lanes"]
    names = [_shortened(lane["name"]) for lane in lanes]
    left = max(map(len, [*names, "rebalances"]))
    scale = Scale(found, max(WIDTH_MIN, width - left - 2))
    most = max((step["partitions"] for lane in lanes for step in lane["steps"]), default=0)
    yield f"{found['group_id']} from {found['since'][:19]}Z to {found['until'][:19]}Z"
    yield found["text"]
    yield f"{'rebalances':<{left}}  {_rebalances(found, scale)}"
    for name, lane in zip(names, lanes, strict=True):
        yield f"{name:<{left}}  {_lane(lane, scale, most)}"
    yield f"{REBALANCED} rebalance  {SEVERAL} several  {SILENT} silent  {GONE} left or lost"
    yield from _told(found)


def _shortened(name: str) -> str:
    half = NAME_MAX // 2
    return name if len(name) <= NAME_MAX else f"{name[: half - 1]}…{name[-half:]}"


def _rebalances(found: Mapping[str, Any], scale: Scale) -> str:
    row = [" "] * scale.columns
    for one in found["rebalances"]:
        column = scale.column(one["until"])
        row[column] = REBALANCED if row[column] == " " else SEVERAL
    return "".join(row).rstrip()


def _lane(lane: Mapping[str, Any], scale: Scale, most: int) -> str:
    """What a lane owned, as blocks; a member without partitions is a dot."""
    row = [" "] * scale.columns
    for span in lane["spans"]:
        last = scale.columns - 1 if span["until"] is None else scale.column(span["until"])
        first = scale.column(span["since"])
        row[first : last + 1] = "·" * (last + 1 - first)
    ends = [scale.column(step["at"]) for step in lane["steps"][1:]] + [scale.columns]
    for step, end in zip(lane["steps"], ends, strict=False):
        if step["partitions"] > 0 and most:
            level = min(len(BLOCKS) - 1, step["partitions"] * len(BLOCKS) // (most + 1))
            first = scale.column(step["at"])
            row[first:end] = BLOCKS[level] * (end - first)
    for gone in lane["departures"]:
        column = scale.column(gone["at"])
        if gone["silent_since"] is not None:
            first = scale.column(gone["silent_since"])
            row[first:column] = SILENT * (column - first)
        row[column] = GONE
    return "".join(row).rstrip()


def _told(found: Mapping[str, Any]) -> Iterator[str]:
    rebalances = [(one["since"], one["text"]) for one in found["rebalances"]]
    events = [(one["at"], one["text"]) for one in found["events"]]
    told = sorted([*rebalances, *events], reverse=True)
    for at, text in told[:EVENTS_MAX]:
        yield f"{at[:19]}Z  {text}"
    if len(told) > EVENTS_MAX:
        yield f"and {len(told) - EVENTS_MAX} earlier"
    yield from found["cuts"]
