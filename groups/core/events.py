"""Events of a group, as values.

An event that needs a reply has a ``Ticket``; the group's step answers each ticket exactly once, now
or in a later step (docs/architecture.md, *Answers after the commit*). Events contain facts of the
request, already decoded and validated; never a clock or a connection.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from groups.core.assignors.client_side import ClientAssignors
from groups.core.assignors.task import AssignmentTask
from groups.core.assignors.types import NOWHERE, Parts, Racks
from groups.core.authors import UNKNOWN_CLIENT, AuthorDetails, Client
from groups.core.authors import Author as Author
from groups.core.expiry import Age
from groups.core.values import quick


class Ticket(NamedTuple):
    """A request that waits for its reply: its connection, and its number on the connection.

    Correlation ids are the client's own and may repeat; ``request`` counts the connection's
    requests.
    """

    connection: int
    request: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened. ``ticket`` is None if no request waits for a reply."""

    ticket: Ticket | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick(Event):
    """The time that ``Group.due`` returned has come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MembersRefused(Event):
    """The rows of these members cannot be written because of their content: those that wait to join
    with such a row are refused, so that the group can continue."""

    member_ids: tuple[str, ...]


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class JoinGroup(Event):
    """A member joins the next generation (KIP-62, 345, 394, 814).

    ``protocols`` are (name, metadata) in the member's order of preference. ``needs_member_id``: v4
    and up, where a dynamic member's empty id is answered MEMBER_ID_REQUIRED.
    ``can_skip_assignment``: v9 and up. ``topics`` and ``looked_up`` are as in
    ``ConsumerHeartbeat``, for the topics in the metadata; only a consumer group uses them.
    """

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocol_type: str
    protocols: tuple[tuple[str, bytes], ...]
    reason: str | None = None
    needs_member_id: bool = False
    can_skip_assignment: bool = False
    topics: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    looked_up: frozenset[str] = frozenset()
    client: Client = UNKNOWN_CLIENT


@dataclass(frozen=True, slots=True, kw_only=True)
class IdsAbandoned(Event):
    """The connection has ended over which these member ids were returned (KIP-394), or over which
    this join's was to be: its member will never know it."""

    member_ids: tuple[str, ...] = ()
    join: Ticket | None = None


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class SyncGroup(Event):
    """A member requests its assignment; the leader sends those of all members.

    ``names_protocol``: v5 and up, where type and name must match (KIP-559).
    """

    generation_id: int
    member_id: str
    instance_id: str | None
    assignments: Mapping[str, bytes]
    names_protocol: bool = False
    protocol_type: str | None = None
    protocol_name: str | None = None


class Leaver(NamedTuple):
    """One member that leaves, as the request names it (member id may be "")."""

    member_id: str
    instance_id: str | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveGroup(Event):
    """Members leave, or an administrator removes them (KIP-345, KIP-800); ``author`` says who."""

    members: tuple[Leaver, ...]
    author: Author | None = None


class OffsetWrite(NamedTuple):
    """One partition's committed offset, as it will be stored.

    ``commit_timestamp_ms`` and ``retention_ms`` are values of old clients (v1; v2 to v4), in
    milliseconds, else None. ``author`` None: no history is kept. ``topic_id``: the topic's, if the
    request's handler has looked it up.
    """

    topic: str
    partition: int
    offset: int
    leader_epoch: int
    metadata: str
    commit_timestamp_ms: int | None = None
    retention_ms: int | None = None
    author: Author | None = None
    topic_id: UUID | None = None


class Outsider(NamedTuple):
    """The author of a commit without a member. ``goes_on``: it does so repeatedly, as a consumer
    without a group membership does."""

    author: Author
    goes_on: bool


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetCommit(Event):
    """Commit offsets of partitions that exist (the handler has sorted out the others).

    ``outsider``: the author, if it is not a member. ``version`` is the request's, since the reply
    for a missing group depends on it (below v9 ILLEGAL_GENERATION, from v9 GROUP_ID_NOT_FOUND) and
    consumer groups refuse members below v9.
    """

    generation_id: int
    member_id: str
    instance_id: str | None
    offsets: tuple[OffsetWrite, ...]
    version: int
    outsider: Outsider | None = None


