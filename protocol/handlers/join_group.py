"""JoinGroup (11): a member joins the next generation."""

from asyncio import CancelledError
from dataclasses import replace

from groups.core.consumer.group import ConsumerGroup
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import JoinGroup
from groups.core.instance_claims import How
from groups.core.replies import Joined
from groups.core.subscription import subscription_of
from groups.runtime.views import View
from protocol.handlers.support import topic_view, validation
from protocol.requests.call import Call
from rollcall.wire.messages.join_group import (
    JoinGroupRequest,
    JoinGroupResponse,
    JoinGroupResponseMember,
)

MEMBER_ID_REQUIRED_SINCE = 4  # KIP-394
REBALANCE_TIMEOUT_SINCE = 1  # KIP-62; before it the session timeout served for both
NULL_PROTOCOL_NAME_SINCE = 7  # KIP-559
SKIP_ASSIGNMENT_SINCE = 9  # KIP-814


async def handle(request: JoinGroupRequest, call: Call) -> JoinGroupResponse:
    """Validate the request, submit the event, and return the group's decision."""
    try:
        event = _event(request, call)
    except Refuse as refusal:
        return _response(Joined(refusal.code, request.member_id), call.version)
    try:
        seen = await _view(request.group_id, event, call)
    except Refuse as refusal:
        call.heard(request.group_id, event)
        return _response(Joined(refusal.code, request.member_id), call.version)
    if not request.member_id:  # that of a static member that has none any more, or of another
        call.claimed(request.group_id, request.group_instance_id, How.TAKEN)
    event = replace(event, topics=seen.topics, looked_up=seen.looked_up)
    try:
        reply = await call.decide(request.group_id, event)
    except CancelledError:
        if not request.member_id:
            call.abandon(request.group_id)
        raise
    if not isinstance(reply, Joined):
        reply = Joined(reply.error, request.member_id)
    if reply.error is ErrorCode.MEMBER_ID_REQUIRED:
        call.note_id(request.group_id, reply.member_id)
    elif reply.error is ErrorCode.FENCED_INSTANCE_ID:
        call.claimed(request.group_id, request.group_instance_id, How.FENCED)
    elif not reply.error:
        call.session.member = (request.group_id, reply.member_id)
    return _response(reply, call.version)


async def _view(group_id: str, event: JoinGroup, call: Call) -> View:
    """The topics that the group needs to know; none if its members compute the assignment."""
    group = call.node.coordinator.group(group_id)
    if not isinstance(group, ConsumerGroup) or not event.protocols:
        return View()
    subscription = subscription_of(event.protocols[0][1])
    if subscription is None:
        return View()
    brought = {*subscription.topics, *(topic for topic, _ in subscription.owned)}
    return await topic_view.view(group_id, brought, call)


def _event(request: JoinGroupRequest, call: Call) -> JoinGroup:
    settings = call.node.settings
    validation.group_id(request.group_id, settings)
    validation.name("member id", request.member_id)
    validation.instance_id(request.group_instance_id)
    validation.name("protocol type", request.protocol_type)
    parts = (part for p in request.protocols for part in (p.name, p.metadata))
    validation.metadata(settings, parts)
    old = call.version < REBALANCE_TIMEOUT_SINCE
    return JoinGroup(
        ticket=call.ticket,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
        client_id=call.client_id,
        client_host=call.client_host,
        session_timeout_ms=request.session_timeout_ms,
        rebalance_timeout_ms=request.session_timeout_ms if old else request.rebalance_timeout_ms,
        protocol_type=request.protocol_type,
        protocols=tuple((p.name, bytes(p.metadata)) for p in request.protocols),
        reason=validation.sentence(request.reason),
        needs_member_id=call.version >= MEMBER_ID_REQUIRED_SINCE
        and request.group_instance_id is None,
        can_skip_assignment=call.version >= SKIP_ASSIGNMENT_SINCE,
        client=call.client,
    )


def _response(reply: Joined, version: int) -> JoinGroupResponse:
    name = reply.protocol_name
    if name is None and version < NULL_PROTOCOL_NAME_SINCE:
        name = ""
    return JoinGroupResponse(
        error_code=reply.error,
        generation_id=reply.generation_id,
        protocol_type=reply.protocol_type,
        protocol_name=name,
        leader=reply.leader,
        skip_assignment=reply.skip_assignment,
        member_id=reply.member_id,
        members=[
            JoinGroupResponseMember(
                member_id=m.member_id, group_instance_id=m.instance_id, metadata=m.metadata
            )
            for m in reply.members
        ],
    )
