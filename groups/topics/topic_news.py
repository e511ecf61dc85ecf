"""Held heartbeats of consumer groups whose topics have changed.

A consumer group learns of its topics from its members' heartbeats, as in Kafka, and decides then.
While these are held none comes; so one of each group is decided again when the catalogue has
changed. No SQL and no rules here.
"""

import asyncio

from groups.catalogue.cache import Catalogue
from groups.core.consumer.group import ConsumerGroup
from groups.event_loop import Slices
from groups.runtime import views
from groups.runtime.runtime import CoordinatorRuntime

PAUSE_S = 0.2
"""Between two looks at all groups with held heartbeats: topics are often created in a row."""

SHARE = 0.1
"""Share of the time that looks may take: with tens of thousands of groups a client that creates
topics all the time must not keep the loop busy."""


def pause_s(took_s: float) -> float:
    """How long to wait after a look that took so long."""
    return max(PAUSE_S, took_s * (1 - SHARE) / SHARE)


class TopicNews:
    """Tells the watchers of groups (``HeartbeatViews``) of changes of the catalogue."""

    def __init__(self, coordinator: CoordinatorRuntime, catalogue: Catalogue) -> None:
        self._coordinator = coordinator
        self._catalogue = catalogue
        self._awake = asyncio.Event()

    def wake(self) -> None:
        """The catalogue has changed."""
        self._awake.set()

    async def run(self) -> None:
        """Look after each change, until cancelled."""
        while True:
            await self._awake.wait()
            self._awake.clear()
            began = asyncio.get_running_loop().time()
            await self.look()
            await asyncio.sleep(pause_s(asyncio.get_running_loop().time() - began))

    async def look(self) -> None:
        """Tell one watcher of every group whose topics differ from the catalogue: by its heartbeat
        the group decides, and the others are told when it has."""
        slices, heartbeat_views = Slices(), self._coordinator.heartbeat_views
        for group_id in heartbeat_views.watched():
            if slices.is_over:
                await slices.pause()
            if self._is_behind(group_id):
                heartbeat_views.notify_one_of_topics(group_id)

    def _is_behind(self, group_id: str) -> bool:
        """Once for all members: a group may have thousands of watchers."""
        entry = self._coordinator.entries.get(group_id)
        group = None if entry is None else entry.group
        return (
            entry is not None
            and isinstance(group, ConsumerGroup)
            and views.is_behind(entry, group, self._catalogue)
        )
