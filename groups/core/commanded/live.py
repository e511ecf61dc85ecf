"""What no row holds of a commanded group: beats, and when things began. Values only.

Nearly all of such a group is durable, so there is little here, and a new owner misses none of it.
A ``Live`` that a committed group holds is never changed (its ``Beat`` objects are): a step
changes a copy.
"""

from dataclasses import dataclass, field, replace

from groups.core.group import Beat, Millis
from groups.core.rows import MemberRow


@dataclass(slots=True)
class Live:
    """The live half of a commanded group.

    ``started_at``: of the rebalance that goes on, or since when a new owner has the group;
    ``attempt_at``: since when its acknowledgements are waited for. ``recovering``: a new owner has
    to queue the group. ``settled_at``: when the last rebalance ended. ``left``: who went while
    this one goes on, for the journal.
    """

    beats: dict[str, Beat] = field(default_factory=dict)
    started_at: Millis = 0
    attempt_at: Millis = 0
    settled_at: Millis = 0
    recovering: bool = False
    left: tuple[str, ...] = ()

    def copy(self) -> "Live":
        """A copy that a step may change; beats stay shared."""
        return replace(self, beats=self.beats.copy())

    def deadline(self, row: MemberRow) -> Millis:
        """When a consumer counts as dead that is not heard of meanwhile."""
        return self.beats[row.member_id].at + row.session_timeout_ms
