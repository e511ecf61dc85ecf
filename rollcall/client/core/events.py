"""What a member's machine takes and what it gives, as values; the same for every protocol.

No rule stands here, and no I/O. Times are milliseconds of one monotonic clock, the caller's.
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
    """That a partition was given to this member: in which epoch, and as a partition of which topic
    where ids are known. ``number`` is another one each time, so no two are equal."""

    epoch: int
    number: int
    topic_id: UUID | None = None


Partitions = frozenset[TopicPartition]
NOTHING: Partitions = frozenset()


class Token(NamedTuple):
    """What fences a partition's work off in one's own storage.

    ``epoch`` is the generation (classic) or member epoch (consumer protocol) in which this member
    was given the partition. Whoever is given it afterwards, in the same group, has a greater one:
    storage that keeps the greatest epoch it has seen, and refuses a lower one, shuts out whoever
    was removed and does not know it yet.
    """

    group: str
    topic: str
    partition: int
    epoch: int


class Kind(Enum):
    """What happened to partitions; the application is told in this order of urgency."""

    ASSIGNED = "assigned"
    """They are this member's now."""
    REVOKED = "revoked"
    """They are still its own until the application has returned; nobody else works on them."""
    LOST = "lost"
    """They may be another's already: nothing can be committed for them."""
    PAUSED = "paused"
    """An operator stopped the work on them; they stay this member's, and can be committed."""
    RESUMED = "resumed"
    """The work on them goes on."""


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to which partitions. ``epoch``: in which generation or member epoch."""

    kind: Kind
    partitions: Partitions
    epoch: int


@dataclass(frozen=True, slots=True)
class Subscription:
    """What the member wants to work on: topics by name, by a pattern, or both.

    The consumer protocol's coordinator reads the pattern itself (RE2); for the classic protocol
    and the draft the member matches it (Python's ``re``). The whole name must match.

    Only commanded groups know ``blacklist`` (all topics but those that match it) and threads: how
    many work on one topic, ``threads`` unless ``threads_by_topic`` says otherwise.
    """

    topics: tuple[str, ...] = ()
    pattern: str | None = None
    blacklist: str | None = None
    threads: int = 1
    threads_by_topic: Mapping[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.topics) or self.pattern is not None or self.blacklist is not None

    def threads_of(self, topic: str) -> int:
        """How many threads work on the topic."""
        return self.threads_by_topic.get(topic, self.threads)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the member is, and how long it may be silent; fixed for its life (milliseconds).

    ``session_timeout_ms`` is a promise to the coordinator in the classic protocol. In the consumer
    protocol the coordinator sets it; what stands here must not be longer than that. Members of the
    draft send ``heartbeat_frequency`` heartbeats in a session.
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


# What a machine takes


@dataclass(frozen=True, slots=True)
class Subscribe:
    """The application wants to work on these, instead of what it wanted before."""

    subscription: Subscription


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """The application wants to work on nothing, or closes.

    A static member keeps its place in the group for a session timeout, with either protocol.
    """


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a ``Send``."""

    ticket: int
    message: Message


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A ``Send`` has no answer and will have none: whether it was heard is not known."""

    ticket: int


@dataclass(frozen=True, slots=True)
class Handled:
    """The application has returned from a ``Call``."""

    ticket: int


@dataclass(frozen=True, slots=True)
class Topics:
    """What the cluster knows of topics: id and number of partitions, by name. ``asked``: what this
    answers."""

    known: Mapping[str, tuple[UUID, int]]
    asked: "LookUp | None" = None


@dataclass(frozen=True, slots=True)
class Gone:
    """The coordinator does not know the topics any more of which these were handed out."""

    hand_outs: Mapping[TopicPartition, HandOut]


@dataclass(frozen=True, slots=True)
class WorkedOut:
    """What the leader's assignor gives to each member, as it is written to them; or its mistake."""

    number: int
    given: Mapping[str, bytes]
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Tick:
    """The instant that ``due`` named has come."""


Event = Subscribe | Unsubscribe | Reply | Unanswered | Handled | Topics | Gone | WorkedOut | Tick


# What a machine gives


@dataclass(frozen=True, slots=True)
class Send:
    """A request to the group's coordinator; its answer is awaited for ``timeout_ms``."""

    ticket: int
    message: Message
    timeout_ms: Millis


@dataclass(frozen=True, slots=True)
class Call:
    """Tell the application, after committing what it noted of revoked partitions; one at a time."""

    ticket: int
    change: Change


@dataclass(frozen=True, slots=True)
class LookUp:
    """Ask the cluster about topics and tell the machine (``Topics``).

    By ``names``, by ``ids``, or all of them where both are empty.
    """

    names: tuple[str, ...] = ()
    ids: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Rediscover:
    """The coordinator is another one, or nobody knows: look for it before the next request."""


@dataclass(frozen=True, slots=True)
class Fail:
    """Nothing more happens until there is a new subscription. ``code`` is Kafka's number."""

    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class Assign:
    """The coordinator asks this member to work out what the whole group shall do. It says so with
    each heartbeat until it is done or somebody else is asked."""


@dataclass(frozen=True, slots=True)
class WorkOut:
    """Let the leader's assignor run beside all else, and tell the machine (``WorkedOut``)."""

    number: int
    work: Callable[[], Mapping[str, bytes]]


@dataclass(frozen=True, slots=True)
class End:
    """The member leaves for good, since this went wrong again and again."""

    error: Exception


Effect = Send | Call | LookUp | Rediscover | Fail | Assign | WorkOut | End


@dataclass(slots=True)
class Standing:
    """How a member stands: what an application and its commits may see of a machine.

    ``revoking``: handed out no longer, and its own until the application has returned.
    ``threads``: of a commanded member, the number of each partition's thread.
    """

    member_id: str = ""
    epoch: int = -1
    handed_out: dict[TopicPartition, HandOut] = field(default_factory=dict)
    revoking: dict[TopicPartition, HandOut] = field(default_factory=dict)
    threads: dict[TopicPartition, int] = field(default_factory=dict)

    def hand_out_of(self, partition: TopicPartition) -> HandOut | None:
        """By which it is this member's, handed out or being revoked."""
        return self.handed_out.get(partition) or self.revoking.get(partition)


class Machine(Protocol):
    """What others see of every protocol's machine; ``rollcall.client.protocols`` lists them.

    What they have in common behind it is ``machine.MemberMachine``.
    """

    @property
    def standing(self) -> Standing:
        """The member's id, epoch and partitions as they are now."""
        ...

    @property
    def is_gone(self) -> bool:
        """Whether it is in no group and wants to be in none."""
        ...

    def take(self, event: Event, now: Millis) -> list[Effect]:
        """Something happened; what is to be done, in order."""
        ...

    def due(self) -> Millis | None:
        """When to come back with a ``Tick``; None: only when something happens."""
        ...
