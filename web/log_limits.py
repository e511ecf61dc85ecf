"""Writes ten log lines a second of each kind, then a count, so that clients cannot fill the disk
with logs.

A kind is one logging call, whatever its values: the logger, the level and the text without the
values. The content does not matter; a record that must not be left out has
``extra={"is_one_of_many": False}``.
"""

import logging
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from web.log_stream import LogStream

LINES_MAX: Final = 10
WINDOW_S: Final = 1.0

KINDS_MAX: Final = 1_000
"""How many kinds are remembered: a library may put values into its texts."""

Kind = tuple[str, int, str]


@dataclass(slots=True)
class Window:
    """How many lines of a kind were logged since the window began, and how many were left out."""

    until: float
    lines: int = 0
    left_out: int = 0
    last: tuple[str, Any] = ("", None)
    """The last line that was left out: its text and its values, which are formatted only when it is
    written."""


class LimitedHandler(logging.StreamHandler[Any]):
    """Writes to standard error, a limited number of lines a second per kind, and none that nobody
    reads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        with suppress(OSError):  # standard error may have been replaced by something in memory
            self.stream = LogStream(sys.stderr)
        self.clock = clock
        self._windows: dict[Kind, Window] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record, or count it; called with the handler's lock held."""
        if not getattr(record, "is_one_of_many", True):
            self._write(record)
            return
        kind = (record.name, record.levelno, str(record.msg))
        window = self._window(kind)
        window.lines += 1
        if window.lines <= LINES_MAX:
            self._write(record)
            return
        if not window.left_out:
            later = threading.Timer(window.until - self.clock(), self._over, (kind, window))
            later.daemon = True
            later.start()
        window.left_out += 1
        window.last = str(record.msg), record.args

    def _window(self, kind: Kind) -> Window:
        """The current window, or a new one."""
        window, now = self._windows.get(kind), self.clock()
        if window is None or window.until <= now:
            if window is not None:
                self._report(kind, window)
            elif len(self._windows) >= KINDS_MAX:
                self._windows.pop(next(iter(self._windows)))
            window = self._windows[kind] = Window(now + WINDOW_S)
        return window

    def _over(self, kind: Kind, window: Window) -> None:
        """End a window in which lines were left out."""
        self.acquire()
        try:
            self._report(kind, window)
        finally:
            self.release()

    def _report(self, kind: Kind, window: Window) -> None:
        left_out, window.left_out = window.left_out, 0
        if left_out:
            name, level, _ = kind
            message = "%d more of this within a second, the last: %s"
            args, window.last = (left_out, _rendered(*window.last)), ("", None)
            self._write(logging.LogRecord(name, level, "", 0, message, args, None))

    def _write(self, record: logging.LogRecord) -> None:
        stream = self.stream
        if isinstance(stream, LogStream) and stream.lost and stream.is_ready():
            lost, stream.lost = stream.lost, 0
            message, args = "%d lines are missing here: nobody read the log", (lost,)
            super().emit(logging.LogRecord(__name__, logging.WARNING, "", 0, message, args, None))
        super().emit(record)


def _rendered(text: str, values: Any) -> str:
    """The formatted text; without values if they do not fit."""
    try:
        return text % values if values else text
    except Exception:
        return text
