"""Tells draft groups what became of their topics: the coordinator tracks them, not the consumers.

Level, not edge: a group is compared with the catalogue, and told where they differ, so that a ring
that was lost, or came to the last owner, is made good within a second. No SQL and no rules here.
"""

import asyncio
from collections.abc import Mapping

from groups.catalogue.cache import Catalogue
from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.draft.group import DraftGroup
from groups.core.events import TopicsChanged

LOOK_S = 1.0
"""How much later than a ring a change is noticed at the latest."""


class DraftTopics:
    """The node's draft groups and the catalogue, side by side.

    Only draft groups are looked at: those that joins were handed to (``knows``), and those that
    came with a slot, for which all groups are gone through, once for each change of slots.
    """

    def __init__(self, coordinator: CoordinatorRuntime, catalogue: Catalogue) -> None:
        self._coordinator = coordinator
        self._catalogue = catalogue
        self._epochs: Mapping[int, int] = {}
        self._groups: set[str] = set()

    def knows(self, group_id: str) -> None:
        """The group is one of the draft, or is about to be."""
        self._groups.add(group_id)

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            self.look()

    def look(self) -> None:
        """Tell every draft group of topics that are not as it last heard. Telling it twice, while
        the first word is on its way, does no harm."""
        if self._epochs != self._coordinator.epochs:
            self._go_through()
        for group_id in list(self._groups):
            group = self._coordinator.group(group_id)
            if not isinstance(group, DraftGroup):
                self._groups.discard(group_id)
                continue
            counts = {topic: self._count(topic) for topic in group.counts}
            if counts != group.counts:
                self._coordinator.submit(group_id, TopicsChanged(counts=counts))

    def _go_through(self) -> None:
        self._epochs = dict(self._coordinator.epochs)
        for group in self._coordinator.groups():
            if isinstance(group, DraftGroup):
                self._groups.add(group.durable.group.group_id)

    def _count(self, topic: str) -> int:
        entry = self._catalogue.get(topic)
        return 0 if entry is None else entry.partitions
