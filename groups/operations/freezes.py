"""Operators' freezes and thaws on the group's owner: one after the other, so that they keep their
order.

``groups.runtime.group_configs`` writes and applies them.
"""

import asyncio
import logging

from groups.catalogue.cache import Unavailable
from groups.core.configs.freeze import SetFreeze
from groups.runtime.group_configs import Configs
from groups.runtime.runtime import CoordinatorRuntime

logger = logging.getLogger(__name__)


class Freezing:
    """Executes freezes and thaws one after the other."""

    def __init__(self, coordinator: CoordinatorRuntime, configs: Configs) -> None:
        self.coordinator = coordinator
        self.configs = configs
        self._queue: asyncio.Queue[tuple[str, SetFreeze]] = asyncio.Queue()

    def add(self, group_id: str, verb: SetFreeze) -> None:
        """Queue an operation."""
        self._queue.put_nowait((group_id, verb))

    async def run(self) -> None:
        """Execute them one by one, until cancelled."""
        while True:
            group_id, verb = await self._queue.get()
            try:
                if self.coordinator.owns(group_id):
                    await self.configs.set_freeze(group_id, verb)
            except Unavailable as error:
                logger.info("a freeze of %r waits: %s", group_id, error)
            finally:
                # If it was not written, or that is unknown, the next check finds the row again.
                self.coordinator.undecided(verb.operation_id)
