"""When a queued rebalance of a commanded group must wait: a freeze, or too soon after the last one.

It stays in the queue, which is in the row, so a later owner has it too. A rebalance in progress is
never delayed, and a forced one does not wait for the interval.
"""

from groups.core.commanded.live import Live
from groups.core.commanded.states import STABLE
from groups.core.commanded.work import FORCED, QUEUED, Work
from groups.core.commands import is_expelled
from groups.core.group import NO_GUARDS, Millis, Rules
from groups.core.journal import EntryKind
from groups.core.rebalance_cause import Cause
from groups.core.rows import Durable

PUT_OFF = "put_off"
"""The mark of a cause that the journal has reported as put off."""


def holds(work: Work) -> bool:
    """Whether the queued rebalance has to wait now."""
    guards = work.rules.guards
    if guards is NO_GUARDS:
        return False
    if guards.frozen:
        return True
    return FORCED not in work.row.details and work.now < guards.end_after(work.live.settled_at)


def put_off(work: Work) -> None:
    """Journal that the rebalance is put off, once."""
    queued = work.row.details[QUEUED]
    if PUT_OFF in queued:
        return
    work.set_details(queued={**queued, PUT_OFF: True})
    cause = Cause.of(queued)
    work.note(
        EntryKind.REBALANCE_PUT_OFF, **cause._asdict(), details={"frozen": work.rules.guards.frozen}
    )


def due(durable: Durable, live: Live, rules: Rules) -> Millis | None:
    """When the waiting rebalance begins by itself; None: none waits, the group is frozen, or all
    its consumers are expelled."""
    row = durable.group
    if all(map(is_expelled, durable.members.values())):
        return None
    if row.state != STABLE or PUT_OFF not in row.details.get(QUEUED, {}) or rules.guards.frozen:
        return None
    return rules.guards.end_after(live.settled_at)
