"""Sends changes of the catalogue to draft groups: the coordinator tracks their topics for them."""

from collections.abc import Mapping

from groups.core.draft.group import DraftGroup
from groups.core.events import TopicsChanged
from groups.event_loop import Slices
from groups.topics.topic_updates import TopicUpdates


class DraftTopics(TopicUpdates[DraftGroup]):
    """Compares the numbers of partitions that each draft group knows with the catalogue."""

    kind = DraftGroup

    async def look(self) -> None:
        """See ``TopicUpdates``."""
        slices = Slices()
        async for group_id, group in self._to_compare(slices):
            self._groups[group_id] = await self._compare(group_id, group.counts, slices)

    def _compared(self, group: DraftGroup) -> Mapping[str, int]:
        return group.counts

    async def _compare(
        self, group_id: str, before: Mapping[str, int], slices: Slices
    ) -> tuple[Mapping[str, int], int] | None:
        """The group's counts and the version of the catalogue, if they agree; otherwise None, and
        the group receives an event."""
        changes = self._catalogue.changes
        counts = await self._counts(before, slices)
        if counts == before:
            return before, changes
        self._coordinator.submit(group_id, TopicsChanged(counts=counts))
        return None
