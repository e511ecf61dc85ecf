"""DescribeTopicPartitions (75): topics and their partitions, a page at a time (KIP-966)."""

from collections.abc import Mapping, Sequence

from groups.catalogue.cache import CatalogueEntry, Unavailable
from groups.core.acls.bindings import AclOperation, ResourceType
from groups.core.errors import ErrorCode
from groups.core.topics import name_problem
from protocol.handlers.support import authorized_operations
from protocol.handlers.support.wire_codes import WireCode
from protocol.requests.call import Call
from rollcall.wire.messages.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)

PAGE_PARTITIONS_MAX = 2_000
"""Kafka's max.request.partition.size.limit: partitions in one response, whatever the client
requests."""


async def handle(
    request: DescribeTopicPartitionsRequest, call: Call
) -> DescribeTopicPartitionsResponse:
    """Topics by name, from the cursor on; no names mean all topics."""
    cursor = request.cursor
    limit = min(max(request.response_partition_limit, 1), PAGE_PARTITIONS_MAX)
    requested = sorted({topic.name for topic in request.topics})
    if cursor is not None and not _is_good(cursor, requested):
        return _refused(request)
    missing: int = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    catalogue = call.node.catalogue
    found = catalogue.known(requested)
    try:
        found = await catalogue.find_many(requested)
    except Unavailable:
        missing = WireCode.LEADER_NOT_AVAILABLE
    if not requested:
        found = await _all(call)
    names = [n for n in requested or found if cursor is None or n >= cursor.topic_name]
    hidden = [n for n in names if requested and not _is_shown(n, call)]
    page = _page([n for n in names if n not in set(hidden)], found, missing, cursor, limit, call)
    page.topics = [*page.topics, *(_hidden(name) for name in hidden)]
    return page


def _is_good(cursor: Cursor, names: Sequence[str]) -> bool:
    """Whether the cursor is valid: if topics are named, it must be among them."""
    return cursor.partition_index >= 0 and (not names or cursor.topic_name in names)


def _refused(request: DescribeTopicPartitionsRequest) -> DescribeTopicPartitionsResponse:
    return DescribeTopicPartitionsResponse(
        topics=[
            DescribeTopicPartitionsResponseTopic(
                error_code=ErrorCode.INVALID_REQUEST, name=topic.name
            )
            for topic in request.topics
        ]
    )


async def _all(call: Call) -> Mapping[str, CatalogueEntry]:
    """Every topic that the client may describe."""
    everything = call.node.catalogue.all()
    if not call.access.is_on:
        return {entry.name: entry for entry in everything}
    return {e.name: e async for e in call.each(everything) if _is_shown(e.name, call)}


def _is_shown(name: str, call: Call) -> bool:
    return call.access.may(AclOperation.DESCRIBE, ResourceType.TOPIC, name)


def _hidden(name: str) -> DescribeTopicPartitionsResponseTopic:
    """The topics that the client may not describe get the same answer whether they exist or not."""
    return DescribeTopicPartitionsResponseTopic(
        error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED, name=name
    )


def _page(
    names: Sequence[str],
    found: Mapping[str, CatalogueEntry],
    missing: int,
    cursor: Cursor | None,
    room: int,
    call: Call,
) -> DescribeTopicPartitionsResponse:
    """As many partitions as fit, and the cursor of the next page."""
    answer: list[DescribeTopicPartitionsResponseTopic] = []
    after: Cursor | None = None
    for name in names:
        if room == 0:
            after = Cursor(topic_name=name, partition_index=0)
            break
        entry = found.get(name)
        if entry is None:
            answer.append(_failed(name, _code(name, missing), call))
            continue
        start = cursor.partition_index if cursor and cursor.topic_name == name else 0
        end = min(start + room, entry.partitions)
        answer.append(_described(entry, range(start, end), call))
        if end < entry.partitions:
            after = Cursor(topic_name=name, partition_index=end)
            break
        room -= max(end - start, 0)
    return DescribeTopicPartitionsResponse(topics=answer, next_cursor=after)


def _code(name: str, missing: int) -> int:
    return missing if name_problem(name) is None else ErrorCode.INVALID_TOPIC_EXCEPTION


def _failed(name: str, code: int, call: Call) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        error_code=code,
        name=name,
        topic_authorized_operations=authorized_operations.of_topic(True, name, call.access),
    )


def _described(
    entry: CatalogueEntry, partitions: range, call: Call
) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        name=entry.name,
        topic_id=entry.topic_id,
        partitions=[_partition(entry, index, call) for index in partitions],
        topic_authorized_operations=authorized_operations.of_topic(True, entry.name, call.access),
    )


def _partition(
    entry: CatalogueEntry, index: int, call: Call
) -> DescribeTopicPartitionsResponsePartition:
    leader = call.node.cluster.leader(entry.topic_id, index)
    return DescribeTopicPartitionsResponsePartition(
        error_code=ErrorCode.NONE if leader >= 0 else WireCode.LEADER_NOT_AVAILABLE,
        partition_index=index,
        leader_id=leader,
        replica_nodes=[leader] if leader >= 0 else [],
        isr_nodes=[leader] if leader >= 0 else [],
        eligible_leader_replicas=[],
        last_known_elr=[],
    )
