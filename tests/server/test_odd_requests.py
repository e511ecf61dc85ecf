"""Requests that no client sends on purpose, answered as Apache Kafka 4.3.1 answers them."""

import asyncio
from collections.abc import Sequence

from groups.core.errors import ErrorCode
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from rollcall.wire.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from rollcall.wire.messages.describe_groups import DescribeGroupsRequest
from rollcall.wire.messages.describe_transactions import DescribeTransactionsRequest
from rollcall.wire.messages.init_producer_id import InitProducerIdRequest
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from rollcall.wire.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from rollcall.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.server.client import Client
from tests.server.serving import Serving, until

TOO_LONG = "x" * 4_097
NOT_ASKED = -(2**31)
UNKNOWN = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


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


async def test_authorization_is_checked_before_metadata_size(
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
        reply = await client.call(request, 8)
        assert [(t.name, t.partitions[0].error_code) for t in reply.topics] == [
            ("orders", code),
            ("absent", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ]
    assert served.node.coordinator.group("g") is None


async def test_a_commit_of_which_nothing_can_be_stored_keeps_its_member_alive(
    served: Serving,
) -> None:
    await served.node.catalogue.create("orders", 1)
    client = await Client.connect(served.address)
    who = await client.settled("g")
    coordinator = served.node.coordinator
    [before] = coordinator.entries["g"].group.sessions(coordinator.clock())
    await until(lambda: coordinator.clock() > before.heard_at)
    request = commit(("orders", TOO_LONG), member_id=who.member_id, at=who.generation_id)
    reply = await client.call(request, 8)
    assert reply.topics[0].partitions[0].error_code == ErrorCode.OFFSET_METADATA_TOO_LARGE
    [after] = coordinator.entries["g"].group.sessions(coordinator.clock())
    assert after.heard_at > before.heard_at


async def test_entries_of_one_topic_are_merged_where_a_partition_is_unknown(
    served: Serving,
) -> None:
    await served.node.catalogue.create("orders", 2)
    client = await Client.connect(served.address)
    request = commit(("orders", ""), ("orders", TOO_LONG))
    empty = OffsetCommitRequestTopic(name="orders", partitions=[])
    request.topics = [*request.topics, empty]

    reply = await client.call(request, 8)
    assert [[p.error_code for p in t.partitions] for t in reply.topics] == [
        [ErrorCode.NONE],
        [ErrorCode.OFFSET_METADATA_TOO_LARGE],
    ]

    request.topics = [*request.topics, *commit(("absent", "")).topics]
    reply = await client.call(request, 8)
    assert [(t.name, [p.error_code for p in t.partitions]) for t in reply.topics] == [
        ("orders", [ErrorCode.NONE, ErrorCode.OFFSET_METADATA_TOO_LARGE]),
        ("absent", [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]),
    ]


async def test_deletions_are_answered_in_the_same_way(served: Serving) -> None:
    await served.node.catalogue.create("orders", 2)
    client = await Client.connect(served.address)
    await client.call(commit(("orders", "")), 8)
    for partitions, entries in (((0, 1), [[0], [0]]), ((0, 9), [[0, UNKNOWN]])):
        each = [OffsetDeleteRequestPartition(partition_index=p) for p in partitions]
        topics = [OffsetDeleteRequestTopic(name="orders", partitions=[p]) for p in each]
        reply = await client.call(OffsetDeleteRequest(group_id="g", topics=topics), 0)
        assert [[p.error_code for p in t.partitions] for t in reply.topics] == entries


async def test_a_refused_transactional_commit_still_reports_missing_partitions(
    served: Serving,
) -> None:
    await served.node.catalogue.create("orders", 1)
    client = await Client.connect(served.address)
    named = [("orders", (0,)), ("absent", (0,)), ("orders", (9,)), ("orders", ()), ("gone", ())]
    request = TxnOffsetCommitRequest(
        transactional_id="nobody",
        group_id="g",
        producer_id=1,
        topics=[
            TxnOffsetCommitRequestTopic(
                name=name,
                partitions=[
                    TxnOffsetCommitRequestPartition(partition_index=p, committed_offset=1)
                    for p in partitions
                ],
            )
            for name, partitions in named
        ],
    )
    reply = await client.call(request, 3)
    assert [(t.name, [p.error_code for p in t.partitions]) for t in reply.topics] == [
        ("orders", [ErrorCode.INVALID_PRODUCER_ID_MAPPING, UNKNOWN]),
        ("absent", [UNKNOWN]),
        ("gone", []),
    ]


async def test_a_partial_claim_is_refused_also_without_a_transactional_id(served: Serving) -> None:
    client = await Client.connect(served.address)
    for producer_id, epoch, code in (
        (0, -1, ErrorCode.INVALID_REQUEST),
        (-1, 0, ErrorCode.INVALID_REQUEST),
        (-1, -1, ErrorCode.NONE),
    ):
        request = InitProducerIdRequest(
            transactional_id=None,
            transaction_timeout_ms=60_000,
            producer_id=producer_id,
            producer_epoch=epoch,
        )
        assert (await client.call(request, 5)).error_code == code


async def test_a_commit_names_a_topic_that_does_not_exist_also_without_partitions(
    served: Serving,
) -> None:
    await served.node.catalogue.create("orders", 1)
    client = await Client.connect(served.address)
    topics = [OffsetCommitRequestTopic(name=n, partitions=[]) for n in ("absent", "orders", "a b")]
    reply = await client.call(OffsetCommitRequest(group_id="g", topics=topics), 8)
    assert [(t.name, list(t.partitions)) for t in reply.topics] == [("absent", []), ("a b", [])]


async def test_an_offset_fetch_with_an_empty_member_id_is_not_by_a_member(served: Serving) -> None:
    client = await Client.connect(served.address)
    await client.call(heartbeat(), 1)
    for member_id, code in (("", ErrorCode.UNKNOWN_MEMBER_ID), (None, ErrorCode.NONE)):
        group = OffsetFetchRequestGroup(group_id="g", member_id=member_id, topics=None)
        [described] = (await client.call(OffsetFetchRequest(groups=[group]), 9)).groups
        assert described.error_code == code


async def test_owned_partitions_of_a_topic_in_several_entries_are_merged(served: Serving) -> None:
    topic_id = (await served.node.catalogue.create("orders", 3)).topic_id
    client = await Client.connect(served.address)
    each = [TopicPartitions(topic_id=topic_id, partitions=[p]) for p in (2, 1, 0)]
    await client.call(heartbeat("a"), 1)
    await client.call(heartbeat("b"), 1)
    while (reply := await client.call(heartbeat("a", epoch=2, owned=each), 1)).assignment is None:
        await asyncio.sleep(0.01)  # the target waits for the group's interval
    assert sum(len(t.partitions) for t in reply.assignment.topic_partitions) == 2
    reply = await client.call(heartbeat("a", epoch=2, owned=each), 1)
    assert (reply.error_code, reply.member_epoch) == (0, 2), "it still has to give one up"


def heartbeat(
    member_id: str = "a", *, epoch: int = 0, owned: Sequence[TopicPartitions] | None = None
) -> ConsumerGroupHeartbeatRequest:
    """Join the group, or tell what is owned."""
    joins = epoch == 0
    return ConsumerGroupHeartbeatRequest(
        group_id="g",
        member_id=member_id,
        member_epoch=epoch,
        rebalance_timeout_ms=60_000 if joins else -1,
        subscribed_topic_names=["orders"] if joins else None,
        topic_partitions=[] if joins else owned,
    )


async def test_a_transactional_commit_with_only_oversized_metadata_is_still_checked(
    served: Serving,
) -> None:
    await served.node.catalogue.create("orders", 1)
    client = await Client.connect(served.address)
    part = TxnOffsetCommitRequestPartition(
        partition_index=0, committed_offset=1, committed_metadata=TOO_LONG
    )
    request = TxnOffsetCommitRequest(
        transactional_id="nobody",
        group_id="g",
        producer_id=1,
        topics=[TxnOffsetCommitRequestTopic(name="orders", partitions=[part])],
    )
    reply = await client.call(request, 3)
    assert reply.topics[0].partitions[0].error_code == ErrorCode.INVALID_PRODUCER_ID_MAPPING
    claim = InitProducerIdRequest(transactional_id="nobody", transaction_timeout_ms=60_000)
    producer = await client.call(claim, 4)
    request.producer_id, request.producer_epoch = producer.producer_id, producer.producer_epoch
    reply = await client.call(request, 5)
    assert reply.topics[0].partitions[0].error_code == ErrorCode.OFFSET_METADATA_TOO_LARGE


async def test_a_transactional_id_named_twice_is_described_twice(served: Serving) -> None:
    client = await Client.connect(served.address)
    request = DescribeTransactionsRequest(transactional_ids=["x", "", "x"])
    transaction_states = (await client.call(request, 0)).transaction_states
    assert [t.transactional_id for t in transaction_states] == ["x", "", "x"]


async def test_a_deletion_names_no_topic_without_partitions(served: Serving) -> None:
    await served.node.catalogue.create("orders", 1)
    client = await Client.connect(served.address)
    await client.call(commit(("orders", "")), 8)
    partition = OffsetDeleteRequestPartition(partition_index=0)
    topics = [
        OffsetDeleteRequestTopic(name="orders", partitions=[]),
        OffsetDeleteRequestTopic(name="absent", partitions=[partition]),
    ]

    reply = await client.call(OffsetDeleteRequest(group_id="g", topics=topics), 0)

    assert [(t.name, [p.error_code for p in t.partitions]) for t in reply.topics] == [
        ("absent", [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION])
    ]


async def test_authorized_operations_of_a_dead_group_are_returned_up_to_version_five(
    served: Serving,
) -> None:
    client = await Client.connect(served.address)
    request = DescribeGroupsRequest(groups=["absent"], include_authorized_operations=True)
    for version in range(3, 7):
        [group] = (await client.call(request, version)).groups
        assert (group.authorized_operations != NOT_ASKED) == (version < 6)


async def test_an_overlong_name_is_quoted_in_part(served: Serving) -> None:
    """A sentence around all of it would be no string any more, and the connection would go."""
    client = await Client.connect(served.address)
    longest = "x" * 32_767
    grown = CreatePartitionsTopic(name=longest, count=2, assignments=None)
    (topic,) = (
        await client.call(
            CreatePartitionsRequest(topics=[grown], timeout_ms=1, validate_only=False), 3
        )
    ).results

    assert topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert topic.name == longest
    assert "xxx" in topic.error_message
    assert len(topic.error_message) < len(longest)
