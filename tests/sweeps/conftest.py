"""A node of this process over the worker's own database, and sweeps in threads of their own."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from django.db import connection

from groups import database
from tests import rows
from tests.node.running import Running, running

Other = database.Connection

Sweep = Callable[[Callable[[], str]], Awaitable[str]]


@pytest.fixture(autouse=True)
def _prepared(database_url: str, settings: Any) -> None:
    """No groups, free slots, joins that do not wait for company, short sessions."""
    rows.empty(database_url)
    settings.GROUP_INITIAL_REBALANCE_DELAY_MS = 0
    settings.GROUP_QUIET_WINDOW_MS = 0
    settings.GROUP_MIN_SESSION_TIMEOUT_MS = 100
    settings.OFFSETS_RETENTION_MINUTES = 1


@pytest.fixture
async def other(_prepared: None) -> AsyncIterator[Other]:
    """Somebody else's connection."""
    async with await database.connect("other", options="") as made:
        yield made


@pytest.fixture
async def one(_prepared: None) -> AsyncIterator[Running]:
    """A node that owns every slot."""
    async with running() as started:
        yield started


async def swept(work: Callable[[], str]) -> str:
    """One turn of a sweep, as Celery's worker gives it: in a thread, on its own connection."""

    def turn() -> str:
        try:
            return work()
        finally:
            connection.close()

    return await asyncio.to_thread(turn)


async def until(claim: Callable[[], Awaitable[object]]) -> None:
    """Look again until it is so; pytest's own time limit ends what never comes."""
    while not await claim():
        await asyncio.sleep(0.02)


async def value(other: Other, query: str, *parameters: object) -> Any:
    """The first column of the first row; None where there is none."""
    row = await (await other.execute(query.encode(), parameters)).fetchone()
    return row[0] if row else None
