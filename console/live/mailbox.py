"""The notification that one websocket has not sent yet: only the newest.

A value with one reader. It opens no socket and knows no database.
"""

import asyncio
from typing import Final

LOOK: Final = None
"""Notifications may have been lost: reload, whatever the page shows."""

News = int | None
"""A group's revision, or ``LOOK``."""


class Mailbox:
    """Holds at most one notification; a later one replaces it.

    So a slow reader delays no others and needs no memory, and still gets the last change. ``LOOK``
    is not replaced by a revision: it means more.
    """

    def __init__(self) -> None:
        self._full = asyncio.Event()
        self._news: News = LOOK

    def put(self, news: News) -> None:
        """Put a notification for the reader."""
        if not (self._full.is_set() and self._news is LOOK):
            self._news = news
        self._full.set()

    def put_first(self, news: News) -> None:
        """Put a notification that may be older than the current one: only into an empty box."""
        if not self._full.is_set():
            self.put(news)

    async def take(self) -> News:
        """Wait for a notification, and empty the box."""
        await self._full.wait()
        self._full.clear()
        return self._news
