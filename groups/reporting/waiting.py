"""What rebalancing groups wait for, written for the admin, REST and the next owner about once a
second.

Most of it is only in their owner's memory: which members have joined again, which are silent, until
when. A settled group is not checked: one that has changed is checked once, and then repeatedly
while it waits for something. Nothing here decides anything, and a write that fails is repeated
later.
"""

import asyncio
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from psycopg_pool import AsyncConnectionPool

from groups.core.conversion.step import LONG_STEP_MIN
from groups.core.group import Millis
from groups.core.rows import slot_of
from groups.core.waiting import Awaited, Waiting
from groups.event_loop import Slices
from groups.postgres import connections
from groups.postgres.repeated import repeat
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.sql import waiting as sql

logger = logging.getLogger(__name__)

LOOK_S: Final = 1.0

RENEW_MS: Final = 5_000
"""An unchanged row is written again after this time: a much older one comes from an owner that is
gone (``console.queries.waiting``)."""

GROUPS_MAX: Final = 500
"""Groups in one round. When thousands rebalance at once, rounds alternate between them."""

MEMBERS_PER_LOOK: Final = 2_000
"""A larger group is checked less often, in proportion."""

FORGET_EVERY: Final = 60
"""Rounds between two deletions of rows that former owners left."""

Pool = AsyncConnectionPool[connections.Connection]


@dataclass(slots=True)
class LastWrite:
    """The last write about a group (None: nothing), and its time; ``due``: the time of the next
    check."""

    waiting: Waiting | None = None
    at: Millis = 0
    due: Millis = 0


class WaitingGroups:
    """The groups of this node that may wait for something."""

    def __init__(self, coordinator: CoordinatorRuntime, node_id: int) -> None:
        self.coordinator = coordinator
        self.node_id = node_id
        self._last_writes: dict[str, LastWrite] = {}
        self._looks = 0

    async def run(self, pool: Pool) -> None:
        """Check and write, until cancelled."""
        await repeat(LOOK_S, partial(self._round, pool))

    async def _round(self, pool: Pool) -> None:
        await self._write(pool)
        if self._looks % FORGET_EVERY == 0:
            await self._execute(pool, sql.FORGET_OLD, {})
        self._looks += 1

    async def _write(self, pool: Pool) -> None:
        if not self.coordinator.holds_lease:
            return
        news, settled = await self.collect()
        if settled:
            await self._execute(pool, sql.SETTLED, {"group_ids": settled})
        if news:
            await self._execute(pool, sql.PUT, await self._rows(news))
        for group_id, waiting in news.items():
            self._last_writes[group_id].waiting = waiting
            self._last_writes[group_id].at = self.coordinator.clock()
        for group_id in settled:
            self._last_writes.pop(group_id, None)

    async def _rows(self, news: Mapping[str, Waiting]) -> Mapping[str, Any]:
        now, slices = self.coordinator.clock(), Slices(self.coordinator.monotonic)
        details: list[str] = []
        waits: list[str] = []
        for group_id, waiting in news.items():
            details.append(json.dumps(details_at(waiting, now)))
            waits.append(json.dumps(self._waits(group_id)))
            if slices.is_over:
                await slices.pause()
        return {
            "node_id": self.node_id,
            "group_id": list(news),
            "revision": [self._revision(group_id) for group_id in news],
            "details": details,
            "waits": waits,
        }

    def _waits(self, group_id: str) -> dict[str, Millis]:
        """The starts of its waits, in the slot's service time."""
        entry, shift = (
            self.coordinator.entries.get(group_id),
            self.coordinator.shifts.get(slot_of(group_id)),
        )
        if entry is None or shift is None:
            return {}
        return {name: began + shift for name, began in entry.group.waits().items()}

    def _revision(self, group_id: str) -> int:
        entry = self.coordinator.entries.get(group_id)
        return entry.group.durable.revision if entry else 0

    async def _execute(self, pool: Pool, statement: str, values: Mapping[str, Any]) -> None:
        async with pool.connection() as connection, connection.transaction():
            await connection.execute(sql.ASYNCHRONOUS.encode())
            await connection.execute(statement.encode(), values)

    async def collect(self) -> tuple[dict[str, Waiting], list[str]]:
        """What must be written now, and which groups with a row have settled."""
        now, slices = self.coordinator.clock(), Slices(self.coordinator.monotonic)
        for group_id in self.coordinator.changes.unlooked():
            self._last_writes.setdefault(group_id, LastWrite())
        news: dict[str, Waiting] = {}
        settled: list[str] = []
        due = [g for g, last in self._last_writes.items() if last.due <= now]
        for group_id in due:
            last = self._last_writes.pop(group_id)
            waiting = await self._look(group_id, last, now)
            if waiting is not None:
                self._last_writes[group_id] = last  # at the end of the queue
                if waiting != last.waiting or now - last.at >= RENEW_MS:
                    news[group_id] = waiting
            elif last.waiting is not None and self.coordinator.owns(group_id):
                self._last_writes[group_id] = last  # until its row is deleted
                settled.append(group_id)
            if slices.is_over or len(news) == GROUPS_MAX:
                break
        return news, settled

    async def _look(self, group_id: str, last: LastWrite, now: Millis) -> Waiting | None:
        """A large group is checked in a thread, which is safe: a committed group is immutable."""
        entry = self.coordinator.entries.get(group_id)
        if entry is None or entry.broken:
            return None
        group, breadth = entry.group, len(entry.group.durable.members)
        last.due = now + int(LOOK_S * 1_000) * (breadth // MEMBERS_PER_LOOK)
        if breadth < LONG_STEP_MIN:
            return group.waiting(now)
        return await asyncio.to_thread(group.waiting, now)


def details_at(waiting: Waiting, now: Millis) -> dict[str, Any]:
    """The same with all times relative to now, since other processes have another clock."""

    def ago(at: Millis | None) -> Millis | None:
        return None if at is None else now - at

    def ahead(at: Millis | None) -> Millis | None:
        return None if at is None else at - now

    def of(one: Awaited) -> dict[str, Any]:
        return {
            "member_id": one.member_id,
            "name": one.name,
            "act": one.act,
            "silent_ms": now - one.heard_at,
            "left_ms": one.until - now,
            "partitions": one.partitions,
        }

    return {
        "phase": waiting.phase,
        "since_ms": ago(waiting.since),
        "left_ms": ahead(waiting.until),
        "awaited": [of(one) for one in waiting.awaited],
        "awaited_count": waiting.awaited_count,
        "ready": waiting.ready,
        "newcomers": list(waiting.newcomers),
        "newcomers_count": waiting.newcomers_count,
        "handed_out": waiting.handed_out,
        "still": waiting.still,
    }
