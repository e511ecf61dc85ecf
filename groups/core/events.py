"""What can happen to a group, as values.

An event that wants an answer carries a ``Ticket``; the group's step answers each ticket exactly
once, now or in a later step (docs/architecture.md, *Answers after the commit*). Events hold facts
of the request, already decoded and checked for form; they never hold a clock or a connection.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from groups.core.assignors.client_side import Said
from groups.core.assignors.task import AssignmentTask
from groups.core.assignors.types import NOWHERE, Parts, Racks
from groups.core.authors import Author as Author
from groups.core.authors import Told
from groups.core.expiry import Age
from groups.core.quick import quick


class Ticket(NamedTuple):
    """A request that waits for its reply: which connection, and its how-many-eth request.

    Correlation ids are the client's own and may repeat; ``request`` counts the
    connection's requests and does not.
    """

    connection: int
    request: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened. ``ticket`` is None where nobody waits for an answer."""

    ticket: Ticket | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick(Event):
    """The instant that ``Group.due`` asked for has come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MembersRefused(Event):
    """The rows of these members cannot be written for what is in them: who waits to become a
    member with such a row is turned away, so that the group goes on without."""

    member_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinGroup(Event):
    """A member wants to be part of the next generation (KIP-62, 345, 394, 814).

    ``protocols`` are (name, metadata) in the member's order of preference.
    ``needs_member_id``: v4 and up, where a dynamic member's empty id is
    answered MEMBER_ID_REQUIRED. ``can_skip_assignment``: v9 and up. ``topics`` and
    ``looked_up`` are as in ``ConsumerHeartbeat``, for the topics that the metadata name;
    only where the group assigns (a consumer group) does anybody look at them.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class IdsAbandoned(Event):
    """The connection is over to which these member ids were handed out (KIP-394)."""

    member_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncGroup(Event):
    """A member asks for its assignment; the leader brings everyone's.

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
    """Members leave, by their own word or an administrator's (KIP-345, KIP-800); ``author`` says
    which."""

    members: tuple[Leaver, ...]
    author: Author | None = None


class OffsetWrite(NamedTuple):
    """One partition's committed offset, as it will be stored.

    ``commit_timestamp_ms`` and ``retention_ms`` are what old clients name
    themselves (v1; v2 to v4), in milliseconds, else None. ``author`` None: no history is kept.
    ``topic_id``: the topic's, where the request's handler has looked it up.
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
    """Who commits without being a member. ``goes_on``: again and again, as a consumer that belongs
    to no group does."""

    author: Author
    goes_on: bool


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetCommit(Event):
    """Commit offsets of partitions that exist (the handler has sorted out the others).

    ``outsider``: who commits without being a member.
    ``version`` is the request's, since the answer to a missing group depends on
    it (below v9 ILLEGAL_GENERATION, from v9 GROUP_ID_NOT_FOUND) and consumer
    groups refuse members below v9.
    """

    generation_id: int
    member_id: str
    instance_id: str | None
    offsets: tuple[OffsetWrite, ...]
    version: int
    outsider: Outsider | None = None


