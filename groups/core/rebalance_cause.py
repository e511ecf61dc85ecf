"""Why groups rebalance: a cause as the journal tells of it, and an operator's will as one.

What a cause then sets going is each kind's own. A rebalance that an operator forced ends with the
next generation; until then its verb waits in the row, so that it survives a change of owner.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Self

from groups.core.errors import ErrorCode
from groups.core.events import ForceRebalance
from groups.core.replies import Operated
from groups.core.step import Gathered

OPERATIONS: Final = "operations"
"""The key of the operators' verbs that end with the next generation."""


class Cause(NamedTuple):
    """Why a rebalance starts: a word to count by, a sentence, who, where it was one, and what that
    client said itself."""

    trigger: str
    reason: str
    member_id: str | None = None
    client_id: str | None = None
    client_reason: str = ""

    @classmethod
    def of(cls, details: Mapping[str, Any]) -> Self:
        """As a row holds it; one of an earlier version may lack a field."""
        return cls(**{name: details[name] for name in cls._fields if name in details})


def may_force(
    work: Gathered[Any], event: ForceRebalance, *, is_empty: bool, rebalances: bool
) -> bool:
    """Whether an operator's rebalance begins now; if not, the verb has ended and tells why. One
    that goes on already is left alone."""
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


def await_generation(work: Gathered[Any], event: ForceRebalance, whom: str, to: str) -> None:
    """Let the verb wait for the next generation; it hears for whom that waits, to do what."""
    waiting = [*work.row.details.get(OPERATIONS, ()), event.operation_id]
    work.set_details(operations=waiting)
    detail = f"waiting for the {whom} of generation {work.row.generation} to {to}"
    work.operations.append(Operated(event.operation_id, ErrorCode.NONE, detail, ended=False))


def tell_forced(work: Gathered[Any]) -> None:
    """The generation that verbs waited for has come; the caller takes them out of the row."""
    detail = f"the group is in generation {work.row.generation}"
    for operation_id in work.row.details.get(OPERATIONS, ()):
        work.operated(operation_id, ErrorCode.NONE, detail)
