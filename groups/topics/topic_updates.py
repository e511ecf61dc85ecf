"""Sends changes of the catalogue to the groups of one kind that track topics themselves.

A group is compared with the catalogue, and receives an event if they differ. So a notification that
was lost, or went to the previous owner, delays a change by a second at most. Each kind defines what
is compared (``draft_topics``, ``commanded_topics``). No SQL and no rules here.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from typing import Any, Generic, TypeVar

from groups.catalogue.cache import Catalogue
from groups.core.group import Group
from groups.event_loop import Slices
from groups.runtime.runtime import CoordinatorRuntime

LOOK_S = 1.0
"""The longest delay of a change whose notification was lost."""

G = TypeVar("G", bound=Group)


class TopicUpdates(Generic[G]):
    """Compares the node's groups of one kind with the catalogue.

    It keeps a list of these groups: those that received joins (``knows``), and those that were
    loaded with a slot; to find the latter it checks all groups after each change of slots. An
    up-to-date group is compared again when it, or the catalogue, has changed: ``_groups`` has what
    was compared, and the version of the catalogue, by group id.
    """

    kind: type[G]

    def __init__(self, coordinator: CoordinatorRuntime, catalogue: Catalogue) -> None:
        self._coordinator = coordinator
        self._catalogue = catalogue
        self._epochs: Mapping[int, int] = {}
        self._groups: dict[str, tuple[Any, int] | None] = {}
        self._awake = asyncio.Event()

    def knows(self, group_id: str) -> None:
        """The group is, or is about to become, one of this kind."""
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
        """Send an event to every group that differs from the catalogue. A second event, while the
        first is being processed, has no effect."""
        raise NotImplementedError

    async def _to_compare(self, slices: Slices) -> AsyncIterator[tuple[str, G]]:
        """The groups that have changed, or have not been compared with the current catalogue."""
        if self._epochs != self._coordinator.epochs:
            await self._go_through(slices)
        for group_id, agreed in list(self._groups.items()):
            if slices.is_over:
                await slices.pause()
            group: Any = self._coordinator.group(group_id)
            if not isinstance(group, self.kind):
                self._groups.pop(group_id, None)
            elif (
                agreed is None
                or agreed[0] is not self._compared(group)
                or agreed[1] != self._catalogue.changes
            ):
                yield group_id, group

    def _compared(self, group: G) -> Any:
        """The part of the group that is compared: the same object as long as it has not changed."""
        return group

    async def _go_through(self, slices: Slices) -> None:
        self._epochs = dict(self._coordinator.epochs)
        for group in list(self._coordinator.groups()):
            if slices.is_over:
                await slices.pause()
            if isinstance(group, self.kind):
                self.knows(group.durable.group.group_id)

    async def _counts(self, topics: Iterable[str], slices: Slices) -> dict[str, int]:
        counts = dict[str, int]()
        for topic in topics:
            if slices.is_over:
                await slices.pause()
            counts[topic] = self.count(topic)
        return counts

    def count(self, topic: str) -> int:
        """The number of partitions of a topic; 0 if it does not exist."""
        entry = self._catalogue.get(topic)
        return 0 if entry is None else entry.partitions
