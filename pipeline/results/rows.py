"""A report's rows as they are stored: its keys and figures as JSON, whatever they are."""

from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as f

from pipeline.datasets.dataset import PERIOD, Report


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


def stored(report: Report) -> Iterator[tuple[str, str, str, str]]:
    """Each row: report, period, keys, figures."""
    json = (_json(report.keys()), _json(report.figures()))
    for row in report.frame.select(PERIOD, *json).toLocalIterator():
        yield report.NAME, row[0], row[1], row[2]


def _json(names: Sequence[str]) -> Column:
    return f.to_json(f.struct(*names), {"ignoreNullFields": "false"})
