"""A worker that is killed again and again does every unit of its work exactly once."""

import asyncio
import os
import random
import signal
import sys
from collections.abc import AsyncIterator

import pytest

from groups.postgres.connections import Connection
from launcher.installation import CHECKOUT
from tests.server.serving import Serving, serving

KILLS = int(os.environ.get("ROLLCALL_TEST_KILLS", "20"))
FEW = 2
UNITS_PER_LIFE = 100
LONGEST_LIFE_S = 0.05
"""A worker does some dozens of units meanwhile, and never all of them."""


@pytest.fixture
async def served(_prepared: None) -> AsyncIterator[Serving]:
    """A server that owns every slot."""
    async with serving() as started:
        yield started


async def started(address: str, database_url: str, units: int) -> asyncio.subprocess.Process:
    """A worker that has joined."""
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.exactly_once.worker", address, database_url, str(units)),
        cwd=CHECKOUT,
        stdout=asyncio.subprocess.PIPE,
    )
    assert worker.stdout is not None
    assert await worker.stdout.readline() == b"working\n"
    return worker


@pytest.mark.timeout(240)
@pytest.mark.parametrize("kills", [FEW, pytest.param(KILLS, marks=pytest.mark.long)])
async def test_the_sum_is_exact(
    served: Serving, database_url: str, other: Connection, kills: int
) -> None:
    chance = random.Random(848)
    units = UNITS_PER_LIFE * kills
    for _ in range(kills):
        worker = await started(served.address, database_url, units)
        await asyncio.sleep(chance.uniform(0, LONGEST_LIFE_S))  # the random point itself
        worker.kill()
        assert await worker.wait() == -signal.SIGKILL
    last = await started(served.address, database_url, units)
    assert await last.wait() == 0

    cursor = await other.execute("SELECT entry::int FROM ledger ORDER BY 1")
    assert [entry for (entry,) in await cursor.fetchall()] == list(range(units))
    row = await (await other.execute("SELECT committed_offset FROM rollcall_offset")).fetchone()
    assert row == (units,)
