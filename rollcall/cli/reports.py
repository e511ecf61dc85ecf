"""``rollcall report``: the pipeline's reports. Their names and columns come from the server."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from rollcall.cli.context import Form, complete_group, rest_of
from rollcall.cli.output import Column, Output, note, plain, show
from rollcall.cli.words import Commands


class ReportCommands(Commands):
    """What is no command is the name of a report: these come from the server."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the words name, and the words that are left."""
        is_report = args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None
        return super().resolve_command(ctx, ["show", *args] if is_report else args)


app = typer.Typer(
    cls=ReportCommands,
    no_args_is_help=True,
    help="Reports of the pipeline; `rollcall report NAME` is `rollcall report show NAME`.",
)

PATH: Final = "/reports"

REPORTS: Final[Sequence[Column]] = (
    Column("REPORT", "name"),
    Column("ANSWERS", "question"),
)

RUNS: Final[Sequence[Column]] = (
    Column("RUN", "id"),
    Column("STATE", "state"),
    Column("PERCENT", "percent"),
    Column("STAGE", "stage"),
    Column("STARTED", "started_at"),
    Column("FINISHED", "finished_at"),
    Column("ASKED-BY", "requested_by"),
    Column("ENTRIES", "events"),
    Column("DETAIL", "detail"),
)

LINES: Final = 20

PERIOD: Final = "7d"

HOUR: Final = "1h"
"""The period that no run computes."""


@app.command("list")
def list_reports(context: typer.Context, output: Form = Output.TABLE) -> None:
    """List what the newest run can answer."""
    show(rest_of(context).get(PATH)["data"], REPORTS, output)


@app.command("show")
def show_report(
    context: typer.Context,
    report: Annotated[str, typer.Argument(metavar="REPORT", help="One of `rollcall report list`.")],
    period: Annotated[
        str,
        typer.Option(help="24h, 7d, 30d or all; with -before: the one before. 1h: cost alone."),
    ] = PERIOD,
    group: Annotated[
        str | None, typer.Option(help="Of one group.", autocompletion=complete_group)
    ] = None,
    sort: Annotated[
        str | None, typer.Option(help="A column; with - before it: the greatest first.")
    ] = None,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="So many.")] = LINES,
    output: Form = Output.TABLE,
) -> None:
    """Show a report of the newest run, the greatest first; without one, `cost` by SQL."""
    rest = rest_of(context)
    made = rest.get(PATH)
    query = {"period": period, "group_id": group, "ordering": sort}
    rows = list(rest.pages(f"{PATH}/{report}", most=lines, **query))
    show(rows, _columns(made["data"], report), output)
    if lines and not rows:
        note(f"There are no rows for the period {period}.")
    if made["run"] is None or period == HOUR:
        note("SQL computed this now, from the newest entries of the journal.")


def _columns(reports: Sequence[dict[str, Any]], name: str) -> Sequence[Column]:
    """The report's own; for one that does not exist REST's answer is shown."""
    found = next((report for report in reports if report["name"] == name), None)
    if found is None:
        return ()
    columns = (column["name"] for column in (*found["keys"], *found["figures"]))
    return [Column(column.upper().replace("_", "-"), column) for column in columns]


@app.command("runs")
def runs(
    context: typer.Context,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="So many.")] = LINES,
    output: Form = Output.TABLE,
) -> None:
    """List the runs, newest first: how far one is, or why it failed."""
    show(rest_of(context).pages(f"{PATH}/runs", most=lines), RUNS, output)


@app.command("start")
def start(context: typer.Context) -> None:
    """Start an analysis; its reports are there when it has ended."""
    note(plain(rest_of(context).request("POST", PATH, {})[1]["detail"]))
