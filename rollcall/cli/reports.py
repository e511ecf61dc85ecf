"""``rollcall report``: the pipeline's reports. Their names and columns come from the server."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer

from rollcall.cli.context import Form, complete_group, rest_of
from rollcall.cli.failures import Code, Failure
from rollcall.cli.output import Column, Output, Row, note, plain, show
from rollcall.cli.rest import Rest
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

COMPARED: Final = ("24h", "7d", "30d")
"""Periods that have one before them."""


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
    compare: Annotated[
        bool, typer.Option("--compare", help="Beside the same time before.")
    ] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="So many.")] = LINES,
    output: Form = Output.TABLE,
) -> None:
    """Show a report of the newest run, the greatest first; without one, `cost` by SQL."""
    rest = rest_of(context)
    made = rest.get(PATH)
    query = {"period": period, "group_id": group, "ordering": sort}
    rows: list[Row] = [*rest.pages(f"{PATH}/{quote(report, safe='')}", most=lines, **query)]
    shape = next((each for each in made["data"] if each["name"] == report), None)
    columns = _columns(shape)
    if compare and shape is not None:
        rows, columns = _compared(rest, shape, period, rows, columns)
    show(rows, columns, output)
    if lines and not rows:
        note(f"There are no rows for the period {period}.")
    if made["run"] is None or period == HOUR:
        note("SQL computed this now, from the newest entries of the journal.")


def _columns(report: Row | None) -> Sequence[Column]:
    """The report's own; for one that does not exist REST's answer is shown."""
    if report is None:
        return ()
    columns = (column["name"] for column in (*report["keys"], *report["figures"]))
    return [_column(name) for name in columns]


def _column(name: str) -> Column:
    return Column(name.upper().replace("_", "-"), name)


def _compared(
    rest: Rest, report: Row, period: str, rows: Sequence[Row], columns: Sequence[Column]
) -> tuple[list[Row], Sequence[Column]]:
    """Rows and columns with one more: what the figure by which the report is sorted was the time
    before (0 where there was no such row). Raises ``Failure`` where no time is before, or no row
    can be there again."""
    if period not in COMPARED:
        raise Failure(Code.USAGE, f"--compare is of {', '.join(COMPARED)}, not of {period}.")
    if any(column["type"] == "timestamp" for column in report["keys"]):
        sentence = f"Rows of {report['name']} have a time: --period {period}-before lists others."
        raise Failure(Code.USAGE, sentence)
    keys, figure = [column["name"] for column in report["keys"]], report["order"]

    def key(row: Row) -> tuple[Any, ...]:
        return tuple(row[name] for name in keys)

    before = {key(row): row[figure] for row in _before(rest, report, period, rows)}
    added = _column(f"{figure}_before")
    place = next(n for n, column in enumerate(columns, 1) if column.field == figure)
    told: list[Row] = [{**row, added.field: before.get(key(row), 0)} for row in rows]
    return told, [*columns[:place], added, *columns[place:]]


def _before(rest: Rest, report: Row, period: str, rows: Sequence[Row]) -> Iterator[Row]:
    """The rows of the time before, of the groups that are shown alone."""
    path, before = f"{PATH}/{report['name']}", f"{period}-before"
    if "group_id" not in {column["name"] for column in report["keys"]}:
        yield from rest.pages(path, period=before)
        return
    for group in sorted({row["group_id"] for row in rows}):
        yield from rest.pages(path, period=before, group_id=group)


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
