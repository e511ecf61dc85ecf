"""The pauses of one connection: a client over its quota is muted, and a request that waits for news
is held until the next one arrives."""

import asyncio
from collections.abc import Callable


def release(held: "asyncio.Future[None]") -> None:
    """End a wait, if it has not ended."""
    if not held.done():
        held.set_result(None)


class Pauses:
    """One connection's. ``changed`` is called when a pause begins, and when the last one ends.

    ``muted`` is done when reading and serving go on, ``held`` when the waiting request does; None
    while nothing waits."""

    __slots__ = ("_changed", "_loop", "_mutes", "held", "muted")

    def __init__(self, loop: asyncio.AbstractEventLoop, changed: Callable[[], None]) -> None:
        self.muted: asyncio.Future[None] | None = None
        self._loop = loop
        self._changed = changed
        self._mutes = 0
        self.held: asyncio.Future[None] | None = None

    def mute(self, milliseconds: int) -> None:
        """Pause reading and serving for this time, as Kafka does with a client over its quota. Of
        concurrent pauses the longest counts."""
        self._mutes += 1
        if self.muted is None:
            self.muted = self._loop.create_future()
        self._loop.call_later(milliseconds / 1000, self._unmute)
        self._changed()

    def _unmute(self) -> None:
        self._mutes -= 1
        if self._mutes:
            return
        muted, self.muted = self.muted, None
        if muted is not None:
            release(muted)
        self._changed()

    async def hold(self, seconds: float) -> None:
        """Wait for this time, or until the hold is released."""
        self.held = held = self._loop.create_future()
        timer = self._loop.call_later(seconds, release, held)
        try:
            await held
        finally:
            timer.cancel()
            self.held = None

    def release(self) -> None:
        """End the hold, if there is one."""
        if self.held is not None:
            release(self.held)
