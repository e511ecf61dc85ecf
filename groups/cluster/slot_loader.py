"""What slots hold, read when this node has claimed them: from rows to groups that are served."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence

from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.errors import ErrorCode
from groups.event_loop import Slices
from groups.postgres import connections
from groups.store import load

logger = logging.getLogger(__name__)

LOAD_SLOTS_MAX = 8
"""Slots loaded in one go: the loop goes round between them, and so does the beat."""

LOAD_TIMEOUT = "30s"
"""Of one load; the node's usual timeouts are for writes of milliseconds."""


def batched(items: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """Consecutive parts of at most so many items."""
    return (items[at : at + size] for at in range(0, len(items), size))


class InDoubt(Exception):
    """It is not known any more whose slots they are."""


class SlotLoader:
    """Loads slots, some at a time. ``loading``: those that are on their way; ``changed`` is called
    whenever some are not any more, ``loaded`` when memory holds more groups."""

    def __init__(
        self, node_id: int, coordinator: CoordinatorRuntime, changed: Callable[[], None]
    ) -> None:
        self.node_id = node_id
        self.coordinator = coordinator
        self.loading: set[int] = set()
        self.loaded: Callable[[], None] = _nothing
        self._changed = changed
        self._taken: Mapping[int, int] = {}
        self._doubts = 0

    def compare(self, mine: Mapping[int, int]) -> None:
        """These are this node's slots, and their epochs: where it slept, one that is on its way
        may be another's by now."""
        if any(mine.get(slot) != self._taken.get(slot) for slot in self.loading):
            self.doubt()

    def doubt(self) -> None:
        """What is on its way is not to be served; whoever looks at the slots begins again."""
        self._doubts += 1

    async def load(self, taken: Mapping[int, int]) -> None:
        """Serve these slots, under these epochs. Raises whatever stands in the way; the parts that
        were read before are served."""
        self._taken = taken
        self.loading |= set(taken)
        groups, doubts = 0, self._doubts
        try:
            async with await connections.connect(
                "load", {"statement_timeout": LOAD_TIMEOUT, "transaction_timeout": LOAD_TIMEOUT}
            ) as connection:
                for part in batched(sorted(taken), LOAD_SLOTS_MAX):
                    groups += await self._adopt(
                        connection, {slot: taken[slot] for slot in part}, doubts
                    )
                    self.loading -= set(part)
                    self._changed()
            self.coordinator.observers.look()
            logger.info("serving %d more slots with %d groups", len(taken), groups)
            self.loaded()
        finally:
            self.loading -= set(taken)
            self._changed()

    async def _adopt(
        self, connection: connections.Connection, epochs: dict[int, int], doubts: int
    ) -> int:
        """Read what the slots hold and serve it; how many groups that is.

        Nobody looks at configuration meanwhile: a bell that rings now finds the groups served.
        """
        slots = sorted(epochs)
        async with self.coordinator.own.reading:
            try:
                return await self._read(connection, epochs, doubts)
            except BaseException:  # what groups have of their own must not be found here later
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
        slices = Slices(self.coordinator.monotonic)
        self._check(doubts)
        for merge in self.coordinator.adopting(epochs, durables, waiting, configs):
            await merge.run_aside()
            if slices.is_over:
                await slices.pause()
            self._check(doubts)  # the last of them is followed by the serving
        return len(durables)

    def _check(self, doubts: int) -> None:
        if doubts != self._doubts:
            raise InDoubt("they may be another node's by now")


def _nothing() -> None:
    """Nobody asked."""
