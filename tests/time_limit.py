"""pytest-timeout's alarm, ringing until it is heard.

The alarm raises in whatever runs when it rings. Where that is a task of the event loop, the task
ends and the test, which may not look at it, goes on waiting: so it rings again. A loop that is
asleep, and has lost the descriptor by which signals wake it, hears no alarm at all: then the whole
process ends, with the stacks of its threads. uvloop swallows an alarm that raises in a timer's
callback, and whoever slept by that timer sleeps for ever: so a test that is a coroutine has a limit
of its event loop before that, and says at which ``await`` it stood.

What follows a failed test has its limit, too: pytest-timeout takes the alarm away there, for who
looks at the failure with a debugger, and an ending that hangs would hang the run.
"""

import asyncio
import faulthandler
import inspect
import math
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Generator
from functools import wraps
from time import sleep  # a test may put another into the module
from types import FrameType
from typing import Any

import pytest
import pytest_timeout
from _pytest.faulthandler import fault_handler_stderr_fd_key

AGAIN_S = 5.0

UNHEARD_S = 30.0
"""After so much more the process ends."""

COROUTINE = 0.75
"""The share of a test's time that its coroutine has."""


class Watch:
    """One thread for all tests, which looks whether the alarm of the present one was heard."""

    def __init__(self) -> None:
        self.unheard_at = math.inf
        self._test: tuple[Any, Any] = None, None
        self._looks = False

    def over(self, item: Any, settings: Any) -> None:
        """A test begins."""
        self._test = item, settings
        self.unheard_at = time.monotonic() + settings.timeout + UNHEARD_S
        if not self._looks:
            self._looks = True
            threading.Thread(target=self._look, name="time limit", daemon=True).start()

    def _look(self) -> None:
        while True:
            sleep(AGAIN_S)
            if time.monotonic() >= self.unheard_at:
                # A worker's output ends with it, and so do the stacks that the next line prints.
                stderr = self._test[0].config.stash.get(fault_handler_stderr_fd_key, 2)
                faulthandler.dump_traceback(stderr, all_threads=True)
                pytest_timeout.timeout_timer(*self._test)


WATCH = Watch()


@pytest.hookimpl
def pytest_itemcollected(item: pytest.Item) -> None:
    """Limit a test that is a coroutine."""
    if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
        if limit := pytest_timeout._get_item_settings(item).timeout:
            item.obj = _limited(item.obj, limit * COROUTINE)


def _limited(test: Callable[..., Awaitable[None]], seconds: float) -> Callable[..., Any]:
    @wraps(test)
    async def limited(*args: Any, **kwargs: Any) -> None:
        async with asyncio.timeout(seconds):
            await test(*args, **kwargs)

    return limited


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """The ending of a test has as long as the test."""
    settings, hooks = pytest_timeout._get_item_settings(item), item.config.hook
    hooks.pytest_timeout_cancel_timer(item=item)
    if settings.timeout:
        hooks.pytest_timeout_set_timer(item=item, settings=settings)
    yield


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """A failure is told without the alarm: on a busy machine that takes longer than ``AGAIN_S``,
    and an alarm in the middle of pytest's own work would end or hang the run."""
    if call.excinfo is not None:
        item.config.hook.pytest_timeout_cancel_timer(item=item)


@pytest.hookimpl
def pytest_timeout_set_timer(item: Any, settings: Any) -> bool | None:
    """Set the alarm; None leaves it to pytest-timeout itself."""
    if settings.method != "signal" or threading.current_thread() is not threading.main_thread():
        return None

    def ring(_number: int, _frame: FrameType | None) -> None:
        pytest_timeout.timeout_sigalrm(item, settings)

    def cancel() -> None:
        WATCH.unheard_at = math.inf
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    item.cancel_timeout = cancel
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, settings.timeout, AGAIN_S)
    WATCH.over(item, settings)
    return True
