"""The colours of states, triggers and journal entries: one table for all screens.

A tone is a class of the style sheet (``rc-fill-…`` and ``rc-…``). An entry about a rebalance is
coloured by what it cost, not by its kind.
"""

from collections.abc import Mapping
from typing import Any, Final

from console.queries.why_text import explanation
from groups.core.explanation import REMOVED, End, Explanation
from groups.core.journal import EntryKind, Trigger

GOOD, PLAIN, WARN, BAD = "good", "plain", "warn", "bad"

STATES: Final[Mapping[str, str]] = {
    "Stable": GOOD,
    "Empty": PLAIN,
    "PreparingRebalance": "preparing",
    "CompletingRebalance": "completing",
    "Assigning": "assigning",
    "Reconciling": "reconciling",
    "Dead": "dead",
}
"""Every state of every kind of group has its own; another word is shown as ``WARN``."""

TRIGGERS: Final = (
    Trigger.MEMBER_JOINED,
    Trigger.MEMBER_LEFT,
    Trigger.SESSION_EXPIRED,
    Trigger.JOIN_TIMED_OUT,
    Trigger.SYNC_EXPIRED,
    Trigger.REBALANCE_TIMEOUT,
    Trigger.NOT_ACKNOWLEDGED,
    Trigger.METADATA_CHANGED,
    Trigger.SUBSCRIPTION_CHANGED,
    Trigger.LEADER_REJOINED,
    Trigger.MEMBER_REPLACED,
    Trigger.TOPICS_CHANGED,
    Trigger.OPERATOR,
    Trigger.OWNER_CHANGED,
    Trigger.ASSIGNOR_CHANGED,
    Trigger.GROUP_OVERSIZED,
)
"""Triggers with a colour of their own, ``rc-trigger-…``; others share one."""

KINDS: Final[Mapping[str, str]] = {
    EntryKind.STABLE: GOOD,
    EntryKind.REBALANCE_STARTED: WARN,
    EntryKind.REBALANCE_ABANDONED: BAD,
    EntryKind.REBALANCE_RETRIED: WARN,
    EntryKind.CONSUMER_REBALANCE_FAILED: BAD,
    EntryKind.MEMBER_EXPELLED: BAD,
    EntryKind.INSTANCE_TAKEN: WARN,
    EntryKind.GROUP_DELETED: BAD,
    EntryKind.PAUSED: WARN,
    EntryKind.RESUMED: GOOD,
    EntryKind.SLOTS_CLAIMED: GOOD,
    EntryKind.NODE_UNDRAINED: GOOD,
    EntryKind.NODE_WAITS: BAD,
    EntryKind.NODE_OUTAGE: BAD,
}
"""Of entries that are coloured by their kind; others are ``PLAIN``."""

BY_COST: Final = frozenset([EntryKind.REBALANCE_COMPLETED, EntryKind.STABLE])

OF_ANOTHER: Final = " of node "
"""In the reason of an entry about slots that their owner did not hand over."""

CRASHES: Final = frozenset(
    [
        Trigger.SESSION_EXPIRED,
        Trigger.JOIN_TIMED_OUT,
        Trigger.SYNC_EXPIRED,
        Trigger.REBALANCE_TIMEOUT,
        Trigger.NOT_ACKNOWLEDGED,
        Trigger.MEMBER_REFUSED,
        Trigger.GROUP_OVERSIZED,
    ]
)
"""Causes by which a member was lost, as far as the group knows."""

LONG_MS: Final = 10_000
"""A rebalance that took this long, or left a partition without an owner for so long, is no good
one."""


def of_entry(entry: Any) -> str:
    """The tone of one journal entry (a row of ``Journal``)."""
    if entry.kind == EntryKind.SLOTS_CLAIMED and OF_ANOTHER in entry.reason:
        return WARN
    return cost(entry) if entry.kind in BY_COST else KINDS.get(entry.kind, PLAIN)


def cost(entry: Any) -> str:
    """Bad: a member was lost; warn: one was removed by an operator, or work stood still for
    long."""
    why = explanation(entry)
    if _lost(why):
        return BAD
    idle = max(why.ms, entry.duration_ms or 0, (entry.details or {}).get("unowned_longest_ms", 0))
    return WARN if idle >= LONG_MS or _removed(why) else GOOD


def _lost(why: Explanation) -> bool:
    ends = {one.end for one in why.awaited} & {End.SILENT, End.LATE, End.REFUSED}
    return bool(ends) or any(share.trigger in CRASHES for share in why.causes)


def _removed(why: Explanation) -> bool:
    """Whether an operator removed a member, or one left while it was waited for."""
    is_evicted = any(share.trigger == Trigger.OPERATOR and share.named for share in why.causes)
    return is_evicted or any(one.end in REMOVED for one in why.awaited)


def trigger_class(trigger: str) -> str:
    """The class of a trigger's colour."""
    return f"rc-trigger-{trigger if trigger in TRIGGERS else 'other'}"
