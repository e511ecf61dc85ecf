"""The readers' pool loses no connection, whenever its readers are cancelled."""

import asyncio
from contextlib import suppress
from random import Random
from typing import Final

import psycopg
import pytest
from psycopg_pool import PoolTimeout

from groups.postgres import connections

READERS: Final = 400
PATIENCE_S: Final = 10


async def read(pool: connections.Pool, rng: Random) -> None:
    """A read with a time limit of its own, which may end it in any moment."""
    with suppress(TimeoutError, PoolTimeout, psycopg.Error):
        async with asyncio.timeout(rng.choice([None, 0, 0.001, 0.003])), pool.connection() as lent:
            await lent.execute("SELECT pg_sleep(%s)", (rng.random() / 500,))


async def cancel(task: "asyncio.Task[None]", rng: Random) -> None:
    """Its client goes, perhaps while the time limit ends it, too."""
    for _ in range(rng.choice([0, 1, 1, 2])):
        await asyncio.sleep(rng.choice([0, 0.001, 0.002]))
        task.cancel()


@pytest.mark.usefixtures("_prepared")
@pytest.mark.parametrize("seed", range(3))
async def test_after_cancellations_at_any_moment_every_connection_can_be_lent(seed: int) -> None:
    rng = Random(seed)
    async with connections.pool() as pool:
        for _ in range(READERS // 8):
            readers = [asyncio.create_task(read(pool, rng)) for _ in range(8)]
            await asyncio.gather(*(cancel(each, rng) for each in readers))
            await asyncio.gather(*readers, return_exceptions=True)
        lent = [await pool.getconn(PATIENCE_S) for _ in range(connections.READERS_MAX)]
        for each in lent:
            await pool.putconn(each)
