"""What the supervisor runs, as values: a process that serves, or a task that ends.

The table of them is ``plan.py``; the processes themselves are ``child.py``.
"""

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from launcher.identity import Identity

Probe = Callable[[], str | None]
"""Checks whether a process serves: returns where, or None while it does not. Takes a second at
most."""

Ladder = tuple[tuple[signal.Signals, float], ...]
"""How to stop a process: which signal, then how many seconds to wait before the next one."""

POLITE: Ladder = ((signal.SIGTERM, 6.0), (signal.SIGKILL, 0.5))


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments, environment, folder, and user if it is not ours."""

    argv: tuple[str, ...]
    environ: Mapping[str, str]
    folder: Path = Path("/")
    identity: Identity | None = None
    at_our_death: signal.Signals = signal.SIGKILL
    """The signal that it gets when the launcher dies without being able to stop it."""
    program: tuple[str, ...] = ()
    """Name and arguments in ``launcher.commands``, for the fork server; () for other programs."""


@dataclass(frozen=True, slots=True)
class Process:
    """A program that serves until it is stopped, and is restarted when it dies."""

    name: str
    command: Command
    probe: Probe
    ladder: Ladder = POLITE


@dataclass(frozen=True, slots=True)
class Task:
    """A program that must end with status 0 before what follows starts."""

    name: str
    command: Command


Together = tuple[Process, ...]
"""Processes that start together."""

Stage = Task | Together | Callable[[], Together]
"""The next stage starts when all processes of one serve. A function is called when its stage is
due: the earlier ones decide what it consists of."""
