"""No page of the admin asks the database more than fifteen times, however many rows there are."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from console.operations import topic_changes as changes
from console.people.staff_roles import ADMINISTRATOR, VIEWER
from tests.admin.test_groups import QUERIES_MAX
from tests.admin.visitors import visitor
from tests.api.conftest import write
from tests.browser.test_accessibility import MAKE, paths

pytestmark = pytest.mark.django_db

ROWS = 20
"""Of everything that pages list: more than the queries that a page may make."""

RELATED = 5
"""Before a deletion Django asks each table with a reference to the row."""


class World:
    """Rows for the walk over all pages."""

    def execute(self, statement: str, *values: str) -> list[Any]:
        """The rows of a statement, if it has any."""
        with connection.cursor() as cursor:
            cursor.execute(statement, values or None)
            rows = cursor.fetchall() if cursor.description else []
            return rows or [(0,)]  # of a table without rows: the page is not found


@pytest.mark.long
def test_no_page_exceeds_its_statement_limit() -> None:
    admin, _ = visitor(ADMINISTRATOR, name="administrator"), visitor(VIEWER, name="viewer")
    world, names = World(), [f"orders-{number:02}" for number in range(ROWS)]
    write(*names, size=5)
    for name in names:
        changes.create(name, 8)
        for statement in MAKE:
            world.execute(statement, name)
    often, seen = {}, 0
    for path in paths(world, names[0]):  # type: ignore[arg-type]
        with CaptureQueriesContext(connection) as queries:
            answer = admin.get(path)
        assert answer.status_code < 500, (path, answer.status_code)
        seen += answer.status_code == 200
        most = QUERIES_MAX + (RELATED if path.endswith("/delete/") else 0)
        if len(queries) > most:
            often[path] = len(queries)
    assert not often and seen > 60, (often, seen)
