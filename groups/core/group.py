"""The interface of every kind of group, and the decision that a step returns.

This file is independent of kinds. The store, the committers and the node use only ``Group``; a new
kind is a class with this interface and a line in ``groups.core.kinds`` (docs/architecture.md,
*Rules are pure*).

Time is an argument everywhere: milliseconds of the caller's monotonic clock.
Randomness is an argument too (``random.Random`` or anything with its methods).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from groups.core.assignors.registry import DEFAULT_NAMES
from groups.core.assignors.task import AssignmentTask
from groups.core.assignors.types import Assignor
from groups.core.errors import ErrorCode
from groups.core.events import Event, OffsetCommit, OffsetWrite, PendingWrite, Ticket
from groups.core.explanation import Explanation
from groups.core.facts import Fact
from groups.core.journal import EntryKind
from groups.core.replies import Operated, Reply
from groups.core.rows import Durable
from groups.core.strategy import Strategy
from groups.core.values import quick
from groups.core.waiting import Waiting

if TYPE_CHECKING:
    from groups.core.configs.freeze import FreezeChange
    from groups.core.earlier import Earlier
    from groups.core.pauses import PausesChange
    from groups.core.signs_of_life import Sign

Millis = int


class Session(NamedTuple):
    """A member's session: it ends ``timeout_ms`` after ``heard_at`` unless the member sends
    something. For a member with a parked request ``heard_at`` is now. ``silence``: what was known
    before of a member that has not been heard since (``Beat.silence``)."""

    member_id: str
    heard_at: Millis
    timeout_ms: int
    silence: "Silence | None" = None


class Answer(NamedTuple):
    """One ticket's reply, to be sent when the step's batch has committed."""

    ticket: Ticket
    reply: Reply


@quick
@dataclass(frozen=True, slots=True)
class JournalEntry:
    """What was decided and why, for operators and for analysis.

    ``kind`` is an ``EntryKind``; ``trigger`` a ``Trigger``, as a row may hold it, "" for none;
    ``reason`` a sentence of the rules or of an operator, ``client_reason`` the reason that the
    client sent (KIP-800; "": none).
    ``waited_for`` maps member ids to milliseconds; ``joined`` and ``left``
    are member ids. Durations are milliseconds. ``offsets``: committed offsets whose previous values
    the store adds to the details (``before``), or all of the group's; None: none. ``why``: of an
    entry that ends a rebalance, its causes and the members that it waited for; the store adds it to
    the details, encoded.
    """

    kind: EntryKind
    trigger: str = ""
    reason: str = ""
    member_id: str | None = None
    client_id: str | None = None
    generation_before: int = 0
    generation_after: int = 0
    duration_ms: int | None = None
    waited_for: Mapping[str, int] = field(default_factory=dict)
    joined: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    offsets: "Sequence[tuple[str, int]] | All | None" = None
    client_reason: str = ""
    why: Explanation | None = None


class All(Enum):
    """All committed offsets of a group."""

    OFFSETS = "all"


@quick
@dataclass(frozen=True, slots=True)
class Decision:
    """What one step decided: the group after it, and its effects.

    ``group`` is the working group: it becomes the committed one only when the
    batch has committed, and is thrown away otherwise. ``deleted``: the rows are deleted, including
    offsets. Of several ``offsets`` of one partition the last one counts. ``offset_deletes`` are
    (topic, partition). ``pending`` are offsets that wait for the end of a transaction, at most one
    for a producer and partition. ``hung_up``: consumers of the 0.9 draft that are regarded as dead,
    whose connections must be closed. ``question``: a target assignment to be computed outside the
    step, after the commit; the result arrives as an event. ``facts``: what began and ended, in
    order. ``beside``: a change of what is paused in the group, or of its freeze.
    """

    group: "Group"
    answers: tuple[Answer, ...] = ()
    journal: tuple[JournalEntry, ...] = ()
    offsets: tuple[OffsetWrite, ...] = ()
    offset_deletes: tuple[tuple[str, int], ...] = ()
    pending: tuple[PendingWrite, ...] = ()
    operations: tuple[Operated, ...] = ()
    hung_up: tuple[str, ...] = ()
    deleted: bool = False
    question: AssignmentTask | None = None
    facts: tuple[Fact, ...] = ()
    beside: "PausesChange | FreezeChange | None" = None


class Silence(NamedTuple):
    """A silence that an earlier owner saw begin, or in which time was missed: when the member was
    really heard, since when its silence counts without extensions, and the value of ``Beat.at``
    that was set then."""

    heard_at: Millis
    since: Millis
    at: Millis


@dataclass(slots=True, eq=False)
class Beat:
    """When a member last sent something, in the node's monotonic milliseconds.

    The only mutable object that a group shares with the fast path: a heartbeat sets ``at`` without
    a step. It is a fact, not a decision, so copies of a group share it. For a member that was not
    heard since the group was loaded, ``at`` is what its session has left; it is in the future if
    the member has time to reconnect. ``before`` is what is known of that silence.
    """

    at: Millis
    before: Silence | None = None

    @property
    def silence(self) -> Silence | None:
        """``before``, until the member is heard."""
        return self.before if self.before is not None and self.before.at == self.at else None

    @property
    def heard_at(self) -> Millis:
        """When the member was really heard, as far as known."""
        return self.at if (silence := self.silence) is None else silence.heard_at


def forgiven(at: Millis, now: Millis, missed: Millis) -> Millis:
    """The start of a silence or wait that began ``at``, corrected for ``missed`` milliseconds in
    which the node could receive nothing.

    It adds no more than was missed, since otherwise repeated stalls would keep dead members alive;
    and it does not move a start that is in the future.
    """
    return max(at, min(now, at + missed))


def forgiven_beats(beats: Mapping[str, Beat], now: Millis, missed: Millis) -> dict[str, Beat]:
    """The corrected beats, as new objects: the old ones may still be in use."""
    return {member_id: _forgiven_beat(beat, now, missed) for member_id, beat in beats.items()}


def _forgiven_beat(beat: Beat, now: Millis, missed: Millis) -> Beat:
    at, before = forgiven(beat.at, now, missed), beat.silence
    since = beat.at if before is None else before.since
    return Beat(at, Silence(beat.heard_at, forgiven(since, now, missed), at))


def last_heard(beat: Beat, floor: Millis) -> Millis:
    """When the member was really heard; ``floor``: silence before it does not count."""
    return beat.heard_at if beat.at >= floor else floor


def session_of(member_id: str, beat: Beat, heard_at: Millis, timeout_ms: Millis) -> Session:
    """The session of a member whose silence counts from ``heard_at``, not before its beat."""
    before = beat.before
    is_silence = before is not None and before.at == beat.at == heard_at
    return Session(member_id, heard_at, timeout_ms, before if is_silence else None)


@dataclass(frozen=True, slots=True)
class HeartbeatView:
    """What the fast path may answer for a committed group without a step.

    A classic heartbeat of a known member with the right generation gets ``code`` and updates its
    beat. ``generation`` is -2 if no classic heartbeat can be right.
    """

    generation: int
    code: ErrorCode
    beats: Mapping[str, Beat]
    instances: Mapping[str, str]

    def heartbeat(
        self, member_id: str, instance_id: str | None, generation_id: int, now: Millis
    ) -> ErrorCode:
        """Answer one classic heartbeat; a valid one (also with code 27) keeps the member alive."""
        code, beat = self.find(member_id, instance_id, generation_id)
        if beat is not None:
            beat.at = now
        return code

    def find(
        self, member_id: str, instance_id: str | None, generation_id: int
    ) -> tuple[ErrorCode, Beat | None]:
        """The answer to one heartbeat, and the beat to update if it is valid. Does not update
        it."""
        if instance_id is not None:
            holder = self.instances.get(instance_id)
            if holder is None:
                return ErrorCode.UNKNOWN_MEMBER_ID, None
            if holder != member_id:
                return ErrorCode.FENCED_INSTANCE_ID, None
        beat = self.beats.get(member_id)
        if beat is None:
            return ErrorCode.UNKNOWN_MEMBER_ID, None
        if generation_id != self.generation:
            return ErrorCode.ILLEGAL_GENERATION, None
        return self.code, beat


NOBODY = HeartbeatView(-2, ErrorCode.UNKNOWN_MEMBER_ID, {}, {})


@dataclass(frozen=True, slots=True)
class Guards:
    """Guard rails of one group (docs/configuration.md); off by default.

    ``rebalance_min_interval_ms``: from the end of one rebalance to the start of the next, 0: none.
    ``frozen``: no rebalance starts at all.
    """

    rebalance_min_interval_ms: Millis = 0
    frozen: bool = False

    def end_after(self, settled_at: Millis) -> Millis:
        """When the interval ends that began with the end of a rebalance at this time."""
        return settled_at + self.rebalance_min_interval_ms


NO_GUARDS = Guards()


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings that rules use, with Kafka's names (milliseconds, counts).

    The node's settings, or those of one group if it has its own (``groups.core.configs.group``).
    ``strategies``: an installation's own strategies for draft groups, by name. ``plugged_in``:
    assignors from outside, by name (docs/assignors.md). ``generations_after``: generations of a
    group without a row begin after this number, if a backup was restored (docs/backups.md).
    """

    group_initial_rebalance_delay_ms: int = 3_000
    group_quiet_window_ms: int = 500
    group_min_session_timeout_ms: int = 6_000
    group_max_session_timeout_ms: int = 1_800_000
    group_max_size: int = 10_000
    group_metadata_max_bytes: int = 4_194_304
    group_consumer_session_timeout_ms: int = 45_000
    group_consumer_heartbeat_interval_ms: int = 5_000
    group_consumer_pending_heartbeat_interval_ms: int = 500
    group_consumer_max_size: int = 10_000
    group_consumer_metadata_max_bytes: int = 67_108_864
    group_consumer_assignors: tuple[str, ...] = DEFAULT_NAMES
    group_consumer_assignment_interval_ms: int = 0
    group_consumer_assignor_offload_enable: bool = False
    group_consumer_assignment_timeout_ms: int = 5_000
    group_consumer_migration_policy: str = "bidirectional"
    consumer_min_session_timeout_ms: int = 6_000
    consumer_max_session_timeout_ms: int = 30_000
    rebalance_max_retries: int = 4
    rebalance_backoff_ms: Millis = 2_000
    offsets_retention_minutes: int = 10_080
    strategies: tuple[tuple[str, Strategy], ...] = ()
    guards: Guards = NO_GUARDS
    plugged_in: Mapping[str, Assignor] = field(default_factory=dict)
    generations_after: int = 0


