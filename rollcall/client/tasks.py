"""What one member does beside its application. No task of it ends without a word."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

END_S: Final = 1.0
"""How long a closing member waits for what it has cancelled. A callback may refuse to end."""


class Tasks:
    """``failed`` hears of every task that raises, or that somebody else cancels."""

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        self.failed = failed
        self.is_stopped = False
        self._running: set[asyncio.Task[None]] = set()

    def start(self, doing: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do this; where all is over already, it is cancelled at once."""
        task = asyncio.ensure_future(doing)
        self._running.add(task)
        task.add_done_callback(self._ended)
        if self.is_stopped:
            task.cancel()
        return task

    def stop(self) -> None:
        """Start nothing more; what runs is cancelled, but for who calls this."""
        self.is_stopped = True
        for task in self._running - {_current()}:
            task.cancel()

    async def ended(self) -> None:
        """Wait until what was cancelled has ended."""
        others = self._running - {_current()}
        if others:
            await asyncio.wait(others, timeout=END_S)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None and not self.is_stopped:
            self.failed(error)


def _current() -> asyncio.Task[Any] | None:
    """The task that runs; None outside of an event loop."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
