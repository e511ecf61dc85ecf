"""What one websocket has yet to be told: the newest state of affairs, and nothing older.

A value with one reader. It opens no socket and knows no database.
"""

import asyncio
from typing import Final

LOOK: Final = None
"""Something may have been missed: look, whatever you know."""

News = int | None
"""A group's revision, or ``LOOK``."""


class Mailbox:
    """Holds one piece of news at most; what comes later replaces it.

    So whoever reads slowly holds nobody up and needs no room, and still hears of the last change.
    ``LOOK`` is not replaced by a revision: it is the stronger word.
    """

    def __init__(self) -> None:
        self._full = asyncio.Event()
        self._news: News = LOOK

    def put(self, news: News) -> None:
        """Leave news for the reader."""
        if not (self._full.is_set() and self._news is LOOK):
            self._news = news
        self._full.set()

    def put_first(self, news: News) -> None:
        """Leave news that may be older than what is in the box: it counts in an empty one only."""
        if not self._full.is_set():
            self.put(news)

    async def take(self) -> News:
        """Wait for news, and empty the box."""
        await self._full.wait()
        self._full.clear()
        return self._news
