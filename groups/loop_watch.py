"""Ends a process whose event loop stands still, so that its supervisor starts another one.

Nothing in the process can serve then, and no error shows it: a call of C that does not return, a
lock that nobody releases, or ``Thread.start``, which waits without limit for a thread that dies
before its first line, as one does where memory runs out. Two watches, since neither sees all:

- A thread counts its own looks. It sees a loop that waits, and cannot look while a call of C keeps
  the interpreter's lock.
- A timer counts the processor time of this process. It sees a loop that is busy, whoever has the
  lock.

Neither counts time in which the process did not run: suspended, stopped, or in a debugger.
"""

import faulthandler
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

LOOK_S = 1.0

SENTENCE: Final = b"The event loop has stood still for %g s: this process ends.\n"

CallLater = Callable[[float, Callable[[], None]], object]


class LoopWatch:
    """Watches the loop of ``call_later``, which may stand still for ``still_s``."""

    def __init__(self, call_later: CallLater, still_s: float) -> None:
        self._call_later = call_later
        self._still_s = still_s
        self._looks_max = still_s / LOOK_S
        self._looks = 0
        self._stderr = sys.__stderr__.fileno() if sys.__stderr__ else 2

    def start(self) -> None:
        """Watch from now on, until the process ends. The first turn may come late."""
        # Prints the stacks, then does what the signal does without a handler: it ends the process.
        faulthandler.register(signal.SIGPROF, self._stderr, all_threads=True, chain=True)
        self._turned()
        threading.Thread(target=self._run, name="loop watch", daemon=True).start()

    def stop(self) -> None:
        """The loop has ended, and what follows may take its time."""
        self._looks_max = math.inf
        signal.setitimer(signal.ITIMER_PROF, 0.0)

    def _turned(self) -> None:
        self._looks = 0
        signal.setitimer(signal.ITIMER_PROF, self._still_s)
        self._call_later(LOOK_S, self._turned)

    def _run(self) -> None:
        while self._looks <= self._looks_max:
            time.sleep(LOOK_S)
            self._looks += 1
        # Neither the log nor an exit handler: they may wait for what the loop's thread holds.
        os.set_blocking(self._stderr, False)  # what nobody reads must not keep the process
        with suppress(BlockingIOError):
            os.write(self._stderr, SENTENCE % self._still_s)
        faulthandler.dump_traceback(self._stderr, all_threads=True)
        os.set_blocking(self._stderr, True)  # others may have it too: a terminal
        os._exit(1)
