"""Counts of topics, partitions and partitions without owner, which lists of groups are ordered by.

They follow from what members sent, which PostgreSQL cannot decode, and a list orders all groups. So
their owner counts a group's work after its rows have changed, at most about once a second, and
writes the counts that differ. Nothing waits for that: no request, no commit, no batch. A write that
fails is repeated later.
"""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from groups.catalogue.cache import Catalogue
from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.conversion.step import LONG_STEP_MIN
from groups.core.counts import Counts, counts_of
from groups.core.group import Millis
from groups.core.rows import Durable
from groups.event_loop import Slices
from groups.postgres import connections
from groups.store.sql import group_counts as sql

logger = logging.getLogger(__name__)

LOOK_S: Final = 1.0

GROUPS_MAX: Final = 2_000
"""Groups of one round: some 20 ms of the event loop, in slices. More wait for the next round."""

MEMBERS_PER_LOOK: Final = 1_000
"""A larger group is counted less often, in proportion: one of 5,000 takes a thread 70 ms."""

CATALOGUE_LOOKS: Final = 10
"""Rounds between two looks at the catalogue: if topics have changed, all groups are counted."""

Pool = AsyncConnectionPool[connections.Connection]


class Counted(NamedTuple):
    """The counts of a group's rows at this revision."""

    group_id: str
    revision: int
    counts: Counts


class GroupCounts:
    """The groups of this node that are to be counted."""

    def __init__(self, coordinator: CoordinatorRuntime, catalogue: Catalogue) -> None:
        self.coordinator = coordinator
        self.catalogue = catalogue
        self._due: set[str] = set()
        self._later: dict[str, Millis] = {}
        """Large groups that were counted, and when they may be counted again."""
        self._catalogue_seen = catalogue.changes
        self._looks = 0

    async def run(self, pool: Pool) -> None:
        """Count and write, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            with suppress(psycopg.Error, PoolTimeout, OSError):
                await self.look(pool)

    async def look(self, pool: Pool) -> None:
        """One round. Raises errors of PostgreSQL; the groups are counted again then."""
        if not self.coordinator.holds_lease:
            return
        counted = await self.collect()
        try:
            if counted:
                await _write(pool, counted)
        except BaseException:
            self._due.update(one.group_id for one in counted)
            raise

    async def collect(self) -> list[Counted]:
        """The counts of groups that have changed."""
        self._due |= self.coordinator.observers.uncounted()
        self._look_at_catalogue()
        now, slices = self.coordinator.clock(), Slices(self.coordinator.monotonic)
        counted: list[Counted] = []
        put_off: list[str] = []
        while self._due and len(counted) < GROUPS_MAX:
            group_id = self._due.pop()
            if self._later.get(group_id, now) > now:
                put_off.append(group_id)
            elif (one := await self._count(group_id, now)) is not None:
                counted.append(one)
            if slices.is_over:
                await slices.pause()
        self._due.update(put_off)
        return counted

    def _look_at_catalogue(self) -> None:
        if self._looks % CATALOGUE_LOOKS == 0 and self._catalogue_seen != self.catalogue.changes:
            self._catalogue_seen = self.catalogue.changes
            self._due.update(self.coordinator.entries)
        self._looks += 1

    async def _count(self, group_id: str, now: Millis) -> Counted | None:
        """A large group is counted in a thread, which is safe: a committed group is immutable."""
        entry = self.coordinator.entries.get(group_id)
        self._later.pop(group_id, None)
        if entry is None or entry.broken or not entry.group.durable.exists:
            return None
        durable = entry.group.durable
        breadth = len(durable.members)
        if breadth >= MEMBERS_PER_LOOK:
            self._later[group_id] = now + int(LOOK_S * 1_000) * (breadth // MEMBERS_PER_LOOK)
        if breadth < LONG_STEP_MIN:
            return self._counted(durable)
        return await asyncio.to_thread(self._counted, durable)

    def _counted(self, durable: Durable) -> Counted:
        counts = counts_of(durable.group, durable.members.values(), self._size)
        return Counted(durable.group.group_id, durable.revision, counts)

    def _size(self, topic: str) -> int:
        entry = self.catalogue.get(topic)
        return 0 if entry is None else entry.partitions


async def _write(pool: Pool, counted: Iterable[Counted]) -> None:
    rows = sorted(counted)
    columns = {
        "group_id": [one.group_id for one in rows],
        "revision": [one.revision for one in rows],
        "topics": [one.counts.topics for one in rows],
        "partitions": [one.counts.partitions for one in rows],
        "unowned": [one.counts.unowned for one in rows],
    }
    async with pool.connection() as connection:
        await connection.execute(sql.PUT.encode(), columns, prepare=False)
