"""What the database committed, for the history: PostgreSQL's own log, read by logical decoding.

Nodes write as usual. A replication slot keeps what they committed, in the order of the commits and
across crashes of the server; it is read on request. The only change to the installation's database
is that the guard also writes a message to the log with the epochs and revisions from which a
transaction decided, since no row has them.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, LiteralString

import psycopg

from proof.chaos.commits import COLUMNS, GUARD, Commits, Record
from proof.chaos.fact_rows import FACTS
from proof.chaos.logical_decoding import Stream, Transaction

NAME: Final = "proof"
SERVER: Final[Mapping[str, str]] = {"wal_level": "logical"}
"""What the server needs for it."""

PUBLISH = f"CREATE PUBLICATION {NAME} FOR TABLE " + ", ".join(
    f"{table} ({', '.join(columns)})" for table, columns in COLUMNS.items()
)
PUBLISH_FACTS = (
    f"CREATE PUBLICATION {NAME}_facts FOR TABLE "
    + ", ".join(f"{table} ({', '.join(columns)})" for table, columns in FACTS.items())
    + " WITH (publish = 'insert', publish_via_partition_root = true)"
)
"""Days of facts have no key: rows are added, and dropped with their day."""

RETAIN: LiteralString = "SELECT pg_create_logical_replication_slot('proof', 'pgoutput')"
READ: LiteralString = """
SELECT data FROM pg_logical_slot_get_binary_changes(
    'proof', NULL, NULL, 'proto_version', '1', 'publication_names', 'proof,proof_facts',
    'messages', 'true')
"""
MEMBERS: LiteralString = "SELECT group_id, member_id, instance_id FROM rollcall_member"

ITSELF: LiteralString = """
SELECT replace(pg_get_functiondef(oid), 'rollcall_guard(', 'rollcall_guard_itself(')
FROM pg_proc WHERE proname = 'rollcall_guard'
"""
NOTING = f"""
CREATE OR REPLACE FUNCTION public.rollcall_guard(
    slots smallint[], epochs bigint[], group_ids text[], revisions bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM rollcall_guard_itself(slots, epochs, group_ids, revisions);
    PERFORM pg_logical_emit_message(true, '{GUARD}', json_build_object(
        'slots', slots, 'epochs', epochs, 'groups', group_ids, 'revisions', revisions)::text);
END $$
"""
"""Replaced, not renamed: prepared statements refer to a function by its OID, and keep it."""

Connect = Callable[[], Awaitable["psycopg.AsyncConnection[Any]"]]


class Witness:
    """``rows`` are records of the history, each with its ``at``, in the order of the commits.

    ``jumps_s`` are the offsets that the server's clock has had, including 0. They are hours, and a
    transaction is read minutes after its commit: so it is clear which one applied.
    """

    def __init__(self, connect: Connect, jumps_s: Sequence[float] = (0.0,)) -> None:
        self.connect = connect
        self.jumps_s = jumps_s
        self.rows: list[Record] = []
        self._commits = Commits()
        self._lsn = 0
        self._at = 0.0

    async def attach(self) -> None:
        """Record everything that is committed from here on."""
        async with await self.connect() as connection:
            itself = await (await connection.execute(ITSELF)).fetchone()
            assert itself is not None, "there is no guard"
            for statement in (itself[0], NOTING, PUBLISH, PUBLISH_FACTS, RETAIN):
                await connection.execute(statement)
            members: dict[str, dict[str, str | None]] = {}
            for group, member, instance in await (await connection.execute(MEMBERS)).fetchall():
                members.setdefault(group, {})[member] = instance
        self._commits = Commits(members)

    async def read(self, limit_s: float) -> None:
        """Read what was committed since the last time, as soon as the server answers."""
        self._take(await self._committed(limit_s))

    async def retain_at(self, replica: Connect, primary: Connect) -> None:
        """Also retain at the replica everything committed from here on, for after its promotion."""
        async with await replica() as there, await primary() as here:
            retaining = asyncio.create_task(there.execute(RETAIN))
            while not retaining.done():  # it waits for a message about what runs on the primary
                await here.execute("SELECT pg_log_standby_snapshot()")
                await asyncio.wait([retaining], timeout=0.2)
            await retaining

    async def part(self, fork: int, at_ms: float, limit_s: float) -> None:
        """The server was killed at ``at_ms``, and its replica knows nothing from the position
        ``fork`` of its log on: read the rest, and record it as lost."""
        found = await self._committed(limit_s)
        self._take(t for t in found if t.lsn < fork)
        kept, lsn, known = deepcopy(self._commits), self._lsn, len(self.rows)
        self._take(t for t in found if t.lsn >= fork)
        lost = self.rows[known:]
        self.rows += [{"at": at_ms, **row} for row in kept.back(lost)]
        self._commits, self._lsn = kept, lsn

    async def _committed(self, limit_s: float) -> list[Transaction]:
        async with asyncio.timeout(limit_s):
            while True:
                try:
                    async with await self.connect() as connection:
                        cursor = await connection.execute(READ)
                        found = [data for (data,) in await cursor.fetchall()]
                except (psycopg.Error, OSError):
                    await asyncio.sleep(0.1)
                else:
                    return list(Stream().transactions(found))

    def _take(self, transactions: Iterable[Transaction]) -> None:
        ahead_s = time.time() - time.monotonic()
        for transaction in transactions:
            if transaction.lsn <= self._lsn:
                continue  # after a crash the server sends the last ones again
            self._lsn = transaction.lsn
            at = self._instant(transaction.wall_s - ahead_s)
            # The server reads its clock shortly before it decides the order.
            self._at = max(self._at, at * 1000)
            self.rows += [{"at": self._at, **row} for row in self._commits.rows(transaction)]

    def _instant(self, wall_s: float) -> float:
        """The time on our clock, whatever offset the server's had then."""
        present = time.monotonic()
        return min((wall_s - jump for jump in self.jumps_s), key=lambda at: abs(present - at))
