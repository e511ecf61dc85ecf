"""Operations on offsets: reads a group's offsets while the group cannot be written.

Offsets are not in memory, so an event about them must contain them; the group decides what happens
to them. Between the read and the decision the group cannot be written, since it is held as by a
committer, and no other such operation is pending: so no commit that was acknowledged in between is
deleted or overwritten.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import psycopg
from psycopg_pool import PoolTimeout

from groups.core.authors import Author, principal_of
from groups.core.errors import Refuse
from groups.core.events import ExpireOffsets, OffsetWrite, ResetOffsets, RestoreOffsets
from groups.core.expiry import Age
from groups.postgres.connections import Connection, in_slices
from groups.reporting.offset_totals import OffsetTotals
from groups.runtime.entries import GroupEntry
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.sql import offset_operations as sql

logger = logging.getLogger(__name__)

OffsetVerb = ExpireOffsets | RestoreOffsets | ResetOffsets

SET_SINCE: Final = "offsets were set or committed since the dry run; run it again"

HOLD_TRY_S = 0.02
HOLD_TRIES_MAX = 250
"""If a committer holds the group at each of these attempts, during five seconds, the group is busy:
the next check picks the operation up again."""


class OffsetVerbs:
    """Converts such operations to events, one after the other: they are not urgent. ``totals``
    decide whether a full group has room for them."""

    def __init__(
        self, coordinator: CoordinatorRuntime, readers: Callable[[], Any], totals: OffsetTotals
    ) -> None:
        self.coordinator = coordinator
        self.readers = readers
        self.totals = totals
        self._waiting: asyncio.Queue[tuple[str, OffsetVerb]] = asyncio.Queue()

    def add(self, group_id: str, verb: OffsetVerb) -> None:
        """Queue an operation; ``verb`` has no offsets yet."""
        self._waiting.put_nowait((group_id, verb))

    async def run(self) -> None:
        """Process one group after the other, until cancelled."""
        while True:
            await self._submit(*await self._waiting.get())

    async def _submit(self, group_id: str, verb: OffsetVerb) -> None:
        entry = await self._held(group_id)
        if entry is None:
            if group_id in self.coordinator.entries:
                self.coordinator.undecided(verb.operation_id)
            else:
                self.coordinator.submit(group_id, verb)  # it does not exist: refused
            return
        try:
            event = await self._read(group_id, verb)
        except (psycopg.Error, PoolTimeout, Refuse) as error:
            logger.info("offsets of %r were not looked at: %s", group_id, error)
            self.coordinator.undecided(verb.operation_id)
        else:
            if entry.suspended:
                self.coordinator.undecided(verb.operation_id)
            else:
                entry.put_in_front([event])
        finally:
            self.coordinator.release(entry)

    async def _held(self, group_id: str) -> GroupEntry | None:
        for _ in range(HOLD_TRIES_MAX):
            entry = self.coordinator.entries.get(group_id)
            if entry is None:
                return None
            if not _has_another(entry) and self.coordinator.hold(group_id) is not None:
                return entry
            await asyncio.sleep(HOLD_TRY_S)
        return None

    async def _read(self, group_id: str, verb: OffsetVerb) -> OffsetVerb:
        """The same event with the offsets in the rows."""
        async with self.readers() as connection:
            if isinstance(verb, ExpireOffsets):
                return await _with_ages(connection, group_id, verb)
            if isinstance(verb, RestoreOffsets):
                verb = await _with_history(connection, group_id, verb)
            elif await _is_stale(connection, group_id, verb):
                return replace(verb, obstacle=SET_SINCE)
        return replace(verb, obstacle=await self._without_room(group_id, verb.offsets))

    async def _without_room(self, group_id: str, writes: tuple[OffsetWrite, ...]) -> str:
        """The error if there is not room for all of them; all are set or none."""
        if group_id not in self.coordinator.full:
            return ""
        parts = {(write.topic, write.partition) for write in writes}
        without = len(await self.totals.refused(group_id, parts))
        return f"the limit of offsets does not allow {without} more" if without else ""


def _has_another(entry: GroupEntry) -> bool:
    """Whether an operation that was read before is still pending: it will change the rows."""
    return any(isinstance(event, OffsetVerb) for event in entry.inbox)


async def _with_ages(connection: Connection, group_id: str, verb: ExpireOffsets) -> ExpireOffsets:
    group = {"group_id": group_id}
    state = await (await connection.execute(sql.STATE_AGE.encode(), group)).fetchone()
    cursor = await connection.execute(sql.AGES.encode(), group)
    ages = tuple([Age(*row) async for row in in_slices(cursor)])
    return replace(verb, state_age_ms=state[0] if state else 0, ages=ages)


async def _with_history(
    connection: Connection, group_id: str, verb: RestoreOffsets
) -> RestoreOffsets:
    then = {"group_id": group_id, "to": verb.to}
    cursor = await connection.execute(sql.AS_OF.encode(), then)
    author = Author("", verb.actor, "", principal_of(verb.actor))
    offsets = tuple([OffsetWrite(*row)._replace(author=author) async for row in in_slices(cursor)])
    return replace(verb, offsets=offsets)


async def _is_stale(connection: Connection, group_id: str, verb: ResetOffsets) -> bool:
    """Whether a partition's offset has changed since the preview."""
    topics = sorted({topic for topic, _, _ in verb.before})
    parameters = {"group_id": group_id, "topics": topics}
    cursor = await connection.execute(sql.COMMITTED.encode(), parameters)
    now = {(topic, partition): offset async for topic, partition, offset in in_slices(cursor)}
    return any(now.get((topic, partition)) != offset for topic, partition, offset in verb.before)
