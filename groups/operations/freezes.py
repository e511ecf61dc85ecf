"""Operators' words about freezes, where the group is owned: one after the other, so that a word and
its opposite keep their order.

What is written, and what the group's owner goes by, is ``groups.coordinator.group_configs``.
"""

import asyncio
import logging

from groups.catalogue.cache import Unavailable
from groups.coordinator.group_configs import Configs
from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.configs.freeze import SetFreeze

logger = logging.getLogger(__name__)


class Freezing:
    """Takes such verbs one after the other."""

    def __init__(self, coordinator: CoordinatorRuntime, configs: Configs) -> None:
        self.coordinator = coordinator
        self.configs = configs
        self._asked: asyncio.Queue[tuple[str, SetFreeze]] = asyncio.Queue()

    def add(self, group_id: str, verb: SetFreeze) -> None:
        """Do it when its turn comes."""
        self._asked.put_nowait((group_id, verb))

    async def run(self) -> None:
        """One verb after the other, until cancelled."""
        while True:
            group_id, verb = await self._asked.get()
            try:
                if self.coordinator.owns(group_id):
                    await self.configs.set_freeze(group_id, verb)
            except Unavailable as error:
                logger.info("a freeze of %r waits: %s", group_id, error)
            finally:
                # Where it was not written, or nobody knows, the next look finds the row as it is.
                self.coordinator.undecided(verb.operation_id)
