"""A closed loop of requests: one outstanding on each connection, by a program in C.

A generator in Python costs more CPU than the server that it measures, and shares its cores. What
is asked, and what the answer must be to the byte, is given; who measures what with it stands in
``shapes``, ``heartbeats`` and ``beside``.
"""

import shutil
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.machine import Pids, spending

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Frame:
    """A request and its reply, lengths included. ``counters``: where in the request eight bytes go
    that are others each time; the correlation id is, too."""

    request: bytes
    reply: bytes
    counters: tuple[int, ...] = ()

    def packed(self) -> bytes:
        """As the program reads it."""
        places = struct.pack(f"={len(self.counters)}i", *self.counters)
        parts = (self.request, len(self.request)), (places, len(self.counters))
        return b"".join(
            struct.pack("=i", count) + raw for raw, count in (*parts, (self.reply, len(self.reply)))
        )


Pair = tuple[Frame, Frame]
"""What a connection sends, and what it sends once in so many times."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of load: replies, wrong ones among them, and what the server spent."""

    replies: int
    wrong: int
    cpu_s: float
    wall_s: float

    @property
    def per_cpu_second(self) -> float:
        """Replies for each second of the server's CPU."""
        return self.replies / self.cpu_s

    @property
    def per_second(self) -> float:
        """Replies for each second."""
        return self.replies / self.wall_s


def can_run() -> bool:
    """Whether there is a C compiler; the programs use Linux's epoll."""
    return sys.platform == "linux" and shutil.which("cc") is not None


def compile_c(name: str, folder: Path) -> Path:
    """Compile one of the C programs beside this file."""
    program = folder / name
    subprocess.run(["cc", "-O2", "-o", program, FOLDER / f"{name}.c"], check=True)
    return program


def connections(pairs: Sequence[Pair]) -> bytes:
    """What the program reads."""
    return struct.pack("=i", len(pairs)) + b"".join(f.packed() for pair in pairs for f in pair)


def load(
    program: Path, port: int, seconds: float, fed: bytes, pids: Pids, other_every: int = 0
) -> Round:
    """One round against a server whose processes are known; each connection sends its other frame
    once in ``other_every`` times (0: never)."""
    with spending(pids) as spent:
        done = subprocess.run(
            [program, str(port), str(seconds), str(other_every)],
            input=fed,
            capture_output=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"the load ended early: {done.stderr.decode()}")
    replies, wrong = done.stdout.split()
    return Round(int(replies), int(wrong), spent.cpu_s, seconds)
