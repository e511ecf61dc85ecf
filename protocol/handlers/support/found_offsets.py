"""What a fetch of offsets asks for and is answered, in the form of the newest versions; for the
handler (``handlers.offset_fetch``) and the fast path (``protocol.fast_paths.fetch_fast_path``)."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar
from uuid import UUID

from groups.catalogue.cache import Catalogue
from groups.core.errors import ErrorCode
from groups.store.offsets import CommittedOffset, Partition
from protocol.handlers.support import validation
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)

SEVERAL_GROUPS_SINCE = 8
GROUP_ERROR_SINCE = 2
TOPIC_IDS_SINCE = 10
NONE = CommittedOffset(-1, -1, "")

P = TypeVar("P", OffsetFetchResponsePartition, OffsetFetchResponsePartitions)
"""Of the versions with one group, and of those with several."""


class Line(NamedTuple):
    """One partition of the response."""

    partition: int
    found: CommittedOffset
    error: ErrorCode = ErrorCode.NONE


@dataclass(frozen=True, slots=True)
class GroupOffsets:
    """One group's result: its error, or its topics in the request's order."""

    error: ErrorCode
    topics: Sequence[tuple[str, UUID, Sequence[Line]]] = ()

    @property
    def partitions(self) -> int:
        """The number of its partitions."""
        return sum(len(lines) for _name, _topic_id, lines in self.topics)


def one_group(request: OffsetFetchRequest) -> OffsetFetchRequestGroup:
    """The request for one group in the form of newer versions, which have several."""
    topics = None
    if request.topics is not None:
        topics = [
            OffsetFetchRequestTopics(name=t.name, partition_indexes=t.partition_indexes)
            for t in request.topics
        ]
    return OffsetFetchRequestGroup(group_id=request.group_id, topics=topics)


def names(
    topics: Sequence[OffsetFetchRequestTopics], version: int, catalogue: Catalogue
) -> list[str | None]:
    """The topics' names; None for an unknown id. A topic need not exist to be named."""
    if version < TOPIC_IDS_SINCE:
        return [topic.name for topic in topics]
    entries = [catalogue.by_id(topic.topic_id) for topic in topics]
    return [None if entry is None else entry.name for entry in entries]


def partitions(
    topics: Sequence[OffsetFetchRequestTopics], names: Sequence[str | None]
) -> list[Partition]:
    """The partitions that the request names, of topics that there can be."""
    return [
        (name, partition)
        for topic, name in zip(topics, names, strict=True)
        if name is not None and "\0" not in name
        for partition in topic.partition_indexes
    ]


def found(
    topics: Sequence[OffsetFetchRequestTopics],
    names: Sequence[str | None],
    rows: Mapping[Partition, CommittedOffset],
    unstable: Container[Partition],
) -> GroupOffsets:
    """What the request asks for of what was read."""
    return GroupOffsets(
        ErrorCode.NONE,
        [
            (name or "", topic.topic_id, _lines(topic, name, rows, unstable))
            for topic, name in zip(topics, names, strict=True)
        ],
    )


def _lines(
    topic: OffsetFetchRequestTopics,
    name: str | None,
    rows: Mapping[Partition, CommittedOffset],
    unstable: Container[Partition],
) -> list[Line]:
    if name is None:
        return [Line(p, NONE, ErrorCode.UNKNOWN_TOPIC_ID) for p in topic.partition_indexes]
    return [line((name, p), rows.get((name, p), NONE), unstable) for p in topic.partition_indexes]


def line(at: Partition, found: CommittedOffset, unstable: Container[Partition]) -> Line:
    """One partition, which a transaction may still commit if it is unstable (KIP-447)."""
    if at in unstable:
        return Line(at[1], NONE, ErrorCode.UNSTABLE_OFFSET_COMMIT)
    return Line(at[1], found)


def topics_of(answer: GroupOffsets) -> list[OffsetFetchResponseTopic]:
    """The response's topics up to v7, which has one group."""
    return [
        OffsetFetchResponseTopic(
            name=name, partitions=_partitions(OffsetFetchResponsePartition, lines)
        )
        for name, _topic_id, lines in answer.topics
    ]


def group_of(group_id: str, answer: GroupOffsets) -> tuple[OffsetFetchResponseGroup, int]:
    """The group's part of the response, and its approximate size in bytes."""
    size = sum(len(line.found.metadata) + 24 for _, _, lines in answer.topics for line in lines)
    topics = [
        OffsetFetchResponseTopics(
            name=name,
            topic_id=topic_id,
            partitions=_partitions(OffsetFetchResponsePartitions, lines),
        )
        for name, topic_id, lines in answer.topics
    ]
    group = OffsetFetchResponseGroup(group_id=group_id, topics=topics, error_code=answer.error)
    return group, size


def _partitions(kind: type[P], lines: Sequence[Line]) -> list[P]:
    return [
        kind(
            partition_index=line.partition,
            committed_offset=line.found.offset,
            committed_leader_epoch=line.found.leader_epoch,
            metadata=validation.restored(line.found.metadata),
            error_code=line.error,
        )
        for line in lines
    ]


def _pushed_down(requested: OffsetFetchRequestGroup, error: ErrorCode) -> GroupOffsets:
    return GroupOffsets(
        ErrorCode.NONE,
        [
            (t.name, t.topic_id, [Line(p, NONE, error) for p in t.partition_indexes])
            for t in requested.topics or ()
        ],
    )


def response(
    requested: OffsetFetchRequestGroup, answer: GroupOffsets, version: int
) -> OffsetFetchResponse:
    """The response to a request for one group."""
    if version >= SEVERAL_GROUPS_SINCE:
        group, _ = group_of(requested.group_id, answer)
        return OffsetFetchResponse(groups=[group])
    if answer.error is not ErrorCode.NONE and version < GROUP_ERROR_SINCE:
        answer = _pushed_down(requested, answer.error)
    return OffsetFetchResponse(topics=topics_of(answer), error_code=answer.error)
