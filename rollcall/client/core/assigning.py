"""Converts between one's own assignor and Kafka's messages: its view, its result, and the
coordinator's response.

No I/O, no thread (``rollcall.client.assigning``); the assignor decides the assignment.
"""

from enum import Enum
from typing import Final
from uuid import UUID

from rollcall.client.assignors.own import ClientAssignor, Shares, View, ViewMember
from rollcall.client.core.codes import Code
from rollcall.client.core.events import Standing, TopicPartition
from rollcall.client.core.heartbeat_delta import Place, listed
from rollcall.wire.messages.consumer_group_heartbeat import ClientAssignor as WireAssignor
from rollcall.wire.messages.consumer_group_install_assignment import (
    ConsumerGroupInstallAssignmentRequest,
    InstalledMember,
)
from rollcall.wire.messages.consumer_group_prepare_assignment import (
    ConsumerGroupPrepareAssignmentRequest,
    ConsumerGroupPrepareAssignmentResponse,
    PreparedMember,
)


class Next(Enum):
    """What to do after a response of the coordinator."""

    GO_ON = "it is good"
    PREPARE = "the group has changed: look at it again"
    GIVE_UP = "it cannot be gone by: say so, that another may be asked"
    STOP = "nobody waits for it; the next heartbeat says whether that is so"


INVALID_REQUEST: Final = 42

INSTALLED: Final = {
    Code.NONE: Next.GO_ON,
    Code.ILLEGAL_GENERATION: Next.PREPARE,
    Code.STALE_MEMBER_EPOCH: Next.PREPARE,
    INVALID_REQUEST: Next.GIVE_UP,
}
"""Responses to an assignment; any other code: stop."""


def prepare(group: str, standing: Standing) -> ConsumerGroupPrepareAssignmentRequest:
    """Request the group's state."""
    return ConsumerGroupPrepareAssignmentRequest(
        group_id=group, member_id=standing.member_id, member_epoch=standing.epoch
    )


def view_of(answer: ConsumerGroupPrepareAssignmentResponse) -> View:
    """The group, with topics' names."""
    names = {topic.topic_id: topic.topic_name for topic in answer.topics}
    return View(
        answer.group_epoch,
        answer.assignor_name,
        tuple(_member(each, names) for each in answer.members),
        {topic.topic_name: topic.num_partitions for topic in answer.topics},
        {
            topic.topic_name: tuple(frozenset(each.racks) for each in topic.partition_racks)
            for topic in answer.topics
            if topic.partition_racks
        },
    )


def _member(member: PreparedMember, names: dict[UUID, str]) -> ViewMember:
    assignor = member.assignor
    return ViewMember(
        member.member_id,
        member.instance_id,
        member.rack_id,
        frozenset(names[topic] for topic in member.subscribed_topic_ids if topic in names),
        frozenset(
            TopicPartition(names[each.topic_id], index)
            for each in member.topic_partitions
            if each.topic_id in names
            for index in each.partitions
        ),
        -1 if assignor is None else assignor.metadata_version,
        b"" if assignor is None else bytes(assignor.metadata_bytes),
    )


def install(
    group: str,
    standing: Standing,
    answer: ConsumerGroupPrepareAssignmentResponse,
    shares: Shares,
) -> ConsumerGroupInstallAssignmentRequest:
    """The result, with topics' ids. Raises ``KeyError`` for a topic that is not in the view."""
    ids = {topic.topic_name: topic.topic_id for topic in answer.topics}
    places: dict[str, set[Place]] = {
        member_id: {(ids[topic], index) for topic, index in share}
        for member_id, share in shares.items()
    }
    return ConsumerGroupInstallAssignmentRequest(
        group_id=group,
        member_id=standing.member_id,
        member_epoch=standing.epoch,
        group_epoch=answer.group_epoch,
        members=[
            InstalledMember(member_id=member_id, topic_partitions=listed(share))
            for member_id, share in places.items()
        ],
    )


def give_up(
    group: str, standing: Standing, answer: ConsumerGroupPrepareAssignmentResponse, why: str
) -> ConsumerGroupInstallAssignmentRequest:
    """Report a failure: another member may be asked."""
    return ConsumerGroupInstallAssignmentRequest(
        group_id=group,
        member_id=standing.member_id,
        member_epoch=standing.epoch,
        group_epoch=answer.group_epoch,
        failure=why,
    )


def wire_assignor(own: ClientAssignor) -> WireAssignor:
    """An assignor's part of a heartbeat."""
    return WireAssignor(
        name=own.name,
        reason=own.reason,
        minimum_version=own.minimum_version,
        maximum_version=own.maximum_version,
        version=own.version,
        metadata=own.metadata,
    )
