"""Transactional ids in rows: lock the producer, let the rules decide, write what follows.

The owner of a transactional id's slot coordinates it, as with groups; but nodes do not communicate
with each other, and the owner of a group must see its producers' transactions. So this file keeps
no state: each request reads the row, and the row lock orders requests. Rules are in
``groups.core.transactions``, SQL in ``groups.store.sql.transactions``.

The end of a transaction writes offsets of groups that other nodes may own, past those groups'
owners (docs/decisions/0011-transactions.md says why that is safe).
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from groups.catalogue import regex
from groups.core import transactions as rules
from groups.core.errors import ErrorCode, Refuse
from groups.core.rows import slot_of
from groups.core.transactions import NO_ID, Claim, Ended, PendingOffsets, Producer, State
from groups.postgres import errors
from groups.postgres.array_literals import array
from groups.postgres.connections import Connection, in_slices
from groups.runtime.fail_points import Fail, no_fail
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.sql import group_rows
from groups.store.sql import transactions as txn_sql

logger = logging.getLogger(__name__)

LOOK_S = 1.0
"""How often a node checks for expired transactions: their longest delay."""

ABORTS_A_LOOK = 100
"""Transactions that one check aborts, oldest first; the next check aborts the others."""

MATCH_S_MAX = 5.0
"""The time limit of matching ids with a pattern."""

TRIES_MAX = 20
"""A lock is waited for a tenth of a second each time (``groups.postgres.roles``); then the client
asks again itself."""

Rule = Callable[[Producer | None], Ended]


def _nobody_counts() -> None:
    """No limit of transactional ids."""


class Described(NamedTuple):
    """A transactional id as operators see it. ``started_at_ms``: since 1970, -1 if no transaction
    is ongoing. ``waiting``: partitions with pending offsets, by topic."""

    producer: Producer
    started_at_ms: int
    waiting: Mapping[str, Sequence[int]]


GROUPS_MAX = 100
"""The limit of groups in one transaction. Clients use one: the group with which they consume."""

TOO_MANY_GROUPS = f"A transaction has at most {GROUPS_MAX} groups."


class Transactions:
    """A node's operations on transactional ids. Every method raises ``Refuse``. ``admit_new``
    refuses a new id when the limit is reached.

    In addition to the codes of the rules: NOT_COORDINATOR if another node owns the slot,
    CONCURRENT_TRANSACTIONS if the row stays locked, and COORDINATOR_NOT_AVAILABLE if PostgreSQL
    does not answer; all three are retriable.
    """

    def __init__(
        self,
        coordinator: CoordinatorRuntime,
        connections: AsyncConnectionPool[Connection],
        fenced: Callable[[], None],
        fail: Fail = no_fail,
        admit_new: Callable[[], None] = _nobody_counts,
    ) -> None:
        self.admit_new = admit_new
        self.coordinator = coordinator
        self.connections = connections
        self.fenced = fenced
        self.fail = fail

    # -- producers

    async def draw_producer_id(self) -> int:
        """A new producer id for a producer that is only idempotent."""
        async with _Answers(self), self.connections.connection() as connection:
            return await _drawn(connection)

    async def initialise(
        self, transactional_id: str, timeout_ms: int, claim: Claim | None
    ) -> Producer:
        """Assign the transactional id to this producer; abort the transaction of its
        predecessor."""
        return await self._decide(
            transactional_id,
            lambda before: rules.initialise(before, transactional_id, timeout_ms, claim),
        )

    async def add_group(self, transactional_id: str, claim: Claim, group_id: str) -> None:
        """Add the group to the transaction, which begins if it has not begun."""
        await self._decide(
            transactional_id, lambda before: Ended(rules.begin(before, claim)), add=group_id
        )

    async def admit(self, transactional_id: str, claim: Claim, group_id: str, version: int) -> None:
        """Check, for the group's owner, that offsets may be added to the transaction.

        From v5 of TxnOffsetCommit the group is added here, without the guard: this node need not
        own the transactional id's slot, and the lock of the producer's row is sufficient.
        """
        async with _Answers(self), self.connections.connection() as connection:
            parameters = {"transactional_id": transactional_id, "group_id": group_id}
            cursor = await connection.execute(txn_sql.FIND_PRODUCER.encode(), parameters)
            row = await cursor.fetchone()
        found = _producer(row[:7]) if row else None
        if rules.check_commit(found, claim, bool(row and row[7]), version):
            return

        def begin(before: Producer | None) -> Ended:
            rules.check_commit(before, claim, has_group=False, version=version)
            return Ended(rules.begin(before, claim))

        await self._decide(transactional_id, begin, add=group_id, is_guarded=False)

    async def end(
        self, transactional_id: str, claim: Claim, *, commit: bool, version: int
    ) -> Producer:
        """Commit or abort: apply the pending offsets, or drop them."""
        return await self._decide(
            transactional_id,
            lambda before: rules.end(before, claim, commit=commit, version=version),
        )

    # -- operators

    async def listed(self, pattern: str | None) -> list[tuple[Producer, int]]:
        """The transactional ids of this node's slots, each with the milliseconds that its
        transaction has lasted (0: none is ongoing). ``pattern``, in RE2's syntax: only ids that it
        matches as a whole, unless it is empty; refuses INVALID_REGULAR_EXPRESSION."""
        if pattern and regex.problem(pattern) is not None:
            raise Refuse(ErrorCode.INVALID_REGULAR_EXPRESSION)
        parameters = {"slots": sorted(self.coordinator.epochs)}
        async with _Answers(self), self.connections.connection() as connection:
            cursor = await connection.execute(txn_sql.LIST.encode(), parameters)
            found = [(_producer(row[:7]), row[7]) async for row in in_slices(cursor)]
        return await _matching(pattern, found) if pattern else found

    async def described(self, transactional_ids: Sequence[str]) -> Mapping[str, Described]:
        """Those of the given ids that exist. Two statements."""
        async with _Answers(self), self.connections.connection() as connection:
            cursor = await connection.execute(
                txn_sql.DESCRIBE.encode(), {"transactional_ids": array(transactional_ids)}
            )
            found = [(_producer(row[:7]), row[7]) async for row in in_slices(cursor)]
            waiting: dict[int, dict[str, Sequence[int]]] = {p.producer_id: {} for p, _ in found}
            cursor = await connection.execute(
                txn_sql.PARTITIONS_OF_PRODUCERS.encode(), {"producer_ids": array(list(waiting))}
            )
            async for producer_id, topic, partitions in in_slices(cursor):
                waiting[producer_id][topic] = partitions
        return {
            producer.transactional_id: Described(producer, at_ms, waiting[producer.producer_id])
            for producer, at_ms in found
        }

    # -- transactions that last too long

    async def run(self) -> None:
        """Look for them, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                await self.abort_overdue()
            except Refuse as refusal:
                logger.info("overdue transactions were not aborted: %s", refusal)

    async def abort_overdue(self) -> int:
        """Abort transactions of this node's slots that are older than their producers allowed;
        returns how many were looked at."""
        slots = sorted(self.coordinator.epochs)
        async with _Answers(self), self.connections.connection() as connection:
            cursor = await connection.execute(
                txn_sql.OVERDUE.encode(), {"slots": slots, "most": ABORTS_A_LOOK}
            )
            overdue = [transactional_id for (transactional_id,) in await cursor.fetchall()]
        for transactional_id in overdue:
            try:
                await self._decide(transactional_id, _timed_out)
            except Refuse as refusal:  # the others must not wait for this one
                logger.info("transaction of %r goes on: %s", transactional_id, refusal)
        return len(overdue)

    # -- one decision

    async def _decide(
        self,
        transactional_id: str,
        rule: Rule,
        *,
        add: str | None = None,
        is_guarded: bool = True,
    ) -> Producer:
        for _ in range(TRIES_MAX):
            try:
                async with _Answers(self):
                    return await self._once(transactional_id, rule, add, is_guarded)
            except errors.Contended:
                continue
        raise Refuse(ErrorCode.CONCURRENT_TRANSACTIONS)

    async def _once(
        self, transactional_id: str, rule: Rule, add: str | None, is_guarded: bool
    ) -> Producer:
        """Lock, decide, write: one transaction of PostgreSQL."""
        async with self.connections.connection() as connection, connection.transaction():
            if is_guarded:
                await self._guard(connection, slot_of(transactional_id))
            parameters = {"transactional_id": transactional_id}
            cursor = await connection.execute(txn_sql.LOCK_PRODUCER.encode(), parameters)
            row = await cursor.fetchone()
            before = _producer(row) if row else None
            ended = rule(before)
            if before is not None and ended.pending is not PendingOffsets.WAIT:
                await self._settle(connection, before, ended.pending)
            if before is None:
                self.admit_new()
            after = await _put(connection, before, ended.producer)
            if add is not None:
                new = {**parameters, "group_id": add, "most": GROUPS_MAX}
                cursor = await connection.execute(txn_sql.ADD_GROUP.encode(), new)
                if not cursor.rowcount:
                    raise Refuse(ErrorCode.POLICY_VIOLATION, TOO_MANY_GROUPS)
        await self.fail("transaction:after")
        return after

    async def _guard(self, connection: Connection, slot: int) -> None:
        epoch = self.coordinator.epochs.get(slot, -1)
        none: dict[str, list[Any]] = {"group_ids": [], "revisions": []}
        await connection.execute(
            group_rows.GUARD.encode(), {"slots": [slot], "epochs": [epoch], **none}
        )

    async def _settle(
        self, connection: Connection, before: Producer, pending: PendingOffsets
    ) -> None:
        """Apply or drop the transaction's offsets; then none is pending."""
        parameters = {
            "producer_id": before.producer_id,
            "transactional_id": before.transactional_id,
        }
        await connection.execute(txn_sql.LOCK_WAITING.encode(), parameters)
        await self.fail("transaction:locked")
        is_applied = pending is PendingOffsets.APPLY
        apply = (txn_sql.NOTE_HISTORY, txn_sql.APPLY, txn_sql.OVERTAKE) if is_applied else ()
        async with connection.pipeline():
            for text in (*apply, txn_sql.DROP_WAITING, txn_sql.DROP_GROUPS):
                await connection.execute(text.encode(), parameters)


