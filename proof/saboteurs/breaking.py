"""How a saboteur breaks something, and under which faults it shows. The mistakes themselves are
elsewhere."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from groups.core.errors import ErrorCode
from proof.simulation.population import PLAIN, Population

Break = Callable[[ExitStack], None]


class Saboteur(NamedTuple):
    """``breaks``: what is removed. ``faults``: under which it matters. ``population``: of which
    groups."""

    breaks: str
    how: Break
    faults: Sequence[str]
    population: Population = PLAIN


NODES: Final = ("node-pause", "node-pause-at-write", "database-cut", "client-crash")
ROWS: Final = (
    "database-lost-replies",
    "database-stall",
    "database-sessions",
    "database-crash",
    "client-crash",
    "operator-rebalance",
)
MEMBERS: Final = ("client-crash", "client-leave", "client-pause", "operator-rebalance")
STATICS: Final = ("client-double", "client-crash", "operator-rebalance")
LATE: Final = ("client-late", "client-oversleeps", "operator-rebalance", "client-crash")


def put(target: Any, name: str, value: Any) -> Break:
    """Replace the attribute by another value."""
    return lambda stack: stack.enter_context(patch.object(target, name, value))


def around(target: Any, name: str, wrapped: Callable[[Any], Any]) -> Break:
    """Replace the attribute by what ``wrapped`` makes of it, made again for each life."""
    return lambda stack: stack.enter_context(
        patch.object(target, name, wrapped(getattr(target, name)))
    )


def several(*breaks: Break) -> Break:
    """All of these breaks."""

    def all_of_them(stack: ExitStack) -> None:
        for one in breaks:
            one(stack)

    return all_of_them


def always(*_: Any) -> bool:
    """Always true."""
    return True


def nothing(*_: Any) -> None:
    """Does nothing."""


def no_error(*_: Any) -> ErrorCode:
    """Never an error."""
    return ErrorCode.NONE
