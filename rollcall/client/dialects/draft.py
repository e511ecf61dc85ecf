"""The 0.9 draft's messages: one fixed version each; the draft's listener has no ApiVersions."""

from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

from rollcall.client.core.codes import draft_name_of
from rollcall.client.core.events import Identity, LookUp, Standing, TopicPartition, Topics
from rollcall.client.dialects import (
    CoordinatorAddress,
    Dialect,
    Fetched,
    Offsets,
    TopicIds,
    Versions,
    listed,
)
from rollcall.wire.messages import MESSAGES
from rollcall.wire.messages.draft import DRAFT_MESSAGES
from rollcall.wire.messages.draft.consumer_metadata import ConsumerMetadataRequest
from rollcall.wire.messages.draft.metadata import TopicMetadataRequest
from rollcall.wire.messages.draft.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.draft.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic

APIS: Final = {**DRAFT_MESSAGES, **{key: MESSAGES[key] for key in (10001, 10002)}}
"""The draft's own, and the two for operators' orders in every protocol."""

VERSIONS: Final[Versions] = {key: api.request.versions for key, api in APIS.items()}

NO_ID: Final = UUID(int=0)
"""Topics had no ids yet."""


def find(group: str) -> ConsumerMetadataRequest:
    """ConsumerMetadata."""
    return ConsumerMetadataRequest(group_id=group)


def found(answer: Any) -> CoordinatorAddress:
    """The coordinator's draft listener."""
    return CoordinatorAddress(answer.error_code, answer.coordinator_host, answer.coordinator_port)


def look_up(_wanted: LookUp) -> TopicMetadataRequest:
    """Metadata v0 of every topic: a named one would be created."""
    return TopicMetadataRequest(topics=[])


def topics(answer: Any) -> Topics:
    """Partition counts by name."""
    return Topics({t.name: (NO_ID, len(t.partitions)) for t in answer.topics if not t.error_code})


def commit(
    identity: Identity, offsets: Offsets, standing: Standing, topic_ids: TopicIds
) -> OffsetCommitRequest:
    """OffsetCommit v2, fenced by consumer id and generation; topics have no ids."""
    return OffsetCommitRequest(
        group_id=identity.group,
        group_generation_id=standing.epoch,
        consumer_id=standing.member_id,
        topics=[
            OffsetCommitRequestTopic(
                name=topic,
                partitions=[
                    OffsetCommitRequestPartition(
                        partition=index, offset=offsets[TopicPartition(topic, index)], metadata=""
                    )
                    for index in indexes
                ],
            )
            for topic, indexes in listed(offsets).items()
        ],
    )


def codes(answer: Any, topic_ids: TopicIds) -> dict[TopicPartition, int]:
    """Zero if it is durable."""
    return {
        TopicPartition(topic.name, each.partition): each.error_code
        for topic in answer.topics
        for each in topic.partitions
    }


def fetch(identity: Identity, wanted: Iterable[TopicPartition]) -> OffsetFetchRequest:
    """OffsetFetch v1."""
    return OffsetFetchRequest(
        group_id=identity.group,
        topics=[
            OffsetFetchRequestTopic(name=topic, partitions=indexes)
            for topic, indexes in listed(wanted).items()
        ],
    )


def fetched(answer: Any) -> Fetched:
    """What was never committed has an offset below zero."""
    lines = [(topic.name, each) for topic in answer.topics for each in topic.partitions]
    offsets = {TopicPartition(t, each.partition): each.offset for t, each in lines}
    failures = {each.error_code for _, each in lines} - {0}
    return Fetched({at: o if o >= 0 else None for at, o in offsets.items()}, failures)


DRAFT: Final = Dialect(
    apis=APIS,
    versions=VERSIONS,
    name_of=draft_name_of,
    not_assigned=27,  # CommittingPartitionsNotAssigned
    find=find,
    found=found,
    look_up=look_up,
    topics=topics,
    commit=commit,
    codes=codes,
    fetch=fetch,
    fetched=fetched,
)
