"""OffsetCommit (8): partitions that do not exist, or whose metadata is too long, fail alone.

The rest is submitted to the group as one event, whose reply applies to all of it. This is a hot
path: docs/hot-path.md has the cost per partition.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from functools import partial
from typing import Any

from groups.catalogue.cache import CatalogueEntry, Unavailable
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import Author, OffsetCommit, OffsetWrite, Outsider, Ticket
from groups.node import NodeSettings
from protocol.handlers.support import validation
from protocol.handlers.support.merged_topics import added_up, is_answered_by_both
from protocol.requests.call import Call
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from rollcall.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)

TOPIC_IDS_SINCE = 10  # KIP-848
NAMES_RETENTION = range(2, 5)

RETENTION_MS_MAX = 100 * 365 * 86_400_000
"""A century: a longer time does not fit into a timestamp."""

OUTSIDERS_NOTED_MAX = 10
"""Commits without a member that the journal has of one connection, in a group that has never had
members. Consumers without a group membership commit for ever."""

Good = ErrorCode.NONE
TOO_LARGE = ErrorCode.OFFSET_METADATA_TOO_LARGE
NO_ROOM = ErrorCode.INVALID_COMMIT_OFFSET_SIZE
UNKNOWN, UNKNOWN_ID = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID
OF_THEIR_OWN = (TOO_LARGE, NO_ROOM)
"""Errors of partitions that exist; an error of the group takes precedence over them."""

Codes = list[list[ErrorCode]]
Partition = OffsetCommitRequestPartition | TxnOffsetCommitRequestPartition
Topic = OffsetCommitRequestTopic | TxnOffsetCommitRequestTopic


async def handle(request: OffsetCommitRequest, call: Call) -> OffsetCommitResponse:
    """Sort out the offsets that cannot be stored, and submit the others to the group."""
    try:
        validation.group_id(request.group_id, call.node.settings, may_be_empty=True)
    except Refuse as refusal:
        code = refusal.code
        return await _respond(request, lambda _topic, _partition: code, (), call)
    bucket = call.node.coordinator.own.buckets.get(request.group_id)
    if bucket is not None:
        call.throttle_ms = bucket.take(call.node.coordinator.clock())
    entries = await entries_of(request.topics, call, is_named=call.version < TOPIC_IDS_SINCE)
    codes, writes = await _sort(request, entries, call)
    if writes and request.group_id in call.node.coordinator.full:
        try:
            codes, writes = await _with_room(request, entries, codes, writes, call)
        except Refuse as refusal:
            away = refusal.code
            return await _respond(request, lambda _topic, _partition: away, (), call)
    verdict = Good
    if writes or is_known(codes):
        # If no partition exists, the request must not change the group, or create it.
        outsider = Outsider(call.author, _goes_on(request, call)) if is_outsider(request) else None
        event = event_of(request, call.version, call.ticket, writes, outsider)
        reply = await call.decide(request.group_id, event)
        verdict = reply.error
        call.node.coordinator.tallies.commits[verdict] += 1
    codes = under(verdict, codes)
    unknown = [at for at, entry in enumerate(entries) if isinstance(entry, ErrorCode)]
    adds_up = bool(unknown) or (len(codes) > 1 and is_answered_by_both(codes))
    return await _respond(
        request, lambda t, p: codes[t][p] or verdict, unknown, call, adds_up=adds_up
    )


async def _with_room(
    request: OffsetCommitRequest,
    entries: Sequence[CatalogueEntry | ErrorCode],
    codes: Codes,
    writes: list[OffsetWrite],
    call: Call,
) -> tuple[Codes, list[OffsetWrite]]:
    """The codes and writes, without the partitions for which a full group has no room."""
    names = [entry.name if isinstance(entry, CatalogueEntry) else "" for entry in entries]
    without = await no_room(request.group_id, writes, call)
    codes = [
        [
            NO_ROOM if (name, p.partition_index) in without and code is Good else code
            for p, code in zip(topic.partitions, judged, strict=True)
        ]
        for name, topic, judged in zip(names, request.topics, codes, strict=True)
    ]
    return codes, [w for w in writes if (w.topic, w.partition) not in without]


async def no_room(group_id: str, writes: Iterable[OffsetWrite], call: Call) -> Set[tuple[str, int]]:
    """The partitions that a full group may not commit."""
    partitions = {(write.topic, write.partition) for write in writes}
    return await call.node.totals.offsets.refused(group_id, partitions)


async def _respond(
    request: OffsetCommitRequest,
    code: Callable[[int, int], ErrorCode],
    unknown: Container[int],
    call: Call,
    *,
    adds_up: bool = False,
) -> OffsetCommitResponse:
    telling = partial(response, request, code, unknown, call.throttle_ms, adds_up=adds_up)
    return await call.beside(telling) if call.is_large else telling()


async def _sort(
    request: OffsetCommitRequest, entries: Sequence[CatalogueEntry | ErrorCode], call: Call
) -> tuple[Codes, list[OffsetWrite]]:
    who = call.committer(member_named(request))
    sorting = partial(sort, request, call.version, entries, call.node.settings, who)
    return await call.beside(sorting) if call.is_large else sorting()


def under(verdict: ErrorCode, codes: Codes) -> Codes:
    """The codes of the partitions: an error of the group takes precedence over invalid metadata."""
    if not verdict:
        return codes
    return [[Good if code in OF_THEIR_OWN else code for code in judged] for judged in codes]


def is_known(codes: Codes) -> bool:
    """Whether a partition that cannot be stored exists."""
    return any(code in OF_THEIR_OWN for judged in codes for code in judged)


def is_outsider(request: OffsetCommitRequest) -> bool:
    """Whether the commit is not from a member."""
    return request.generation_id_or_member_epoch < 0 and not request.member_id


def event_of(
    request: OffsetCommitRequest,
    version: int,
    ticket: Ticket,
    writes: Iterable[OffsetWrite],
    outsider: Outsider | None = None,
) -> OffsetCommit:
    """The event for the group."""
    return OffsetCommit(
        ticket=ticket,
        generation_id=request.generation_id_or_member_epoch,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
        offsets=tuple(writes),
        version=version,
        outsider=outsider,
    )


def _goes_on(request: OffsetCommitRequest, call: Call) -> bool:
    """Whether this connection has committed this way many times already; tools do it once or
    twice."""
    earlier = call.memory.get(request.api_key, 0)
    call.memory[request.api_key] = min(earlier + 1, OUTSIDERS_NOTED_MAX)
    return earlier == OUTSIDERS_NOTED_MAX


def sort(
    request: OffsetCommitRequest,
    version: int,
    entries: Sequence[CatalogueEntry | ErrorCode],
    settings: NodeSettings,
    who: Author | None,
) -> tuple[Codes, list[OffsetWrite]]:
    """A code for each partition, and the writes of those whose code is NONE. ``entries``: the entry
    of each topic in the request, or the code for all its partitions."""
    retention = request.retention_time_ms
    named = version in NAMES_RETENTION and retention >= 0
    retention_ms = min(retention, RETENTION_MS_MAX) if named else None
    limit = settings.offset_metadata_max_bytes
    return sort_topics(request.topics, entries, limit, who, retention_ms)


def sort_topics(
    topics: Sequence[Topic],
    entries: Sequence[CatalogueEntry | ErrorCode],
    limit: int,
    who: Author | None,
    retention_ms: int | None = None,
) -> tuple[Codes, list[OffsetWrite]]:
    """The same for the topics of either API. ``limit``: of an offset's metadata."""
    codes: Codes = []
    writes: list[OffsetWrite] = []
    for topic, entry in zip(topics, entries, strict=True):
        if isinstance(entry, ErrorCode):
            codes.append([entry] * len(topic.partitions))
            continue
        partitions: Sequence[Partition] = topic.partitions
        codes.append(
            [check(p.partition_index, p.committed_metadata, entry, limit) for p in partitions]
        )
        writes += [
            write(entry, partition, retention_ms, who)
            for partition, code in zip(partitions, codes[-1], strict=True)
            if code is Good
        ]
    return codes, writes


