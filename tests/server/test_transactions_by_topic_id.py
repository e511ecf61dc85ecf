"""TxnOffsetCommit over the wire: topics by id, and the errors that clients know since version 6.

The codes are those that Apache Kafka 4.4.0 answers (KIP-1319).
"""

from typing import NamedTuple
from uuid import UUID

import pytest

from benchmarks.wire import create_topic
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.init_producer_id import InitProducerIdRequest
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from rollcall.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.server.client import Client
from tests.server.serving import Serving

NAMED, BY_ID = 5, 6
NOBODY, UNKNOWN = UUID(int=0), UUID(int=77)


class Producer(NamedTuple):
    """A producer of one transaction, and the topic t with two partitions."""

    client: Client
    number: int
    epoch: int
    topic_id: UUID

    async def commit(
        self,
        version: int,
        group_id: str,
        *partitions: int,
        topic: UUID | None = None,
        generation: int = -1,
        member: str = "",
    ) -> list[int]:
        """The codes, in the order of the partitions."""
        topic_id = self.topic_id if topic is None else topic
        asked = TxnOffsetCommitRequestTopic(
            name="t" if topic_id == self.topic_id else "nowhere",
            topic_id=topic_id,
            partitions=[
                TxnOffsetCommitRequestPartition(
                    partition_index=p, committed_offset=5, committed_metadata=""
                )
                for p in partitions
            ],
        )
        request = TxnOffsetCommitRequest(
            transactional_id="pay",
            group_id=group_id,
            producer_id=self.number,
            producer_epoch=self.epoch,
            generation_id=generation,
            member_id=member,
            topics=[asked],
        )
        [told] = (await self.client.call(request, version)).topics
        named = told.topic_id == topic_id if version >= BY_ID else told.name == asked.name
        assert named, "a topic comes back as it was named"
        assert [p.partition_index for p in told.partitions] == [*partitions]
        return [p.error_code for p in told.partitions]


@pytest.fixture
async def pay(served: Serving) -> Producer:
    await create_topic(served.address, "t", 2)
    client = await Client.connect(served.address)
    request = InitProducerIdRequest(
        transactional_id="pay", transaction_timeout_ms=60_000, enable2_pc=False,
        keep_prepared_txn=False,
    )  # fmt: skip
    begun = await client.call(request, 5)
    [topic] = (
        await client.call(MetadataRequest(topics=[MetadataRequestTopic(name="t")]), 12)
    ).topics
    return Producer(client, begun.producer_id, begun.producer_epoch, topic.topic_id)


async def test_topics_are_named_by_id(pay: Producer) -> None:
    for version, unknown in ((NAMED, 3), (BY_ID, 100)):
        assert await pay.commit(version, "g", 0, 1) == [0, 0]
        assert await pay.commit(version, "g", 0, 9) == [0, 3]
        assert await pay.commit(version, "g", 0, 1, topic=UNKNOWN) == [unknown] * 2
        assert await pay.commit(version, "g", 0, topic=NOBODY) == [unknown]
        assert await pay.commit(version, "", 0) == [24]


async def test_errors_of_groups_and_members_have_their_own_codes(pay: Producer) -> None:
    joins = ConsumerGroupHeartbeatRequest(
        group_id="modern", member_id="m", member_epoch=0, rebalance_timeout_ms=10_000,
        subscribed_topic_names=["t"], topic_partitions=[],
    )  # fmt: skip
    epoch = (await pay.client.call(joins, 1)).member_epoch
    for version, missing, stale in ((NAMED, 22, 22), (BY_ID, 69, 113)):
        assert await pay.commit(version, "missing", 0, generation=1, member="m") == [missing]
        assert await pay.commit(version, "modern", 0, generation=epoch, member="m") == [0]
        for other in (epoch - 1, epoch + 5):
            code = await pay.commit(version, "modern", 0, generation=other, member="m")
            assert code == [stale], other
        assert await pay.commit(version, "modern", 0, generation=epoch, member="x") == [25]