class Group(Protocol):
    """A group of some kind: its durable half, its live half, and the rules.

    What is said of a method here holds for each kind; a kind says only what is its own."""

    @property
    def rules(self) -> Rules:
        """The settings that the rules use."""
        ...

    @property
    def durable(self) -> Durable:
        """The content of the rows when this value is committed."""
        ...

    @property
    def live(self) -> Any:
        """State that is not in rows: parked joins, pending ids, timers, beats. Opaque to others."""
        ...

    @property
    def idle(self) -> bool:
        """Whether a group without a row has no live state either and can be removed from memory."""
        ...

    @property
    def breadth(self) -> int:
        """The number of members, partitions and waiting requests that a step may have to
        process."""
        ...

    @classmethod
    def absent(cls, group_id: str, rules: Rules, now: Millis) -> Self:
        """The group for an id without a row."""
        ...

    @classmethod
    def merge(
        cls,
        durable: Durable,
        live: Any | None,
        rules: Rules,
        now: Millis,
        earlier: "Earlier | None" = None,
    ) -> Self:
        """Combine the loaded rows with the previous live state, or with None after a takeover.

        After a takeover sessions and waits continue with what ``earlier`` owners left of them;
        without that each starts again at ``now``.
        """
        ...

    def step(self, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
        """Decide the events, in order. The same inputs give the same decision; self is not
        changed."""
        ...

    def judge(self, commit: OffsetCommit, now: Millis) -> ErrorCode | None:
        """The code that ``step`` would answer to a commit that does not change the group, without a
        working copy; None: it has to be stepped. If a member's commit counts as a sign of life in a
        step, it does here too. O(partitions of the commit)."""
        ...

    def due(self, now: Millis) -> Millis | None:
        """The next time at which a ``Tick`` would decide something; None: never."""
        ...

    def resume(self, tickets: Iterable[Ticket]) -> tuple[Answer, ...]:
        """After a reload: answers for tickets that the group does not hold any more."""
        ...

    def rearm(self, now: Millis, missed: Millis = 0) -> Self:
        """The same group after ``missed`` milliseconds in which the node could receive nothing.

        Every deadline moves by this time, but not beyond its full timeout from ``now``
        (``forgiven``). Used if a node was suspended or lost its database, and for a group whose
        rows were in doubt.
        """
        ...

    def let_go(self, code: ErrorCode) -> tuple[Answer, ...]:
        """Answers for every parked ticket when the node loses the group (NOT_COORDINATOR)."""
        ...

    def with_revision(self, revision: int) -> Self:
        """The same group after its rows were written with this revision."""
        ...

    def with_rules(self, rules: Rules) -> Self:
        """The same group with other rules. This decides nothing: if the new rules require a step,
        it is due at once (``due``)."""
        ...

    def heartbeat_view(self) -> HeartbeatView:
        """What the fast path may answer while this value is the committed one."""
        ...

    def beat_of(self, sign: "Sign") -> Beat | None:
        """The beat that this request would set if the committed group decided it. None: it is no
        sign of life, or its member is another by now. Changes nothing; O(1)."""
        ...

    def waiting(self, now: Millis) -> Waiting | None:
        """What the group waits for, for the admin and REST; None if it is settled. O(members)."""
        ...

    def sessions(self, now: Millis) -> Iterator["Session"]:
        """The current session of each durable member."""
        ...

    def waits(self) -> Mapping[str, Millis]:
        """Since when it waits for what its members must do, by a name of each wait that a later
        owner makes from the rows (``Earlier.wait``). O(members)."""
        ...
