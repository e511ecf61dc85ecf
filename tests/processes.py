"""What tests ask of an installation's processes, some of which end at any moment."""

from collections.abc import Callable
from typing import TypeVar

import psutil

from launcher.installation import Installation

T = TypeVar("T")


def told(installation: Installation, ask: Callable[[psutil.Process], T]) -> dict[int, T]:
    """The answer of each process that is there to give one, by its id."""
    answers = {}
    for pid in installation.pids():
        try:
            answers[pid] = ask(psutil.Process(pid))
        except psutil.NoSuchProcess:
            continue  # a backend of PostgreSQL, say, whose client has gone
    return answers
