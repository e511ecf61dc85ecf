"""Changes for a loop, with a handshake: the loop's body is the callback.

It knows nothing of groups; ``Member`` puts changes in, an application's loop takes them.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final, Self

from rollcall.client import calling
from rollcall.client.core.events import Change
from rollcall.client.errors import MemberError

RETURN_S: Final = 5.0
"""How long a change waits for a loop that ended by a timeout, and may be called again."""


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
        self.is_away = False
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
        """The loop has ended by a timeout, and may be called again."""
        self.is_away = True
        self._wait_for_return()

    def _return(self) -> None:
        self.is_away = False
        self._cancel_timer()
        if self._is_at_it:
            self._is_at_it = False
            self._handled.set()

    def _wait_for_return(self) -> None:
        if self.is_away and self._is_telling and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(RETURN_S, self.leave)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Loop(AsyncIterator[Change]):
    """What ``async for`` iterates over. The loop begins with the first request, and has ended when
    nothing refers to this object any more: at once after a ``break``, not when an event loop gets
    round to it, as with a generator. A request that is cancelled ends nothing: the loop may request
    again, and a change waits a while for that."""

    _following: Following | None = None
    _begun_in: asyncio.AbstractEventLoop

    def __init__(self, owner: object, begin: Callable[[], Following]) -> None:
        self._owner = owner
        self._begin = begin
        self._body: calling.Call | None = None

    def __aiter__(self) -> Self:
        return self

    def __anext__(self) -> Coroutine[Any, Any, Change]:
        """The body is a call in the context of whoever requests the change, also if
        ``asyncio.wait_for`` waits for it in another task."""
        self._end_body()
        body = calling.begin(self._owner, is_body=True)
        body.is_over = True  # it has not begun
        return self._next(body)

    async def _next(self, body: calling.Call) -> Change:
        if self._following is None:
            self._begun_in = asyncio.get_running_loop()
            self._following = self._begin()
        try:
            change = await self._following.next()
        except asyncio.CancelledError:
            self._following.pause()
            raise
        if change is None:
            raise StopAsyncIteration
        self._body = body
        body.is_over = False
        return change

    async def aclose(self) -> None:
        """End the loop, as ``contextlib.aclosing`` does."""
        self._leave()

    def __del__(self) -> None:
        self._end_body()
        if self._following is None:
            return
        try:
            is_here = asyncio.get_running_loop() is self._begun_in
        except RuntimeError:
            is_here = False
        if is_here:
            self._leave()
            return
        with suppress(RuntimeError):  # the event loop is closed
            self._begun_in.call_soon_threadsafe(self._following.leave)

    def _leave(self) -> None:
        self._end_body()
        if self._following is not None:
            self._following.leave()

    def _end_body(self) -> None:
        if self._body is not None:
            self._body.is_over = True


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
        """Start a loop with the current state, and the changes after it. It takes the place of one
        whose last request was cancelled: the error of that may keep it alive."""
        if (following := self.following) is not None:
            if not following.is_away:
                raise RuntimeError("another loop follows this member already")
            following.leave()
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

    @property
    def is_away(self) -> bool:
        """Whether there is a loop that requests nothing since a timeout."""
        return (following := self.following) is not None and following.is_away

    def leave(self) -> None:
        """The loop has ended."""
        if (following := self.following) is not None:
            following.leave()
