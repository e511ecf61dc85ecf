"""Heartbeats that wait for changes, as the protocol layer lets them (decision 17): a model of it.

The protocol layer measures the time between requests; here every heartbeat without a change waits,
for a third of its interval. The product's own code wakes it: the replacement of a view.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from groups.runtime.heartbeat_views import HeartbeatViews

HOLD_S: Final = 0.25
"""About a third of the pauses of simulated members."""


class Held:
    """One heartbeat, or poll, that waits for ``hold_s`` at most. ``is_news``: whether its response
    would differ by now."""

    def __init__(self, is_news: Callable[[], bool], hold_s: float = HOLD_S) -> None:
        self._is_news = is_news
        self._hold_s = hold_s
        self._over = asyncio.Event()

    def view_changed(self) -> None:
        """The view was replaced, or the lease is over."""
        if self._is_news():
            self._over.set()

    def topics_changed(self) -> bool:
        """Simulated topics do not change during a hold."""
        return False

    async def wait(self, views: HeartbeatViews, group_id: str) -> bool:
        """Wait for a change, or until the time is over; returns whether there is one."""
        views.watch(group_id, self)
        try:
            if not self._is_news():
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._hold_s):
                        await self._over.wait()
        finally:
            views.unwatch(group_id, self)
        return self._is_news()
