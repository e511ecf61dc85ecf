"""Requests that no client sends on purpose, answered as Apache Kafka 4.3.1 answers them."""

from groups.core.errors import ErrorCode
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tests.server.client import Client
from tests.server.serving import Serving

TOO_LONG = "x" * 4_097
NOT_ASKED = -(2**31)


def commit(*topics: tuple[str, str], member_id: str = "", at: int = -1) -> OffsetCommitRequest:
    """Offset 5 of partition 0 of each topic named, with that metadata."""
    return OffsetCommitRequest(
        group_id="g",
        generation_id_or_member_epoch=at,
        member_id=member_id,
        topics=[
            OffsetCommitRequestTopic(
                name=name,
                partitions=[
                    OffsetCommitRequestPartition(
                        partition_index=0, committed_offset=5, committed_metadata=metadata
                    )
                ],
            )
            for name, metadata in topics
        ],
    )


async def test_who_may_not_commit_hears_that_before_what_is_wrong_with_the_metadata(
    served: Serving,
) -> None:
    await served.node.catalogue.create("orders", 1)
    client = await Client.connect(served.address)
    stranger = commit(("orders", TOO_LONG), ("absent", ""), member_id="nobody", at=3)
    simple = commit(("orders", TOO_LONG), ("absent", ""))
    for request, code in (
        (stranger, ErrorCode.ILLEGAL_GENERATION),
        (simple, ErrorCode.OFFSET_METADATA_TOO_LARGE),
    ):
        told = await client.call(request, 8)
        assert [(t.name, t.partitions[0].error_code) for t in told.topics] == [
            ("orders", code),
            ("absent", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ]
    assert served.node.coordinator.group("g") is None


async def test_a_commit_names_each_topic_once_and_none_without_partitions(served: Serving) -> None:
    await served.node.catalogue.create("orders", 1)
    client = await Client.connect(served.address)
    request = commit(("orders", ""), ("orders", TOO_LONG))
    empty = OffsetCommitRequestTopic(name="orders", partitions=[])
    request.topics = [*request.topics, empty]

    told = await client.call(request, 8)

    [topic] = told.topics
    assert [p.error_code for p in topic.partitions] == [0, ErrorCode.OFFSET_METADATA_TOO_LARGE]


async def test_a_deletion_names_no_topic_without_partitions(served: Serving) -> None:
    await served.node.catalogue.create("orders", 1)
    client = await Client.connect(served.address)
    await client.call(commit(("orders", "")), 8)
    partition = OffsetDeleteRequestPartition(partition_index=0)
    topics = [
        OffsetDeleteRequestTopic(name="orders", partitions=[]),
        OffsetDeleteRequestTopic(name="absent", partitions=[partition]),
    ]

    told = await client.call(OffsetDeleteRequest(group_id="g", topics=topics), 0)

    assert [(t.name, [p.error_code for p in t.partitions]) for t in told.topics] == [
        ("absent", [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION])
    ]


async def test_what_may_be_done_with_a_dead_group_is_told_up_to_version_five(
    served: Serving,
) -> None:
    client = await Client.connect(served.address)
    request = DescribeGroupsRequest(groups=["absent"], include_authorized_operations=True)
    for version in range(3, 7):
        [told] = (await client.call(request, version)).groups
        assert (told.authorized_operations != NOT_ASKED) == (version < 6)
