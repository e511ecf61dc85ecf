"""``rollcall journal``: what was decided and why, in sentences, and live."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Annotated, Final, Self

import typer

from rollcall.cli.context import Form, complete_group, rest_of
from rollcall.cli.output import Column, Output, cell, say, show
from rollcall.cli.rest import Rest, Row

app = typer.Typer(no_args_is_help=True, help="Events of groups, and their causes.")

COLUMNS: Final[Sequence[Column]] = (
    Column("AT", "at", lambda row: row["at"][:19] + "Z"),
    Column("SEQ", "seq"),
    Column("GROUP", "group_id"),
    Column("KIND", "kind"),
    Column("WHAT", "sentence"),
)

LINES: Final = 20
LOOK_S: Final = 1.0
"""Between two looks, while following. REST has no answer that waits for an entry: one would hold
a thread of the web, and a connection to the database, for each follower."""

LATE_S: Final = 10.0
"""Entries of a transaction that ends later may come behind greater numbers. A node gives none of
its transactions longer than five seconds (docs/architecture.md, *Roles*), so entries are looked
for again from where the numbers stood so long ago."""

LATEST_S: Final = 180.0
"""A worker's statement may take sixty seconds, and a person's as long as they like: now and then
entries are looked for again from where the numbers stood so long ago. What comes later yet is not
followed; it stands in the list."""

FAR: Final = 15
"""Of so many looks one goes back as far as that: it reads all entries since then."""

LOOKED_BACK: Final = 500
"""Entries below the newest one that are known from the start: what appears among them later is
of a transaction that was under way."""

Lines = Annotated[int, typer.Option("--lines", "-n", min=0, help="The number of newest entries.")]


@app.command()
def tail(
    context: typer.Context,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Print new entries until Ctrl-C.")
    ] = False,
    lines: Lines = LINES,
    group: Annotated[
        str | None, typer.Option(help="Of one group.", autocompletion=complete_group)
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="Of one kind, such as rebalance-completed.")
    ] = None,
    output: Form = Output.TABLE,
) -> None:
    """Show the newest entries in chronological order."""
    rest = rest_of(context)
    known = Known.of(rest) if follow else None  # ahead of the list: what comes between is told
    found = list(rest.pages("/journal", most=lines, group_id=group, kind=kind))[::-1]
    if known is None:
        show(found, COLUMNS, output)
        return
    known.told |= {row["seq"] for row in found}
    for row in found:
        _tell(row, output)
    try:
        for row in followed(rest, known, group_id=group, kind=kind):
            _tell(row, output)
    except KeyboardInterrupt:
        return


@dataclass
class Known:
    """What of the journal is known: numbers that were told, and the greatest one by when."""

    told: set[int]
    greatest: list[tuple[float, int]]

    @classmethod
    def of(cls, rest: Rest) -> Self:
        """Everything that stands there now counts as told."""
        newest = [row["seq"] for row in rest.pages("/journal", most=LOOKED_BACK)]
        at_least, at_most = (newest[-1] - 1, newest[0]) if newest else (0, 0)
        return cls(set(newest), [(float("-inf"), at_least), (time.monotonic(), at_most)])

    def is_new(self, seq: int) -> bool:
        """Whether it was not told yet; from now on it was."""
        if seq in self.told:
            return False
        self.told.add(seq)
        self.greatest.append((time.monotonic(), max(seq, self.greatest[-1][1])))
        return True

    def settled(self, late_s: float) -> int:
        """The greatest number that was there ``late_s`` ago, ``LATEST_S`` at most: what is new has
        a greater one, if its transaction took no longer."""
        now = time.monotonic()
        while len(self.greatest) > 1 and self.greatest[1][0] <= now - LATEST_S:
            self.greatest.pop(0)
        self.told = {seq for seq in self.told if seq > self.greatest[0][1]}
        return next(seq for at, seq in reversed(self.greatest) if at <= now - late_s)


def followed(
    rest: Rest, known: Known, *, group_id: str | None = None, kind: str | None = None
) -> Iterator[Row]:
    """Entries as they come, each once, for ever.

    Numbers are given before commits: an entry may appear behind greater ones. So each look begins
    where the numbers stood ``LATE_S`` ago, and some further back.
    """
    for look in count(1):
        after = known.settled(LATE_S if look % FAR else LATEST_S)
        for row in rest.pages("/journal", after=after, group_id=group_id, kind=kind):
            if known.is_new(row["seq"]):
                yield row
        time.sleep(LOOK_S)


def _tell(row: Row, output: Output) -> None:
    """One entry: a line of text, of JSON (NDJSON) or of CSV, or a document of YAML."""
    if output is Output.TABLE:
        say("  ".join(cell(column.of(row)) for column in COLUMNS))
    elif output is Output.JSON:
        say(json.dumps(row, ensure_ascii=False))
    else:
        if output is Output.YAML:
            say("---")
        show([row], COLUMNS, output)
