"""What no row holds of a consumer group: beats, timers, what this owner alone has seen.

Values, no rules. A takeover begins them anew.
"""

from dataclasses import dataclass, field, replace
from typing import Final

from groups.core.assignors.client_side import Elected
from groups.core.assignors.types import NOWHERE, Parts, Racks
from groups.core.consumer.partition_moves import Moves
from groups.core.group import Beat, Millis
from groups.core.shared import SharedDict


@dataclass(frozen=True, slots=True)
class Timer:
    """A member must have given up these partitions by then."""

    deadline: Millis
    timeout_ms: int
    revoking: Parts


@dataclass(frozen=True, slots=True)
class TargetSchedule:
    """What is live about targets. ``last_at``: when the present one came, None: not known here.

    ``is_wanted``: a heartbeat called for one, and it had to wait. ``asked``: the epoch of the one
    that is being worked out elsewhere, 0: none, and lost after ``asked_until``. ``not_before``:
    an assignor failed, and is asked again then; ``failed``: at this epoch.
    """

    last_at: Millis | None = None
    is_wanted: bool = False
    asked: int = 0
    asked_until: Millis = 0
    not_before: Millis = 0
    failed: int = 0


NO_SCHEDULE: Final = TargetSchedule()


@dataclass(frozen=True, slots=True)
class ClientRound:
    """``elected`` None: none is open. ``epoch``: the group epoch that it was last looked at in.

    ``asked``: who works on it since ``since``, None: whoever beats next. ``until``: when another
    is asked, or the coordinator assigns. ``failed``: who was asked for this target in vain.
    """

    elected: Elected | None = None
    epoch: int = 0
    asked: str | None = None
    since: Millis = 0
    until: Millis = 0
    failed: tuple[str, ...] = ()


NO_CLIENT_ROUND: Final = ClientRound()


@dataclass(slots=True)
class Live:
    """What no row holds: beats, rebalance timers, and silence before ``floor`` that does not
    count. Never changed once committed, but for the beats (see ``Beat``). ``since``: when the
    rebalance that goes on began, None where none does or nobody here saw it begin;
    ``settled_at``: when the last one ended, as far as this owner knows. ``calls``: classic members
    that must join again, ``syncs``: those that joined and have not fetched their assignment.
    ``client_round``: a member that works a target out. ``racks``: as last heard; ``moves``: what
    has changed hands since the rebalance began.
    """

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

    def copy(self) -> "Live":
        """A copy that a step may change; beats stay shared."""
        return replace(
            self,
            beats=self.beats.copy(),
            timers=self.timers.copy(),
            calls=self.calls.copy(),
            syncs=self.syncs.copy(),
        )