class _Answers:
    """Translate errors of PostgreSQL into error codes for the client; ``Contended`` is passed
    on."""

    def __init__(self, transactions: Transactions) -> None:
        self.transactions = transactions

    async def __aenter__(self) -> None:
        """Nothing to prepare."""

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, PoolTimeout):
            raise Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE) from error
        if not isinstance(error, psycopg.Error):
            return
        meant = errors.translate(error, None)
        if isinstance(meant, errors.Contended):
            raise meant from error
        if isinstance(meant, errors.Fenced):
            self.transactions.fenced()
            raise Refuse(ErrorCode.NOT_COORDINATOR) from error
        logger.warning("a transaction was not written, or its outcome is unknown: %s", error)
        raise Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE) from error


async def _matching(pattern: str, found: list[tuple[Producer, int]]) -> list[tuple[Producer, int]]:
    names = [one.transactional_id for one, _ in found]
    matched = await asyncio.to_thread(regex.matches, (pattern,), names, MATCH_S_MAX)
    if pattern not in matched:
        raise Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE, "the pattern took too long")
    wanted = frozenset(matched[pattern])
    return [(one, age_ms) for one, age_ms in found if one.transactional_id in wanted]


def _timed_out(before: Producer | None) -> Ended:
    ended = rules.time_out(before)
    if ended is None:
        raise Refuse(ErrorCode.INVALID_TXN_STATE, "it has ended meanwhile")
    logger.info("aborted the transaction of %r: it timed out", ended.producer.transactional_id)
    return ended


