"""Looks that a node repeats, whether or not the database is there."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import psycopg
from psycopg_pool import PoolTimeout


async def repeat(
    every_s: float, look: Callable[[], Awaitable[None]], wake: asyncio.Event | None = None
) -> None:
    """Look after each pause of ``every_s``, or as soon as ``wake`` is set, until cancelled. Errors
    of the database end a look, not the task: what was not written is due at the next one."""
    while True:
        if wake is None:
            await asyncio.sleep(every_s)
        else:
            with suppress(TimeoutError):
                async with asyncio.timeout(every_s):
                    await wake.wait()
            wake.clear()
        with suppress(psycopg.Error, PoolTimeout, OSError):
            await look()
