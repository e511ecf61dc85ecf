"""pytest-timeout's alarm, ringing until it is heard.

The alarm raises in whatever runs when it rings. Where that is a task of the event loop, the task
ends and the test, which may not look at it, goes on waiting: so it rings again. A loop that is
asleep, and has lost the descriptor by which signals wake it, hears no alarm at all: then the whole
process ends, with the stacks of its threads.
"""

import signal
import threading
from types import FrameType
from typing import Any

import pytest
import pytest_timeout

AGAIN_S = 5.0

UNHEARD_S = 30.0
"""After so much more the process ends."""


@pytest.hookimpl
def pytest_timeout_set_timer(item: Any, settings: Any) -> bool | None:
    """Set the alarm; None leaves it to pytest-timeout itself."""
    if settings.method != "signal" or threading.current_thread() is not threading.main_thread():
        return None

    def ring(_number: int, _frame: FrameType | None) -> None:
        pytest_timeout.timeout_sigalrm(item, settings)

    unheard = threading.Timer(
        settings.timeout + UNHEARD_S, pytest_timeout.timeout_timer, (item, settings)
    )
    unheard.daemon = True

    def cancel() -> None:
        unheard.cancel()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    item.cancel_timeout = cancel
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, settings.timeout, AGAIN_S)
    unheard.start()
    return True
