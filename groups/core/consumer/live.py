"""The state of a consumer group that is not in rows: beats, timers, observations of this owner.

Values, no rules. They start again after a takeover.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from groups.core.assignors.client_side import Elected
from groups.core.assignors.types import NOWHERE, Parts, Racks
from groups.core.consumer.partition_moves import Moves
from groups.core.explanation import Episode
from groups.core.group import Beat, Millis
from groups.core.values import SharedDict, quick, replaced
from groups.core.waiting import Act


@quick
@dataclass(frozen=True, slots=True)
class Timer:
    """A member must have revoked these partitions by the deadline."""

    deadline: Millis
    timeout_ms: int
    revoking: Parts


class Open(NamedTuple):
    """Since when an act of a member is awaited. None: it waits for partitions of others."""

    act: Act | None
    since: Millis


@dataclass(frozen=True, slots=True)
class TargetSchedule:
    """Live state of targets. ``last_at``: when the current one was computed; None: not known here.

    ``is_wanted``: a heartbeat needed one, and it had to wait. ``requested_epoch``: the epoch of the
    one that is being computed outside; 0: none; it is lost after ``requested_until``.
    ``not_before``: after a failure, the time of the next attempt; ``failed``: the epoch of the
    failure.
    """

    last_at: Millis | None = None
    is_wanted: bool = False
    requested_epoch: int = 0
    requested_until: Millis = 0
    not_before: Millis = 0
    failed: int = 0


NO_SCHEDULE: Final = TargetSchedule()


@dataclass(frozen=True, slots=True)
class ClientRound:
    """A round of client-side assignment. ``elected`` None: none is open. ``epoch``: the group epoch
    at which it was last checked.

    ``assigning_id``: the member that computes, since ``since``; None: the next one that sends a
    heartbeat. ``until``: when another one is asked, or the coordinator assigns. ``failed``: the
    members that failed for this target.
    """

    elected: Elected | None = None
    epoch: int = 0
    assigning_id: str | None = None
    since: Millis = 0
    until: Millis = 0
    failed: tuple[str, ...] = ()


NO_CLIENT_ROUND: Final = ClientRound()


@dataclass(slots=True)
class Live:
    """State that is not in rows: beats, rebalance timers; silence before ``floor`` does not count.
    Never changed after the commit, except for beats (see ``Beat``). ``since``: the start of the
    current rebalance, None if there is none or this owner did not see it; ``settled_at``: when the
    last one ended, as far as this owner knows. ``calls``: classic members that must join again,
    ``syncs``: those that joined and have not sent SyncGroup. ``client_round``: a member computes a
    target. ``racks``: as last reported; ``moves``: partitions that changed their holder since the
    rebalance began. For the journal: ``episode``: causes and waits of the current rebalance;
    ``open``: what is awaited of members; ``owed_since``: since when any member's heartbeat would
    compute the target; ``asked``: which member computes it, since when."""

    floor: Millis
    beats: SharedDict[str, Beat] = field(default_factory=SharedDict)
    timers: dict[str, Timer] = field(default_factory=dict)
    since: Millis | None = None
    settled_at: Millis = 0
    schedule: TargetSchedule = NO_SCHEDULE
    racks: Racks = field(default_factory=lambda: NOWHERE)
    moves: Moves = field(default_factory=Moves)
    calls: dict[str, Timer] = field(default_factory=dict)
    syncs: dict[str, Timer] = field(default_factory=dict)
    client_round: ClientRound = NO_CLIENT_ROUND
    episode: Episode | None = None
    open: SharedDict[str, Open] = field(default_factory=SharedDict)
    owed_since: Millis | None = None
    asked: tuple[str, Millis] | None = None

    def copy(self) -> "Live":
        """A copy that a step may change; beats stay shared."""
        return replaced(
            self,
            beats=self.beats.copy(),
            timers=self.timers.copy(),
            calls=self.calls.copy(),
            syncs=self.syncs.copy(),
        )