async def entries_of(
    topics: Sequence[Topic], call: Call, *, is_named: bool
) -> list[CatalogueEntry | ErrorCode]:
    """The entry of each topic, or the code for all its partitions. Unknown topics are looked up
    together."""
    catalogue = call.node.catalogue
    keys: list[Any] = [topic.name if is_named else topic.topic_id for topic in topics]
    missing = UNKNOWN if is_named else UNKNOWN_ID
    found: Mapping[Any, CatalogueEntry]
    try:
        if is_named:
            found = await catalogue.find_many(keys)
        else:
            found = await catalogue.find_many_by_id(keys)
    except Unavailable:
        found = catalogue.known(keys) if is_named else catalogue.known_by_id(keys)
        missing = ErrorCode.COORDINATOR_NOT_AVAILABLE
    return [found.get(key, missing) for key in keys]


def check(partition: int, metadata: str | None, entry: CatalogueEntry, limit: int) -> ErrorCode:
    """NONE if an offset of this partition can be stored with this metadata."""
    if not entry.has(partition):
        return UNKNOWN
    if metadata is not None and len(metadata) * 2 > limit and _java_length(metadata) > limit:
        return TOO_LARGE
    return Good


def _java_length(text: str) -> int:
    """Its length as Java's String.length counts it for the limit: UTF-16 units, not bytes."""
    return len(text.encode("utf-16-le")) // 2


def write(
    topic: CatalogueEntry,
    partition: Partition,
    retention_ms: int | None,
    author: Author | None = None,
) -> OffsetWrite:
    """The offset as it will be stored."""
    return OffsetWrite(
        topic.name,
        partition.partition_index,
        partition.committed_offset,
        partition.committed_leader_epoch,
        validation.stored(partition.committed_metadata) if partition.committed_metadata else "",
        None,
        retention_ms,
        author,
        topic.topic_id,
    )


def member_named(request: OffsetCommitRequest) -> str:
    """The member for the history of offsets."""
    # Without a generation any client may commit to an empty group, under any member id.
    is_member = request.generation_id_or_member_epoch >= 0
    return request.member_id if is_member else validation.shown(request.member_id)


def response(
    request: OffsetCommitRequest,
    code: Callable[[int, int], ErrorCode],
    unknown: Container[int],
    throttle_ms: int = 0,
    *,
    adds_up: bool = False,
) -> OffsetCommitResponse:
    """The topics without partitions are those that do not exist, as in Kafka. ``adds_up``: a topic
    that the request names twice appears once."""
    topics = [
        OffsetCommitResponseTopic(
            name=topic.name,
            topic_id=topic.topic_id,
            partitions=[
                OffsetCommitResponsePartition(
                    partition_index=partition.partition_index, error_code=code(t, p)
                )
                for p, partition in enumerate(topic.partitions)
            ],
        )
        for t, topic in enumerate(request.topics)
        if topic.partitions or t in unknown
    ]
    if adds_up and len(topics) > 1:
        topics = [
            OffsetCommitResponseTopic(name=name, topic_id=topic_id, partitions=partitions)
            for (name, topic_id), partitions in added_up(
                ((topic.name, topic.topic_id), topic.partitions) for topic in topics
            )
        ]
    return OffsetCommitResponse(throttle_time_ms=throttle_ms, topics=topics)
