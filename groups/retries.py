"""Groups that cannot go on at once: those whose rows are in doubt, and those whose row is held.

One reloader a node and one waiting room a lane, each with a single connection however many
groups wait: an outage must not end in a storm of reconnects. Nothing is decided here.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Generic, TypeVar

import psycopg

from groups import database, load
from groups.coordinator import Coordinator
from groups.resident import Resident

logger = logging.getLogger(__name__)

Work = TypeVar("Work")

RECONNECT_S = 0.2
"""Between attempts to reach a database that is away."""

RELOAD_GROUPS_MAX = 500
"""Groups read again in one go."""

WAIT_S = 0.05
"""Between attempts to write groups whose rows are held."""


class Reloader:
    """Reads groups again until they can be read; then each goes on from what its rows say."""

    def __init__(self, coordinator: Coordinator) -> None:
        self.coordinator = coordinator
        self._doubtful: dict[str, Resident] = {}
        self._wake = asyncio.Event()

    def add(self, residents: Iterable[Resident]) -> None:
        """These groups' rows are not as remembered, or may not be."""
        for resident in residents:
            self._doubtful[resident.group_id] = resident
        self._wake.set()

    async def run(self) -> None:
        """Reload what is in doubt, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._doubtful:
                try:
                    async with await database.connect("reload") as connection:
                        await self._reload(connection)
                except (psycopg.Error, OSError) as error:
                    logger.info("reload waits for the database: %s", error)
                    await asyncio.sleep(RECONNECT_S)

    async def _reload(self, connection: database.Connection) -> None:
        while self._doubtful:
            group_ids = list(self._doubtful)[:RELOAD_GROUPS_MAX]
            found = await load.groups_by_id(connection, group_ids)
            for group_id in group_ids:
                self.coordinator.reseat(self._doubtful.pop(group_id), found.get(group_id))


class WaitingRoom(Generic[Work]):
    """Work that met a held row waits here, each group alone; its lane goes on without it.

    ``attempt`` writes one work and says whether it is done with, one way or another.
    """

    def __init__(self, attempt: Callable[[Work], Awaitable[bool]]) -> None:
        self.attempt = attempt
        self._waiting: list[Work] = []
        self._wake = asyncio.Event()

    def add(self, works: Iterable[Work]) -> None:
        """These could not be written because something they need is held."""
        self._waiting.extend(works)
        self._wake.set()

    async def run(self) -> None:
        """Try everybody again, round after round, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                await asyncio.sleep(WAIT_S)
                waiting, self._waiting = self._waiting, []
                self._waiting += [work for work in waiting if not await self.attempt(work)]
