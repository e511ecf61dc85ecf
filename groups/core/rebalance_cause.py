"""Causes of rebalances, as the journal has them, and rebalances that an operator forces.

Each kind decides what follows from a cause. A forced rebalance ends with the next generation; until
then its operation is in the row, so that it survives a change of owner.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

from groups.core.errors import ErrorCode
from groups.core.events import ForceRebalance
from groups.core.explanation import CAUSE_NAMED_MAX, Because, Named
from groups.core.group import Millis
from groups.core.replies import Operated
from groups.core.rows import MemberRow
from groups.core.step import RowsWorkingCopy
from groups.core.waiting import name_of

OPERATIONS: Final = "operations"
"""Key of the row's details: the operations that end with the next generation."""


class Cause(NamedTuple):
    """Why a rebalance starts: a word for counting, a sentence, the member and client if there is
    one, and that client's own reason."""

    trigger: str
    reason: str
    member_id: str | None = None
    client_id: str | None = None
    client_reason: str = ""

    @classmethod
    def of(cls, details: Mapping[str, Any]) -> Self:
        """From a row; one of an earlier version may lack a field."""
        return cls(**{name: details[name] for name in cls._fields if name in details})

    def because(self, now: Millis, who: Sequence[MemberRow]) -> Because:
        """The same for the journal's explanation, with the members that it is."""
        named: Named = tuple((row.member_id, name_of(row)) for row in who[:CAUSE_NAMED_MAX])
        if not who and (self.member_id or self.client_id):
            named = ((self.member_id, self.client_id),)
        why = (self.trigger, self.reason, self.client_reason, max(1, len(who)), named)
        return Because(now, now, *why)


def may_force(
    work: RowsWorkingCopy[Any], event: ForceRebalance, *, is_empty: bool, rebalances: bool
) -> bool:
    """Whether an operator's rebalance begins now; if not, its operation has ended with the reason.
    A rebalance in progress continues."""
    expected, generation = event.expected_generation, work.row.generation
    error = ErrorCode.INVALID_REQUEST
    if is_empty:
        detail = "the group has no members"
    elif expected is not None and expected != generation:
        detail = f"the group is in generation {generation}, not {expected}"
    elif work.rules.guards.frozen:
        detail = "the group is frozen (rollcall.freeze)"
    elif rebalances:
        error, detail = ErrorCode.NONE, "the group was already rebalancing"
    else:
        return True
    work.operated(event.operation_id, error, detail, changed=False)
    return False


def await_generation(work: RowsWorkingCopy[Any], event: ForceRebalance, whom: str, to: str) -> None:
    """Let the operation wait for the next generation; its detail says for what."""
    waiting = [*work.row.details.get(OPERATIONS, ()), event.operation_id]
    work.set_details(operations=waiting)
    detail = f"waiting for the {whom} of generation {work.row.generation} to {to}"
    work.operations.append(Operated(event.operation_id, ErrorCode.NONE, detail, ended=False))


def end_forced(work: RowsWorkingCopy[Any]) -> None:
    """The next generation has begun: end the operations; the caller removes them from the row."""
    detail = f"the group is in generation {work.row.generation}"
    for operation_id in work.row.details.get(OPERATIONS, ()):
        work.operated(operation_id, ErrorCode.NONE, detail)
