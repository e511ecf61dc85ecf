"""ConsumerGroupPrepareAssignment (10010): send the group's state to the member that computes the
assignment."""

from functools import partial
from uuid import UUID

from groups.core.assignors.types import Racks
from groups.core.consumer.member import by_topic
from groups.core.errors import Refuse
from groups.core.events import PrepareAssignment
from groups.core.replies import Prepared
from groups.core.replies import PreparedMember as Member
from protocol.handlers.support import validation
from protocol.requests.call import Call
from rollcall.wire.messages.consumer_group_heartbeat import TopicPartitions
from rollcall.wire.messages.consumer_group_prepare_assignment import (
    ConsumerGroupPrepareAssignmentRequest,
    ConsumerGroupPrepareAssignmentResponse,
    PreparedAssignor,
    PreparedMember,
    PreparedRacks,
    PreparedTopic,
)


async def handle(
    request: ConsumerGroupPrepareAssignmentRequest, call: Call
) -> ConsumerGroupPrepareAssignmentResponse:
    """Validate the request, and return the state of the group."""
    try:
        validation.consumer_protocol(call.node.settings)
        validation.group_id(request.group_id, call.node.settings)
        validation.name("member id", request.member_id)
    except Refuse as refusal:
        return _response(Prepared(error=refusal.code, detail=refusal.detail))
    event = PrepareAssignment(
        ticket=call.ticket, member_id=request.member_id, member_epoch=request.member_epoch
    )
    reply = await call.decide(request.group_id, event)
    if not isinstance(reply, Prepared):
        return _response(Prepared(error=reply.error))
    return await call.beside(partial(_response, reply))  # has the topics of all members


def _response(reply: Prepared) -> ConsumerGroupPrepareAssignmentResponse:
    return ConsumerGroupPrepareAssignmentResponse(
        error_code=reply.error,
        error_message=reply.detail,
        group_epoch=reply.group_epoch,
        assignor_name=reply.assignor,
        members=[_member(each) for each in reply.members],
        topics=[
            PreparedTopic(
                topic_id=UUID(hex=topic_id),
                topic_name=name,
                num_partitions=count,
                partition_racks=_racks(topic_id, reply.racks),
            )
            for name, (topic_id, count) in reply.topics.items()
        ],
    )


def _member(member: Member) -> PreparedMember:
    seen, client_assignor = member.subscriber, member.client_assignor
    assignor = None
    if client_assignor is not None:
        assignor = PreparedAssignor(
            reason=client_assignor.reason,
            metadata_version=client_assignor.version,
            metadata_bytes=client_assignor.metadata,
        )
    return PreparedMember(
        member_id=seen.member_id,
        member_epoch=member.member_epoch,
        instance_id=seen.instance_id,
        rack_id=seen.rack_id,
        subscribed_topic_ids=[UUID(hex=topic) for topic in sorted(seen.topics)],
        assignor=assignor,
        topic_partitions=[
            TopicPartitions(topic_id=UUID(hex=topic), partitions=partitions)
            for topic, partitions in by_topic(seen.held).items()
        ],
    )


def _racks(topic_id: str, racks: Racks) -> list[PreparedRacks]:
    return [PreparedRacks(racks=sorted(near)) for near in racks.get(topic_id, ())]
