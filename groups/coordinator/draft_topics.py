"""Sends changes of the catalogue to draft groups: the coordinator tracks topics, not the consumers.

A group is compared with the catalogue, and receives an event if they differ. So a notification that
was lost, or went to the previous owner, delays a change by a second at most. No SQL and no rules
here.
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
"""The longest delay of a change whose notification was lost."""


class DraftTopics:
    """Compares the node's draft groups with the catalogue.

    It keeps a list of these groups: those that received joins (``knows``), and those that were
    loaded with a slot; to find the latter it checks all groups after each change of slots. An
    up-to-date group is compared again when it, or the catalogue, has changed.
    """

    def __init__(self, coordinator: CoordinatorRuntime, catalogue: Catalogue) -> None:
        self._coordinator = coordinator
        self._catalogue = catalogue
        self._epochs: Mapping[int, int] = {}
        self._groups: dict[str, tuple[Mapping[str, int], int] | None] = {}
        self._awake = asyncio.Event()

    def knows(self, group_id: str) -> None:
        """The group is, or is about to become, a draft group."""
        self._groups.setdefault(group_id)

    def wake(self) -> None:
        """The catalogue has changed."""
        self._awake.set()

    async def run(self) -> None:
        """Compare repeatedly, until cancelled."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._awake.wait()
            self._awake.clear()
            await self.look()

    async def look(self) -> None:
        """Send an event to every draft group whose topics differ from the catalogue. A second
        event, while the first is being processed, has no effect."""
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
        """The group's counts and the version of the catalogue, if they agree; otherwise None, and
        the group receives an event."""
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
