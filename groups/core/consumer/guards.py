"""When a new target of a consumer group has to wait: a freeze, or too soon after the last
rebalance.

The group epoch still rises, and leaving members are removed at once; but no target is computed, so
no member has to revoke anything. New members have no partitions until then. A rebalance in progress
is not delayed: members still move to the current target.
"""

from groups.core.consumer import target_schedule
from groups.core.consumer.index import Index
from groups.core.consumer.live import Live
from groups.core.consumer.work import Work
from groups.core.group import NO_GUARDS, Millis, Rules
from groups.core.rows import GroupRow


def first_target(rules: Rules) -> int:
    """The target epoch of a group that was frozen before it had a target: an empty one. It cannot
    be 0, which in a heartbeat means joining."""
    return rules.generations_after + 1


def holds(work: Work) -> bool:
    """Whether a needed target has to wait now."""
    return holds_at(work.now, work.row, work.index, work.live, work.rules)


def holds_at(now: Millis, row: GroupRow, index: Index, live: Live, rules: Rules) -> bool:
    """Whether a needed target has to wait at this time."""
    guards = rules.guards
    if guards is NO_GUARDS:
        return False
    if guards.frozen:
        return True
    # If members are still moving to a target, or hold nothing, there is no work to disturb.
    at_rest = row.details.get("settled_epoch") == row.details.get("target_epoch", 0)
    return at_rest and bool(index.holders) and now < rules.guards.end_after(live.settled_at)


def is_put_off(row: GroupRow) -> bool:
    """Whether the computation of a target was put off."""
    return row.details.get("put_off") is not None


def put_off(work: Work, trigger: str) -> None:
    """A rebalance was put off; the first one counts."""
    if not is_put_off(work.row):
        work.set_details(put_off=trigger, put_off_after=work.row.generation - 1)


def begins(work: Work) -> None:
    """It begins, or there is nobody for whom it would."""
    work.set_details(put_off=None, put_off_after=None)


def begun(row: GroupRow) -> int:
    """The newest epoch that was not put off."""
    return int(row.details.get("put_off_after") or 0) if is_put_off(row) else row.generation


def due(row: GroupRow, live: Live, rules: Rules) -> Millis | None:
    """When a needed target is computed by itself; None: none is needed, or the group is frozen.
    (One that was not put off is computed with the next heartbeat, as in Kafka.)"""
    if not is_put_off(row):
        return target_schedule.due(row, live.schedule, rules)
    if rules.guards.frozen:
        return None
    # The later of the two: a tick before it would decide nothing.
    ends = (
        rules.guards.end_after(live.settled_at),
        target_schedule.begins_at(live.schedule, rules),
    )
    return max(end for end in ends if end is not None)
