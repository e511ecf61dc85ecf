"""When a rebalance of a draft group must wait: a freeze, or too soon after the last one.

A rebalance that was put off is in the group's row (``OWED`` while it is Stable), so a later owner
has it too. No join is held meanwhile: a consumer that would start a rebalance has to ask again. A
rebalance in progress is never delayed.
"""

from groups.core import row_packing
from groups.core.draft.live import Live
from groups.core.draft.states import EMPTY, STABLE
from groups.core.draft.work import OWED, Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import DraftJoin
from groups.core.group import NO_GUARDS, Millis, Rules
from groups.core.journal import EntryKind
from groups.core.rebalance_cause import Cause
from groups.core.rows import Durable, MemberRow

RETRY = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
"""The only code after which a consumer of the draft repeats the same join after a while."""


def holds(work: Work) -> bool:
    """Whether a rebalance has to wait now."""
    guards = work.rules.guards
    if guards is NO_GUARDS or work.state not in (STABLE, EMPTY):
        return False
    if guards.frozen:
        return work.state == EMPTY or bool(work.members)
    # Without members no work is disturbed.
    return bool(work.members) and work.now < guards.end_after(work.live.settled_at)


def due(durable: Durable, live: Live, rules: Rules) -> Millis | None:
    """When the rebalance that was put off begins by itself; None: none was, or the group is
    frozen."""
    row = durable.group
    if row.state != STABLE or OWED not in row.details or rules.guards.frozen:
        return None
    return rules.guards.end_after(live.settled_at)


def put_off(work: Work, cause: Cause) -> None:
    """Record in the row that a rebalance is owed; the first cause is kept."""
    if OWED in work.row.details:
        return
    work.set_details(owed=cause.trigger)
    details = {"frozen": work.rules.guards.frozen}
    work.note(EntryKind.REBALANCE_PUT_OFF, **cause._asdict(), details=details)


def admit(work: Work, event: DraftJoin, row: MemberRow | None, subscription: bytes) -> None:
    """A join that would start a rebalance: a member that keeps all its topics continues with its
    partitions, and its new subscription is stored; any other consumer has to ask again."""
    topics = frozenset(event.topics)
    if row is None or not {t for t, _ in row_packing.parts_in(row.assignment)} <= topics:
        raise Refuse(RETRY)
    work.set_subscription(event.consumer_id, subscription)
