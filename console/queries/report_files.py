"""A report's rows as a file: CSV, or Parquet where pyarrow is there (the group ``spark``)."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from console.queries.csv_text import cell
from console.queries.reports import Column, Report

CSV: Final = "text/csv"
PARQUET: Final = "application/vnd.apache.parquet"

PERIOD: Final = Column("period", "string", "the period")

Values = Mapping[str, Any]
"""A row: its period, keys and figures by their names."""


class NoParquet(Exception):
    """pyarrow is not installed."""


def has_parquet() -> bool:
    """Whether Parquet can be written here."""
    return find_spec("pyarrow") is not None


def columns(report: Report) -> list[Column]:
    """Those of the file."""
    return [PERIOD, *report.keys, *report.figures]


def csv_lines(report: Report, rows: Iterable[Values]) -> Iterator[str]:
    """A line with the names, and one for each row (RFC 4180)."""
    names = [column.name for column in columns(report)]
    yield _line(names)
    for row in rows:
        yield _line([cell(row.get(name)) for name in names])


def parquet(report: Report, rows: Iterable[Values]) -> bytes:
    """A file with the report's types, times in UTC. Raises ``NoParquet``."""
    try:
        arrow, files = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise NoParquet("Parquet needs pyarrow: `make analyze` installs it.") from None
    kinds = {
        "string": arrow.string(),
        "bigint": arrow.int64(),
        "int": arrow.int32(),
        "double": arrow.float64(),
        "timestamp": arrow.timestamp("us", tz="UTC"),
    }
    listed = list(rows)
    arrays = {
        c.name: arrow.array([_typed(c, row.get(c.name)) for row in listed], type=kinds[c.type])
        for c in columns(report)
    }
    out = io.BytesIO()
    files.write_table(arrow.table(arrays), out, compression="zstd")
    return out.getvalue()


def _typed(column: Column, value: Any) -> Any:
    is_time = column.type == "timestamp" and isinstance(value, str)
    return datetime.fromisoformat(value) if is_time else value


def _line(cells: list[str]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()
