"""When a new target has to wait: a freeze, or too soon after the last rebalance (KIP-848 groups).

The group epoch rises as ever, and who goes is gone at once; only no target is computed, so nobody
has to give anything up. Members that come meanwhile have nothing to do until then. A rebalance
that goes on is not held up: members still come to the target that there is.
"""

from groups.core.consumer import target_schedule
from groups.core.consumer.live import Live
from groups.core.consumer.work import Work
from groups.core.group import NO_GUARDS, Millis, Rules
from groups.core.rows import GroupRow


def first_target(rules: Rules) -> int:
    """The target of a group that was frozen before it had any: nothing for anybody. A member's
    epoch cannot be 0, which means that it joins."""
    return rules.generations_after + 1


def holds(work: Work) -> bool:
    """Whether a target that is called for has to wait now."""
    guards = work.rules.guards
    if guards is NO_GUARDS:
        return False
    if guards.frozen:
        return True
    # While members are on their way to a target, or hold nothing, there is no work to disturb.
    at_rest = work.row.details.get("settled_epoch") == work.target_epoch
    return at_rest and bool(work.index.holders) and work.now < _interval_end(work.live, work.rules)


def _interval_end(live: Live, rules: Rules) -> Millis:
    return live.settled_at + rules.guards.rebalance_min_interval_ms


def is_put_off(row: GroupRow) -> bool:
    """Whether a target waits to be computed."""
    return row.details.get("put_off") is not None


def due(row: GroupRow, live: Live, rules: Rules) -> Millis | None:
    """When the target that is called for is computed by itself; None: nobody called for one, or
    the group is frozen. (What was not put off is computed with the next heartbeat, as with Kafka.)
    """
    if not is_put_off(row):
        return target_schedule.due(row, live.schedule, rules)
    if rules.guards.frozen:
        return None
    # Whichever of the two waits is longer: a tick before its end would decide nothing.
    ends = (_interval_end(live, rules), target_schedule.begins_at(live.schedule, rules))
    return max(end for end in ends if end is not None)
