"""``what-if``: the question as options of a command line, its answer in the report of that name."""

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any, Final

from groups.core.group import Rules
from pipeline import config, console
from pipeline.what_if.assignment import LEADERS, SERVER_SIDE
from pipeline.what_if.changes import Change

PERIODS: Final = ("24h", "7d", "30d", "all")

SHOWN: Final = {
    "group_id": "group",
    "kind": "kind",
    "difference_ms": "adds ms",
    "low_ms": "at least",
    "high_ms": "at most",
    "recorded_ms": "recorded ms",
    "replayed_ms": "replayed ms",
    "changed_ms": "changed ms",
    "miss_percent": "miss %",
    "drawn_miss_percent": "drawn %",
    "rebalances": "rebalances",
    "rebalances_changed": "changed",
}

LINES: Final = 20

ALL_GROUPS: Final = "(all)"


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", me: str) -> None:
    """Add the verb."""
    what = verbs.add_parser("what-if", help="replay what was recorded under other settings")
    what.add_argument("--session-timeout-ms", type=_natural, dest="session_ms")
    what.add_argument("--heartbeat-interval-ms", type=_natural, dest="heartbeat_ms")
    what.add_argument("--assignor", choices=sorted({*LEADERS, *SERVER_SIDE}))
    what.add_argument("--static-ids", action="store_true", help="each client has an instance id")
    what.add_argument("--protocol", choices=("classic", "consumer"))
    what.add_argument("--members", type=int, default=0, help="so many more; negative: fewer")
    what.add_argument("--initial-rebalance-delay-ms", type=_zero_or_more, dest="delay_ms")
    what.add_argument(
        "--freeze", type=_freeze, action="append", default=[], dest="freezes",
        metavar="HH:MM-HH:MM", help="no rebalance begins in this time of each day (UTC)",
    )  # fmt: skip
    what.add_argument("--deploy-at-once", type=_natural, dest="at_once", help="clients at a time")
    what.add_argument(
        "--no-short-pauses",
        action="store_true",
        help="assume that nobody paused for less than the recorded session timeout",
    )
    what.add_argument("--group", action="append", default=[], dest="groups", help="only this one")
    what.add_argument("--period", choices=PERIODS, default="7d")
    what.add_argument("--requested-by", default=me, help=argparse.SUPPRESS)
    what.set_defaults(verb=run, called="What-if")


def _natural(text: str) -> int:
    value = int(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text} is not more than 0")
    return value


def _zero_or_more(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is less than 0")
    return value


def _freeze(text: str) -> tuple[int, int]:
    try:
        since, until = (datetime.strptime(part, "%H:%M") for part in text.split("-"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not like 22:00-06:00") from None
    minutes = (since.hour * 60 + since.minute, until.hour * 60 + until.minute)
    if minutes[0] == minutes[1]:
        raise argparse.ArgumentTypeError(f"{text} has no length")
    return minutes


def change_of(options: argparse.Namespace) -> Change:
    """The change; raises ``Unconfigured`` if there is none."""
    names = [field.name for field in fields(Change) if hasattr(options, field.name)]
    change = Change(
        **{name: getattr(options, name) for name in names if name != "freezes"},
        static=options.static_ids,
        freezes=tuple(options.freezes),
    )
    if change in (Change(), Change(no_short_pauses=True)):
        raise config.Unconfigured("Name at least one change: python -m pipeline what-if --help.")
    return change


def rules_of(environ: Mapping[str, str] = os.environ) -> Rules:
    """The coordinator's settings, as far as the environment has them; else the defaults."""
    plain = Rules()
    names = [field.name for field in fields(Rules) if type(getattr(plain, field.name)) is int]
    said = {name: environ.get(f"ROLLCALL_{name.upper()}", "") for name in names}
    try:
        return Rules(**{name: int(text) for name, text in said.items() if text})  # type: ignore[arg-type]
    except ValueError:
        odd = next(name for name, text in said.items() if text and not text.lstrip("-").isdigit())
        raise config.Unconfigured(f"ROLLCALL_{odd.upper()} is no number.") from None


def run(options: argparse.Namespace) -> str:
    """Ask, store the answer for as long as answers are kept, and say it."""
    change, rules, conninfo = change_of(options), rules_of(), config.conninfo()
    console.progress("starting", 0)
    with config.extra():
        from pipeline.datasets.what_if import WhatIf
        from pipeline.results import runs
        from pipeline.session import session
        from pipeline.what_if import job

    with runs.alone(conninfo, "ask again when it has ended") as connection, session() as spark:
        asked = job.Asked(change, rules, options.period, tuple(options.groups))
        made = job.asked(spark, conninfo, asked, console.progress)
        kept_until = made.at + timedelta(hours=config.what_if_retention_hours())
        question = {"change": change.text(), "asked_groups": asked.groups_text}
        stored = _stored(made.rows, {"asked_by": options.requested_by})
        runs.answer(connection, kept_until, WhatIf.NAME, options.period, question, stored)
    return text(change, made)


def _stored(
    rows: Sequence[Mapping[str, Any]], beside: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    from pipeline.datasets.what_if import WhatIf

    for row in rows:
        told = {**row, **beside}
        keys, figures = (
            json.dumps({name: told[name] for name in names})
            for names in (WhatIf.keys(), WhatIf.figures())
        )
        yield keys, figures


def text(change: Change, made: Any) -> str:
    """The answer of all groups, then of those that cost most; and why there is none of others."""
    lines = [f"What if: {change.text()}; {made.events} events decided."]
    rows = [{**row, "group_id": row["group_id"] or ALL_GROUPS} for row in made.rows]
    shown = [[row[name] for name in SHOWN] for row in rows if not row["refused"]][:LINES]
    if not rows:
        lines.append("No member was recorded in this time.")
    elif shown:
        lines += console.table([*SHOWN.values()], shown)
    refused = [f"{row['group_id']}: {row['refused']}" for row in rows if row["refused"]]
    return "\n".join([*lines, *map(console.safe, refused[:LINES])])
