"""Lists as files: CSV and JSON lines, by the ``Accept`` header.

One page is sent, as in JSON; ``Link`` has the next one (RFC 8288). No resource is here.
"""

import csv
import json
from collections.abc import Mapping
from io import StringIO
from typing import Any

from rest_framework.renderers import BaseRenderer
from rest_framework.utils.encoders import JSONEncoder

from console.queries import report_files
from console.queries.csv_text import cell


class CsvRenderer(BaseRenderer):
    """A header line with the fields' names, and a line for each row (RFC 4180)."""

    media_type = "text/csv"
    format = "csv"

    def render(self, data: Any, media_type: Any = None, context: Any = None) -> bytes:
        """The page's rows."""
        text = StringIO()
        lines = csv.writer(text)
        columns: list[str] = context["view"].columns()
        lines.writerow(columns)
        lines.writerows([cell(row.get(name)) for name in columns] for row in data["data"])
        return text.getvalue().encode()


class LinesRenderer(BaseRenderer):
    """A JSON object for each row, each on a line of its own."""

    media_type = "application/x-ndjson"
    format = "ndjson"

    def render(self, data: Any, media_type: Any = None, context: Any = None) -> bytes:
        """The page's rows."""
        return "".join(f"{_line(row)}\n" for row in data["data"]).encode()


class ParquetRenderer(BaseRenderer):
    """A report's page as a file with the types of its columns."""

    media_type = report_files.PARQUET
    format = "parquet"
    charset = None
    render_style = "binary"

    def render(self, data: Any, media_type: Any = None, context: Any = None) -> bytes:
        """The page's rows."""
        return report_files.parquet(context["view"].report, data["data"])


def _line(row: Mapping[str, Any]) -> str:
    """In ASCII: many readers of lines end one at U+2028 or U+0085, too, which ids may hold."""
    return json.dumps(row, cls=JSONEncoder, separators=(",", ":"))
