"""Work that would block the event loop, in a thread that does not delay the program's end."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")

PREFIX = "rollcall-"


async def in_thread(work: Callable[[], T], name: str) -> T:
    """The result of ``work``, or its exception. The thread continues if the caller is cancelled.

    Exceptions that only an event loop may raise, or cannot transport, become a ``RuntimeError``: a
    callback that calls ``sys.exit`` ends nothing else, as in any other thread.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def finish(result: T | None, error: Exception | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, failure = None, None
        try:
            result = context.run(work)
        except BaseException as error:
            failure = _carried(error)
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(finish, result, failure)

    context = copy_context()
    threading.Thread(target=run, daemon=True, name=PREFIX + name).start()
    return await done


def _carried(error: BaseException) -> Exception:
    """The exception in a form that a future can hold."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    carried = RuntimeError(f"{type(error).__name__} in a thread: {error}")
    carried.__cause__ = error
    return carried
