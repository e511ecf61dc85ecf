"""docs/metrics.md and what else is made of the tables is as the code has it."""

import re

import pytest

from console.management.commands.metrics import PAGE, contents
from console.metrics import page
from groups.metrics import series

ROW = re.compile(r"^\| `(\w+)` \| (\w+) \|", re.MULTILINE)


@pytest.mark.parametrize("path", contents(), ids=lambda path: path.name)
def test_the_generated_page_is_up_to_date(path: object) -> None:
    """After a change: ``manage.py metrics``, and review the difference."""
    assert contents()[path] == path.read_text()  # type: ignore[attr-defined]


def test_the_page_has_every_table() -> None:
    assert [found[1] for found in page.MARKED.findall(PAGE.read_text())] == list(page.TABLES)
    assert ROW.findall(PAGE.read_text()) == [
        (row.name, row.type) for table in page.TABLES.values() for row in table
    ]


def test_names_follow_the_conventions() -> None:
    rows = [row for table in page.TABLES.values() for row in table]
    assert len({row.name for row in rows}) == len(rows)
    for row in rows:
        assert row.name.endswith("_total") == (row.type is series.COUNTER)
        assert bool(row.bounds) == (row.type is series.HISTOGRAM)
        assert row.name.startswith(("rollcall_", "kafka_"))
        if row.unit:
            assert row.name.removesuffix("_total").endswith(f"_{row.unit}")
