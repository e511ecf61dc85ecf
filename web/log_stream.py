"""Standard error for log lines, which never waits for a reader for long.

A log driver with a full disk, a stopped terminal or a paused pipe reads nothing. A process that
waited for it would answer nobody, since event loops log too: lines are dropped and counted instead.
"""

import os
import select
import time
from typing import Final, TextIO

PIECE_BYTES: Final = 4_096
"""PIPE_BUF of Linux: a pipe that is ready takes as much without waiting."""

PATIENCE_MS: Final = 100
HURRY_S: Final = 60.0
"""How long a reader may be busy before a line is dropped, and for how long no other line waits for
one that was not in time: it may read, but slowly."""


class LogStream:
    """What a handler writes to. ``lost``: lines that were dropped since the handler last asked."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._descriptor = stream.fileno()
        self._hurries_until = 0.0
        self._is_cut = False
        self.lost = 0

    def write(self, text: str) -> None:
        """Write the line, or as much of it as is read."""
        left = text.encode(self._stream.encoding, "backslashreplace")
        if self._is_cut:
            left = b"\n" + left
        try:
            while left:
                if not self.is_ready():
                    self.lost += 1
                    return
                left = left[os.write(self._descriptor, left[:PIECE_BYTES]) :]
                self._is_cut = bool(left)
        except OSError:  # the reader is gone; the process goes on
            self.lost += 1

    def flush(self) -> None:
        """Nothing is buffered."""

    def is_ready(self) -> bool:
        """Whether a piece can be written without waiting."""
        poll = select.poll()
        poll.register(self._descriptor, select.POLLOUT)
        if poll.poll(0 if time.monotonic() < self._hurries_until else PATIENCE_MS):
            return True
        self._hurries_until = time.monotonic() + HURRY_S
        return False
