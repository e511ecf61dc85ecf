"""The output of the processes, line by line, each with the name of its process in front.

A separate thread writes, so a stopped terminal or a pipe without a reader delays nothing: if too
much waits to be written, lines are dropped and counted.
"""

import os
import queue
import threading
import time
from typing import IO, Final

from web import log_lines

STANDARD_ERROR = 2

LINES_WAITING_MAX = 10_000
LINE_BYTES_MAX = 4 * log_lines.LINE_CHARACTERS_MAX + 1_024
"""A longer line is shown as several; Rollcall's programs write none."""

FLUSH_S = 1.0
"""How long closing waits for lines that are not yet written."""

DROPPED = b"%d lines were dropped: nobody read them"

NAME_WIDTH = 11
COLOURS = (36, 32, 33, 35, 34, 96, 92, 93, 95, 94)
END: Final = None


class Output:
    """Where all lines of the processes go: standard error, as a rule.

    It writes to the descriptor itself, since a buffered stream's lock, held by a thread that
    waits for a reader, would keep the interpreter from ending. ``form``: that of ``log.format``.
    """

    def __init__(self, descriptor: int = STANDARD_ERROR, form: str = log_lines.TEXT) -> None:
        self.form = form
        self._descriptor = descriptor
        self._colour = os.isatty(descriptor)
        self._waiting: queue.Queue[bytes | None] = queue.Queue(LINES_WAITING_MAX)
        self._dropped = 0
        self._names: dict[str, int] = {}
        self._writer = threading.Thread(target=self._write, name="output", daemon=True)
        self._writer.start()

    def say(self, name: str, text: str) -> None:
        """Write a line of the launcher about that process."""
        self.line(name, text.encode())

    def line(self, name: str, text: bytes) -> None:
        """Queue one line. Never waits."""
        try:
            self._waiting.put_nowait(self._rendered(name, text.rstrip(b"\r\n")) + b"\n")
        except queue.Full:
            self._dropped += 1

    def pump(self, name: str, stream: IO[bytes]) -> threading.Thread:
        """Pass on all output of the process, until its end."""
        thread = threading.Thread(
            target=self._pump, args=(name, stream), name=f"pump {name}", daemon=True
        )
        thread.start()
        return thread

    def close(self) -> None:
        """Write the remaining lines, as far as they are read."""
        try:
            self._waiting.put(END, timeout=FLUSH_S)
        except queue.Full:
            return
        self._writer.join(FLUSH_S)

    def _pump(self, name: str, stream: IO[bytes]) -> None:
        with stream:
            while text := stream.readline(LINE_BYTES_MAX):
                if not text.isspace():
                    self.line(name, text)

    def _rendered(self, name: str, text: bytes) -> bytes:
        form = self.form
        rendered = log_lines.of_process(form, name, text.decode(errors="replace"), time.time())
        return (b"" if form == log_lines.JSON else self._prefix(name)) + rendered.encode()

    def _prefix(self, name: str) -> bytes:
        index = self._names.setdefault(name, len(self._names))
        label = f"{name:<{NAME_WIDTH}}| "
        if self._colour:
            label = f"\x1b[{COLOURS[index % len(COLOURS)]}m{label}\x1b[0m"
        return label.encode()

    def _write(self) -> None:
        while (text := self._waiting.get()) is not END:
            if self._dropped:
                dropped, self._dropped = self._dropped, 0
                text += self._rendered("rollcall", DROPPED % dropped) + b"\n"
            try:
                while text:
                    text = text[os.write(self._descriptor, text) :]
            except OSError:  # the reader is gone; the processes go on
                continue
