"""A report's rows as they are stored: its keys and figures as JSON, whatever they are.

Executors write them as COPY reads them, to ``OUTPUT/rows/REPORT``; the transaction that ends a run
moves the bytes of these files. So no row passes through Python, all ranges are computed side by
side, and memory does not grow with the number of rows. They are deleted with the run's end; what a
killed run has left, before the next one writes.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pyspark.sql import Column
from pyspark.sql import functions as f

from pipeline.datasets.dataset import PERIOD, Report
from pipeline.results import folders
from pipeline.results.folders import Output

FOLDER: Final = "rows"


def described(report: type[Report]) -> dict[str, Any]:
    """What pages say about a report: its title, question and columns."""
    meanings = {column.name: (column.type, column.meaning) for column in report.COLUMNS}

    def columns(names: Sequence[str]) -> list[dict[str, str]]:
        return [
            {"name": name, "type": meanings[name][0], "meaning": meanings[name][1]}
            for name in names
        ]

    return {
        "name": report.NAME,
        "title": report.TITLE,
        "question": report.QUESTION,
        "order": report.ORDER,
        "totals": [*report.TOTALS],
        "chart": report.CHART._asdict() if report.CHART is not None else None,
        "keys": columns(report.keys()),
        "figures": columns(report.figures()),
    }


def write(report: Report, output: Output, run_id: int, rows_of: int) -> None:
    """A line for each row: the run under whose number it is, the run, report, period, keys,
    figures."""
    values = (PERIOD, _json(report.keys()), _json(report.figures()))
    line = f.concat_ws("\t", f.lit(f"{rows_of}\t{run_id}\t{report.NAME}"), *values)
    folders.write_lines(report.frame.select(line), _place(output, report.NAME))


def written(output: Output, reports: Sequence[str]) -> Iterator[bytes]:
    """The lines of these reports, in blocks."""
    for report in reports:
        yield from folders.read_lines(_place(output, report))


def clear(output: Output) -> None:
    """Delete all of them, if there are any."""
    folders.clear(output.within(FOLDER).address)


def _place(output: Output, report: str) -> str:
    return f"{output.within(FOLDER).address}/{report}"


def _json(names: Sequence[str]) -> Column:
    """JSON has no control characters, so of what COPY's text escapes it has backslashes alone."""
    json = f.to_json(f.struct(*names), {"ignoreNullFields": "false"})
    return f.replace(json, f.lit("\\"), f.lit("\\\\"))
