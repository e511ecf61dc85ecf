"""A cancelled task ends, whatever its connection meets in that moment: every task of a node
outlives errors of the database, and would run for ever where one hid its cancellation."""

import asyncio

import psycopg
import pytest

from groups.postgres import connections

Connection = connections.Connection


async def test_an_error_of_the_cancelled_statement_hides_no_cancellation(database_url: str) -> None:
    async with await connections.connect("cancelled") as connection:
        sleeping = asyncio.create_task(connection.execute("SELECT pg_sleep(60)"))
        await is_active(connection)
        with psycopg.connect(database_url, autocommit=True) as other:  # the loop is blocked
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [connection.info.backend_pid])
        sleeping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sleeping


async def test_an_error_while_a_timeout_is_handled_stays_an_error() -> None:
    async with await connections.connect("handled") as connection:
        try:
            async with asyncio.timeout(0):
                await asyncio.sleep(60)
        except TimeoutError:
            with pytest.raises(psycopg.errors.DivisionByZero):
                await connection.execute("SELECT 1 / 0")


async def is_active(connection: Connection) -> None:
    """It has sent its statement."""
    while connection.pgconn.transaction_status != psycopg.pq.TransactionStatus.ACTIVE:
        await asyncio.sleep(0)


@pytest.mark.parametrize("turns", range(8))
async def test_a_connection_obtained_at_that_moment_hides_no_cancellation(turns: int) -> None:
    """Whichever turn of the loop it is: the connection goes back to those who wait for one."""
    async with connections.pool() as pool:
        lent = [await pool.getconn() for _ in range(connections.READERS_MAX)]
        waiting = asyncio.create_task(pool.getconn())
        while not pool.get_stats()["requests_waiting"]:
            await asyncio.sleep(0)
        await pool.putconn(lent.pop())
        for _ in range(turns):
            await asyncio.sleep(0)
        was_done = waiting.done()
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled() is not was_done
        lent.append(await pool.getconn() if waiting.cancelled() else waiting.result())
        for connection in lent:
            await pool.putconn(connection)
