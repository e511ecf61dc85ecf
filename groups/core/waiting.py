"""What a group that does not settle waits for: of whom, until when, and what stands still.

Values for screens and REST, made by each kind (``waiting.py`` in its folder) from what its owner
knows. No rule reads them. Times are the node's milliseconds.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from heapq import nsmallest
from typing import Final

from groups.core.rows import MemberRow

Millis = int

NAMED_MAX: Final = 20
"""Members that are named, those who have been silent for longest; the rest is counted."""

SILENT_SHARE: Final = 2
"""A member that was not heard of for longer than its session timeout divided by this is taken to
have stopped working: clients send a heartbeat at least three times a session."""


class Phase(StrEnum):
    """Where a group is that does not settle."""

    WINDOW = "window"
    JOIN = "join"
    SYNC = "sync"
    ASSIGN = "assign"
    RECONCILE = "reconcile"
    STOP = "stop"
    START = "start"
    PUT_OFF = "put-off"


class Act(StrEnum):
    """What is awaited of a member."""

    REJOIN = "rejoin"
    SYNC = "sync"
    REVOKE = "revoke"
    HEARTBEAT = "heartbeat"
    ASSIGN = "assign"
    ACKNOWLEDGE = "acknowledge"
    RETURN = "return"


@dataclass(frozen=True, slots=True)
class Awaited:
    """One member that something is expected of. ``until``: when it is removed, unless it is heard
    of. ``partitions``: how many it has to give up."""

    member_id: str
    name: str
    act: Act
    heard_at: Millis
    until: Millis
    partitions: int = 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """``since``: when the phase began, None: before this owner. ``until``: when it ends by itself,
    None: not before something else happens.

    ``ready``: members that have done what is awaited of the others. ``newcomers``: who waits to be
    let in or to be given partitions. ``handed_out``: member ids that have not come back.
    ``still``: partitions that nobody works on meanwhile, as far as that can be known.
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
    """Those that are named."""
    return tuple(nsmallest(NAMED_MAX, awaited, key=lambda one: (one.heard_at, one.member_id)))


def longest_unheard(
    member_ids: Iterable[str], heard_at: Callable[[str], Millis]
) -> list[tuple[Millis, str]]:
    """Who is to be named, each with when it was heard of; nothing is made of the others."""
    return nsmallest(NAMED_MAX, ((heard_at(member_id), member_id) for member_id in member_ids))


def name_of(row: MemberRow) -> str:
    """What people call a member; one of the draft that joins for the first time has no id yet."""
    return row.instance_id or row.client_id or row.member_id or "a newcomer"


def is_silent(heard_at: Millis, timeout_ms: Millis, now: Millis) -> bool:
    """Whether a member is taken to have stopped working."""
    return (now - heard_at) * SILENT_SHARE > timeout_ms
