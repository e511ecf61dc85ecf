"""Ten lines a second of each kind, then a count: a log is not what a client fills the disk with.

A kind is what one place of a program says, whatever it is about: the logger, the level and the text
without its values. Nothing is known here of what is logged; a record that must not be left out says
so itself, by ``extra={"is_one_of_many": False}``.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

LINES_MAX: Final = 10
WINDOW_S: Final = 1.0

KINDS_MAX: Final = 1_000
"""Kinds whose windows are remembered: a library may put values into its texts."""

Kind = tuple[str, int, str]


@dataclass(slots=True)
class Window:
    """What was said of a kind since the window began, and what was left out."""

    until: float
    lines: int = 0
    left_out: int = 0
    last: tuple[str, Any] = ("", None)
    """Of those: its text and the values for it, which are put together for one of them only."""


class LimitedHandler(logging.StreamHandler[Any]):
    """Writes to standard error, each kind so many times a second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.clock = clock
        self._windows: dict[Kind, Window] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Write it, or count it; called with the handler's lock held."""
        if not getattr(record, "is_one_of_many", True):
            super().emit(record)
            return
        kind = (record.name, record.levelno, str(record.msg))
        window = self._window(kind)
        window.lines += 1
        if window.lines <= LINES_MAX:
            super().emit(record)
            return
        if not window.left_out:
            later = threading.Timer(window.until - self.clock(), self._over, (kind, window))
            later.daemon = True
            later.start()
        window.left_out += 1
        window.last = str(record.msg), record.args

    def _window(self, kind: Kind) -> Window:
        """The one that is open, or a new one in its place."""
        window, now = self._windows.get(kind), self.clock()
        if window is None or window.until <= now:
            if window is not None:
                self._tell(kind, window)
            elif len(self._windows) >= KINDS_MAX:
                self._windows.pop(next(iter(self._windows)))
            window = self._windows[kind] = Window(now + WINDOW_S)
        return window

    def _over(self, kind: Kind, window: Window) -> None:
        """A window in which lines were left out has ended."""
        self.acquire()
        try:
            self._tell(kind, window)
        finally:
            self.release()

    def _tell(self, kind: Kind, window: Window) -> None:
        left_out, window.left_out = window.left_out, 0
        if left_out:
            name, level, _ = kind
            said = "%d more of this within a second, the last: %s"
            args, window.last = (left_out, _rendered(*window.last)), ("", None)
            super().emit(logging.LogRecord(name, level, "", 0, said, args, None))


def _rendered(text: str, values: Any) -> str:
    """As its line would have said it; the text alone where its values do not fit."""
    try:
        return text % values if values else text
    except Exception:
        return text
