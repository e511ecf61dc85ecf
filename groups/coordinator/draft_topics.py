"""Tells draft groups what became of their topics: the coordinator tracks them, not the consumers.

Level, not edge: a group is compared with the catalogue, and told where they differ, so that a ring
that was lost, or came to the last owner, is made good within a second. No SQL and no rules here.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from groups.catalogue.cache import Catalogue
from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.draft.group import DraftGroup
from groups.core.events import TopicsChanged
from groups.event_loop import Slices

LOOK_S = 1.0
"""How much later than a ring a change is noticed at the latest."""


class DraftTopics:
    """The node's draft groups and the catalogue, side by side.

    Only draft groups are looked at: those that joins were handed to (``knows``), and those that
    came with a slot, for which all groups are gone through, once for each change of slots. A group
    that knew of everything is compared again when it, or the catalogue, has changed.
    """

    def __init__(self, coordinator: CoordinatorRuntime, catalogue: Catalogue) -> None:
        self._coordinator = coordinator
        self._catalogue = catalogue
        self._epochs: Mapping[int, int] = {}
        self._groups: dict[str, tuple[Mapping[str, int], int] | None] = {}
        self._awake = asyncio.Event()

    def knows(self, group_id: str) -> None:
        """The group is one of the draft, or is about to be."""
        self._groups.setdefault(group_id)

    def wake(self) -> None:
        """The catalogue has changed."""
        self._awake.set()

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._awake.wait()
            self._awake.clear()
            await self.look()

    async def look(self) -> None:
        """Tell every draft group of topics that are not as it last heard. Telling it twice, while
        the first word is on its way, does no harm."""
        slices = Slices()
        if self._epochs != self._coordinator.epochs:
            await self._go_through(slices)
        for group_id, agreed in list(self._groups.items()):
            if slices.is_over:
                await slices.pause()
            group = self._coordinator.group(group_id)
            if not isinstance(group, DraftGroup):
                self._groups.pop(group_id, None)
            elif agreed is None or agreed[0] is not group.counts or agreed[1] != self._changes:
                self._groups[group_id] = await self._compare(group_id, group.counts, slices)

    @property
    def _changes(self) -> int:
        return self._catalogue.changes

    async def _compare(
        self, group_id: str, known: Mapping[str, int], slices: Slices
    ) -> tuple[Mapping[str, int], int] | None:
        """What the group knows and the catalogue, where they agree; else tell the group."""
        changes, counts = self._changes, dict[str, int]()
        for topic in known:
            if slices.is_over:
                await slices.pause()
            counts[topic] = self._count(topic)
        if counts == known:
            return known, changes
        self._coordinator.submit(group_id, TopicsChanged(counts=counts))
        return None

    async def _go_through(self, slices: Slices) -> None:
        self._epochs = dict(self._coordinator.epochs)
        for group in list(self._coordinator.groups()):
            if slices.is_over:
                await slices.pause()
            if isinstance(group, DraftGroup):
                self.knows(group.durable.group.group_id)

    def _count(self, topic: str) -> int:
        entry = self._catalogue.get(topic)
        return 0 if entry is None else entry.partitions
