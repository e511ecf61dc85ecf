"""``rollcall report``: the cost of rebalances, from the pipeline."""

from collections.abc import Sequence
from typing import Annotated, Final

import typer

from rollcall.cli.context import Form, complete_group, rest_of
from rollcall.cli.output import Column, Output, note, plain, show
from rollcall.cli.words import Commands

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Reports of the pipeline.")

PATH: Final = "/reports/rebalances"

COSTS: Final[Sequence[Column]] = (
    Column("GROUP", "group_id"),
    Column("TRIGGER", "trigger"),
    Column("REBALANCES", "rebalances"),
    Column("DURATION-MS", "duration_ms"),
    Column("LONGEST-MS", "longest_ms"),
    Column("WITHOUT-OWNER-MS", "without_owner_ms"),
    Column("MOVED", "partitions_moved"),
    Column("SLOWEST-MEMBER", "slowest_member"),
)

LINES: Final = 20


@app.command("rebalances")
def rebalances(
    context: typer.Context,
    group: Annotated[
        str | None, typer.Option(help="Of one group.", autocompletion=complete_group)
    ] = None,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="So many.")] = LINES,
    output: Form = Output.TABLE,
) -> None:
    """Show the newest report of what rebalances cost, the costliest first."""
    show(rest_of(context).pages(PATH, most=lines, group_id=group), COSTS, output)


@app.command("start")
def start(context: typer.Context) -> None:
    """Start an analysis; its report is there when it has ended."""
    note(plain(rest_of(context).request("POST", PATH, {})[1]["detail"]))
