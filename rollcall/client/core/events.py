"""Inputs and outputs of a member's machine, as values; the same for every protocol.

No rule and no I/O. Times are milliseconds of the caller's monotonic clock.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Protocol
from uuid import UUID

from rollcall.wire.declare import Message

Millis = int


class TopicPartition(NamedTuple):
    """A unit of work: a topic's name and the index of one of its partitions."""

    topic: str
    partition: int


class HandOut(NamedTuple):
    """An assignment of a partition to this member: its epoch, and its topic's id if known.
    ``number`` is unique, so no two are equal."""

    epoch: int
    number: int
    topic_id: UUID | None = None


Partitions = frozenset[TopicPartition]
NOTHING: Partitions = frozenset()


class Token(NamedTuple):
    """Fences the work on a partition in one's own storage.

    ``epoch`` is the generation (classic) or member epoch (consumer protocol) in which this member
    got the partition. A later owner in the same group has a greater one: storage that keeps the
    greatest epoch it has seen, and refuses lower ones, excludes a member that was removed and does
    not know it yet.
    """

    group: str
    topic: str
    partition: int
    epoch: int


class Kind(Enum):
    """What happened to partitions; the application gets changes in this order of urgency."""

    ASSIGNED = "assigned"
    """They belong to this member now."""
    REVOKED = "revoked"
    """They belong to this member until the application has returned; no other member works on
    them."""
    LOST = "lost"
    """They may belong to another member already: nothing can be committed for them."""
    PAUSED = "paused"
    """An operator stopped the work on them; they stay this member's, and can be committed."""
    RESUMED = "resumed"
    """The work on them continues."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of these partitions. ``epoch``: the generation or member epoch."""

    kind: Kind
    partitions: Partitions
    epoch: int


@dataclass(frozen=True, slots=True)
class Subscription:
    """A member's subscription: topics by name, by a pattern, or both.

    In the consumer protocol the coordinator matches the pattern (RE2); in the classic protocol and
    the draft the member does (Python's ``re``). The whole name must match.

    Only commanded groups have ``blacklist`` (all topics that do not match it) and threads: the
    number for each topic, ``threads`` unless ``threads_by_topic`` has one.
    """

    topics: tuple[str, ...] = ()
    pattern: str | None = None
    blacklist: str | None = None
    threads: int = 1
    threads_by_topic: Mapping[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.topics) or self.pattern is not None or self.blacklist is not None

    def threads_of(self, topic: str) -> int:
        """The number of threads for the topic."""
        return self.threads_by_topic.get(topic, self.threads)


@dataclass(frozen=True, slots=True)
class Identity:
    """The member's identity and times, which never change (milliseconds).

    ``session_timeout_ms`` is sent to the coordinator in the classic protocol. In the consumer
    protocol the coordinator sets it; this value must not be longer. Members of the draft send
    ``heartbeat_frequency`` heartbeats in a session.
    """

    group: str
    instance_id: str | None = None
    rack: str | None = None
    assignors: tuple[str, ...] = ()
    session_timeout_ms: Millis = 45_000
    rebalance_timeout_ms: Millis = 300_000
    heartbeat_interval_ms: Millis = 3_000
    heartbeat_frequency: int = 3
    retry_backoff_ms: Millis = 100
    retry_backoff_max_ms: Millis = 1_000
    request_timeout_ms: Millis = 30_000
    metadata_max_age_ms: Millis = 60_000


# Inputs of a machine


@dataclass(frozen=True, slots=True)
class Subscribe:
    """The application replaces its subscription."""

    subscription: Subscription


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """The application unsubscribes, or closes the member.

    A static member keeps its place in the group for a session timeout, in both protocols.
    """


