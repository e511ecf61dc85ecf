"""Guard rails: when a rebalance must wait, because of a freeze or too soon after the last one.

A rebalance in progress is never delayed: events in PreparingRebalance and CompletingRebalance are
part of it. Only a Stable group stays Stable, and a frozen empty group stays empty. ``join_phase``
starts a rebalance that was put off.
"""

from groups.core.assignment import partitions_of
from groups.core.classic.live import Cause
from groups.core.classic.states import EMPTY, STABLE
from groups.core.classic.work import Work
from groups.core.group import NO_GUARDS
from groups.core.journal import EntryKind, Trigger
from groups.core.rows import MemberRow
from groups.core.subscription import metadata_of, protocol_names, topics_of

FOLLOW_UPS = frozenset({Trigger.LEADER_REJOINED, Trigger.METADATA_CHANGED})
"""The triggers by which a cooperative member reports that it has revoked partitions (KIP-429)."""


def holds(work: Work, trigger: str) -> bool:
    """Whether a rebalance with this trigger has to wait now."""
    guards = work.rules.guards
    if guards is NO_GUARDS:
        return False
    if work.state == EMPTY:
        return guards.frozen
    if work.state != STABLE or (trigger in FOLLOW_UPS and "follow_up" in work.row.details):
        return False
    if guards.frozen:
        return True
    # A group without members has no work to disturb.
    return bool(work.members) and work.now < guards.end_after(work.live.settled_at)


def put_off(work: Work, cause: Cause) -> None:
    """Remember why a rebalance is due; the first cause counts."""
    if work.live.put_off is not None:
        return
    work.change().put_off = cause
    work.note(
        EntryKind.REBALANCE_PUT_OFF,
        **cause.entry(),
        details={"frozen": work.rules.guards.frozen},
    )


def owe(work: Work, cause: Cause) -> None:
    """Put off a rebalance that no parked request waits for: the row must record it."""
    if work.row.details.get("must_rebalance") is None:
        work.set_details(must_rebalance=cause.trigger)
    put_off(work, cause)


def may_go_on(row: MemberRow, protocol_name: str | None) -> bool:
    """Whether a member with new metadata still subscribes to all topics that it is assigned.

    A client with an assignment of topics that it does not subscribe to joins again at once, in an
    endless loop.
    """
    if protocol_name not in protocol_names(row.subscription):
        return False
    has = partitions_of(row.assignment)
    wants = topics_of(metadata_of(row.subscription, protocol_name))
    return has is not None and wants is not None and {topic for topic, _ in has} <= wants
