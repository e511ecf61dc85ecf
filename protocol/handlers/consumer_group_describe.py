"""ConsumerGroupDescribe (69): consumer groups with epochs, assignments and targets (KIP-848)."""

from collections.abc import Iterable
from uuid import UUID

from groups.core.acls.bindings import AclOperation, ResourceType
from groups.core.assignors.types import Part
from groups.core.consumer.group import ConsumerGroup
from groups.core.consumer.member import Member, by_topic
from groups.core.errors import ErrorCode, Refuse
from protocol.handlers.support import group_operations, reply_room, validation
from protocol.handlers.support.kafkas_words import NO_SUCH_GROUP, NOT_CONSUMER
from protocol.requests.call import Call
from rollcall.wire.messages.consumer_group_describe import (
    Assignment,
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
    TopicPartitions,
)
from rollcall.wire.messages.consumer_group_describe import Member as DescribedMember

HIDDEN = "The group has described topic(s) that the client is not authorized to describe."

CLASSIC_MEMBER, CONSUMER_MEMBER = 0, 1
"""MemberType: which protocol a member speaks (KIP-1099)."""


async def handle(
    request: ConsumerGroupDescribeRequest, call: Call
) -> ConsumerGroupDescribeResponse:
    """Each group independently, in the request's order."""
    groups = await reply_room.as_many_as_fit(
        request.group_ids,
        call,
        lambda group_id: _describe(group_id, request.include_authorized_operations, call),
        lambda group: sum(map(_bytes_of, group.members)),
        lambda group_id: DescribedGroup(error_code=reply_room.AGAIN, group_id=group_id),
    )
    return ConsumerGroupDescribeResponse(groups=groups)


def _bytes_of(member: DescribedMember) -> int:
    parts = member.assignment.topic_partitions, member.target_assignment.topic_partitions
    names = len(member.member_id) + len(member.client_id) + len(member.client_host)
    topics = sum(map(len, member.subscribed_topic_names))
    return names + topics + sum(len(t.topic_name) + 4 * len(t.partitions) for p in parts for t in p)


async def _describe(group_id: str, with_operations: bool, call: Call) -> DescribedGroup:
    try:
        validation.consumer_protocol(call.node.settings)
        validation.group_id(group_id, call.node.settings)
    except Refuse as refusal:
        return DescribedGroup(
            error_code=refusal.code, error_message=refusal.detail, group_id=group_id
        )
    code = await call.describable(group_id)
    if code is not ErrorCode.NONE:
        return DescribedGroup(error_code=code, group_id=group_id)
    group = call.node.coordinator.group(group_id)
    if not isinstance(group, ConsumerGroup):
        fault = NO_SUCH_GROUP if group is None else NOT_CONSUMER
        return DescribedGroup(
            error_code=ErrorCode.GROUP_ID_NOT_FOUND,
            error_message=fault.format(group_id),
            group_id=group_id,
        )
    if _has_hidden_topics(group, call):
        return DescribedGroup(
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED, error_message=HIDDEN, group_id=group_id
        )
    authorized = group_operations.of_group(with_operations, group_id, call.access)
    return _described(group, authorized, call)


def _has_hidden_topics(group: ConsumerGroup, call: Call) -> bool:
    """Whether its members have or subscribe to topics that the client may not describe
    (KAFKA-18813)."""
    if not call.access.is_on:
        return False
    parts = {part[0] for m in group.members.values() for part in (*m.holds, *m.target)}
    entries = (call.node.catalogue.by_id(UUID(hex=topic)) for topic in parts)
    names = {entry.name for entry in entries if entry is not None}
    names.update(*(member.topics for member in group.members.values()))
    return not all(call.access.may(AclOperation.DESCRIBE, ResourceType.TOPIC, n) for n in names)


def _described(group: ConsumerGroup, authorized: int, call: Call) -> DescribedGroup:
    row = group.durable.group
    return DescribedGroup(
        group_id=row.group_id,
        group_state=row.state,
        group_epoch=row.generation,
        assignment_epoch=row.details["target_epoch"],
        assignor_name=row.details["assignor"] or group.rules.group_consumer_assignors[0],
        members=[_member(member, call) for member in group.members.values()],
        authorized_operations=authorized,
    )


def _member(member: Member, call: Call) -> DescribedMember:
    row = member.row
    return DescribedMember(
        member_id=row.member_id,
        instance_id=row.instance_id,
        rack_id=member.rack_id,
        member_epoch=member.epoch,
        client_id=row.client_id,
        client_host=row.client_host,
        subscribed_topic_names=member.topics,
        subscribed_topic_regex=member.regex,
        assignment=_assignment(member.holds, call),
        target_assignment=_assignment(member.target, call),
        member_type=CLASSIC_MEMBER if member.is_classic else CONSUMER_MEMBER,
    )


def _assignment(parts: Iterable[Part], call: Call) -> Assignment:
    """Partitions with their topics' names; partitions of deleted topics are left out."""
    named = []
    for topic, partitions in by_topic(parts).items():
        entry = call.node.catalogue.by_id(UUID(hex=topic))
        if entry is not None:
            named.append(
                TopicPartitions(
                    topic_id=entry.topic_id, topic_name=entry.name, partitions=partitions
                )
            )
    return Assignment(topic_partitions=named)
