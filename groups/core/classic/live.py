"""The state of a classic group that is not in rows: parked requests, handed-out ids, beats; and the
deadlines that follow from it.

Values and arithmetic only; the rules that change them are in the other files of this folder. The
``Live`` of a committed group never changes (its ``Beat`` objects do, see
``groups.core.group.Beat``): a step changes a copy.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, NamedTuple

from groups.core.assignment import Parts
from groups.core.authors import UNKNOWN_CLIENT, Client
from groups.core.classic.states import EMPTY, STABLE
from groups.core.earlier import Earlier
from groups.core.events import Ticket
from groups.core.explanation import Because, Episode, Explanation
from groups.core.group import Beat, Millis, Rules, last_heard
from groups.core.replies import Reply
from groups.core.rounds import NEVER_IDLE, Idle
from groups.core.rows import Durable, GroupRow, MemberRow
from groups.core.step import EXACT_MAX
from groups.core.values import SharedDict, quick, replaced

NEW_MEMBER_GUARD_MS = 300_000
"""How long a member's first join may be parked. Kafka's fixed five minutes: a client whose
connection broke in a long join phase is removed, although its session never began."""

HOLD_MS_MIN = 1_000
"""The shortest time that a join is held before its member must start over: a member may send a
rebalance timeout of 0, and must not repeat the request in a tight loop."""

_IN_ENTRY: Final = ("trigger", "reason", "member_id", "client_id", "client_reason")


@quick
@dataclass(frozen=True, slots=True)
class Cause:
    """Why a rebalance starts: a word of ``REBALANCES``, a sentence, and the member that caused it.

    ``gone``: the members whose removal is the cause, ``named``: the first of them with their names.
    ``client_reason``: the client's own reason.
    """

    trigger: str
    reason: str
    member_id: str | None = None
    client_id: str | None = None
    gone: tuple[str, ...] = ()
    client_reason: str = ""
    named: tuple[tuple[str | None, str | None], ...] = ()

    def entry(self) -> Mapping[str, Any]:
        """The fields of a journal entry that say it."""
        return {name: getattr(self, name) for name in _IN_ENTRY}

    def add_to(self, episode: Episode, now: Millis, mark: int = 0) -> Episode:
        """The rebalance with this as its next cause."""
        named = self.named or ((self.member_id, self.client_id),)
        named = () if named == ((None, None),) else named
        members = max(1, len(self.gone))
        why = (self.trigger, self.reason, self.client_reason, members, named, mark)
        return episode.with_cause(Because(now, now, *why))


@quick
@dataclass(frozen=True, slots=True)
class Join:
    """A parked JoinGroup: the member as it will be once the generation is decided.

    ``first`` is when the member first joined in this join phase, ``since`` when this request
    arrived; ``is_new``: the member has no row yet. ``client``: of the first request.
    ``awaited_since``: when the id was handed out with which it joined; None: it was not awaited.
    """

    row: MemberRow
    names: tuple[str, ...]
    ticket: Ticket | None
    first: Millis
    since: Millis
    is_new: bool
    client: Client = UNKNOWN_CLIENT
    awaited_since: Millis | None = None


class HeldSync(NamedTuple):
    """A held SyncGroup, and when the member first sent it."""

    ticket: Ticket | None
    at: Millis


HANDED_OUT_MAX = 10_000
"""Member ids that may be handed out at a time, by default as many as members. Beyond that the
oldest are forgotten: a client that uses one of these starts over."""


AWAITED_MS = 2_000
"""How long a rebalance waits for a handed-out id, and for how long after its beginning it waits for
newly handed-out ones. A client joins with its id at once, so one that has not is gone, or late; it
begins another rebalance. Kafka waits for the session timeout that the client names: any client
could stop a group for as long as it likes, without ever joining."""


@dataclass(frozen=True, slots=True)
class HandedOutId:
    """A member id that was handed out (KIP-394) over a connection and has not been used yet."""

    since: Millis
    session_timeout_ms: int
    connection: int | None


@dataclass(frozen=True, slots=True)
class Window:
    """The delay of an empty group's first rebalance, which new members extend.

    ``remaining_ms`` is the possible further extension; ``grew``: a member joined since the timer
    was last armed. ``last_join`` is for the quiet window.
    """

    remaining_ms: int
    grew: bool
    last_join: Millis


@quick
@dataclass(frozen=True, slots=True)
class JoinPhase:
    """One join phase: why it began, and the timer that ends it.

    ``left`` names some of the members that were removed during it, ``left_count`` counts all of
    them.
    """

    cause: Cause
    started_at: Millis
    armed_at: Millis
    timeout_ms: int
    window: Window | None = None
    left: tuple[str, ...] = ()
    left_count: int = 0

    def deadline(self, quiet_ms: int, someone_is_pending: bool) -> Millis:
        """When the timer ends; the quiet window can only make it earlier."""
        end = self.armed_at + self.timeout_ms
        if self.window is None or quiet_ms <= 0 or someone_is_pending:
            return end
        return min(end, self.window.last_join + quiet_ms)


@quick
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


NO_PARTS: Final[Parts] = frozenset()


class Told(NamedTuple):
    """What the facts have of a member: its assignment, and the partitions besides it that it still
    holds (KIP-429). ``has_all``: it has received this assignment. ``owned``: how many it has."""

    assignment: bytes
    kept: Parts = NO_PARTS
    has_all: bool = False
    owned: int = 0


@dataclass(slots=True)
class Live:
    """The live half of a classic group.

    ``floor``: silence before it does not count (a change of owner, a node that slept, the end of a
    join phase). ``fresh`` counts the joins that are new. ``awaited`` has the handed-out ids
    (``pending``) that a rebalance waits for, by the connection: the last one of each that is open,
    since a client that asks again does not use the one before. ``unsynced``: members that have not
    sent SyncGroup yet. ``preferences`` counts members by their list of protocol names, including
    parked changes, and ``metadata_bytes`` the size of their metadata; ``instances`` maps instance
    ids to member ids. ``recovering``: the rows were loaded by a new owner and the next step settles
    what the old owner's parked requests had begun; ``earlier``: what is known of its time.
    ``dropped`` holds the answers for tickets that a reload made meaningless. ``put_off``: why a
    rebalance is owed that has to wait, ``settled_at``: when the last one ended.
    ``told``: what the facts have of each member; ``rejoined``: when each first joined after the
    last assignment. ``episode``: what to say of the current rebalance in the journal, ``why``: of
    the join phase that has ended, during the sync phase. ``idle``: partitions without a worker.
    """

    floor: Millis
    generation: int = 0
    beats: SharedDict[str, Beat] = field(default_factory=SharedDict)
    joins: SharedDict[str, Join] = field(default_factory=SharedDict)
    fresh: int = 0
    syncs: SharedDict[str, HeldSync] = field(default_factory=SharedDict)
    unsynced: SharedDict[str, None] = field(default_factory=SharedDict)
    pending: SharedDict[str, HandedOutId] = field(default_factory=SharedDict)
    awaited: SharedDict[int | None, str] = field(default_factory=SharedDict)
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
    earlier: Earlier | None = None
    told: SharedDict[str, Told] = field(default_factory=SharedDict)
    rejoined: Mapping[str, Millis] = field(default_factory=dict)
    episode: Episode | None = None
    why: Explanation | None = None
    idle: Idle = NEVER_IDLE

    def copy(self) -> "Live":
        """A copy that a step may change; beats are shared, dropped answers are not copied."""
        return replaced(
            self,
            beats=self.beats.copy(),
            joins=self.joins.copy(),
            syncs=self.syncs.copy(),
            unsynced=self.unsynced.copy(),
            pending=self.pending.copy(),
            awaited=self.awaited.copy(),
            instances=self.instances.copy(),
            preferences=self.preferences.copy(),
            told=self.told.copy(),
            dropped={},
        )

    def count(self, names: tuple[str, ...], row: MemberRow, by: int) -> None:
        """Add (+1) or subtract (-1) a member with this list of protocol names."""
        self.metadata_bytes += by * len(row.subscription)
        total = self.preferences.get(names, 0) + by
        assert total >= 0, "a member was counted out that was never counted in"
        if total:
            self.preferences[names] = total
        else:
            del self.preferences[names]

    def tickets(self) -> Iterator[Ticket]:
        """The tickets that wait for their replies."""
        for join in self.joins.values():
            if join.ticket is not None:
                yield join.ticket
        for held in self.syncs.values():
            if held.ticket is not None:
                yield held.ticket

    def heard_of(self, member_id: str) -> Millis:
        """The start of the member's silence: its last heartbeat, but not before ``floor``."""
        return max(self.beats[member_id].at, self.floor)

    def really_heard(self, member_id: str) -> Millis:
        """When the member was really heard, as far as known."""
        return last_heard(self.beats[member_id], self.floor)

    def session_end(self, row: MemberRow) -> Millis:
        """When a silent member is removed. A member with a parked request is not silent."""
        return self.heard_of(row.member_id) + row.session_timeout_ms

    def guard_deadline(self, join: Join) -> Millis:
        """When a new member whose join is still parked is removed."""
        return max(join.since, self.floor) + NEW_MEMBER_GUARD_MS

    def pending_deadline(self, pending: HandedOutId) -> Millis:
        """When a handed-out member id is forgotten."""
        return max(pending.since, self.floor) + pending.session_timeout_ms

    def awaits(self, member_id: str) -> bool:
        """Whether a rebalance waits for this handed-out member id."""
        return self.awaited.get(self.pending[member_id].connection) == member_id

    def awaited_until(self, pending: HandedOutId) -> Millis:
        """When a rebalance waits no more for an awaited member id."""
        return max(pending.since, self.floor) + AWAITED_MS

    # -- deadlines

    def is_owed(self, row: GroupRow) -> bool:
        """Whether a rebalance is necessary that has not begun."""
        if self.join_phase is not None or row.state not in (EMPTY, STABLE):
            return False
        return bool(self.joins) or (row.state == STABLE and "must_rebalance" in row.details)

    def put_off_until(self, durable: Durable, rules: Rules) -> Millis | None:
        """When the rebalance that was put off begins; None: not before another event."""
        if self.put_off is None or rules.guards.frozen:
            return None
        is_stable = durable.group.state == STABLE
        return rules.guards.end_after(self.settled_at) if is_stable else self.floor

    def join_deadline(self, join: Join) -> Millis:
        """When the member of a held join must start over: its client waits little longer."""
        timeout = min(max(join.row.rebalance_timeout_ms, HOLD_MS_MIN), NEW_MEMBER_GUARD_MS)
        return max(join.since, self.floor) + timeout

    def due(self, durable: Durable, rules: Rules, earliest: Millis | None) -> Millis | None:
        """The earliest time at which a tick would decide something; ``earliest``: the earliest
        deadline of single members."""
        deadlines = self._of_the_group(durable, rules)
        return min(deadlines if earliest is None else (earliest, *deadlines), default=None)

    def ids(self, durable: Durable) -> Iterable[str]:
        """All ids with deadlines: members, including parked ones, and handed-out ids."""
        return chain(durable.members, self.joins, self.pending)

    def earliest_of(self, ids: Iterable[str], durable: Durable) -> Millis | None:
        """The earliest deadline of these ids."""
        joins, pending, syncs, rows = self.joins, self.pending, self.syncs, durable.members
        has_joins, has_pending, has_syncs = bool(joins), bool(pending), bool(syncs)
        ends: list[Millis] = []
        for member_id in ids:  # no look-up in what is empty, as most is most of the time
            if has_joins and member_id in joins:
                ends += self._of_a_join(joins[member_id])
            elif has_pending and member_id in pending:
                ends += self._of_an_id(member_id)
            elif not (has_syncs and member_id in syncs):
                if (row := rows.get(member_id)) is not None:
                    ends.append(self.session_end(row))
        return min(ends, default=None)

    def touched(self, durable: Durable, after: Durable, changed: "Live") -> Iterable[str] | None:
        """The ids whose deadlines a step may have made earlier, by its working copy ``changed`` of
        this; None: all."""
        if len(changed.beats) + len(changed.pending) <= EXACT_MAX:
            return None
        begins_or_ends = (changed.join_phase is None) is not (self.join_phase is None)
        if changed.floor != self.floor or begins_or_ends:
            return None
        ids: set[str] = set()
        for entries in (changed.beats, changed.joins, changed.syncs, changed.pending):
            if entries.touched is None:
                return None
            ids |= entries.touched
        rows = after.members
        if rows is durable.members:
            return ids
        own = rows.touched if isinstance(rows, SharedDict) else None
        return None if own is None else ids | own

    def _of_the_group(self, durable: Durable, rules: Rules) -> Iterator[Millis]:
        if self.recovering:
            yield self.floor
        if self.sync is not None and self.unsynced:
            yield self.sync.deadline
        if self.join_phase is not None:
            yield self.join_phase.deadline(rules.group_quiet_window_ms, bool(self.awaited))
        held_until = self.put_off_until(durable, rules)
        if held_until is not None:
            yield held_until

    def _of_an_id(self, member_id: str) -> Iterator[Millis]:
        yield self.pending_deadline(self.pending[member_id])
        if self.awaits(member_id):
            yield self.awaited_until(self.pending[member_id])

    def _of_a_join(self, join: Join) -> Iterator[Millis]:
        if self.join_phase is None:
            yield self.join_deadline(join)
        elif join.is_new:
            yield self.guard_deadline(join)
