"""The owner's part of offset retention: how old a group's offsets are, read while it holds still.

Which of them may go is decided by the group (``groups.core.expiry``). Between the reading and
the deciding nothing of the group can be written, since the group is held as a committer holds
it; so no commit that was acknowledged meanwhile is ever deleted.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
from psycopg_pool import PoolTimeout

from groups import sql_liveness as sql
from groups.coordinator import Coordinator, Resident
from groups.core.events import ExpireOffsets
from groups.core.expiry import Age

logger = logging.getLogger(__name__)

HOLD_TRY_S = 0.02
HOLD_TRIES_MAX = 250
"""A group that a committer has each time for five seconds is alive enough: the operation is
picked up again with the next look."""


class Expirer:
    """Turns expire-offsets operations into events, one after the other: retention is in no
    hurry."""

    def __init__(self, coordinator: Coordinator, readers: Callable[[], Any]) -> None:
        self.coordinator = coordinator
        self.readers = readers
        self._waiting: asyncio.Queue[tuple[str, ExpireOffsets]] = asyncio.Queue()

    def add(self, group_id: str, asked: ExpireOffsets) -> None:
        """Look at the group's offsets when its turn comes; ``asked`` has no ages yet."""
        self._waiting.put_nowait((group_id, asked))

    async def run(self) -> None:
        """One group after the other, until cancelled."""
        while True:
            await self._expire(*await self._waiting.get())

    async def _expire(self, group_id: str, asked: ExpireOffsets) -> None:
        resident = await self._held(group_id)
        if resident is None:
            if group_id in self.coordinator.residents:
                self.coordinator.undecided(asked.operation_id)
            else:
                self.coordinator.submit(group_id, asked)  # the group that is not there says so
            return
        try:
            state_age_ms, ages = await self._ages(group_id)
        except (psycopg.Error, PoolTimeout) as error:
            logger.info("offsets of %r were not looked at: %s", group_id, error)
            self.coordinator.undecided(asked.operation_id)
        else:
            if resident.lost:
                self.coordinator.undecided(asked.operation_id)
            else:
                resident.inbox.appendleft(replace(asked, state_age_ms=state_age_ms, ages=ages))
        finally:
            self.coordinator.release(resident)

    async def _held(self, group_id: str) -> Resident | None:
        for _ in range(HOLD_TRIES_MAX):
            resident = self.coordinator.hold(group_id)
            if resident is not None or group_id not in self.coordinator.residents:
                return resident
            await asyncio.sleep(HOLD_TRY_S)
        return None

    async def _ages(self, group_id: str) -> tuple[int, tuple[Age, ...]]:
        async with self.readers() as connection:
            asked = {"group_id": group_id}
            cursor = await connection.execute(sql.STATE_AGE.encode(), asked)
            state = await cursor.fetchone()
            cursor = await connection.execute(sql.AGES.encode(), asked)
            return (state[0] if state else 0), tuple(Age(*row) for row in await cursor.fetchall())
