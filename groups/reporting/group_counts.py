"""Counts of members, topics, partitions and partitions without owner, and the last rebalance, which
lists of groups are ordered by.

Most of them follow from what members sent, which PostgreSQL cannot decode, and a list orders all
groups: to look the others up for 50,000 groups, one by one, takes PostgreSQL a third of a second.
So their owner counts a group's work after its rows have changed, at most about once a second, and
writes the counts that differ. Nothing waits for that: no request, no commit, no batch. A write that
fails is repeated later.
"""

import asyncio
import logging
from collections.abc import Iterable
from functools import partial
from time import thread_time
from typing import Final, NamedTuple

from psycopg_pool import AsyncConnectionPool

from groups.catalogue.cache import Catalogue
from groups.core.counts import Counts, counts_of
from groups.core.group import Millis
from groups.core.rows import Durable
from groups.postgres import connections
from groups.postgres.repeated import repeat
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.sql import group_counts as sql

logger = logging.getLogger(__name__)

LOOK_S: Final = 1.0

GROUPS_MAX: Final = 2_000
"""Groups of one round: small ones take a thread 30 ms. More wait for the next round."""

REST: Final = 100
"""A group is not counted again for this many times as long as counting it took: one percent of a
processor. One of 5,000 members takes 70 ms, one whose members subscribe to a million topics 2 s."""

CATALOGUE_LOOKS: Final = 10
"""Rounds between two looks at the catalogue: if topics have changed, all groups are counted."""

Pool = AsyncConnectionPool[connections.Connection]


class Counted(NamedTuple):
    """The counts of a group's rows at this revision."""

    group_id: str
    revision: int
    members: int
    counts: Counts


class GroupCounts:
    """The groups of this node that are to be counted."""

    def __init__(self, coordinator: CoordinatorRuntime, catalogue: Catalogue) -> None:
        self.coordinator = coordinator
        self.catalogue = catalogue
        self._due: set[str] = set()
        self._later: dict[str, Millis] = {}
        """When groups that took long may be counted again."""
        self._catalogue_seen = catalogue.changes
        self._looks = 0

    async def run(self, pool: Pool) -> None:
        """Count and write, until cancelled."""
        await repeat(LOOK_S, partial(self.look, pool))

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
        """The counts of groups that have changed. A thread counts, whatever their size, since the
        cost follows from what members sent; it is safe, since a committed group is immutable."""
        self._due |= self.coordinator.changes.uncounted()
        self._look_at_catalogue()
        rows = self._take(self.coordinator.clock())
        return await asyncio.to_thread(self._count, rows) if rows else []

    def _take(self, now: Millis) -> list[Durable]:
        """The rows of the groups whose turn it is; the others stay due."""
        rows: list[Durable] = []
        put_off: list[str] = []
        while self._due and len(rows) < GROUPS_MAX:
            group_id = self._due.pop()
            if self._later.get(group_id, now) > now:
                put_off.append(group_id)
                continue
            self._later.pop(group_id, None)
            entry = self.coordinator.entries.get(group_id)
            if entry is not None and not entry.broken and entry.group.durable.exists:
                rows.append(entry.group.durable)
        self._due.update(put_off)
        return rows

    def _look_at_catalogue(self) -> None:
        if self._looks % CATALOGUE_LOOKS == 0 and self._catalogue_seen != self.catalogue.changes:
            self._catalogue_seen = self.catalogue.changes
            self._due.update(self.coordinator.entries)
        self._looks += 1

    def _count(self, rows: Iterable[Durable]) -> list[Counted]:
        """Runs in a thread."""
        found = []
        for durable in rows:
            began, group = thread_time(), durable.group
            members = durable.members.values()
            counts = counts_of(group, members, self._size)
            rest_ms = int((thread_time() - began) * 1_000 * REST)
            if rest_ms > LOOK_S * 1_000:
                self._later[group.group_id] = self.coordinator.clock() + rest_ms
            found.append(Counted(group.group_id, durable.revision, len(members), counts))
        return found

    def _size(self, topic: str) -> int:
        entry = self.catalogue.get(topic)
        return 0 if entry is None else entry.partitions


async def _write(pool: Pool, counted: Iterable[Counted]) -> None:
    rows = sorted(counted)
    columns = {
        "group_id": [one.group_id for one in rows],
        "revision": [one.revision for one in rows],
        "members": [one.members for one in rows],
        "topics": [one.counts.topics for one in rows],
        "partitions": [one.counts.partitions for one in rows],
        "unowned": [one.counts.unowned for one in rows],
    }
    async with pool.connection() as connection:
        await connection.execute(sql.PUT.encode(), columns, prepare=False)