async def _put(connection: Connection, before: Producer | None, after: Producer) -> Producer:
    if after == before:
        return after
    if after.producer_id == NO_ID:
        after = replace(after, producer_id=await _drawn(connection))
    values = {**asdict(after), "slot": slot_of(after.transactional_id)}
    query = txn_sql.NEW_PRODUCER if before is None else txn_sql.PUT_PRODUCER
    cursor = await connection.execute(query.encode(), values)
    if cursor.rowcount == 0:
        raise errors.Contended("somebody else has made the transactional id")
    return after


async def _drawn(connection: Connection) -> int:
    cursor = await connection.execute(txn_sql.DRAW_PRODUCER_ID.encode())
    row = await cursor.fetchone()
    assert row is not None, "a sequence always has a next value"
    return int(row[0])


def _producer(row: tuple[Any, ...]) -> Producer:
    """A row of LOCK_PRODUCER; its last column is optional."""
    transactional_id, producer_id, epoch, timeout_ms, state, last_epoch, previous_id, *more = row
    return Producer(
        transactional_id=transactional_id,
        producer_id=producer_id,
        epoch=epoch,
        timeout_ms=timeout_ms,
        state=State(state),
        last_epoch=last_epoch,
        previous_id=previous_id,
        is_overdue=bool(more and more[0]),
    )