class PendingWrite(NamedTuple):
    """An offset that waits for the end of its producer's transaction.

    ``is_superseded``: the same step has committed the partition since then, outside the
    transaction. Whoever wrote last stands, whenever the transaction ends.
    """

    producer_id: int
    producer_epoch: int
    write: OffsetWrite
    is_superseded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TxnOffsetCommit(Event):
    """Put offsets of partitions that exist into a producer's transaction (KIP-98, KIP-447).

    That the transaction is the producer's and has the group was looked up before, and is
    judged again by the rows. No member and generation are told by older producers.
    """

    producer_id: int
    producer_epoch: int
    generation_id: int
    member_id: str
    instance_id: str | None
    offsets: tuple[OffsetWrite, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetDelete(Event):
    """Forget committed offsets of partitions that exist (KIP-496)."""

    partitions: tuple[tuple[str, int], ...]
    author: Author | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteGroup(Event):
    """Delete an empty group with its offsets (KIP-229). ``trigger`` and ``reason`` are for the
    journal, where an operator asks for it."""

    author: Told | None = None
    trigger: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb(Event):
    """What an ``operation`` row asks for (docs/architecture.md, *Operations*)."""

    operation_id: int
    actor: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForceRebalance(Verb):
    """An operator lets everybody rejoin. ``expected_generation`` None: whatever it is."""

    expected_generation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvictMember(Verb):
    """An operator removes a member."""

    member_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveGroup(Verb):
    """An operator deletes an empty group with its offsets, as DeleteGroups does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpireOffsets(Verb):
    """The retention sweep asks the owner to look at a group's offsets.

    ``ages`` are all that the group has committed, read while nothing of it could be written;
    ``state_age_ms``: for how long the group has been in its present state.
    """

    state_age_ms: int
    ages: tuple[Age, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreOffsets(Verb):
    """An operator takes a group's offsets back to what they were.

    ``to`` is the instant, for people to read; ``offsets`` are what was committed then.
    ``obstacle``: why they cannot be written, as its owner found while nothing of the group could
    be; "" where they can.
    """

    to: str
    offsets: tuple[OffsetWrite, ...]
    obstacle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetOffsets(Verb):
    """An operator sets a group's offsets, as kafka-consumer-groups does it.

    ``how`` says to what, for people to read; ``gone`` are partitions whose offset is forgotten.
    ``before``: topic, partition and offset (None: none) as they were when this was worked out;
    ``obstacle`` is that of ``RestoreOffsets``, for instance that they are others by now.
    """

    how: str
    offsets: tuple[OffsetWrite, ...]
    gone: tuple[tuple[str, int], ...] = ()
    before: tuple[tuple[str, int, int | None], ...] = ()
    obstacle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetComputed(Event):
    """What a step had asked for (``Decision.question``) was worked out (KIP-1263).

    ``targets`` by member id; None: the assignor failed, and ``error`` says how. ``ready``: what of
    the step could be done beside it (``groups.core.consumer.targets.ready``), since it takes long.
    """

    question: AssignmentTask
    targets: Mapping[str, Parts] | None
    ready: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerHeartbeat(Event):
    """ConsumerGroupHeartbeat (KIP-848): join, stay, acknowledge or leave, by epoch.

    None means "unchanged since last said" for the optional fields, and an empty
    ``subscribed_topic_regex`` that there is no pattern any more;
    ``owned`` maps a topic id (32 hex digits) to its partitions.
    ``topics`` is the catalogue as the handler saw it: name to (topic id,
    partition count), for the names that this group subscribes to.
    ``looked_up`` are the names the handler asked the catalogue for: one of them
    that is not in ``topics`` does not exist, while a name that another member
    has brought since then is simply not spoken of. None: every name was.
    ``racks``: which racks the partitions of these topics are near to, by topic id.
    ``client_assignors``: those that the member can run itself; empty: none any more.
    ``regex_problem``: why ``subscribed_topic_regex`` is no pattern; None where it is one.
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
    client_assignors: Said | None = None
    regex_problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareAssignment(Event):
    """A member that was told to assign wants to know what there is to assign (KIP-848)."""

    member_id: str
    member_epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallAssignment(Event):
    """What a member worked out for a group epoch, by member id (KIP-848).

    ``failure``: it worked nothing out, and this is why.
    """

    member_id: str
    member_epoch: int
    group_epoch: int
    targets: Mapping[str, Parts]
    failure: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicsMatched(Event):
    """Which topics' names patterns match as a whole, found outside of the step (KIP-848).

    ``matches``: pattern to names, sorted. ``topics``: the catalogue's facts about these, name to
    (topic id, partition count).
    """

    matches: Mapping[str, tuple[str, ...]]
    topics: Mapping[str, tuple[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftJoin(Event):
    """JoinGroup of the 0.9 draft: a consumer wants to own partitions of its topics.

    ``consumer_id`` "": it has none yet, or does not say. ``counts`` is the catalogue as the
    handler saw it: partitions by topic name; a topic that is missing does not exist.
    """

    consumer_id: str
    client_id: str
    client_host: str
    session_timeout_ms: int
    topics: tuple[str, ...]
    strategy: str
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftHeartbeat(Event):
    """Heartbeat of the 0.9 draft, where memory alone cannot answer it: during a rebalance it
    tells its consumer, and may call the rebalance off."""

    consumer_id: str
    generation_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCommit(OffsetCommit):
    """OffsetCommit over the draft's listener: a group that it creates is one of the draft's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicsChanged(Event):
    """Partitions of topics that a draft or a commanded group subscribes to, as the catalogue has
    them now; 0 for a topic that does not exist. ``matches``: the topics that filters of a
    commanded group let through, by the filter's key."""

    counts: Mapping[str, int]
    matches: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterConsumer(Event):
    """A consumer offers its threads to a group that the coordinator commands.

    ``consumer_id`` "": it shall be given one. ``generation_id`` -1: it works on no partition.
    ``threads``: by topic name; or ``filter`` (its key) and ``filter_threads``, never both.
    ``counts`` and ``matches`` are the catalogue as the handler saw it, as in ``TopicsChanged``.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AcknowledgeCommand(Event):
    """A member has done a command, and every one before it."""

    member_id: str
    command_id: int
