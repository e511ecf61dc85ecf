"""Groups that cannot continue at once: their rows are in doubt, or another transaction has locked
their row.

A node has one reloader, and each queue one waiting room; each uses a single connection for all its
groups, so that the end of an outage causes no storm of reconnects. All waits have a time limit.
Nothing is decided here.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

import psycopg

from groups.core.errors import ErrorCode
from groups.core.group import Millis
from groups.core.rows import Durable
from groups.event_loop import Slices
from groups.postgres import connections
from groups.runtime import loading
from groups.runtime.entries import GroupEntry
from groups.runtime.runtime import CoordinatorRuntime
from groups.store import load

logger = logging.getLogger(__name__)

Item = TypeVar("Item")

RECONNECT_S = 0.2
"""The pause between attempts to reach an unavailable database."""

RELOAD_GROUPS_MAX = 500
"""Groups that are read again at once."""

WAIT_S = 0.05
"""The pause between attempts to write groups whose rows are locked."""


class Reloader:
    """Reads groups again until that succeeds; then each continues with its rows.

    ``timeout_ms``: requests that have waited longer for the database get a retriable error.
    """

    def __init__(self, coordinator: CoordinatorRuntime, timeout_ms: Millis = 5_000) -> None:
        self.coordinator = coordinator
        self.timeout_ms = timeout_ms
        self._doubtful: dict[str, GroupEntry] = {}
        self._unsure: set[str] = set()
        self._wake = asyncio.Event()

    def add(self, entries: Iterable[GroupEntry]) -> None:
        """The rows of these groups may differ from memory."""
        for entry in entries:
            self._doubtful[entry.group_id] = entry
        self._wake.set()

    def add_unsure(self, entries: Sequence[GroupEntry]) -> None:
        """The same after a batch with an unknown outcome that may still reach PostgreSQL."""
        self._unsure.update(entry.group_id for entry in entries)
        self.add(entries)

    async def run(self) -> None:
        """Reload groups in doubt, until cancelled."""
        connection: connections.Connection | None = None
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._doubtful:
                    try:
                        connection = await connections.kept(connection, "reload")
                        await self._reload(connection)
                        pause_s = WAIT_S
                    except (psycopg.Error, OSError) as error:
                        logger.info("reload waits for the database: %s", error)
                        pause_s = RECONNECT_S
                    if self._doubtful:
                        self._give_up()
                        await asyncio.sleep(pause_s)
                if connection is not None:
                    await connection.close()  # an idle one would add one for each node
        finally:
            if connection is not None:
                await connection.close()

    async def _reload(self, connection: connections.Connection) -> None:
        """Reload each group in doubt once; those that cannot be fenced yet stay."""
        waiting = list(self._doubtful)
        while waiting:
            group_ids, waiting = waiting[:RELOAD_GROUPS_MAX], waiting[RELOAD_GROUPS_MAX:]
            held = await self._fence(connection, group_ids)
            free = [group_id for group_id in group_ids if group_id not in held]
            found = await load.groups_by_id(connection, free)
            pauses = await load.pauses_by_id(connection, free)
            for group_id in free:
                self.coordinator.own.paused.put(group_id, pauses.get(group_id, {}))
            await self._reseat([self._doubtful.pop(group_id) for group_id in free], found)

    async def _reseat(self, entries: Sequence[GroupEntry], found: Mapping[str, Durable]) -> None:
        """Continue with these rows, except groups that are in doubt again."""
        coordinator, slices = self.coordinator, Slices(self.coordinator.monotonic)
        for entry in entries:
            merge = loading.reseating(coordinator, entry, found.get(entry.group_id))
            await merge.run_aside()
            if entry.group_id not in self._doubtful:
                loading.reseated(coordinator, entry, merge)
            if slices.is_over:
                await slices.pause()

    async def _fence(self, connection: connections.Connection, group_ids: list[str]) -> set[str]:
        """A late commit must not overwrite commits that are acknowledged from now on."""
        unsure = self._unsure & set(group_ids)
        if not unsure:
            return set()
        held = await load.fence(connection, self.coordinator.epochs, sorted(unsure))
        self._unsure -= unsure - held
        return held

    def _give_up(self) -> None:
        """Refuse requests that have waited too long for a group that cannot be read."""
        late = self.coordinator.clock() - self.timeout_ms
        for entry in self._doubtful.values():
            if entry.doubted_at <= late:
                unsure = ErrorCode.COORDINATOR_NOT_AVAILABLE
                self.coordinator.refuse_waiting(entry, unsure)


class WaitingRoom(Generic[Item]):
    """Work that met a locked row waits here, one entry for each group; its queue continues.

    ``attempt`` writes one item, which has waited for so many seconds, and returns whether it is
    finished, successfully or not; ``give_up`` ends one that has waited for ``patience_s``;
    ``empty`` is awaited when none waits any more.
    """

    def __init__(
        self,
        attempt: Callable[[Item, float], Awaitable[bool]],
        give_up: Callable[[Item], None],
        empty: Callable[[], Awaitable[None]],
        patience_s: float,
    ) -> None:
        self.attempt = attempt
        self.give_up = give_up
        self.empty = empty
        self.patience_s = patience_s
        self._waiting: list[tuple[float, Item]] = []
        self._wake = asyncio.Event()

    def add(self, items: Iterable[Item]) -> None:
        """Add items that could not be written because a row that they need is locked."""
        until = asyncio.get_running_loop().time() + self.patience_s
        self._waiting.extend((until, item) for item in items)
        self._wake.set()

    async def run(self) -> None:
        """Try all of them repeatedly, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                await asyncio.sleep(WAIT_S)
                waiting, self._waiting = self._waiting, []
                for until, item in waiting:
                    await self._try(until, item)
            await self.empty()

    async def _try(self, until: float, item: Item) -> None:
        waited_s = asyncio.get_running_loop().time() - (until - self.patience_s)
        if await self.attempt(item, waited_s):
            return
        if asyncio.get_running_loop().time() < until:
            self._waiting.append((until, item))
        else:
            self.give_up(item)
