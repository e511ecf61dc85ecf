"""Operators' pauses and resumes on the group's owner: decided, written, and then applied.

``groups.core.pauses`` decides an operation while the group cannot change; it is written behind the
same guard as all changes of a group, and only then applied where members' polls wait for it
(``groups.runtime.pauses``). No rule here, and nothing about members' acknowledgements
(``groups.operations.pause_acks``).
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import psycopg

from groups.core.group import Decision, Group
from groups.core.kinds import CLASSIC, KINDS
from groups.core.pauses import Pauses, PauseVerb, Ruling, decide
from groups.core.rows import slot_of
from groups.postgres import connections, errors
from groups.postgres.connections import Connection
from groups.postgres.errors import Conflict, Fenced, StoreError, Unknown
from groups.runtime.entries import GroupEntry
from groups.runtime.retries import Reloader
from groups.runtime.runtime import CoordinatorRuntime
from groups.store import apply, load
from groups.store.apply import Batch, Statement, Write
from groups.store.sql import pauses as sql

logger = logging.getLogger(__name__)

HOLD_TRY_S = 0.02
HOLD_TRIES_MAX = 250
"""If a committer holds the group at each of these attempts, during five seconds, the next check
picks the operation up again."""

AGAIN_S = 0.2
"""The pause between attempts to read an unavailable database."""


class EarlierAttempt(Exception):
    """The operation has ended: an earlier attempt, which was given up, came through."""


class Pausing:
    """Executes such operations one after the other, so that they keep their order.

    ``fenced`` is called when a write met another owner's epoch, ``reloader`` with a group whose
    rows differ from memory.
    """

    def __init__(
        self,
        node_id: int,
        coordinator: CoordinatorRuntime,
        reloader: Reloader,
        fenced: Callable[[], None],
    ) -> None:
        self.node_id = node_id
        self.coordinator = coordinator
        self.reloader = reloader
        self.fenced = fenced
        self._queue: asyncio.Queue[tuple[str, PauseVerb]] = asyncio.Queue()
        self._connection: Connection | None = None

    def add(self, group_id: str, verb: PauseVerb) -> None:
        """Queue an operation."""
        self._queue.put_nowait((group_id, verb))

    async def run(self) -> None:
        """Execute them one by one, until cancelled."""
        try:
            while True:
                await self._carry_out(*await self._queue.get())
        finally:
            if self._connection is not None:
                await self._connection.close()

    async def _carry_out(self, group_id: str, verb: PauseVerb) -> None:
        async with self._still(group_id) as group:
            if group is not None and self.coordinator.owns(group_id):
                paused = self.coordinator.own.paused
                ruling = decide(group.durable, paused.of(group_id), verb)
                if await self._write(group_id, group, ruling, verb.operation_id):
                    paused.put(group_id, ruling.pauses)
        # If it was not written, or that is unknown, the next check finds the row again.
        self.coordinator.undecided(verb.operation_id)

    @asynccontextmanager
    async def _still(self, group_id: str) -> AsyncIterator[Group | None]:
        """The group while no committer has it; None if one always has."""
        entry = await self._held(group_id)
        if entry is None:
            rules = self.coordinator.own.rules_of(group_id)
            absent = KINDS[CLASSIC].absent(group_id, rules, self.coordinator.clock())
            yield None if group_id in self.coordinator.entries else absent
            return
        try:
            yield entry.group
        finally:
            if not entry.suspended:
                self.coordinator.release(entry)

    async def _held(self, group_id: str) -> GroupEntry | None:
        for _ in range(HOLD_TRIES_MAX):
            entry = self.coordinator.hold(group_id)
            if entry is not None or group_id not in self.coordinator.entries:
                return entry
            await asyncio.sleep(HOLD_TRY_S)
        return None

    async def _write(self, group_id: str, group: Group, ruling: Ruling, operation_id: int) -> bool:
        """Returns whether it is written. If that is unknown, memory is set from the rows."""
        try:
            await self._apply(group_id, group, ruling, operation_id)
        except Fenced:
            self.fenced()
        except Conflict:
            self._doubt(group_id)
        except EarlierAttempt:
            await self._learn(group_id, operation_id)
        except Unknown as error:
            logger.warning("a pause of %r: outcome unknown: %s", group_id, error)
            await self._learn(group_id, operation_id)
        except (StoreError, OSError) as error:
            logger.info("a pause of %r waits: %s", group_id, error)
        else:
            return True
        return False

    async def _apply(self, group_id: str, group: Group, ruling: Ruling, operation_id: int) -> None:
        """Write it in a transaction that locks the operation. The guard alone would accept a late
        attempt that was abandoned: a pause does not change its group's revision."""
        journal = () if ruling.entry is None else (ruling.entry,)
        decision = Decision(group, journal=journal, operations=(ruling.operated,))
        epochs = dict(self.coordinator.epochs)
        batch = Batch(self.node_id, epochs, [Write(group.durable, decision)])
        before = self.coordinator.own.paused.of(group_id)
        try:
            self._connection = connection = await connections.kept(self._connection, "pauses")
            async with connection.transaction():
                key = {"operation_id": operation_id}
                taken = await connection.execute(sql.TAKE_OPERATION.encode(), key)
                if await taken.fetchone() is None:
                    raise EarlierAttempt
                async with connection.pipeline():
                    for text, parameters in apply.statements(batch):
                        await connection.execute(text.encode(), parameters)
                    for text, parameters in changes(group_id, before, ruling.pauses):
                        await connection.execute(text.encode(), parameters)
        except psycopg.Error as error:
            raise errors.translate(error, self._connection) from error

    def _doubt(self, group_id: str) -> None:
        """Another process wrote the group's rows: reload the group, as after any write."""
        entry = self.coordinator.entries.get(group_id)
        if entry is not None and entry.busy:
            self.coordinator.doubt(entry)
            self.reloader.add([entry])

    async def _learn(self, group_id: str, operation_id: int) -> None:
        """Read the pauses when no attempt of the operation is running, until that succeeds, or the
        group has another node."""
        while self.coordinator.owns(group_id):
            try:
                async with await connections.connect("pauses again") as connection:
                    key = {"operation_id": operation_id}
                    await connection.execute(sql.AWAIT_OPERATION.encode(), key)
                    pauses = await load.pauses_of_group(connection, group_id)
            except (psycopg.Error, OSError):
                await asyncio.sleep(AGAIN_S)
            else:
                self.coordinator.own.paused.put(group_id, pauses)
                return


def changes(group_id: str, before: Pauses, after: Pauses) -> Iterator[Statement]:
    """The statements that change the rows from one state to the other, and notify pages. Pure."""
    gone = sorted(before.keys() - after.keys())
    if gone:
        scopes, names = ([target[part] for target in gone] for part in (0, 1))
        yield sql.DROP, {"group_id": group_id, "scopes": scopes, "names": names}
    for target in sorted(after.keys() - before.keys()):
        pause = after[target]
        yield (
            sql.PUT,
            {
                "group_id": group_id,
                "slot": slot_of(group_id),
                "scope": target.scope,
                "name": target.name,
                "pause_id": pause.pause_id,
                "actor": pause.actor,
                "reason": pause.reason,
            },
        )
    yield sql.RING, {"bell": sql.BELL, "group_id": group_id}
