"""What no row holds of a consumer group: beats, timers, what this owner alone has seen.

Values, no rules. A takeover begins them anew.
"""

from dataclasses import dataclass, field, replace

from groups.core.assignors import NOWHERE, Parts, Racks
from groups.core.consumer import client_rounds, target_schedule
from groups.core.consumer.partition_moves import Moves
from groups.core.group import Beat, Millis
from groups.core.shared import SharedDict


@dataclass(frozen=True, slots=True)
class Timer:
    """A member must have given up these partitions by then."""

    deadline: Millis
    timeout_ms: int
    revoking: Parts


@dataclass(slots=True)
class Live:
    """What no row holds: beats, rebalance timers, and silence before ``floor`` that does not
    count. Never changed once committed, but for the beats (see ``Beat``). ``since``: when the
    rebalance that goes on began, None where none does or nobody here saw it begin;
    ``settled_at``: when the last one ended, as far as this owner knows. ``calls``: classic members
    that must join again, ``syncs``: those that joined and have not fetched their assignment.
    ``round``: a member that works a target out. ``racks``: as last heard; ``moves``: what has
    changed hands since the rebalance began.
    """

    floor: Millis
    beats: SharedDict[str, Beat] = field(default_factory=SharedDict)
    timers: dict[str, Timer] = field(default_factory=dict)
    since: Millis | None = None
    settled_at: Millis = 0
    batch: target_schedule.Batch = target_schedule.NEW
    racks: Racks = field(default_factory=lambda: NOWHERE)
    moves: Moves = field(default_factory=Moves)
    calls: dict[str, Timer] = field(default_factory=dict)
    syncs: dict[str, Timer] = field(default_factory=dict)
    round: client_rounds.Round = client_rounds.NONE

    def copy(self) -> "Live":
        """A copy that a step may change; beats stay shared."""
        return replace(
            self,
            beats=self.beats.copy(),
            timers=self.timers.copy(),
            calls=self.calls.copy(),
            syncs=self.syncs.copy(),
        )
