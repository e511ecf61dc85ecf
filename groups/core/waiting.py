"""What a rebalancing group waits for: for which members, until when, and what is idle meanwhile.

Values for screens and REST, created by each kind (``waiting.py`` in its folder) from its owner's
memory. No rule reads them. Times are the node's milliseconds.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from heapq import nsmallest
from typing import Final

from groups.core.rows import MemberRow

Millis = int

NAMED_MAX: Final = 20
"""Members that are named, those that were silent for longest; others are only counted."""

SILENT_MS: Final = 3_000
"""An awaited member that was silent for so long, or for half of its session, is assumed to have
stopped working; texts name it as silent from then on (``console.queries.situation_text``). Clients
send a heartbeat every three seconds, and in a rebalance sooner."""


class Phase(StrEnum):
    """The phase of a rebalancing group."""

    WINDOW = "window"
    JOIN = "join"
    SYNC = "sync"
    ASSIGN = "assign"
    RECONCILE = "reconcile"
    STOP = "stop"
    START = "start"
    PUT_OFF = "put-off"


class Act(StrEnum):
    """What a member has to do."""

    JOIN = "join"
    REJOIN = "rejoin"
    SYNC = "sync"
    REVOKE = "revoke"
    HEARTBEAT = "heartbeat"
    ASSIGN = "assign"
    ACKNOWLEDGE = "acknowledge"
    RETURN = "return"


@dataclass(frozen=True, slots=True)
class Awaited:
    """One member that has to do something. ``until``: when it is removed, unless it sends
    something. ``partitions``: how many it has to revoke."""

    member_id: str
    name: str
    act: Act
    heard_at: Millis
    until: Millis
    partitions: int = 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """``since``: when the phase began, None: under an earlier owner. ``until``: when it ends by
    itself, None: only by another event.

    ``ready``: members that have done what the others have to do. ``newcomers``: those that wait to
    be admitted or for partitions. ``handed_out``: returned member ids that were not used yet.
    ``still``: partitions that no member works on meanwhile, as far as known.
    """

    phase: Phase
    since: Millis | None
    until: Millis | None
    awaited: tuple[Awaited, ...] = ()
    awaited_count: int = 0
    ready: int = 0
    newcomers: tuple[str, ...] = ()
    newcomers_count: int = 0
    handed_out: int = 0
    still: int | None = None


def longest_silent(awaited: Iterable[Awaited]) -> tuple[Awaited, ...]:
    """The named ones."""
    return tuple(nsmallest(NAMED_MAX, awaited, key=lambda one: (one.heard_at, one.member_id)))


def longest_unheard(
    member_ids: Iterable[str], heard_at: Callable[[str], Millis]
) -> list[tuple[Millis, str]]:
    """The members to name, each with its last heartbeat; nothing is created for the others."""
    return nsmallest(NAMED_MAX, ((heard_at(member_id), member_id) for member_id in member_ids))


def name_of(row: MemberRow) -> str:
    """A member's name for display; one of the draft that joins for the first time has no id yet."""
    return row.instance_id or row.client_id or row.member_id or "a newcomer"


def is_silent(heard_at: Millis, timeout_ms: Millis, now: Millis, interval_ms: Millis = 0) -> bool:
    """Whether a member is assumed to have stopped working; ``interval_ms``: between the heartbeats
    of one that is not awaited."""
    return now - heard_at >= min(timeout_ms // 2, interval_ms + SILENT_MS)
