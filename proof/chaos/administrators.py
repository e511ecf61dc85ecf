"""Faults that administrators of PostgreSQL and operators of Rollcall cause: locks, rewritten
tables, no connection left, an immediate restart, two operators at once.

Nothing of it may cost a member its session, an acknowledged offset, or a slot its owner.
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from random import Random
from typing import LiteralString

import psycopg
from psycopg import sql

from groups.core.rows import slot_of
from proof.chaos.member import Member
from proof.chaos.processes import send
from proof.chaos.world import World

TABLES: Sequence[str] = (
    "rollcall_group",
    "rollcall_group_config",
    "rollcall_journal",
    "rollcall_liveness",
    "rollcall_member",
    "rollcall_node",
    "rollcall_offset",
    "rollcall_operation",
    "rollcall_slot",
    "rollcall_timeline",
    "rollcall_topic",
)

LOCKED_S = (1.0, 4.0, 8.0)
"""Shorter and longer than a lease, and than ``offsets.commit.timeout.ms``."""

FULL_S = 6.0
CONNECTIONS_MAX = 400

REWRITES: Sequence[LiteralString] = (
    "VACUUM (FULL) {}",
    "REINDEX TABLE {}",
    "ANALYZE {}",
    "ALTER TABLE {} SET (fillfactor = 90)",
)

REFUSED = (
    psycopg.errors.DeadlockDetected,
    psycopg.errors.LockNotAvailable,
    psycopg.errors.ReadOnlySqlTransaction,
)
"""By what else is done to the database at the same time; the next statement may pass."""

END_BACKENDS = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND application_name LIKE 'rollcall%'
"""

REQUEST = """
INSERT INTO rollcall_operation
    (slot, group_id, verb, member_id, reason, actor, state, detail, created_at)
SELECT %s, %s, verb, '', 'chaos', 'chaos', 'pending', '', now()
FROM unnest(%s::text[]) verb
"""
VERBS = ("rebalance", "freeze", "rebalance", "thaw", "rebalance")
"""Of operators who do not know of each other."""


async def lock_a_table(world: World, rng: Random) -> None:
    """LOCK TABLE by a forgotten session of psql."""
    table = sql.Identifier(rng.choice(TABLES))
    with suppress(psycopg.Error, OSError):
        async with await world.connect() as connection, connection.transaction():
            await connection.execute(sql.SQL("LOCK TABLE {}").format(table))
            await asyncio.sleep(rng.choice(LOCKED_S))


async def rewrite_tables(world: World, rng: Random) -> None:
    """Maintenance of all tables at a bad time, one after the other."""
    async with await world.connect() as connection:
        await connection.set_autocommit(True)
        for name in rng.sample(TABLES, len(TABLES)):
            for text in REWRITES:
                with suppress(*REFUSED):
                    await connection.execute(sql.SQL(text).format(sql.Identifier(name)))


async def take_all_connections(world: World, _rng: Random) -> None:
    """Another program takes every connection just when those of the nodes end."""
    with suppress(psycopg.Error, OSError):
        async with AsyncExitStack() as stack, _taken(stack, world):
            await asyncio.sleep(FULL_S)


@asynccontextmanager
async def _taken(stack: AsyncExitStack, world: World) -> AsyncIterator[None]:
    await world.rows(END_BACKENDS)
    for _ in range(CONNECTIONS_MAX):
        try:
            made = await world.connect()
        except psycopg.OperationalError:
            break
        stack.push_async_callback(made.close)
    yield


async def restart_at_once(world: World, _rng: Random) -> None:
    """An immediate shutdown: no checkpoint, no goodbye, and recovery from the log."""
    send(world.postmaster(), signal.SIGQUIT)


async def request_much(world: World, group_ids: Sequence[str], rng: Random) -> None:
    """Operators force rebalances, freeze and release one group at the same time."""
    group_id = rng.choice(sorted(group_ids))
    with suppress(psycopg.Error, OSError):
        for verbs in (VERBS, VERBS[::-1]):
            await world.rows(REQUEST, slot_of(group_id), group_id, list(verbs))
        await world.rows("NOTIFY rollcall_operations")
        await asyncio.sleep(1.0)
        await world.rows(REQUEST, slot_of(group_id), group_id, ["thaw"])


DRAINED_S = 4.0
"""Longer than members take to hear of it, and than most to give up what they have."""

OF_MEMBER = """
INSERT INTO rollcall_operation
    (slot, group_id, verb, member_id, reason, actor, state, detail, created_at)
VALUES (%s, %s, %s, %s, 'chaos', 'chaos', 'pending', '', now())
"""


async def drain_a_member(world: World, member: Member) -> None:
    """An operator drains a member, which keeps nothing and stays, and ends the drain."""
    for verb, wait_s in (("drain", DRAINED_S), ("undrain", 0.0)):
        with suppress(psycopg.Error, OSError):
            slot = slot_of(member.group_id)
            await world.rows(OF_MEMBER, slot, member.group_id, verb, member.member_id)
            await world.rows("NOTIFY rollcall_operations")
        await asyncio.sleep(wait_s)


ACTS: Sequence[tuple[str, str, Callable[[World, Random], Awaitable[None]]]] = (
    ("lock-table", "LOCK TABLE of one table, forgotten for up to 8 s", lock_a_table),
    ("rewrite-tables", "VACUUM FULL, REINDEX and ALTER of every table", rewrite_tables),
    (
        "no-connections",
        "every connection of PostgreSQL taken when those of the nodes end",
        take_all_connections,
    ),
    ("immediate-restart", "immediate shutdown of PostgreSQL", restart_at_once),
)
"""Name and meaning of each, as in the table of faults."""
