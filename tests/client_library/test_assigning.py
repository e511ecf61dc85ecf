"""What a member's own assignor sees of the coordinator's response, and what is said of its
result."""

from uuid import UUID

from rollcall.client import TopicPartition
from rollcall.client.core import assigning
from rollcall.client.core.events import Standing
from rollcall.wire.messages.consumer_group_heartbeat import TopicPartitions
from rollcall.wire.messages.consumer_group_prepare_assignment import (
    ConsumerGroupPrepareAssignmentResponse,
    PreparedAssignor,
    PreparedMember,
    PreparedRacks,
    PreparedTopic,
)

KNOWN, GONE = UUID(int=1), UUID(int=2)
ANSWER = ConsumerGroupPrepareAssignmentResponse(
    group_epoch=7,
    assignor_name="mine",
    members=[
        PreparedMember(
            member_id="a",
            instance_id="i",
            rack_id="r",
            subscribed_topic_ids=[KNOWN, GONE],
            assignor=PreparedAssignor(reason=0, metadata_version=3, metadata_bytes=b"four cores"),
            topic_partitions=[
                TopicPartitions(topic_id=KNOWN, partitions=[0, 2]),
                TopicPartitions(topic_id=GONE, partitions=[0]),
            ],
        ),
        PreparedMember(member_id="stock", subscribed_topic_ids=[KNOWN]),
    ],
    topics=[
        PreparedTopic(
            topic_id=KNOWN,
            topic_name="t",
            num_partitions=3,
            partition_racks=[PreparedRacks(racks=["r", "s"])],
        )
    ],
)


def test_an_assignor_sees_each_member_with_what_it_said() -> None:
    view = assigning.view_of(ANSWER)
    assert (view.epoch, view.assignor, view.counts) == (7, "mine", {"t": 3})
    assert view.racks == {"t": (frozenset({"r", "s"}),)}
    ours, stock = view.members
    assert (ours.member_id, ours.instance_id, ours.rack) == ("a", "i", "r")
    assert ours.topics == {"t"}
    assert ours.owned == {TopicPartition("t", 0), TopicPartition("t", 2)}
    assert (ours.version, ours.metadata) == (3, b"four cores")
    assert (stock.version, stock.metadata, stock.owned) == (-1, b"", frozenset())


def test_a_result_goes_with_the_epochs_that_it_is_for() -> None:
    standing = Standing(member_id="a", epoch=5)
    shares = {"a": {TopicPartition("t", 1), TopicPartition("t", 0)}, "stock": set()}
    told = assigning.install("g", standing, ANSWER, shares)
    assert (told.group_id, told.member_id, told.member_epoch) == ("g", "a", 5)
    assert (told.group_epoch, told.failure) == (7, None)
    found = {
        each.member_id: [(p.topic_id, list(p.partitions)) for p in each.topic_partitions]
        for each in told.members
    }
    assert found == {"a": [(KNOWN, [0, 1])], "stock": []}

    failed = assigning.give_up("g", standing, ANSWER, "no idea")
    assert (failed.member_epoch, failed.group_epoch, failed.failure) == (5, 7, "no idea")
