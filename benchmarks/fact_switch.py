"""The facts of groups whose ids begin with ``OFF`` are not made, in any process that imports this:
what the others' rounds cost more is what facts cost (``benchmarks.fact_costs``)."""

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, Final

from groups.core.classic import ownership
from groups.store import facts

OFF: Final = "off-"

NOTED: Final = ("assigned", "joined_again", "repeated", "synced", "round_ended", "interrupted")
"""What the rules of classic groups do for facts in a round, and for nothing else."""


def install() -> None:
    """Leave that out, and the statements, for groups that are ``OFF``."""
    for name in NOTED:
        setattr(ownership, name, _unless_off(getattr(ownership, name)))
    facts.statements = _of_others(facts.statements)


def _unless_off(note: Callable[..., None]) -> Callable[..., None]:
    @wraps(note)
    def noted(work: Any, *rest: Any, **more: Any) -> None:
        if not work.row.group_id.startswith(OFF):
            note(work, *rest, **more)

    return noted


def _of_others(statements: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    @wraps(statements)
    def of_others(writes: Sequence[Any]) -> Iterator[Any]:
        return statements([write for write in writes if not write.group_id.startswith(OFF)])

    return of_others
