"""Kafka's own messages, in versions that a node supports: for every protocol except the draft."""

from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

from rollcall.client.core.codes import Code, name_of
from rollcall.client.core.events import Identity, LookUp, Standing, TopicPartition, Topics
from rollcall.client.dialects import CoordinatorAddress, Dialect, Fetched, Offsets, TopicIds, listed
from rollcall.wire.declare import Message
from rollcall.wire.messages import MESSAGES
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)

TOPIC_IDS_SINCE: Final = 10
"""From here on, OffsetCommit and OffsetFetch identify topics only by their ids (KIP-848)."""

NO_ID: Final = UUID(int=0)


def newest(request: Message) -> int | None:
    """Offsets are committed by topic id if all ids are known, and read by name."""
    by_name = isinstance(request, OffsetFetchRequest) or (
        isinstance(request, OffsetCommitRequest)
        and any(topic.topic_id == NO_ID for topic in request.topics)
    )
    return TOPIC_IDS_SINCE - 1 if by_name else None


def find(group: str) -> FindCoordinatorRequest:
    """FindCoordinator, in the old form and the new one."""
    return FindCoordinatorRequest(key=group, coordinator_keys=[group])


def found(answer: Any) -> CoordinatorAddress:
    """The coordinator, from either form."""
    coordinator = answer.coordinators[0] if answer.coordinators else answer
    return CoordinatorAddress(coordinator.error_code, coordinator.host, coordinator.port)


def look_up(wanted: LookUp) -> MetadataRequest:
    """Metadata by names and ids, or of everything."""
    topics: list[MetadataRequestTopic] | None = None
    if wanted.names or wanted.ids:
        topics = [MetadataRequestTopic(name=name) for name in wanted.names]
        topics += [MetadataRequestTopic(topic_id=each, name=None) for each in wanted.ids]
    return MetadataRequest(topics=topics, allow_auto_topic_creation=False)


def topics(answer: Any) -> Topics:
    """Ids and partition counts by name."""
    return Topics(
        {t.name: (t.topic_id, len(t.partitions)) for t in answer.topics if not t.error_code}
    )


def commit(
    identity: Identity, offsets: Offsets, standing: Standing, topic_ids: TopicIds
) -> OffsetCommitRequest:
    """OffsetCommit, fenced by the member's id and its generation or epoch."""
    by_topic: dict[tuple[str, UUID], list[OffsetCommitRequestPartition]] = {}
    for partition, offset in sorted(offsets.items()):
        topic = partition.topic, topic_ids.get(partition, NO_ID)
        line = OffsetCommitRequestPartition(
            partition_index=partition.partition, committed_offset=offset, committed_metadata=""
        )
        by_topic.setdefault(topic, []).append(line)
    return OffsetCommitRequest(
        group_id=identity.group,
        generation_id_or_member_epoch=standing.epoch,
        member_id=standing.member_id,
        group_instance_id=identity.instance_id if standing.member_id else None,
        topics=[
            OffsetCommitRequestTopic(name=name, topic_id=topic_id, partitions=lines)
            for (name, topic_id), lines in by_topic.items()
        ],
    )


def codes(answer: Any, topic_ids: TopicIds) -> dict[TopicPartition, int]:
    """Zero where it is durable. A topic whose id was not asked for has no name."""
    names = {topic_id: partition.topic for partition, topic_id in topic_ids.items()}
    return {
        TopicPartition(
            topic.name or names.get(topic.topic_id, ""), each.partition_index
        ): each.error_code
        for topic in answer.topics
        for each in topic.partitions
    }


def fetch(identity: Identity, wanted: Iterable[TopicPartition]) -> OffsetFetchRequest:
    """OffsetFetch, in the old form and the new one."""
    by_topic = listed(wanted)
    group = OffsetFetchRequestGroup(
        group_id=identity.group,
        topics=[
            OffsetFetchRequestTopics(name=topic, partition_indexes=indexes)
            for topic, indexes in by_topic.items()
        ],
    )
    return OffsetFetchRequest(
        group_id=identity.group,
        topics=[
            OffsetFetchRequestTopic(name=topic, partition_indexes=indexes)
            for topic, indexes in by_topic.items()
        ],
        groups=[group],
        require_stable=True,
    )


def fetched(answer: Any) -> Fetched:
    """From either form."""
    failures = {answer.error_code, *(group.error_code for group in answer.groups)}
    offsets: dict[TopicPartition, int | None] = {}
    older: list[Any] = list(answer.topics)
    newer: list[Any] = [topic for group in answer.groups for topic in group.topics]
    for topic in older + newer:
        for each in topic.partitions:
            failures.add(each.error_code)
            offset = each.committed_offset if each.committed_offset >= 0 else None
            offsets[TopicPartition(topic.name, each.partition_index)] = offset
    return Fetched(offsets, failures - {0})


KAFKA: Final = Dialect(
    apis=MESSAGES,
    newest=newest,
    name_of=name_of,
    not_assigned=Code.ILLEGAL_GENERATION,
    rebalancing=frozenset({Code.REBALANCE_IN_PROGRESS}),
    find=find,
    found=found,
    look_up=look_up,
    topics=topics,
    commit=commit,
    codes=codes,
    fetch=fetch,
    fetched=fetched,
)
