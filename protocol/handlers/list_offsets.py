"""ListOffsets (2): the first and the last offset of a partition (docs/decisions/0001-no-log.md).

The first is 0. The last is the greater of the catalogue's end offset and the greatest committed
one: clients reset an offset that is out of range, so "0" would discard their commits.
"""

from collections.abc import Mapping
from functools import partial

from groups.catalogue.cache import CatalogueEntry, Unavailable
from groups.core.errors import ErrorCode
from protocol.handlers.support.wire_codes import WireCode
from protocol.requests.call import Call
from rollcall.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

LATEST = -1
EARLIEST = -2
GREATEST_TIME = -3  # KIP-734
EARLIEST_LOCAL = -4  # KIP-405
LATEST_TIERED = -5  # KIP-1005
EARLIEST_PENDING_UPLOAD = -6  # KIP-1023

STARTS = frozenset((EARLIEST, EARLIEST_LOCAL))
"""Timestamps that mean the beginning. All others but LATEST - a time, the greatest time,
tiered storage - ask for records, and find none: offset -1."""

SINCE: Mapping[int, int] = {
    LATEST: 1,
    EARLIEST: 1,
    GREATEST_TIME: 7,
    EARLIEST_LOCAL: 8,
    LATEST_TIERED: 9,
    EARLIEST_PENDING_UPLOAD: 11,
}
"""The version from which on a negative number is not a timestamp but has its own meaning."""

Committed = Mapping[tuple[str, int], int]


async def handle(request: ListOffsetsRequest, call: Call) -> ListOffsetsResponse:
    """Read rows at most once, and only if the client asks for the latest offset."""
    catalogue = call.node.catalogue
    missing: int = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    names = list(dict.fromkeys(topic.name for topic in request.topics))
    topics = catalogue.known(names)
    committed: Committed | None = None
    try:
        topics = await catalogue.find_many(names)
        ends = await call.aside(partial(_requested_ends, request, topics))
        committed = await catalogue.greatest_committed(ends)
    except Unavailable:
        missing = WireCode.LEADER_NOT_AVAILABLE
    return await call.aside(partial(_response, request, topics, missing, committed, call.version))


def _response(
    request: ListOffsetsRequest,
    topics: Mapping[str, CatalogueEntry],
    missing: int,
    committed: Committed | None,
    version: int,
) -> ListOffsetsResponse:
    return ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(
                name=name,
                partitions=[
                    _partition(part, topics.get(name), missing, committed, version)
                    if part is not None
                    else _answer(index, error=ErrorCode.INVALID_REQUEST)
                    for index, part in parts.items()
                ],
            )
            for name, parts in _each_once(request).items()
        ]
    )


def _each_once(request: ListOffsetsRequest) -> dict[str, dict[int, ListOffsetsPartition | None]]:
    """The requested timestamp by topic and partition; None for a partition that is named twice."""
    requested: dict[str, dict[int, ListOffsetsPartition | None]] = {}
    for topic in request.topics:
        for part in topic.partitions:
            parts, index = requested.setdefault(topic.name, {}), part.partition_index
            parts[index] = None if index in parts else part
    return requested


def _requested_ends(
    request: ListOffsetsRequest, topics: Mapping[str, CatalogueEntry]
) -> set[tuple[str, int]]:
    return {
        (topic.name, part.partition_index)
        for topic in request.topics
        if topic.name in topics
        for part in topic.partitions
        if part.timestamp == LATEST and topics[topic.name].has(part.partition_index)
    }


def _partition(
    requested: ListOffsetsPartition,
    topic: CatalogueEntry | None,
    missing: int,
    committed: Committed | None,
    version: int,
) -> ListOffsetsPartitionResponse:
    index, timestamp = requested.partition_index, requested.timestamp
    if timestamp < 0 and version < SINCE.get(timestamp, version + 1):
        return _answer(index, error=ErrorCode.UNSUPPORTED_VERSION)
    if topic is None:
        return _answer(index, error=missing)
    if not topic.has(index):
        return _answer(index, error=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if timestamp in STARTS:
        return _answer(index, offset=0)
    if timestamp != LATEST:
        return _answer(index)
    if committed is None:
        return _answer(index, error=WireCode.LEADER_NOT_AVAILABLE)
    # Negative commits exist: kafkajs uses -2 for "the beginning".
    return _answer(
        index, offset=max(topic.end_offset(index), committed.get((topic.name, index), 0))
    )


def _answer(index: int, *, offset: int = -1, error: int = 0) -> ListOffsetsPartitionResponse:
    return ListOffsetsPartitionResponse(partition_index=index, error_code=error, offset=offset)
