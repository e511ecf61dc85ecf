"""What an operation did to who owns what, beside what it was expected to do (``previews``)."""

from collections.abc import Sequence
from typing import NamedTuple

from console.queries import facts
from console.queries.facts import Round
from console.queries.foresight import CHANGES
from console.queries.situation_text import many
from console.queries.timeline_text import partition_seconds
from console.queries.why_text import seconds
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
    told = operation.prediction or {}
    after = [one for one in rounds if one.ended_at >= operation.created_at]
    its = after[: max(1, told.get("rebalances", 1))]
    if not its:
        return Seen(NOT_YET)
    moved = sum(one.moved for one in its)
    differs = told.get("accuracy") == "exact" and told.get("moved") != moved
    return Seen(_text(its, moved), moved, differs)


def _text(its: Sequence[Round], moved: int) -> str:
    took = seconds(round((its[-1].ended_at - its[0].started_at).total_seconds() * 1_000))
    idle = sum(one.stopped_ms + one.silent_ms + one.unowned_ms for one in its)
    cost = f"; {partition_seconds(idle)} without work" if idle else ""
    return f"{many(moved, 'partition')} moved in {took}{cost}."
