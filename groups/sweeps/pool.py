"""The threads of Celery's worker, watched: one whose task does not end, or whose end the broker
does not answer, ends the process. A few of those, and no periodic work would be done any more."""

import threading
from collections.abc import Callable
from typing import Any, Final

from celery.concurrency.thread import TaskPool

from groups.watchdog import WATCHDOG

TASK_STILL_S = 300.0
"""The longest task, a clean-up, takes ten seconds for each of some tables."""

TASK: Final = "A task in thread %s"


class Pool(TaskPool):
    """Celery's own, but for the watch."""

    def on_apply(
        self,
        target: Any,
        args: Any = None,
        kwargs: Any = None,
        callback: Any = None,
        accept_callback: Any = None,
        **named: Any,
    ) -> Any:
        """Start a task in one of the threads."""
        return super().on_apply(
            watched(target), args, kwargs, watched(callback), accept_callback, **named
        )


def watched(work: Callable[..., Any]) -> Callable[..., Any]:
    """The task, or what is done at its end."""

    def run(*args: Any, **kwargs: Any) -> Any:
        with WATCHDOG.watching(TASK % threading.current_thread().name, TASK_STILL_S):
            return work(*args, **kwargs)

    return run
