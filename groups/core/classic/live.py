"""What no row holds of a classic group: parked requests, pending ids, timers, beats.

Values and arithmetic only; the rules that change them are in the files beside
this one. A ``Live`` that a committed group holds is never changed (its ``Beat``
objects are, see ``groups.core.group.Beat``): a step changes a copy.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from groups.core.events import Ticket
from groups.core.group import Beat, Millis
from groups.core.replies import Reply
from groups.core.rows import MemberRow
from groups.core.shared import SharedDict

NEW_MEMBER_GUARD_MS = 300_000
"""How long a member's first join may be parked. Kafka's fixed five minutes: a client whose
socket died during a long join phase is removed in the end, although its session never began."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a rebalance starts: a word of ``REBALANCES``, a sentence, and who did it.

    ``gone``: the members whose removal is the cause. ``client_reason``: in the client's own words.
    """

    trigger: str
    reason: str
    member_id: str | None = None
    client_id: str | None = None
    gone: tuple[str, ...] = ()
    client_reason: str = ""


@dataclass(frozen=True, slots=True)
class Join:
    """A parked JoinGroup: the member as it will be once the generation is decided.

    ``first`` is when the member first joined this round, ``since`` when this
    request came; ``is_new``: no row knows the member yet.
    """

    row: MemberRow
    names: tuple[str, ...]
    ticket: Ticket | None
    first: Millis
    since: Millis
    is_new: bool


HANDED_OUT_MAX = 10_000
"""Member ids that may be handed out at once, as many as members by default. Of more the oldest are
forgotten: whoever still comes back with one of these starts over."""


@dataclass(frozen=True, slots=True)
class HandedOutId:
    """A member id that was handed out (KIP-394) and has not come back yet.

    ``is_awaited``: the connection to which it was handed out lasts. A rebalance waits for no other.
    """

    since: Millis
    session_timeout_ms: int
    is_awaited: bool = True


@dataclass(frozen=True, slots=True)
class Window:
    """The wait of an empty group's first rebalance, which newcomers extend.

    ``remaining_ms`` is what the window may still grow by; ``grew``: somebody
    joined since the timer was last armed. ``last_join`` is for the quiet window.
    """

    remaining_ms: int
    grew: bool
    last_join: Millis


@dataclass(frozen=True, slots=True)
class JoinPhase:
    """One join phase: why it began, and the timer that ends it.

    ``left`` names some of the members that were removed meanwhile, ``left_count``
    counts them all.
    """

    trigger: str
    reason: str
    member_id: str | None
    client_id: str | None
    started_at: Millis
    armed_at: Millis
    timeout_ms: int
    window: Window | None = None
    left: tuple[str, ...] = ()
    left_count: int = 0
    client_reason: str = ""

    def deadline(self, quiet_ms: int, someone_is_pending: bool) -> Millis:
        """When the timer ends; the quiet window only ever brings it forward."""
        end = self.armed_at + self.timeout_ms
        if self.window is None or quiet_ms <= 0 or someone_is_pending:
            return end
        return min(end, self.window.last_join + quiet_ms)


@dataclass(frozen=True, slots=True)
class SyncPhase:
    """The wait for every member's SyncGroup, for as long as the rebalance timeout."""

    started_at: Millis
    armed_at: Millis
    timeout_ms: int

    @property
    def deadline(self) -> Millis:
        """When members that have not synced are removed."""
        return self.armed_at + self.timeout_ms


@dataclass(slots=True)
class Live:
    """The live half of a classic group.

    ``floor``: silence before it does not count (a change of owner, a node that
    slept, the end of a join phase). ``fresh`` counts the joins that are new.
    ``awaited`` counts the handed-out ids (``pending``) that a rebalance waits for.
    ``unsynced``: whose SyncGroup is waited for. ``preferences`` counts members by
    their list of protocol names, parked changes included, and ``metadata_bytes`` what
    they brought along; ``instances`` maps
    instance ids to member ids.
    ``recovering``: the rows were loaded by a new owner and the next step
    settles what the old owner's parked requests had begun. ``dropped`` holds
    the answers for tickets that a reload made meaningless. ``put_off``: why a
    rebalance is owed that has to wait (``guards``), ``settled_at``: when the
    last one ended.
    """

    floor: Millis
    generation: int = 0
    beats: SharedDict[str, Beat] = field(default_factory=SharedDict)
    joins: SharedDict[str, Join] = field(default_factory=SharedDict)
    fresh: int = 0
    syncs: SharedDict[str, Ticket | None] = field(default_factory=SharedDict)
    unsynced: SharedDict[str, None] = field(default_factory=SharedDict)
    pending: SharedDict[str, HandedOutId] = field(default_factory=SharedDict)
    awaited: int = 0
    instances: SharedDict[str, str] = field(default_factory=SharedDict)
    preferences: dict[tuple[str, ...], int] = field(default_factory=dict)
    metadata_bytes: int = 0
    next_position: int = 0
    join_phase: JoinPhase | None = None
    sync: SyncPhase | None = None
    recovering: bool = False
    dropped: dict[Ticket, Reply] = field(default_factory=dict)
    put_off: Cause | None = None
    settled_at: Millis = 0

    def copy(self) -> "Live":
        """A copy that a step may change; beats stay shared, dropped answers stay behind."""
        return replace(
            self,
            beats=self.beats.copy(),
            joins=self.joins.copy(),
            syncs=self.syncs.copy(),
            unsynced=self.unsynced.copy(),
            pending=self.pending.copy(),
            instances=self.instances.copy(),
            preferences=self.preferences.copy(),
            dropped={},
        )

    def count(self, names: tuple[str, ...], row: MemberRow, by: int) -> None:
        """Count one member more (+1) or less (-1) with this list of protocol names."""
        self.metadata_bytes += by * len(row.subscription)
        total = self.preferences.get(names, 0) + by
        assert total >= 0, "a member was counted out that was never counted in"
        if total:
            self.preferences[names] = total
        else:
            del self.preferences[names]

    def tickets(self) -> Iterator[Ticket]:
        """Every ticket that waits for its answer."""
        for join in self.joins.values():
            if join.ticket is not None:
                yield join.ticket
        for ticket in self.syncs.values():
            if ticket is not None:
                yield ticket

    def heard_of(self, member_id: str) -> Millis:
        """Since when the member has been silent, as far as silence counts."""
        return max(self.beats[member_id].at, self.floor)

    def session_end(self, row: MemberRow) -> Millis:
        """When a member that stays silent is removed. One with a parked request is not silent."""
        return self.heard_of(row.member_id) + row.session_timeout_ms

    def guard_deadline(self, join: Join) -> Millis:
        """When a newcomer whose join is still parked is removed."""
        return max(join.since, self.floor) + NEW_MEMBER_GUARD_MS

    def pending_deadline(self, pending: HandedOutId) -> Millis:
        """When a handed-out member id is forgotten."""
        return max(pending.since, self.floor) + pending.session_timeout_ms
