"""A node over the worker's own database, and an application with a table beside it."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import psycopg
import pytest

from tests import rows
from tests.in_process import one, other

__all__ = ["one", "other"]

LEDGER = "CREATE TABLE IF NOT EXISTS ledger (entry text); TRUNCATE ledger"
ALLOW = "GRANT ALL ON ledger TO rollcall_application"

Application = psycopg.AsyncConnection[Any]


@pytest.fixture(autouse=True)
def _prepared(database_url: str, settings: Any) -> Iterator[None]:
    """No groups, two topics, an empty ledger; joins that do not wait for company."""
    rows.empty(database_url)
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(LEDGER)
        connection.execute(ALLOW)
        connection.execute(
            "INSERT INTO rollcall_topic (name, topic_id, partitions, end_offsets, created_at)"
            " SELECT name, gen_random_uuid(), 2, '{}', now() FROM (VALUES ('t'), ('u')) AS t(name)"
        )
    settings.GROUP_INITIAL_REBALANCE_DELAY_MS = 0
    settings.GROUP_QUIET_WINDOW_MS = 0
    yield
    rows.empty(database_url)  # what others find is as they expect


@pytest.fixture
async def application(_prepared: None, database_url: str) -> AsyncIterator[Application]:
    """A user's own program, with the rights that such a program has."""
    async with await psycopg.AsyncConnection.connect(
        database_url, options="-c role=rollcall_application"
    ) as made:
        yield made
