"""One group in a node's memory with what waits for it, and the lanes in which groups wait.

Book-keeping only: who puts events in, and who takes them out, is not known here.
"""

import asyncio
from collections import deque

from groups.coordinator.views import Kept
from groups.core.events import Event, OffsetCommit, OffsetDelete, Ticket, TxnOffsetCommit
from groups.core.group import Group, Millis

OFFSETS = (OffsetCommit, OffsetDelete, TxnOffsetCommit)
"""Events about offsets alone."""


class GroupEntry:
    """One group in the node's memory: its committed value and what waits for it.

    ``busy`` while a committer has it: a group is in one transaction at a time,
    so the order of its events holds. ``parked``: tickets not yet answered.
    ``lost``: what its rows hold is in doubt; nothing is decided before a reload.
    ``broken``: the rows make no sense to this version; every request gets an error.
    ``doubted_at``: since when. ``suspects``: so many events at the head are stepped one at a time,
    since PostgreSQL refused something in them together.
    ``kept_view``: what the group was last shown of the catalogue (``groups.coordinator.views``).
    ``quiet_until``: until then nothing of it falls due. ``written``: rows, since its offsets were
    counted (``groups.coordinator.offset_totals``).
    """

    __slots__ = (
        "broken",
        "busy",
        "doubted_at",
        "group",
        "group_id",
        "inbox",
        "kept_view",
        "lost",
        "parked",
        "queued",
        "quiet_until",
        "suspects",
        "wake_at",
        "written",
    )

    def __init__(self, group_id: str, group: Group) -> None:
        self.group_id = group_id
        self.group = group
        self.inbox: deque[Event] = deque()
        self.parked: set[Ticket] = set()
        self.busy = False
        self.queued = False
        self.lost = False
        self.broken = False
        self.doubted_at: Millis = 0
        self.quiet_until: Millis = 0
        self.suspects = 0
        self.wake_at: Millis | None = None
        self.kept_view: Kept | None = None
        self.written = 0

    def head_is_offsets(self) -> bool:
        """Which lane the next events belong to: a commit to a group that has a row leaves
        generation and membership alone; everything else may change them."""
        return isinstance(self.inbox[0], OFFSETS) and self.group.durable.exists


class CommitQueue:
    """Residents whose next events one committer may take, in order of arrival."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ready: deque[GroupEntry] = deque()
        self.wake = asyncio.Event()

    def push(self, resident: GroupEntry) -> None:
        """Queue a resident, once."""
        resident.queued = True
        self.ready.append(resident)
        self.wake.set()

    def pop(self) -> GroupEntry | None:
        """The next resident, or None; the committer then waits for ``wake``."""
        if not self.ready:
            self.wake.clear()
            return None
        resident = self.ready.popleft()
        resident.queued = False
        return resident
