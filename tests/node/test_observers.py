"""Observers of groups: the content and time of notifications, and lost ones."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool

from groups.postgres import connections
from groups.reporting import observers
from groups.reporting.observers import BELL, BYTES_MAX, payload
from groups.runtime.entries import CHANGES_NAMED_MAX, Changes

Connection = psycopg.AsyncConnection[Any]


def test_a_notification_lists_groups_with_their_revision_while_they_fit() -> None:
    def told(count: int, length: int = 3) -> Any:
        return json.loads(payload({f"{n:0{length}}": 1 for n in range(count)}))

    assert len(told(CHANGES_NAMED_MAX)) == CHANGES_NAMED_MAX
    assert told(CHANGES_NAMED_MAX + 1) == {}, "then everybody looks at everything"
    (name,) = told(1, BYTES_MAX - len('{"": 1}'))
    assert len(name) + len('{"": 1}') == BYTES_MAX
    assert told(1, BYTES_MAX - len('{"": 1}') + 1) == {}


@asynccontextmanager
async def ringing(changes: Changes, pool: Any) -> AsyncIterator[None]:
    task = asyncio.create_task(observers.run(changes, pool))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


@pytest.fixture
async def pool(_prepared: None) -> AsyncIterator[AsyncConnectionPool[connections.Connection]]:
    async with connections.pool() as opened:
        yield opened


@pytest.fixture
async def listener(_prepared: None) -> AsyncIterator[Connection]:
    async with await Connection.connect(connections.conninfo(), autocommit=True) as connection:
        await connection.execute(f"LISTEN {BELL}")
        yield connection


async def received(listener: Connection) -> Any:
    async for notify in listener.notifies(timeout=30, stop_after=1):
        return json.loads(notify.payload)
    raise AssertionError("nothing was rung")


async def test_simultaneous_changes_share_one_notification(pool: Any, listener: Connection) -> None:
    changes = Changes()
    changes.note("orders", 1)
    changes.note("orders", 2)
    changes.note("payments", 7)
    async with ringing(changes, pool):
        assert await received(listener) == {"orders": 2, "payments": 7}
        changes.note("orders", 3)
        assert await received(listener) == {"orders": 3}


async def test_more_groups_than_fit_refresh_every_page(pool: Any, listener: Connection) -> None:
    changes = Changes()
    for number in range(10 * CHANGES_NAMED_MAX):
        changes.note(f"g-{number}", 1)
    async with ringing(changes, pool):
        assert await received(listener) == {}


async def test_groups_taken_over_refresh_every_page(pool: Any, listener: Connection) -> None:
    changes = Changes()
    async with ringing(changes, pool):
        changes.note("orders", 1)
        changes.look()
        assert await received(listener) == {}


class Away:
    """A pool whose database is away at first."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self.was_asked = asyncio.Event()

    def connection(self) -> Any:
        if self.was_asked.is_set():
            return self._pool.connection()
        self.was_asked.set()
        raise psycopg.OperationalError("the database is away")


async def test_a_failed_notification_is_made_up_for(pool: Any, listener: Connection) -> None:
    changes = Changes()
    changes.note("orders", 1)
    async with ringing(changes, Away(pool)):
        assert await received(listener) == {}
