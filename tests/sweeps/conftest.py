"""A node of this process over the worker's own database, and sweeps in threads of their own."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from django.db import connection

from tests.as_roles import role
from tests.in_process import Other, one, other, prepare

__all__ = ["Other", "one", "other"]

Sweep = Callable[[Callable[[], str]], Awaitable[str]]


@pytest.fixture(autouse=True)
def _prepared(database_url: str, settings: Any) -> None:
    """No groups, free slots, joins that do not wait for company, short sessions."""
    prepare(database_url, settings)
    settings.OFFSETS_RETENTION_MINUTES = 1


async def swept(work: Callable[[], str]) -> str:
    """One turn of a sweep, as Celery's worker gives it: in a thread, on its own connection, as the
    worker's role."""

    def turn() -> str:
        try:
            connection.ensure_connection()
            with role("rollcall_worker"):
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
