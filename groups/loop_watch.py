"""Ends a process whose event loop stands still, so that its supervisor starts another one.

Nothing in the process can serve then, and no error shows it: a call of C that does not return, a
lock that nobody releases, or ``Thread.start``, which waits without limit for a thread that dies
before its first line, as one does where memory runs out. Two watches, since neither sees all:

- The thread of ``groups.watchdog``. It sees a loop that waits, and cannot look while a call of C
  keeps the interpreter's lock.
- A timer counts the processor time of this process. It sees a loop that is busy, whoever has the
  lock.

Neither counts time in which the process did not run: suspended, stopped, or in a debugger.
"""

import faulthandler
import signal
import sys
from collections.abc import Callable
from typing import Final

from groups import watchdog

THE_LOOP: Final = "The event loop"

CallLater = Callable[[float, Callable[[], None]], object]


class LoopWatch:
    """Watches the loop of ``call_later``, which may stand still for ``still_s``."""

    def __init__(self, call_later: CallLater, still_s: float) -> None:
        self._call_later = call_later
        self._still_s = still_s
        self._watchdog = watchdog.Watchdog()

    def start(self) -> None:
        """Watch from now on, until the process ends. The first turn may come late."""
        stderr = sys.__stderr__.fileno() if sys.__stderr__ else 2
        # Prints the stacks, then does what the signal does without a handler: it ends the process.
        faulthandler.register(signal.SIGPROF, stderr, all_threads=True, chain=True)
        self._turned()
        self._watchdog.start()

    def stop(self) -> None:
        """The loop has ended, and what follows may take its time."""
        self._watchdog.stop()
        signal.setitimer(signal.ITIMER_PROF, 0.0)

    def _turned(self) -> None:
        self._watchdog.turned(THE_LOOP, self._still_s)
        signal.setitimer(signal.ITIMER_PROF, self._still_s)
        self._call_later(watchdog.LOOK_S, self._turned)
