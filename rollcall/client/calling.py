"""Calls of the application: its errors do not affect the member, and code within a call is known.

Code that waits within a call for the end of that call would wait for itself. Tasks and threads that
are started within a call belong to it while it lasts.
"""

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rollcall.client.core.events import Partitions

Callback = Callable[[Partitions], Awaitable[None] | None]

log = logging.getLogger("rollcall.client")


class Call:
    """One call of an ``owner``: of a callback, or of a loop's body."""

    def __init__(self, owner: object, is_body: bool, outer: "Call | None") -> None:
        self.owner = owner
        self.is_body = is_body
        self.outer = outer
        self.is_over = False


_WITHIN: ContextVar[Call | None] = ContextVar("rollcall-within", default=None)


def begin(owner: object, *, is_body: bool = False) -> Call:
    """From now on the current context is part of a call of this owner, until that is over."""
    outer = _WITHIN.get()
    while outer is not None and outer.is_over:
        outer = outer.outer
    call = Call(owner, is_body, outer)
    _WITHIN.set(call)
    return call


@contextmanager
def within(owner: object) -> Iterator[None]:
    """Run the block as part of a call of this owner."""
    call = begin(owner)
    try:
        yield
    finally:
        call.is_over = True


def is_within(owner: object, *, is_body: bool = False) -> bool:
    """Whether the current code is within an unfinished call of this owner."""
    call = _WITHIN.get()
    while call is not None:
        if call.owner is owner and call.is_body is is_body and not call.is_over:
            return True
        call = call.outer
    return False


async def tell(owner: object, callback: Callback, partitions: Partitions) -> None:
    """Call the application; its errors are logged and do not affect the group.

    This includes a ``CancelledError`` if this task was not cancelled: a callback raises it if it
    cancels the application's own work and awaits it.
    """
    try:
        with within(owner):
            result: Any = callback(partitions)
            if inspect.isawaitable(result):
                await result
    except asyncio.CancelledError:
        if is_being_cancelled():
            raise
        log.exception("the callback %r was cancelled by itself", callback)
    except Exception:
        log.exception("the callback %r failed", callback)


def is_being_cancelled() -> bool:
    """Whether the current task is being cancelled."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
