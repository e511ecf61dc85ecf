"""Held heartbeats of consumer groups whose topics have changed.

A consumer group learns of its topics from its members' heartbeats, as in Kafka, and decides then.
While these are held none comes; so one of each group is decided again when the catalogue has
changed. No SQL and no rules here.
"""

import asyncio

from groups.coordinator.runtime import CoordinatorRuntime
from groups.event_loop import Slices

PAUSE_S = 0.2
"""Between two looks at all groups with held heartbeats: topics are often created in a row."""


class TopicNews:
    """Tells the watchers of groups (``HeartbeatViews``) of changes of the catalogue."""

    def __init__(self, coordinator: CoordinatorRuntime) -> None:
        self._coordinator = coordinator
        self._awake = asyncio.Event()

    def wake(self) -> None:
        """The catalogue has changed."""
        self._awake.set()

    async def run(self) -> None:
        """Look after each change, until cancelled."""
        while True:
            await self._awake.wait()
            self._awake.clear()
            await self.look()
            await asyncio.sleep(PAUSE_S)

    async def look(self) -> None:
        """Tell one watcher of every group whose topics differ from the catalogue (the watcher
        compares): by its heartbeat the group decides, and the others are told when it has."""
        slices, views = Slices(), self._coordinator.heartbeat_views
        for group_id in views.watched():
            if slices.is_over:
                await slices.pause()
            views.tell_one_of_topics(group_id)
