"""The tasks of one member. No task fails unnoticed."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

END_S: Final = 1.0
"""How long a closing member waits for cancelled tasks. A callback may not end."""


class Tasks:
    """``failed`` is called for every task that raises, or that is cancelled from outside."""

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        self.failed = failed
        self.is_stopped = False
        self._running: set[asyncio.Task[None]] = set()

    def start(self, doing: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task; after ``stop`` it is cancelled at once."""
        task = asyncio.ensure_future(doing)
        self._running.add(task)
        task.add_done_callback(self._ended)
        if self.is_stopped:
            task.cancel()
        return task

    def stop(self) -> None:
        """Start no more tasks, and cancel running ones, except the caller's."""
        self.is_stopped = True
        for task in self._running - {_current()}:
            task.cancel()

    async def ended(self) -> None:
        """Wait until the cancelled tasks have ended."""
        others = self._running - {_current()}
        if others:
            await asyncio.wait(others, timeout=END_S)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None and not self.is_stopped:
            self.failed(error)


def _current() -> asyncio.Task[Any] | None:
    """The current task; None outside of an event loop."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