class PendingWrite(NamedTuple):
    """A pending offset, until its producer's transaction ends.

    ``is_superseded``: the same step has committed the partition after it, outside the transaction.
    The last write counts, whenever the transaction ends.
    """

    producer_id: int
    producer_epoch: int
    write: OffsetWrite
    is_superseded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TxnOffsetCommit(Event):
    """Add offsets of existing partitions to a producer's transaction (KIP-98, KIP-447).

    The transaction was checked before (it is the producer's and has the group), and is checked
    again when the rows are written. Older producers send no member and generation. ``version``: of
    the request.
    """

    producer_id: int
    producer_epoch: int
    generation_id: int
    member_id: str
    instance_id: str | None
    offsets: tuple[OffsetWrite, ...]
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetDelete(Event):
    """Delete committed offsets of existing partitions (KIP-496)."""

    partitions: tuple[tuple[str, int], ...]
    author: Author | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteGroup(Event):
    """Delete an empty group with its offsets (KIP-229). ``trigger`` and ``reason`` are for the
    journal, if an operator requested it."""

    author: AuthorDetails | None = None
    trigger: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb(Event):
    """A request of an operator, as an ``operation`` row (docs/architecture.md, *Operations*)."""

    operation_id: int
    actor: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsVerb(Verb):
    """A request about what only rows contain. Its owner reads them when its turn in the inbox has
    come; nothing of the group is written until it is decided, and it is the last of its step.

    ``is_read``: they are in the event.
    """

    is_read: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ForceRebalance(Verb):
    """Let all members rejoin. ``expected_generation`` None: any."""

    expected_generation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvictMember(Verb):
    """Remove a member."""

    member_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveGroup(Verb):
    """Delete an empty group with its offsets, as DeleteGroups does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpireOffsets(RowsVerb):
    """The retention sweep asks the owner to expire a group's offsets.

    ``ages`` are those of all its offsets, read while no write of the group was possible;
    ``state_age_ms``: for how long it has been in its current state.
    """

    state_age_ms: int
    ages: tuple[Age, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreOffsets(RowsVerb):
    """Restore a group's offsets to an earlier time.

    ``to`` is the time, for display; ``offsets`` are those that were committed then. ``obstacle``:
    why they cannot be written, as the owner found while no write of the group was possible; "" if
    they can.
    """

    to: str
    offsets: tuple[OffsetWrite, ...]
    obstacle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetOffsets(RowsVerb):
    """Set a group's offsets, as kafka-consumer-groups does.

    ``how`` describes the new offsets, for display; ``gone`` are partitions whose offsets are
    deleted. ``before``: topic, partition and offset (None: none) when they were computed;
    ``obstacle`` as in ``RestoreOffsets``, for instance that they have changed since.
    """

    how: str
    offsets: tuple[OffsetWrite, ...]
    gone: tuple[tuple[str, int], ...] = ()
    before: tuple[tuple[str, int, int | None], ...] = ()
    obstacle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetComputed(Event):
    """A target requested by a step (``Decision.question``) was computed (KIP-1263).

    ``targets`` by member id; None: the assignor failed, with ``error``. ``ready``: the part of the
    step that was done outside of it (``groups.core.consumer.targets.ready``), since it takes long.
    """

    question: AssignmentTask
    targets: Mapping[str, Parts] | None
    ready: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerHeartbeat(Event):
    """ConsumerGroupHeartbeat (KIP-848): join, stay, acknowledge or leave, by epoch.

    None means "unchanged" for the optional fields, and an empty ``subscribed_topic_regex`` that
    there is no pattern any more; ``owned`` maps a topic id (32 hex digits) to its partitions.
    ``topics`` is the catalogue as the handler saw it: name to (topic id, partition count), for the
    names that this group subscribes to. ``looked_up`` are the names that the handler looked up: one
    of them that is not in ``topics`` does not exist, while a name that another member has added
    since then is in neither. None: every name was. ``racks``: the racks of these topics'
    partitions, by topic id. ``client_assignors``: those that the member can run; empty: none any
    more. ``regex_problem``: why ``subscribed_topic_regex`` is invalid; None if it is valid.
    ``client``: of a request that joins, for the facts.
    """

    member_id: str
    member_epoch: int
    instance_id: str | None
    rack_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    subscribed_topic_names: tuple[str, ...] | None
    server_assignor: str | None
    owned: Mapping[str, tuple[int, ...]] | None
    topics: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    version: int = 1
    looked_up: frozenset[str] | None = None
    racks: Racks = field(default_factory=lambda: NOWHERE)
    subscribed_topic_regex: str | None = None
    client_assignors: ClientAssignors | None = None
    regex_problem: str | None = None
    client: Client = UNKNOWN_CLIENT


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareAssignment(Event):
    """A member that was told to assign requests the group's state (KIP-848)."""

    member_id: str
    member_epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallAssignment(Event):
    """A target that a member computed for a group epoch, by member id (KIP-848).

    ``failure``: why it computed none.
    """

    member_id: str
    member_epoch: int
    group_epoch: int
    targets: Mapping[str, Parts]
    failure: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicsMatched(Event):
    """The topics whose whole names match patterns, found outside of the step (KIP-848).

    ``matches``: pattern to names, sorted. ``topics``: the catalogue's entries of these, name to
    (topic id, partition count).
    """

    matches: Mapping[str, tuple[str, ...]]
    topics: Mapping[str, tuple[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftJoin(Event):
    """JoinGroup of the 0.9 draft: a consumer requests partitions of its topics.

    ``consumer_id`` "": it has none yet, or does not send it. ``counts`` is the catalogue as the
    handler saw it: partitions by topic name; a topic that is missing does not exist.
    """

    consumer_id: str
    client_id: str
    client_host: str
    session_timeout_ms: int
    topics: tuple[str, ...]
    strategy: str
    counts: Mapping[str, int] = field(default_factory=dict)
    client: Client = UNKNOWN_CLIENT


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftHeartbeat(Event):
    """Heartbeat of the 0.9 draft that memory alone cannot answer: during a rebalance its reply
    tells the consumer, and it may cancel the rebalance."""

    consumer_id: str
    generation_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCommit(OffsetCommit):
    """OffsetCommit over the draft's listener: if it creates a group, it is a draft group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicsChanged(Event):
    """Current partition counts of topics that a draft or a commanded group subscribes to; 0 for a
    missing topic. ``matches``: the topics that match filters of a commanded group, by the filter's
    key."""

    counts: Mapping[str, int]
    matches: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterConsumer(Event):
    """A consumer offers its threads to a commanded group.

    ``consumer_id`` "": it needs one. ``generation_id`` -1: it works on no partition. ``threads``:
    by topic name; or ``filter`` (its key) and ``filter_threads``, never both. ``counts`` and
    ``matches`` are the catalogue as the handler saw it, as in ``TopicsChanged``.
    """

    consumer_id: str
    generation_id: int
    client_id: str
    client_host: str
    session_timeout_ms: int
    threads: Mapping[str, int] = field(default_factory=dict)
    filter: str | None = None
    filter_threads: int = 1
    counts: Mapping[str, int] = field(default_factory=dict)
    matches: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    client: Client = UNKNOWN_CLIENT


@dataclass(frozen=True, slots=True, kw_only=True)
class AcknowledgeCommand(Event):
    """A member has carried out a command, and every one before it."""

    member_id: str
    command_id: int
