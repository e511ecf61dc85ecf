"""Work beside the event loop: our own in asyncio's threads, an installation's own in one for each.

Whoever calls passes a value that does not change meanwhile. The interpreter's lock changes hands
every millisecond (``protocol.server``), so the loop goes on.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


async def foreign(work: Callable[[], T]) -> T:
    """What ``work`` returns, which is somebody else's code and may never end: its thread holds
    nobody else's work up, nor the end of the process."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if ended.done():
            return
        if error is not None:
            ended.set_exception(error)
        else:
            ended.set_result(result)  # type: ignore[arg-type]  # T may be None itself

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except Exception as raised:
            error = raised
        except BaseException as raised:  # StopIteration's like: a future takes no such
            error = RuntimeError(f"it ended with {raised!r}")
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(settle, result, error)

    Thread(target=run, daemon=True, name="foreign").start()
    return await ended
