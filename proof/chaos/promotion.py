"""A failover of PostgreSQL: a replica follows the server, the server is killed, the replica is
promoted.

An asynchronous replica lacks the last second. The dead server's log says what that was, so that the
history can tell what may be lost from what must not. A synchronous one must have everything that
was acknowledged.
"""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, LiteralString

import psycopg

from proof.chaos.processes import GONE, send
from proof.chaos.proxy import Proxy
from proof.chaos.record import now
from proof.chaos.server import Server
from proof.chaos.world import World

LIMIT_S = 60.0
"""The limit of any one step, on a busy machine."""

BEHIND_S = 0.8
"""How long the replica receives nothing before the server is killed: shorter than a node's timeout,
since commits wait for a synchronous one."""

FLUSHED: LiteralString = "SELECT pg_current_wal_flush_lsn()::text"
HAS_REPLAYED: LiteralString = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
IS_SYNCHRONOUS: LiteralString = (
    "SELECT count(*) > 0 FROM pg_stat_replication WHERE sync_state = 'sync'"
)
PROMOTE: LiteralString = "SELECT pg_promote(wait_seconds => 60)"
FORK: LiteralString = r"""
SELECT pg_wal_lsn_diff((regexp_match(
    pg_read_file('pg_wal/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '.history'),
    '\t(\S+)\t[^\n]*\s*$'))[1]::pg_lsn, '0/0')::bigint
"""
"""Where the timeline of a promoted server left the previous one, as it reports itself."""


async def promote(world: World, *, synchronous: bool) -> None:
    """From the base backup to a new server that serves; the old one is stopped."""
    old = world.postgres
    line = Proxy(old.port, frames=False)
    await line.start()
    replica: Server | None = None
    try:
        replica = await world.serve(follows=old.through(line.port))
        await _caught_up(old, replica)
        await world.witness.retain_at(replica.connect_patiently, old.connect_patiently)
        await world.witness.read(LIMIT_S)
        async with _waited_for(old) if synchronous else _without():
            await _caught_up(old, replica)
            line.weather.down.clear()
            await asyncio.sleep(BEHIND_S)
            await line.stop()
            killed_ms = await _take_over(world, old, replica)
        if not synchronous:
            await world.witness.part(await _query(replica, FORK), killed_ms, LIMIT_S)
        world.postgres, replica = replica, old
    finally:
        await line.stop()
        if replica is not None:
            await replica.stop()


async def _take_over(world: World, old: Server, replica: Server) -> float:
    """Kill the old server, point the proxy at the replica, promote it; returns the time of the kill
    in ms."""
    proxy, postmaster = world.database_proxy, world.postmaster()
    assert proxy is not None and postmaster is not None
    proxy.weather.turns_away = lambda _port: True
    with suppress(*GONE):
        for process in (postmaster, *postmaster.children()):
            send(process, signal.SIGKILL)
    killed_ms = now() * 1000
    proxy.cut()
    proxy.target = replica.port
    proxy.weather.turns_away = lambda _port: False
    await _query(replica, PROMOTE)
    return killed_ms


@asynccontextmanager
async def _waited_for(primary: Server) -> AsyncIterator[None]:
    """Make every commit wait for the replica."""
    await _query(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    await _query(primary, "SELECT pg_reload_conf()")
    try:
        async with asyncio.timeout(LIMIT_S):
            while not await _query(primary, IS_SYNCHRONOUS):
                await asyncio.sleep(0.05)
        yield
    except BaseException:  # the primary lives, and would wait for a replica that will be removed
        with suppress(psycopg.Error, OSError):
            await _query(primary, "ALTER SYSTEM RESET synchronous_standby_names")
            await _query(primary, "SELECT pg_reload_conf()")
        raise


@asynccontextmanager
async def _without() -> AsyncIterator[None]:
    yield


async def _caught_up(primary: Server, replica: Server) -> None:
    """Wait until the replica has all that the primary had at the call."""
    flushed = await _query(primary, FLUSHED)
    async with asyncio.timeout(LIMIT_S):
        while not await _query(replica, HAS_REPLAYED, flushed):
            await asyncio.sleep(0.05)


async def _query(server: Server, query: LiteralString, *values: object) -> Any:
    async with await server.connect_patiently() as connection:
        cursor = await connection.execute(query, values)
        row = await cursor.fetchone() if cursor.description else None
    return None if row is None else row[0]
