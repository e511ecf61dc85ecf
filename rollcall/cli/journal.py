"""``rollcall journal``: decisions and their reasons, in sentences, and live."""

import json
from collections.abc import Sequence
from typing import Annotated, Final

import typer

from rollcall.cli.context import Form, complete_group, rest_of
from rollcall.cli.events import Follower
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
    if not follow:
        show(_newest(rest, lines, group, kind), COLUMNS, output)
        return
    try:
        # The stream begins before the list is read, so that no entry is lost in between.
        with Follower(rest, group_id=group, kind=kind) as follower:
            listed = _newest(rest, lines, group, kind)
            told = {row["seq"] for row in listed}
            for row in listed:
                _tell(row, output)
            for row in follower.entries():
                if row["seq"] not in told:
                    _tell(row, output)
    except KeyboardInterrupt:
        return


def _newest(rest: Rest, lines: int, group: str | None, kind: str | None) -> list[Row]:
    """The newest entries, the oldest of them first."""
    return list(rest.pages("/journal", most=lines, group_id=group, kind=kind))[::-1]


def _tell(row: Row, output: Output) -> None:
    """One entry: a line of text, of JSON (NDJSON) or of CSV, or a YAML document."""
    if output is Output.TABLE:
        say("  ".join(cell(column.of(row)) for column in COLUMNS))
    elif output is Output.JSON:
        say(json.dumps(row, ensure_ascii=False))
    else:
        if output is Output.YAML:
            say("---")
        show([row], COLUMNS, output)
