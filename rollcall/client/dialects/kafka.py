"""Kafka's own messages, in whatever versions a node speaks: for every protocol but the draft."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from protocol.messages import MESSAGES
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from rollcall.client.core.codes import name_of
from rollcall.client.core.words import Identity, LookUp, Standing, TopicPartition, Topics
from rollcall.client.dialects import Dialect, Fetched, Found, Offsets, listed

NEWEST: Final[Mapping[int, int]] = {8: 9, 9: 9}
"""OffsetCommit and OffsetFetch name topics up to version 9; from 10 on they want topic ids."""


def find(group: str) -> FindCoordinatorRequest:
    """FindCoordinator, in the old form and the new one."""
    return FindCoordinatorRequest(key=group, coordinator_keys=[group])


def found(answer: Any) -> Found:
    """The coordinator, from either form."""
    said = answer.coordinators[0] if answer.coordinators else answer
    return Found(said.error_code, said.host, said.port)


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


def commit(identity: Identity, offsets: Offsets, standing: Standing) -> OffsetCommitRequest:
    """OffsetCommit, fenced by the member's id and its generation or epoch."""
    return OffsetCommitRequest(
        group_id=identity.group,
        generation_id_or_member_epoch=standing.epoch,
        member_id=standing.member_id,
        group_instance_id=identity.instance_id if standing.member_id else None,
        topics=[
            OffsetCommitRequestTopic(
                name=topic,
                partitions=[
                    OffsetCommitRequestPartition(
                        partition_index=index,
                        committed_offset=offsets[TopicPartition(topic, index)],
                        committed_metadata="",
                    )
                    for index in indexes
                ],
            )
            for topic, indexes in listed(offsets).items()
        ],
    )


def codes(answer: Any) -> dict[TopicPartition, int]:
    """Zero where it is durable."""
    return {
        TopicPartition(topic.name, each.partition_index): each.error_code
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
    """From either form; what was never committed is left out."""
    failures = {answer.error_code, *(group.error_code for group in answer.groups)}
    offsets: dict[TopicPartition, int] = {}
    older: list[Any] = list(answer.topics)
    newer: list[Any] = [topic for group in answer.groups for topic in group.topics]
    for topic in older + newer:
        for each in topic.partitions:
            failures.add(each.error_code)
            if each.committed_offset >= 0:
                offsets[TopicPartition(topic.name, each.partition_index)] = each.committed_offset
    return Fetched(offsets, failures - {0})


KAFKA: Final = Dialect(
    apis=MESSAGES,
    newest=NEWEST,
    name_of=name_of,
    find=find,
    found=found,
    look_up=look_up,
    topics=topics,
    commit=commit,
    codes=codes,
    fetch=fetch,
    fetched=fetched,
)
