"""``rollcall journal``: decisions and their reasons, in sentences, and live."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Annotated, Final

import typer

from rollcall.cli.context import At, Form, complete_group, rest_of
from rollcall.cli.events import Follower
from rollcall.cli.output import Column, Output, as_json, cell, say, show
from rollcall.cli.rest import Rest, Row
from rollcall.cli.words import Commands

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Events of groups, and their causes.")

COLUMNS: Final[Sequence[Column]] = (
    Column("AT", "at", lambda row: row["at"][:19] + "Z"),
    Column("SEQ", "seq"),
    Column("GROUP", "group_id"),
    Column("KIND", "kind"),
    Column("WHAT", "sentence"),
)

LINES: Final = 20

Lines = Annotated[int, typer.Option("--lines", "-n", min=0, help="The number of newest entries.")]


@app.command()
def tail(
    context: typer.Context,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Print new entries until Ctrl-C.")
    ] = False,
    lines: Annotated[
        int | None,
        typer.Option(
            "--lines", "-n", min=0, help="The number of newest entries: 20, with --since all."
        ),
    ] = None,
    since: At = None,
    until: At = None,
    group: Annotated[
        str | None, typer.Option(help="Of one group.", autocompletion=complete_group)
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="Of one kind, such as rebalance-completed.")
    ] = None,
    output: Form = Output.TABLE,
) -> None:
    """Show the newest entries, or those of a time, in chronological order."""
    if follow and until is not None:
        raise typer.BadParameter("--follow has no end: leave out --until.")
    if lines is None and since is None:
        lines = LINES
    rest = rest_of(context)
    query = {"since": since, "until": until, "group_id": group, "kind": kind}
    if not follow:
        show(_newest(rest, lines, query), COLUMNS, output)
        return
    try:
        # The stream begins before the list is read, so that no entry is lost in between.
        with Follower(rest, group_id=group, kind=kind) as follower:
            listed = _newest(rest, lines, query)
            seqs = {row["seq"] for row in listed}
            new = (row for row in follower.entries() if row["seq"] not in seqs)
            _print(chain(listed, new), output)
    except KeyboardInterrupt:
        return


def _newest(rest: Rest, lines: int | None, query: Mapping[str, str | None]) -> list[Row]:
    """The newest entries, the oldest of them first."""
    return list(rest.pages("/journal", most=lines, **query))[::-1]


def _print(rows: Iterable[Row], output: Output) -> None:
    """Each entry as it arrives: a line of text or of JSON (NDJSON), a YAML document, or a line of
    CSV after one with the names of its columns."""
    if output is Output.CSV:
        show(rows, COLUMNS, output)
        return
    for row in rows:
        if output is Output.TABLE:
            say("  ".join(cell(column.of(row)) for column in COLUMNS))
        elif output is Output.JSON:
            say(as_json(row))
        else:
            say("---")
            show([row], COLUMNS, output)
