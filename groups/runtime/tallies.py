"""The counts of a node for Prometheus: plain numbers that the code which does the work increments.

On hot paths this is a single addition. Rebalances, and members that join and leave, are counted
from written decisions a moment later, apart from requests (``run``). Nothing is decided here.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from groups.core.errors import ErrorCode
from groups.core.events import (
    ConsumerHeartbeat,
    Event,
    EvictMember,
    JoinGroup,
    LeaveGroup,
    MembersRefused,
    Tick,
)
from groups.core.group import JournalEntry, Millis
from groups.core.journal import EntryKind, Trigger
from groups.core.values import may_differ
from groups.event_loop import Durations, Slices
from groups.runtime.rebalance_log import RebalanceLog
from groups.store.apply import Write

READ_S: Final = 0.5
"""How long decisions wait to be counted."""

DECIDED_MAX: Final = 20_000
"""More than a node decides in that time; a suspended node keeps no more of them in memory."""

EXPIRED: Final = "expired"
OTHER: Final = "other"

DEPARTURES: Final = frozenset(
    (
        Trigger.MEMBER_LEFT,
        Trigger.MEMBER_REFUSED,
        Trigger.MEMBER_REPLACED,
        Trigger.SESSION_EXPIRED,
        Trigger.JOIN_TIMED_OUT,
        Trigger.SYNC_EXPIRED,
        Trigger.REBALANCE_TIMEOUT,
        Trigger.NOT_ACKNOWLEDGED,
        Trigger.GROUP_OVERSIZED,
        Trigger.OPERATOR,
    )
)
"""Triggers that say why a member left or was removed."""

CAUSES: Final[Sequence[tuple[type[Event], str]]] = (
    (EvictMember, Trigger.OPERATOR),
    (LeaveGroup, Trigger.MEMBER_LEFT),
    (ConsumerHeartbeat, Trigger.MEMBER_LEFT),
    (JoinGroup, Trigger.MEMBER_REPLACED),
    (MembersRefused, Trigger.MEMBER_REFUSED),
    (Tick, EXPIRED),
)
"""The cause if no entry has one: by the event."""

ENDS: Final = frozenset((EntryKind.REBALANCE_COMPLETED, EntryKind.STABLE))
"""Entries whose trigger is why the rebalance began, long before."""


class Decided(Protocol):
    """A decision that was written, and its events (``batch_writer.BatchItem``)."""

    @property
    def events(self) -> Sequence[Event]: ...
    @property
    def write(self) -> Write: ...


class QueueCounts:
    """The batches of one committer; ``failures`` by their cause."""

    def __init__(self) -> None:
        self.batches = Durations()
        self.groups = 0
        self.failures: defaultdict[str, int] = defaultdict(int)


class Tallies:
    """The counts of a process. ``heartbeats``: answered by the fast path, by error code; each
    connection has its own counts and adds them periodically. ``decided``: written, but not counted
    yet."""

    def __init__(self) -> None:
        self.heartbeats: defaultdict[ErrorCode, int] = defaultdict(int)
        self.commits: defaultdict[ErrorCode, int] = defaultdict(int)
        self.queues: defaultdict[str, QueueCounts] = defaultdict(QueueCounts)
        self.loop_lag = Durations()
        self.stalls = 0
        self.decided: deque[Decided] = deque(maxlen=DECIDED_MAX)
        self.rebalances: defaultdict[str, int] = defaultdict(int)
        self.phases: defaultdict[str, Durations] = defaultdict(Durations)
        self.moved = 0
        self.arrivals = 0
        self.departures: defaultdict[str, int] = defaultdict(int)
        self.log = RebalanceLog()

    async def run(self) -> None:
        """Count decisions and log the rebalances that ended, until cancelled."""
        slices = Slices()
        while True:
            await asyncio.sleep(READ_S)
            while self.decided:
                self.read(self.decided.popleft())
                if slices.is_over:
                    await slices.pause()
            self.log.flush()

    def read(self, decided: Decided) -> None:
        """Count one decision."""
        write = decided.write
        if write.decision.journal:
            self.log.read(write)
        for entry in write.decision.journal:
            self._rebalance(entry)
        before, after = write.before.members, write.decision.group.durable.members
        came = gone = 0
        if before is not after:
            for member_id in may_differ(before, after):
                gone += member_id in before and member_id not in after
                came += member_id in after and member_id not in before
        self.arrivals += came
        if gone:
            self.departures[_cause(write.decision.journal, decided.events)] += gone

    def _rebalance(self, entry: JournalEntry) -> None:
        if entry.kind not in ENDS:
            return
        is_sync = entry.kind == EntryKind.STABLE
        if not is_sync:
            self.rebalances[entry.trigger or OTHER] += 1
        if entry.duration_ms is not None:
            self.phases["sync" if is_sync else "rebalance"].note(seconds(entry.duration_ms))
        moved = entry.details.get("moved")
        self.moved += moved if isinstance(moved, int) else 0


def seconds(ms: Millis) -> float:
    """In Prometheus' unit."""
    return max(0, ms) / 1000


def _cause(entries: Iterable[JournalEntry], events: Sequence[Event]) -> str:
    """The cause why members are gone after a decision; the first of several."""
    for entry in entries:
        if entry.kind not in ENDS and entry.trigger in DEPARTURES:
            return entry.trigger
    for kind, cause in CAUSES:
        if any(isinstance(event, kind) for event in events):
            return cause
    return OTHER
