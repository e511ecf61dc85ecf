"""docs/draft-0.9.md agrees with the tables of the code, and of its transcripts."""

from itertools import groupby
from pathlib import Path

import pytest

from protocol.draft_apis import DRAFT_APIS
from protocol.requests.draft_errors import ERRORS
from tests.core.draft.words import CONSUMER_STATES, COORDINATOR_STATES, STARTS

PAGE = Path(__file__).parents[2] / "docs" / "draft-0.9.md"


def tables() -> list[list[list[str]]]:
    """The body of every table, as lines of cells."""
    lines = PAGE.read_text().splitlines()
    found = [list(some) for is_table, some in groupby(lines, _is_in_a_table) if is_table]
    return [[_cells(line) for line in table[2:]] for table in found]


def _is_in_a_table(line: str) -> bool:
    return line.startswith("|")


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("`", "") for cell in line.split("|")[1:-1]]


def versions(first: int, last: int) -> str:
    return f"{first} to {last}" if last > first else str(first)


EXPECTED = {
    "states of the coordinator": [list(word) for word in COORDINATOR_STATES],
    "states of a consumer": [list(word) for word in CONSUMER_STATES],
    "errors": [[told.name, str(told.number), told.when] for told in ERRORS],
    "triggers": [[trigger, when] for trigger, when in STARTS.items()],
    "APIs": [
        [api.name, str(api.key), versions(api.min_version, api.max_version)]
        for api in DRAFT_APIS.values()
    ],
}


@pytest.mark.parametrize("table", EXPECTED)
def test_the_page_has_the_table_line_by_line(table: str) -> None:
    assert EXPECTED[table] in tables()
