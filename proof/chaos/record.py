"""What members observed, in the order in which one process saw it: records of ``proof.history``.

Also a few facts that are easier to query than a history: successful heartbeats, the outcome of
commits, removals of members. Times of the facts are seconds of this process's monotonic clock,
those of the history milliseconds of the same. Only facts, no judgement.
"""

import itertools
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Partition = tuple[str, int]
"""A group's id and a partition of the one topic that it works on."""


class Commit(NamedTuple):
    """One offset that was sent. ``error`` is None if no response came: its outcome is unknown, and
    it may take effect even later."""

    sent_at: float
    received_at: float
    at: Partition
    offset: int
    error: int | None


class Beat(NamedTuple):
    """A heartbeat whose response has no error that sends the member elsewhere."""

    sent_at: float
    received_at: float
    member: str


class Eviction(NamedTuple):
    """A member that had a generation got a response that it is unknown. ``silent_s`` is the longest
    time without a request, from the request with its last success on; ``session_s`` is its session,
    ``api`` the request that failed."""

    at: float
    group_id: str
    member_id: str
    silent_s: float
    session_s: float
    api: str


@dataclass(slots=True)
class Record:
    """Everything that the members of one run saw. ``calls`` are the history's records."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    commits: list[Commit] = field(default_factory=list)
    beats: list[Beat] = field(default_factory=list)
    evictions: list[Eviction] = field(default_factory=list)
    defects: list[str] = field(default_factory=list)
    """Responses that are wrong in any state, in words."""
    late_s: float = 0.0
    """How long the run itself was blocked, in total."""
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    _offsets: defaultdict[Partition, "itertools.count[int]"] = field(
        default_factory=lambda: defaultdict(lambda: itertools.count(1))
    )

    def note(self, kind: str, **facts: Any) -> None:
        """Add a record of the history, with the current time."""
        self.calls.append({"at": now() * 1000, "type": kind, **facts})

    def late(self, since: float, late_s: float) -> None:
        """The run's own loop was blocked for so long, starting at a past instant."""
        span = {"since": since * 1000, "until": (since + late_s) * 1000}
        self.calls.append({"at": since * 1000, "type": "late", **span})
        self.late_s += late_s

    def next_call(self) -> int:
        """A number that is unique among the calls of the run."""
        return next(self._numbers)

    def next_offset(self, at: Partition) -> int:
        """An offset above all that were sent for the partition: so a fetched offset identifies its
        commit."""
        return next(self._offsets[at])

    def beat(self, sent_at: float, member: str) -> None:
        """A heartbeat was answered just now."""
        self.beats.append(Beat(sent_at, now(), member))

    def commit(
        self, sent_at: float, sent: Iterable[tuple[Partition, int]], error: int | None
    ) -> None:
        """Offsets that were sent together got their response just now, or will not get one."""
        received_at = now()
        self.commits += [Commit(sent_at, received_at, at, offset, error) for at, offset in sent]


def now() -> float:
    """The clock of every time in a record."""
    return time.monotonic()
