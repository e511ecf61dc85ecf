"""Changes for a loop, with a handshake: the loop's body is the callback.

It knows nothing of groups; ``Member`` puts changes in, an application's loop takes them.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from rollcall.client.core.events import Change
from rollcall.client.errors import MemberError

RETURN_S: Final = 5.0
"""How long a change waits for a loop that ended by its timeout, and may be called again."""


class Following:
    """One loop. A change is handled when the next one is requested, or when the loop ends."""

    def __init__(self, begun: Sequence[Change], failure: MemberError | None) -> None:
        self._told: asyncio.Queue[tuple[Change, bool] | MemberError | None] = asyncio.Queue()
        for change in begun:
            self._told.put_nowait((change, False))
        if failure is not None:
            self._told.put_nowait(failure)
        self._handled = asyncio.Event()
        self._is_telling = False  # a change waits for the loop
        self._is_at_it = False  # the body runs for that change
        self._is_away = False
        self._timer: asyncio.TimerHandle | None = None
        self.is_left = False

    async def next(self, timeout_s: float | None = None) -> Change | None:
        """The next change; None: no more. The previous one is handled.

        Raises the member's failure, and ``TimeoutError``.
        """
        self._return()
        if self.is_left:
            return None
        async with asyncio.timeout(timeout_s):
            item = await self._told.get()
        if isinstance(item, tuple):
            change, self._is_at_it = item
            return change
        self.leave()
        if item is not None:
            raise item
        return None

    async def tell(self, change: Change) -> None:
        """Pass the change to the loop, and wait until its body has run."""
        self._handled.clear()
        self._told.put_nowait((change, True))
        self._is_telling = True
        self._wait_for_return()
        try:
            await self._handled.wait()
        finally:
            self._is_telling = False

    def end(self, failure: MemberError | None = None) -> None:
        """End the loop, or raise this in it, after the changes before it."""
        self._told.put_nowait(failure)

    def leave(self) -> None:
        """The loop has ended: callers that wait for it continue."""
        self.is_left = True
        self._cancel_timer()
        self._handled.set()
        self._told.put_nowait(None)

    def pause(self) -> None:
        """The loop has ended by its timeout, and may be called again."""
        self._is_away = True
        self._wait_for_return()

    def _return(self) -> None:
        self._is_away = False
        self._cancel_timer()
        if self._is_at_it:
            self._is_at_it = False
            self._handled.set()

    def _wait_for_return(self) -> None:
        if self._is_away and self._is_telling and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(RETURN_S, self.leave)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Changes:
    """At most one loop at a time; without one, changes are dropped."""

    def __init__(self) -> None:
        self._following: Following | None = None

    @property
    def following(self) -> Following | None:
        """The loop, unless it has ended."""
        if self._following is not None and self._following.is_left:
            self._following = None
        return self._following

    def follow(self, begun: Sequence[Change], failure: MemberError | None) -> Following:
        """Start a loop with the current state, and the changes after it."""
        if self.following is not None:
            raise RuntimeError("another loop follows this member already")
        self._following = Following(begun, failure)
        return self._following

    async def tell(self, change: Change) -> None:
        """Pass the change to the loop, and wait until its body has run."""
        if (following := self.following) is not None:
            await following.tell(change)

    def end(self, failure: MemberError | None = None) -> None:
        """End the loop, or raise this in it, after the changes before it."""
        if (following := self.following) is not None:
            following.end(failure)

    def leave(self) -> None:
        """The loop has ended."""
        if (following := self.following) is not None:
            following.leave()
