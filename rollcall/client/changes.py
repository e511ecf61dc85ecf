"""The async iterator over what comes and goes, with a handshake: the loop's body is the callback.

It knows nothing of groups; ``Member`` tells it, an application's loop follows it.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable

from rollcall.client.core.words import Change
from rollcall.client.errors import Refused


class Changes:
    """At most one loop at a time; without one, telling is nothing."""

    def __init__(self) -> None:
        self._told: asyncio.Queue[Change | Refused | None] | None = None
        self._done: asyncio.Event = asyncio.Event()
        self._follower: asyncio.Task[object] | None = None

    async def tell(self, change: Change) -> None:
        """Hand the change to the loop, and wait until its body has run."""
        if self._told is None:
            return
        self._done.clear()
        self._told.put_nowait(change)
        await self._done.wait()

    def fail(self, failure: Refused) -> None:
        """Let the loop raise this."""
        if self._told is not None:
            self._told.put_nowait(failure)

    def end(self) -> None:
        """Let the loop end after what it was told already."""
        if self._told is not None:
            self._told.put_nowait(None)

    def end_if_mine(self) -> None:
        """End at once if the loop is in this very task: its body cannot come back for more."""
        if self._follower is not None and self._follower is asyncio.current_task():
            self.leave()

    def leave(self) -> None:
        """Nobody follows any more: whoever waits for the loop goes on."""
        self.end()
        self._told = None
        self._follower = None
        self._done.set()

    async def follow(
        self, begun: Iterable[Change], failure: Refused | None
    ) -> AsyncGenerator[Change, None]:
        """What happens from now on, after what is so already."""
        if self._told is not None:
            raise RuntimeError("another loop follows this member already")
        told = self._told = asyncio.Queue()
        self._follower = asyncio.current_task()
        try:
            for change in begun:
                yield change
            while failure is None:
                item = await told.get()
                if item is None:
                    return
                if isinstance(item, Refused):
                    failure = item
                    break
                yield item
                self._done.set()
            raise failure
        finally:
            if self._told is told:
                self.leave()
