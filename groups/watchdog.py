"""Ends a process of which a part stands still, so that its supervisor starts another one.

No error shows it when a statement is never answered, because its backend hangs, or when a lock is
never released: what waits for it waits for good. A thread counts its own looks, so time in which
the process did not run (suspended, stopped, in a debugger) does not count.
"""

import faulthandler
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

LOOK_S = 1.0

SENTENCE: Final = "%s has stood still for %g s: this process ends.\n"


class Watchdog:
    """Parts of a process, each with the look of its last turn and how many it may miss."""

    def __init__(self) -> None:
        self._looks = 0
        self._has_begun = self._is_over = False
        self._turns: dict[str, tuple[int, float]] = {}
        self._stderr = sys.__stderr__.fileno() if sys.__stderr__ else 2

    def start(self) -> None:
        """Watch from now on, until the process ends; nothing if it watches already."""
        if not self._has_begun:
            self._has_begun = True
            threading.Thread(target=self._run, name="watchdog", daemon=True).start()

    def turned(self, part: str, still_s: float) -> None:
        """This part has had a turn, and has another one within this time, or is forgotten."""
        self._turns[part] = self._looks, still_s

    def turned_again(self, part: str, still_s: float) -> None:
        """The same, if it is watched: processes without this part may do the same."""
        if part in self._turns:
            self.turned(part, still_s)

    def forget(self, part: str) -> None:
        """This part has ended, or may take its time."""
        self._turns.pop(part, None)

    def stop(self) -> None:
        """What the process still does may take its time."""
        self._is_over = True

    @contextmanager
    def watching(self, part: str, still_s: float) -> Iterator[None]:
        """This part has one turn, which ends within this time."""
        self.turned(part, still_s)
        try:
            yield
        finally:
            self.forget(part)

    def _run(self) -> None:
        while not self._is_over:
            time.sleep(LOOK_S)
            self._looks += 1
            for part, (look, still_s) in tuple(self._turns.items()):
                if (self._looks - look) * LOOK_S > still_s:
                    self._end(part, still_s)

    def _end(self, part: str, still_s: float) -> None:
        if self._is_over:
            return
        # Neither the log nor an exit handler: they may wait for what the part holds.
        with suppress(OSError):  # what nobody reads, or can read, must not keep the process
            os.set_blocking(self._stderr, False)
            os.write(self._stderr, (SENTENCE % (part, still_s)).encode())
        faulthandler.dump_traceback(self._stderr, all_threads=True)
        with suppress(OSError):
            os.set_blocking(self._stderr, True)  # others may have it too: a terminal
        os._exit(1)


WATCHDOG: Final = Watchdog()
"""Of this process; it watches only where a program starts it (``coordinator_site.celery``)."""
