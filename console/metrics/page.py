"""The tables of docs/metrics.md, generated from the tables of series. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from console.metrics import series
from groups.metrics import node_series
from groups.metrics.series import Series

TABLES: Final[Mapping[str, Sequence[Series]]] = {
    "state": series.STATE,
    "kafka_exporter": series.KAFKA_EXPORTER,
    "node": node_series.NODE,
}
"""By the name in the page's marks, ``<!-- table: NAME -->`` and ``<!-- end -->``."""

MARKED: Final = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def renewed(page: str) -> str:
    """The page with the current tables. Raises ``KeyError`` for a mark without a table."""

    def put(found: re.Match[str]) -> str:
        return found[1] + "\n".join(table(TABLES[found[2]])) + "\n" + found[3]

    return MARKED.sub(put, page)


def table(rows: Sequence[Series]) -> Iterator[str]:
    """Lines of Markdown."""
    yield "| series | type | labels | unit | meaning |"
    yield "|---|---|---|---|---|"
    for row in rows:
        labels = ", ".join(f"`{label}`" for label in row.labels)
        yield f"| `{row.name}` | {row.type} | {labels} | {row.unit} | {row.meaning} |"
