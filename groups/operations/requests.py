"""Operators' requests: a row to insert, and the event that the owner executes.

Any process inserts one at any time (``console.operations.requests`` for people); the
``OperationDispatcher`` is the node's part. The store commits effect and result together, so an
operation survives an owner that fails (docs/architecture.md, *Operations*).
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Protocol

import psycopg
from django.db import connection as django_connection
from django.db import transaction
from psycopg_pool import PoolTimeout

from groups.core.events import RowsVerb, Verb
from groups.core.operations import OPERATIONS, Asked, Name
from groups.core.rows import slot_of
from groups.models import Operation
from groups.operations.rows_read import OperationRows
from groups.postgres.channels import NOTIFY, Rung
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.sql import slots as sql
from groups.tracing import context

logger = logging.getLogger(__name__)

BELL = "rollcall_operations"
"""The channel for new operations. The payload is the slot."""

READS_MAX: Final = 2
"""Operations whose rows are read at the same time: half of the pool's connections."""


def request_many(group_ids: Sequence[str], verb: str, *, reason: str, actor: str) -> None:
    """Insert the same operation for many groups, and notify once for each slot."""
    fields = {"verb": verb, "reason": reason, "actor": actor, "traceparent": context.traceparent()}
    operations = [Operation(group_id=g, slot=slot_of(g), **fields) for g in group_ids]
    with transaction.atomic():
        Operation.objects.bulk_create(operations)
        notify({operation.slot for operation in operations})


def notify(slots: Iterable[int]) -> None:
    """Notify the owners of the slots when the transaction commits."""
    with django_connection.cursor() as cursor:
        for slot in sorted(slots):
            cursor.execute(NOTIFY, {"bell": BELL, "payload": str(slot)})


def event_of(row: Sequence[Any]) -> tuple[str, Verb]:
    """The event of a pending row, with its group id."""
    asked = Asked(*row)
    if asked.verb not in list(Name):
        raise ValueError(f"unknown verb in this version: {asked.verb}")
    return asked.group_id, OPERATIONS[Name(asked.verb)].event(asked)


class Traces(Protocol):
    """Where operations are traced (``groups.tracing.spans``)."""

    def begin_operation(
        self, event: Verb, group_id: str, verb: str, traceparent: str | None, /
    ) -> None:
        """It was found, for the first time or again."""

    def left(self, operation_id: int, /) -> None:
        """Nothing more happens to it here."""


class NoTraces:
    """They are not."""

    def begin_operation(
        self, _event: Verb, _group_id: str, _verb: str, _traceparent: str | None, /
    ) -> None:
        """Nobody is told."""

    def left(self, _operation_id: int, /) -> None:
        """Nobody is told."""


class OperationDispatcher:
    """The node's part: pending operations of owned slots become events, once each.

    ``_dispatched`` has each id with the slot epoch under which its event was created, until its row
    is no longer pending, or its event was refused before a decision: so a second notification does
    not execute an operation twice while the first is being committed. A slot that was lost and
    taken again has another epoch: events of the old one are fenced, and created again. Verbs of
    later versions wait for a node that knows them.

    ``rows`` are read for events that need them. A group waits meanwhile, so only ``READS_MAX`` of
    these are in inboxes at once.
    """

    def __init__(
        self,
        coordinator: CoordinatorRuntime,
        rows: OperationRows,
        readers: Callable[[], Any],
    ) -> None:
        self.coordinator = coordinator
        self.rows = rows
        self.readers = readers
        self.traces: Traces = NoTraces()
        self._dispatched: dict[int, int] = {}
        self._left: set[int] = set()
        self._looking = asyncio.Lock()
        self._unread: deque[tuple[str, RowsVerb]] = deque()
        self._reads: set[int] = set()
        self._giving = False

    def undecided(self, operation_id: int) -> None:
        """Its event was refused before a decision: the next look makes it again."""
        self._dispatched.pop(operation_id, None)
        self._read(operation_id)
        if self._looking.locked():
            self._left.add(operation_id)
        self.traces.left(operation_id)

    async def look(self, _rung: Rung = None) -> None:
        """Read the pending operations of this node's slots and put their events into the
        inboxes."""
        async with self._looking:
            self._left.clear()
            await self._look()

    async def _look(self) -> None:
        slots = sorted(self.coordinator.epochs)
        if not slots:
            return
        try:
            async with self.readers() as connection:
                parameters = {"slots": slots, "verbs": list(Operation.Verb)}
                cursor = await connection.execute(sql.PENDING_OPERATIONS.encode(), parameters)
                rows = await cursor.fetchall()
        except (psycopg.Error, PoolTimeout) as error:
            logger.info("operations wait for the database: %s", error)
            return
        pending = {row[0] for row in rows}
        self._dispatched = {key: epoch for key, epoch in self._dispatched.items() if key in pending}
        for row in rows:
            epoch = self.coordinator.epochs.get(slot_of(row[1]))
            if row[0] in self._left:
                continue  # it may have ended since it was read: the next check knows
            if epoch is not None and self._dispatched.get(row[0]) != epoch:
                self._dispatched[row[0]] = epoch
                *fields, traceparent = row
                group_id, event = event_of(fields)
                self.traces.begin_operation(event, group_id, row[2], traceparent)
                self._give(group_id, event)

    def _give(self, group_id: str, event: Verb) -> None:
        if isinstance(event, RowsVerb):
            self._unread.append((group_id, event))
            self._give_unread()
        else:
            self.coordinator.submit(group_id, event)

    def _give_unread(self) -> None:
        if self._giving:  # one was refused at once: the loop below goes on
            return
        self._giving = True
        try:
            while self._unread and len(self._reads) < READS_MAX:
                group_id, event = self._unread.popleft()
                self._reads.add(event.operation_id)
                self.coordinator.submit(group_id, event)
        finally:
            self._giving = False

    def _read(self, operation_id: int) -> None:
        self._reads.discard(operation_id)
        self._give_unread()

    async def read_rows(self, group_id: str, event: RowsVerb) -> RowsVerb:
        """The event with its rows. Raises ``NotRead``."""
        read = await self.rows.read(group_id, event)
        self._read(event.operation_id)
        return read
