"""What an operation did to who owns what, beside what it was expected to do (``previews``)."""

from typing import NamedTuple

from console.queries import facts
from console.queries.facts import Round
from console.queries.foresight import CHANGES
from console.queries.situation_text import many
from console.queries.timeline_text import partition_seconds
from console.queries.why_text import seconds
from groups.core.operations import Name
from groups.models import Operation

NOT_YET = "Its rebalance has not ended yet."
NOTHING = "No rebalance followed."


class Seen(NamedTuple):
    """What happened, in a sentence. ``differs``: from an exact prediction. ``moved``: partitions
    that got another owner; None: no rebalance has ended since."""

    text: str
    moved: int | None = None
    differs: bool = False


def seen(operation: Operation) -> Seen | None:
    """What followed an operation that moves partitions; None for others, and until it is decided.
    Two statements."""
    ended, done = operation.finished_at, operation.state == Operation.State.SUCCEEDED
    if operation.verb not in CHANGES or ended is None or not done:
        return None
    if operation.outcome == Operation.Outcome.UNCHANGED:
        return Seen(NOTHING)
    rounds = facts.rounds(operation.group_id, operation.created_at)
    first = next((one for one in rounds if one.ended_at >= operation.created_at), None)
    if first is None:
        return Seen(NOT_YET)
    return Seen(_text(first), first.moved, _differs(operation, first))


def _text(one: Round) -> str:
    took = seconds(round((one.ended_at - one.started_at).total_seconds() * 1_000))
    idle = one.stopped_ms + one.silent_ms + one.unowned_ms
    cost = f"; {partition_seconds(idle)} without work" if idle else ""
    return f"{many(one.moved, 'partition')} moved in {took}{cost}."


def _differs(operation: Operation, one: Round) -> bool:
    told = operation.prediction or {}
    is_exact = Name(operation.verb) in CHANGES and told.get("accuracy") == "exact"
    return is_exact and told.get("moved") != one.moved
