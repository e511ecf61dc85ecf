"""Drains as the web and the worker write them, with the rights of their roles."""

import asyncio

from django.db import connection

from console.operations import drains
from groups.sweeps import session
from tests.as_roles import role
from tests.sweeps.conftest import Other, swept, value

NODES = """
INSERT INTO rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at)
SELECT n, gen_random_uuid(), 1, 'localhost', 9092, now(), now() FROM unnest(ARRAY[0, 1]) n
"""
GONE = """
DELETE FROM rollcall_node; UPDATE rollcall_drain SET seen_at = now() - interval '8 days';
INSERT INTO rollcall_sweep (name, started_at, took_ms, outcome, failed, runs, failures)
VALUES ('clean-up', now(), 1, '', false, 1, 0)
ON CONFLICT (name) DO UPDATE SET started_at = now()
"""


def drain(node_id: int) -> bool:
    """As the web does; whether it was let."""
    try:
        connection.ensure_connection()
        with role("rollcall_web"):
            return drains.drain(node_id, reason="at once", actor="olga")
    except drains.NoTaker:
        return False
    finally:
        connection.close()


async def test_of_two_nodes_drained_at_once_one_stays(other: Other) -> None:
    """And the drain of one that has left goes with it."""
    await other.execute(NODES.encode())
    done = await asyncio.gather(*(asyncio.to_thread(drain, node_id) for node_id in (0, 1)))

    assert sorted(done) == [False, True]
    assert await value(other, "SELECT count(*) FROM rollcall_drain") == 1
    await other.execute(GONE)
    assert "1 drains of nodes that left" in await swept(session.clean_up)
    assert await value(other, "SELECT count(*) FROM rollcall_drain") == 0
