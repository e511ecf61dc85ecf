"""JoinGroup (11) of the draft: a consumer asks for partitions, and waits until all have joined."""

from asyncio import CancelledError

from groups.catalogue.cache import Unavailable
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import DraftJoin
from groups.core.kinds import DRAFT
from groups.core.replies import DraftJoined
from protocol.handlers.draft import check_names, decide, number_of
from protocol.requests.call import Call
from rollcall.wire.messages.draft.join_group import (
    JoinGroupRequest,
    JoinGroupResponse,
    JoinGroupResponseTopic,
)


async def handle(request: JoinGroupRequest, call: Call) -> JoinGroupResponse:
    """Validate the request, look up the topics, submit the event, and return the group's
    decision."""
    try:
        event = await _event(request, call)
    except Refuse as refusal:
        return _response(DraftJoined(refusal.code, consumer_id=request.consumer_id))
    try:
        reply = await decide(call, request.group_id, event)
    except CancelledError:
        call.abandon(request.group_id)
        raise
    if not isinstance(reply, DraftJoined):
        reply = DraftJoined(reply.error, consumer_id=request.consumer_id)
    if reply.error is ErrorCode.NONE:
        call.node.topics_of_kinds[DRAFT].knows(request.group_id)
        call.sit(request.group_id, reply.consumer_id)
    return _response(reply)


async def _event(request: JoinGroupRequest, call: Call) -> DraftJoin:
    strategy = request.partition_assignment_strategy
    check_names(call, request.group_id, request.consumer_id, strategy, *request.topics)
    topics = tuple(dict.fromkeys(request.topics))
    try:
        found = await call.node.catalogue.find_many(topics)
    except Unavailable:
        raise Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE) from None
    return DraftJoin(
        ticket=call.ticket,
        consumer_id=request.consumer_id,
        client_id=call.client_id,
        client_host=call.client_host,
        session_timeout_ms=request.session_timeout_ms,
        topics=topics,
        strategy=strategy,
        counts={name: entry.partitions for name, entry in found.items()},
        client=call.client,
    )


def _response(reply: DraftJoined) -> JoinGroupResponse:
    return JoinGroupResponse(
        error_code=number_of(reply.error),
        group_generation_id=reply.generation_id,
        consumer_id=reply.consumer_id,
        partitions_to_own=[
            JoinGroupResponseTopic(name=topic, partitions=partitions)
            for topic, partitions in reply.partitions.items()
        ],
    )
