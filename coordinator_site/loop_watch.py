"""Ends a process whose event loop stands still, so that its supervisor starts another one.

Python waits without limit in ``Thread.start`` for a thread that dies before its first line, as one
does where memory runs out: the loop then serves nobody ever after, although memory is there again.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

LOOK_S = 1.0

LOOKS_MAX: Final = 60
"""Looks in a row that found no turn of the loop. Counted, not measured: while the process is
suspended nobody looks."""

SENTENCE: Final = b"The event loop has stood still for a minute: this process ends.\n"

CallLater = Callable[[float, Callable[[], None]], object]


class LoopWatch:
    """A thread that looks whether the loop turns. ``call_later`` is the loop's."""

    def __init__(self, call_later: CallLater) -> None:
        self._call_later = call_later
        self._looks = 0

    def start(self) -> None:
        """Watch from now on, until the process ends. The first turn may come late."""
        self._turned()
        threading.Thread(target=self._run, name="loop watch", daemon=True).start()

    def _turned(self) -> None:
        self._looks = 0
        self._call_later(LOOK_S, self._turned)

    def _run(self) -> None:
        while self._looks <= LOOKS_MAX:
            time.sleep(LOOK_S)
            self._looks += 1
        # Neither the log nor an exit handler: they may wait for what the loop's thread holds.
        os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, SENTENCE)
        os._exit(1)
