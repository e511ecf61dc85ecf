"""Wait for the first of: a signal, the end of a child, or a time.

The handlers only wake the main loop (the self-pipe trick), which decides what a signal means. Also
here: how to notice that a ``make`` was interrupted and did not pass the signal on.
"""

import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from launcher.errors import LaunchError

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
WAKE_BYTES = 512


class Signals:
    """Without ``watching``, a plain wait that no signal cuts short."""

    def __init__(self, parent: "Parent | None" = None) -> None:
        self.stop_requested = False
        self._parent = parent
        self._wake: int | None = None

    @contextmanager
    def watching(self) -> Iterator["Signals"]:
        """Handle the signals that stop us, and SIGCHLD."""
        self._wake, write = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(write, False)
        kept = {number: signal.getsignal(number) for number in (*STOPPING, signal.SIGCHLD)}
        fd = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        for number in STOPPING:
            if not (number == signal.SIGHUP and kept[number] is signal.SIG_IGN):  # nohup
                signal.signal(number, self._stop)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        try:
            yield self
        finally:
            signal.set_wakeup_fd(fd)
            for number, handler in kept.items():
                signal.signal(number, handler)
            os.close(self._wake)
            os.close(write)
            self._wake = None

    def wait(self, timeout_s: float) -> None:
        """Wait that long at most; a signal ends the wait."""
        watched = [] if self._wake is None else [self._wake]
        if select.select(watched, [], [], max(timeout_s, 0.0))[0] and self._wake is not None:
            os.read(self._wake, WAKE_BYTES)
        if self._parent is not None and self._parent.wants_an_end():
            self.stop_requested = True

    def pause(self, seconds: float) -> None:
        """The same, before anything is started: raises ``LaunchError`` if it shall not be."""
        self.wait(seconds)
        if self.stop_requested:
            raise LaunchError("stopped before the start")

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.stop_requested = True


class Parent:
    """The ``make`` that runs us: we stop when it dies, and when only it was interrupted.

    A terminal sends SIGINT to make and to us. If a program sends it to make only, make waits for
    us, since GNU make passes on SIGTERM but not SIGINT. We can see that make has reset the signal
    to its default, which it does when it is interrupted.
    """

    def __init__(self) -> None:
        self._pid = os.getppid()
        self._handled = self.handles_interrupt()

    def wants_an_end(self) -> bool:
        """Whether the parent is gone, or has been interrupted."""
        return os.getppid() != self._pid or (self._handled and not self.handles_interrupt())

    def handles_interrupt(self) -> bool:
        """Whether the parent has a handler for SIGINT; False if /proc does not say."""
        try:
            status = Path(f"/proc/{self._pid}/status").read_text()
        except OSError:
            return False
        caught = next((line for line in status.splitlines() if line.startswith("SigCgt:")), ":0")
        return bool(int(caught.split(":")[1], 16) >> (signal.SIGINT - 1) & 1)
