"""docs/exactly-once.md: its login, its tables and its worker do what the page says."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from launcher.installation import CHECKOUT
from tests.docs.blocks import blocks, words
from tests.docs.conftest import PARTITIONS, Documented
from tests.launcher.waiting import until

pytestmark = [pytest.mark.xdist_group("documented"), pytest.mark.timeout(240)]

PAGE = "docs/exactly-once.md"
PATIENCE_S = 60.0
UNDO = "DROP SCHEMA IF EXISTS shop CASCADE; DROP ROLE IF EXISTS billing_app"
COUNTED = "SELECT shard, count(*) FROM shop.bill GROUP BY shard"
WRITTEN = """
    SELECT shard, max(number) + 1 FROM shop.bill GROUP BY shard
    HAVING count(DISTINCT number) = count(*) AND count(*) = max(number) - min(number) + 1
    ORDER BY shard
"""
"""The number that follows in each shard where each was written once."""

COMMITTED = """
    SELECT partition, "offset" FROM rollcall_committed_offsets('docs-billing')
    WHERE topic = 'docs-orders' ORDER BY partition
"""

Rows = list[tuple[int, int]]
Database = psycopg.Connection[tuple[int, int]]


def block(begins: str) -> str:
    """That of the page which begins so."""
    (found,) = (each.text for each in blocks(PAGE) if each.text.startswith(begins))
    return found


def rows(database: Database, query: str) -> Rows:
    """Those of a query."""
    return database.execute(query).fetchall()


@pytest.fixture
def shop(documented: Documented) -> Iterator[Database]:
    """The database, with the page's login, its tables and its grant."""
    grant = documented.here(block(".venv/bin/python manage.py grant_groups billing_app billing\n"))
    environ = {**os.environ, "ROLLCALL_DATABASE_URL": documented.database}
    with psycopg.connect(documented.database, autocommit=True) as database:
        database.execute(UNDO)
        database.execute(block("CREATE ROLE"))
        subprocess.run([sys.executable, *words(grant)[1:]], cwd=CHECKOUT, env=environ, check=True)
        yield database
        database.execute("DELETE FROM rollcall_application_grant WHERE login = 'billing_app'")
        database.execute(UNDO)


def test_the_worker_writes_each_bill_once(documented: Documented, shop: Database) -> None:
    """Stopped, it has written what it has committed; the next one goes on there."""
    program = documented.here(block("import os"))
    login = {"user": "billing_app", "password": "app-secret"}
    environ = {**os.environ, "DATABASE": make_conninfo(documented.database, **login)}
    for least in (2, 4):
        with subprocess.Popen([sys.executable, "-c", program], cwd=CHECKOUT, env=environ) as bill:
            until(partial(is_written, shop, least), "bills of all", PATIENCE_S)
            bill.send_signal(signal.SIGTERM)
            assert bill.wait(PATIENCE_S) == 0
        assert rows(shop, WRITTEN) == rows(shop, COMMITTED)


def is_written(database: Database, least: int) -> bool:
    """Whether each partition has so many bills."""
    found = rows(database, COUNTED)
    return len(found) == PARTITIONS and all(count >= least for _, count in found)