@dataclass(frozen=True, slots=True)
class Reply:
    """The response to a ``Send``."""

    ticket: int
    message: Message


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A ``Send`` has no response and will have none: it is unknown whether it was received.
    ``refusal``: why it was not even sent, and to ask again has no use."""

    ticket: int
    refusal: "Fail | None" = None


@dataclass(frozen=True, slots=True)
class Handled:
    """The application has returned from a ``Call``."""

    ticket: int


@dataclass(frozen=True, slots=True)
class Topics:
    """The cluster's metadata of topics: id and number of partitions, by name. ``look_up``: the
    look-up."""

    known: Mapping[str, tuple[UUID, int]]
    look_up: "LookUp | None" = None


@dataclass(frozen=True, slots=True)
class Gone:
    """The coordinator does not know the topics of these assigned partitions any more."""

    hand_outs: Mapping[TopicPartition, HandOut]


@dataclass(frozen=True, slots=True)
class WorkedOut:
    """The encoded assignments of the leader's assignor, by member; or its error."""

    number: int
    given: Mapping[str, bytes]
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Tick:
    """The time of ``due`` has come."""


Event = Subscribe | Unsubscribe | Reply | Unanswered | Handled | Topics | Gone | WorkedOut | Tick


# Outputs of a machine


@dataclass(frozen=True, slots=True)
class Send:
    """A request to the group's coordinator; its response is awaited for ``timeout_ms``."""

    ticket: int
    message: Message
    timeout_ms: Millis


@dataclass(frozen=True, slots=True)
class Call:
    """Call the application, after committing the noted offsets of revoked partitions; one at a
    time."""

    ticket: int
    change: Change


@dataclass(frozen=True, slots=True)
class LookUp:
    """Request metadata of topics and pass it to the machine (``Topics``).

    By ``names``, by ``ids``, or all topics if both are empty.
    """

    names: tuple[str, ...] = ()
    ids: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Rediscover:
    """The coordinator has changed, or is unknown: look it up before the next request."""


@dataclass(frozen=True, slots=True)
class Fail:
    """Nothing happens until there is a new subscription. ``code`` is Kafka's number."""

    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class Assign:
    """The coordinator asks this member to compute the group's assignment. It repeats that with each
    heartbeat until it is done or another member is asked."""


@dataclass(frozen=True, slots=True)
class WorkOut:
    """Run the leader's assignor concurrently, and pass the result to the machine
    (``WorkedOut``)."""

    number: int
    work: Callable[[], Mapping[str, bytes]]


@dataclass(frozen=True, slots=True)
class End:
    """The member ends permanently, since this error was repeated."""

    error: Exception


Effect = Send | Call | LookUp | Rediscover | Fail | Assign | WorkOut | End


@dataclass(slots=True)
class Standing:
    """A member's state for an application and its commits.

    ``revoking``: partitions that are being revoked, its own until the application has returned.
    ``threads``: of a commanded member, the thread of each partition.
    """

    member_id: str = ""
    epoch: int = -1
    handed_out: dict[TopicPartition, HandOut] = field(default_factory=dict)
    revoking: dict[TopicPartition, HandOut] = field(default_factory=dict)
    threads: dict[TopicPartition, int] = field(default_factory=dict)

    def hand_out_of(self, partition: TopicPartition) -> HandOut | None:
        """The assignment by which it is this member's, also while it is being revoked."""
        return self.handed_out.get(partition) or self.revoking.get(partition)


class Machine(Protocol):
    """The interface of every protocol's machine; ``rollcall.client.protocols`` lists them.

    ``machine.MemberMachine`` is their common implementation.
    """

    @property
    def standing(self) -> Standing:
        """The member's current id, epoch and partitions."""
        ...

    @property
    def is_gone(self) -> bool:
        """Whether it is in no group and has no subscription."""
        ...

    def take(self, event: Event, now: Millis) -> list[Effect]:
        """Process an event; returns the outputs, in order."""
        ...

    def due(self) -> Millis | None:
        """When to return with a ``Tick``; None: only after another event."""
        ...

    def is_overdue(self, now: Millis) -> bool:
        """Whether its partitions may be another member's by now."""
        ...
