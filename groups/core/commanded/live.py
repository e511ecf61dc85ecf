"""The state of a commanded group that is not in rows: beats and start times. Values only.

Nearly all state of such a group is durable, so there is little here, and a new owner can do without
it. The ``Live`` of a committed group never changes (its ``Beat`` objects do): a step changes a
copy.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from groups.core.commanded.offered import Offered
from groups.core.explanation import Because, Episode
from groups.core.group import Beat, Millis
from groups.core.rounds import NEVER_IDLE, Idle
from groups.core.rows import Durable, MemberRow
from groups.core.values import SharedDict


@dataclass(slots=True)
class Live:
    """The live half of a commanded group.

    ``started_at``: of the current rebalance, or when a new owner loaded the group; ``attempt_at``:
    when the current commands were sent. ``recovering``: a new owner has to queue the group.
    ``phase_at``: when the current phase's first commands were sent.
    ``settled_at``: when the last rebalance ended. ``left``: members that were removed during the
    current one, for the journal. ``episode``: what to say of the current one there; ``queued``:
    causes of the next one, since when. ``offered``: the rows, counted; None until a step needs it.
    ``stopped``: when each consumer acknowledged that it has stopped; ``idle``: partitions without a
    worker.
    """

    beats: dict[str, Beat] = field(default_factory=dict)
    started_at: Millis = 0
    attempt_at: Millis = 0
    settled_at: Millis = 0
    recovering: bool = False
    left: tuple[str, ...] = ()
    phase_at: Millis = 0
    episode: Episode | None = None
    queued: tuple[Because, ...] = ()
    offered: Offered | None = None
    stopped: SharedDict[str, Millis] = field(default_factory=SharedDict)
    idle: Idle = NEVER_IDLE

    def copy(self) -> "Live":
        """A copy that a step may change; beats stay shared."""
        offered = None if self.offered is None else self.offered.copy()
        stopped = self.stopped.copy()
        return replace(self, beats=self.beats.copy(), offered=offered, stopped=stopped)

    @property
    def phase_since(self) -> Millis:
        """When the current phase began, or this owner's time."""
        return max(self.phase_at, self.started_at)

    def deadline(self, row: MemberRow) -> Millis:
        """When a silent consumer is considered dead."""
        return self.beats[row.member_id].at + row.session_timeout_ms

    def earliest_of(self, ids: Iterable[str], durable: Durable) -> Millis | None:
        """When the first of these sessions ends."""
        return min((self.deadline(durable.members[each]) for each in ids), default=None)

    def touched(self, _durable: Durable, _after: Durable, _changed: "Live") -> None:
        """None: after each step all deadlines are looked at."""
