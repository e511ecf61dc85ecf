"""What slots hold, read when this node has claimed them: from rows to groups that are served."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence

from groups.coordinator.runtime import CoordinatorRuntime
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

    async def load(self, taken: Mapping[int, int]) -> None:
        """Serve these slots, under these epochs. Raises whatever stands in the way; the parts that
        were read before are served."""
        self.loading |= set(taken)
        groups = 0
        try:
            async with await connections.connect(
                "load", {"statement_timeout": LOAD_TIMEOUT, "transaction_timeout": LOAD_TIMEOUT}
            ) as connection:
                for part in batched(sorted(taken), LOAD_SLOTS_MAX):
                    groups += await self._adopt(connection, {slot: taken[slot] for slot in part})
                    self.loading -= set(part)
                    self._changed()
            self.coordinator.observers.look()
            logger.info("serving %d more slots with %d groups", len(taken), groups)
            self.loaded()
        finally:
            self.loading -= set(taken)
            self._changed()

    async def _adopt(self, connection: connections.Connection, epochs: dict[int, int]) -> int:
        """Read what the slots hold and serve it; how many groups that is.

        Nobody looks at configuration meanwhile: a bell that rings now finds the groups served.
        """
        slots = sorted(epochs)
        async with self.coordinator.own.reading:
            durables = await load.groups_of_slots(connection, slots)
            waiting = await load.groups_with_pending(connection, slots)
            configs = await load.configs_of_slots(connection, slots)
            pauses = await load.pauses_of_slots(connection, slots)
            self.coordinator.own.paused.adopt(slots, pauses)
            slices = Slices(self.coordinator.monotonic)
            for merge in self.coordinator.adopting(epochs, durables, waiting, configs):
                await merge.run_aside()
                if slices.is_over:
                    await slices.pause()
        return len(durables)


def _nothing() -> None:
    """Nobody asked."""
