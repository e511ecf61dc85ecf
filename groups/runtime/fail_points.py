"""Fail points of a real process: a test stops or kills it at a named point of its work.

Only if ``ROLLCALL_FAIL_POINTS`` names a folder; otherwise this costs nothing. A test arms a point
by writing a file with its name for one node; the process that reaches the point deletes the file
and does what it says.
"""

import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

VARIABLE = "ROLLCALL_FAIL_POINTS"

ACTS: Mapping[str, signal.Signals] = {"stop": signal.SIGSTOP, "kill": signal.SIGKILL}
"""The possible contents of a file: stop until SIGCONT, or die at once."""

Fail = Callable[[str], Awaitable[None]]


async def no_fail(_point: str) -> None:
    """Production: nothing happens at a fail point."""


def file_of(folder: Path, node_id: int, point: str) -> Path:
    """The file that arms a point (``queue:before`` and the like) for one node."""
    return folder / f"{node_id}-{point.replace(':', '-')}"


def from_environment(node_id: int, environ: Mapping[str, str] = os.environ) -> Fail:
    """The node's fail points: none, unless the environment names the folder."""
    named = environ.get(VARIABLE)
    if not named:
        return no_fail
    folder = Path(named)

    async def fail(point: str) -> None:
        armed = file_of(folder, node_id, point)
        try:
            act = armed.read_text().strip()  # a few bytes, and only in tests
            armed.unlink()
        except FileNotFoundError:
            return
        os.kill(os.getpid(), ACTS[act])

    return fail
