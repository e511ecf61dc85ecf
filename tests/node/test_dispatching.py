"""Operations whose rows are read first, when nothing takes them."""

from random import Random
from typing import Any

from groups.core.errors import ErrorCode
from groups.core.events import RowsVerb
from groups.core.group import Rules
from groups.core.pauses import PauseWork
from groups.core.rows import slot_of
from groups.operations.requests import READS_MAX, OperationDispatcher
from groups.runtime.collaborators import Collaborators
from groups.runtime.runtime import CoordinatorRuntime

MANY = 10_000


def dispatcher() -> tuple[CoordinatorRuntime, OperationDispatcher]:
    """One without a database."""
    others = Collaborators(undecided=lambda operation_id: made.undecided(operation_id))
    runtime = CoordinatorRuntime(Rules(), lambda: 0, Random(1), others)
    nothing: Any = None
    made = OperationDispatcher(runtime, nothing, nothing)
    return runtime, made


def pause(number: int) -> RowsVerb:
    return PauseWork(operation_id=number, actor="olga", reason="an upgrade")


def test_those_of_a_slot_that_was_lost_are_all_given_up() -> None:
    """Each refusal gives the next one, which is refused at once."""
    runtime, made = dispatcher()
    runtime.epochs[slot_of("g")] = 1
    for number in range(MANY):
        made._give("g", pause(number))
    assert len(made._reads) == READS_MAX and len(made._unread) == MANY - READS_MAX

    runtime.drop([slot_of("g")], ErrorCode.NOT_COORDINATOR)

    assert not made._reads and not made._unread and not made._dispatched


def test_none_is_kept_of_a_slot_that_another_node_owns() -> None:
    _, made = dispatcher()
    for number in range(MANY):
        made._give("g", pause(number))
    assert not made._reads and not made._unread
