"""Loads the groups of slots that this node has claimed, so that it can serve them."""

import json
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

from groups.core.earlier import Interruption, Service, interrupted
from groups.core.errors import ErrorCode
from groups.core.group import Millis
from groups.event_loop import Slices
from groups.postgres import connections
from groups.runtime import loading
from groups.runtime.runtime import CoordinatorRuntime
from groups.store import load
from groups.store.load import SlotService
from groups.store.sql import slots as sql

logger = logging.getLogger(__name__)

LOAD_SLOTS_MAX = 8
"""Slots that are loaded together: the event loop runs other tasks between them, among them the
beat."""

LOAD_TIMEOUT = "30s"
"""The timeout of one load; the node's usual timeouts are for writes of milliseconds."""


def batched(items: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """Consecutive parts with at most this many items."""
    return (items[at : at + size] for at in range(0, len(items), size))


class InDoubt(Exception):
    """The owner of the slots is not known any more."""


class SlotLoader:
    """Loads slots in parts. ``loading``: the slots that are being loaded; ``changed`` is called
    when some of these have finished, ``loaded`` when more groups are in memory. ``prepare`` reads
    what the groups of any slot need first. An outage that is longer than ``lease_ms`` is long."""

    def __init__(
        self,
        node_id: int,
        coordinator: CoordinatorRuntime,
        changed: Callable[[], None],
        lease_ms: Millis = 3_000,
    ) -> None:
        self.node_id = node_id
        self.lease_ms = lease_ms
        self.coordinator = coordinator
        self.loading: set[int] = set()
        self.loaded: Callable[[], None] = _nothing
        self.prepare: Callable[[connections.Connection], Awaitable[None]] = _nothing_first
        self._changed = changed
        self._taken: Mapping[int, int] = {}
        self._doubts = 0

    def compare(self, mine: Mapping[int, int]) -> None:
        """Compare with this node's current slots and epochs: if the process was suspended, another
        node may own a slot that is being loaded."""
        if any(mine.get(slot) != self._taken.get(slot) for slot in self.loading):
            self.doubt()

    def doubt(self) -> None:
        """Do not serve slots that are being loaded; the next check loads them again."""
        self._doubts += 1

    async def load(self, taken: Mapping[int, int]) -> None:
        """Load and serve these slots, under these epochs. Raises any error; the parts that were
        loaded before it are served."""
        self._taken = taken
        self.loading |= set(taken)
        groups, doubts = 0, self._doubts
        try:
            async with await connections.connect(
                "load", {"statement_timeout": LOAD_TIMEOUT, "transaction_timeout": LOAD_TIMEOUT}
            ) as connection:
                await self.prepare(connection)
                for part in batched(sorted(taken), LOAD_SLOTS_MAX):
                    groups += await self._adopt(
                        connection, {slot: taken[slot] for slot in part}, doubts
                    )
                    self.loading -= set(part)
                    self._changed()
            self.coordinator.changes.look()
            logger.info("serving %d more slots with %d groups", len(taken), groups)
            self.loaded()
        finally:
            self.loading -= set(taken)
            self._changed()

    async def _adopt(
        self, connection: connections.Connection, epochs: dict[int, int], doubts: int
    ) -> int:
        """Load the groups of these slots and serve them; returns their number.

        Configuration is not read in the meantime: a notification that arrives now is handled when
        the groups are served.
        """
        slots = sorted(epochs)
        async with self.coordinator.own.reading:
            try:
                return await self._read(connection, epochs, doubts)
            except BaseException:  # settings of groups must not be found here later
                self.coordinator.drop(slots, ErrorCode.NOT_COORDINATOR)
                raise

    async def _read(
        self, connection: connections.Connection, epochs: dict[int, int], doubts: int
    ) -> int:
        slots = sorted(epochs)
        durables = await load.groups_of_slots(connection, slots)
        waiting = await load.groups_with_pending(connection, slots)
        configs = await load.configs_of_slots(connection, slots)
        pauses = await load.pauses_of_slots(connection, slots)
        self.coordinator.own.paused.adopt(slots, pauses)
        inherited = loading.Inherited(
            await self._begin_service(connection, epochs),
            await load.silences_of_slots(connection, slots),
            await load.waits_of_slots(connection, slots),
        )
        slices = Slices(self.coordinator.monotonic)
        self._check(doubts)
        for merge in loading.adopting(
            self.coordinator, epochs, durables, waiting, configs, inherited
        ):
            await merge.run_aside()
            if slices.is_over:
                await slices.pause()
            self._check(doubts)  # the last part is followed by the serving
        return len(durables)

    async def _begin_service(
        self, connection: connections.Connection, epochs: Mapping[int, int]
    ) -> dict[int, Service]:
        """Continue the slots' service time with this node's clock, and note the interruption: what
        members get because of it they must not get again."""
        services, now = {}, self.coordinator.clock()
        for found in await load.services_of_slots(connection, sorted(epochs)):
            interruption = Interruption(found.served_ms, self._grace_ms(found), found.is_noted)
            interruptions = interrupted(found.interruptions, interruption)
            services[found.slot] = Service(found.served_ms - now, interruptions)
        values = {
            "slots": list(services),
            "epochs": [epochs[slot] for slot in services],
            "shift_ms": [service.shift for service in services.values()],
            "interruptions": [json.dumps(each.interruptions) for each in services.values()],
        }
        await connection.execute(sql.SERVE.encode(), values)
        return services

    def _grace_ms(self, found: SlotService) -> Millis:
        """The time to reconnect: clients wait longer between attempts the longer nobody served."""
        is_long = found.away_ms is None or found.away_ms > self.lease_ms
        return self.coordinator.others.restart_grace_ms if is_long else 0

    def _check(self, doubts: int) -> None:
        if doubts != self._doubts:
            raise InDoubt("they may be another node's by now")


def _nothing() -> None:
    """The default of ``loaded``: do nothing."""


async def _nothing_first(_connection: connections.Connection) -> None:
    """The default of ``prepare``."""
