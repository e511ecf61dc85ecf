"""Calling the application: its mistakes stay its own, and it is known who is within a call.

Whoever waits within a call for the end of that call waits for itself. Tasks and threads that are
started within one are within it, too, as long as it lasts.
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
    """One call of ``owner``'s: of a callback, or of the body of a loop."""

    def __init__(self, owner: object, is_body: bool, outer: "Call | None") -> None:
        self.owner = owner
        self.is_body = is_body
        self.outer = outer
        self.is_over = False


_WITHIN: ContextVar[Call | None] = ContextVar("rollcall-within", default=None)


@contextmanager
def within(owner: object, *, is_body: bool = False) -> Iterator[None]:
    """What happens meanwhile happens within a call of this owner's."""
    outer = _WITHIN.get()
    while outer is not None and outer.is_over:
        outer = outer.outer
    call = Call(owner, is_body, outer)
    _WITHIN.set(call)
    try:
        yield
    finally:
        call.is_over = True


def is_within(owner: object, *, is_body: bool = False) -> bool:
    """Whether this is done within a call of this owner's that has not returned."""
    call = _WITHIN.get()
    while call is not None:
        if call.owner is owner and call.is_body is is_body and not call.is_over:
            return True
        call = call.outer
    return False


async def tell(owner: object, callback: Callback, partitions: Partitions) -> None:
    """Call the application; its mistakes are logged and change nothing for the group.

    A ``CancelledError`` that nobody sent to this task is one of them: a callback that cancels the
    application's own work and awaits it raises it.
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
    """Whether somebody has asked the task that runs to end."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
