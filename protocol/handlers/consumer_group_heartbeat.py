"""ConsumerGroupHeartbeat (68): the one request of the consumer protocol's members (KIP-848)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from groups.core.assignors.client_side import ClientAssignor
from groups.core.authors import UNKNOWN_CLIENT
from groups.core.consumer.heartbeat import JOIN, is_blank
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import ConsumerHeartbeat
from groups.core.instance_claims import How
from groups.core.replies import ConsumerBeaten
from groups.runtime.views import View
from protocol.handlers.support import patterns, topic_view, validation
from protocol.handlers.support.long_poll import (
    News,
    answered,
    hold_s,
    learn,
    note_hold,
)
from protocol.requests.call import Call
from rollcall.wire.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)

CLAIMS: Final[Mapping[ErrorCode, How]] = {
    ErrorCode.UNRELEASED_INSTANCE_ID: How.REFUSED,
    ErrorCode.FENCED_INSTANCE_ID: How.FENCED,
}


async def handle(
    request: ConsumerGroupHeartbeatRequest, call: Call
) -> ConsumerGroupHeartbeatResponse:
    """Validate the request, pass the topics to the group, and return its decision; the heartbeat of
    a member for which there is no news waits for some, and is decided again, in the epoch to which
    the first decision has brought the member."""
    held_ms = learn(request, call)
    changes = call.node.catalogue.changes
    reply = await _decide(request, call)
    seconds = hold_s(request, reply, held_ms, call)
    if seconds:
        group_id, began_s = request.group_id, call.now()
        has_news = await call.hold_for_news(group_id, seconds, News(reply, request, call, changes))
        if has_news:
            reply = await _decide(replace(request, member_epoch=reply.member_epoch), call)
        else:
            note_hold(began_s, call)
    return _response(answered(request, reply, call))


async def _decide(request: ConsumerGroupHeartbeatRequest, call: Call) -> ConsumerBeaten:
    try:
        _check(request, call)
        brought = request.subscribed_topic_names or ()
        joins = request.member_epoch == JOIN
        seen = await topic_view.view(request.group_id, brought, call, joins=joins)
    except Refuse as refusal:
        if refusal.code is ErrorCode.COORDINATOR_NOT_AVAILABLE:
            call.heard(request.group_id, _event(request, call, View()))
        return ConsumerBeaten(error=refusal.code, detail=refusal.detail)
    reply = await call.decide(request.group_id, _event(request, call, seen))
    call.node.patterns.watch(request.group_id)
    if not isinstance(reply, ConsumerBeaten):
        return ConsumerBeaten(error=reply.error)
    if reply.error and reply.error in CLAIMS:
        call.claimed(request.group_id, request.instance_id, CLAIMS[reply.error])
    if joins or brought or request.subscribed_topic_regex:
        call.session.member = (request.group_id, reply.member_id or request.member_id)
    return reply


def _check(request: ConsumerGroupHeartbeatRequest, call: Call) -> None:
    validation.consumer_protocol(call.node.settings)
    if is_blank(request.group_id):
        raise Refuse(ErrorCode.INVALID_REQUEST, "GroupId can't be empty.")
    validation.group_id(request.group_id, call.node.settings)
    validation.name("member id", request.member_id)
    validation.instance_id(request.instance_id)
    validation.name("rack id", request.rack_id)
    validation.name("assignor", request.server_assignor)
    validation.metadata(call.node.settings, _brought(request))
    patterns.check(request.subscribed_topic_regex, call.access)


def _brought(request: ConsumerGroupHeartbeatRequest) -> Iterator[str | bytes | None]:
    """The subscription as the member's row stores it."""
    yield request.subscribed_topic_regex
    yield from request.subscribed_topic_names or ()
    for each in request.client_assignors or ():
        yield from (each.name, each.metadata)


def _event(request: ConsumerGroupHeartbeatRequest, call: Call, seen: View) -> ConsumerHeartbeat:
    names, owned = request.subscribed_topic_names, request.topic_partitions
    return ConsumerHeartbeat(
        ticket=call.ticket,
        member_id=request.member_id,
        member_epoch=request.member_epoch,
        instance_id=request.instance_id,
        rack_id=request.rack_id,
        client_id=call.client_id,
        client_host=call.client_host,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        subscribed_topic_names=None if names is None else tuple(names),
        server_assignor=request.server_assignor,
        owned=None if owned is None else _by_topic(owned),
        topics=seen.topics,
        looked_up=seen.looked_up,
        racks=seen.racks,
        version=call.version,
        subscribed_topic_regex=request.subscribed_topic_regex,
        regex_problem=_problem(request, call),
        client_assignors=_client_assignors(request),
        client=call.client if request.member_epoch == JOIN else UNKNOWN_CLIENT,
    )


def _problem(request: ConsumerGroupHeartbeatRequest, call: Call) -> str | None:
    """The error in the request's pattern, or in the one that the member keeps."""
    patterns, regex = call.node.patterns, request.subscribed_topic_regex
    if regex is None:
        return patterns.problem_of(request.group_id, request.member_id)
    return patterns.problem(regex) if regex else None


def _by_topic(owned: Sequence[TopicPartitions]) -> dict[str, tuple[int, ...]]:
    """The partitions that the member owns; entries of one topic are merged."""
    found: dict[str, list[int]] = {}
    for topic in owned:
        found.setdefault(topic.topic_id.hex, []).extend(topic.partitions)
    return {topic_id: tuple(partitions) for topic_id, partitions in found.items()}


def _client_assignors(request: ConsumerGroupHeartbeatRequest) -> tuple[ClientAssignor, ...] | None:
    if request.client_assignors is None:
        return None
    return tuple(
        ClientAssignor(
            each.name,
            each.reason,
            each.minimum_version,
            each.maximum_version,
            each.version,
            bytes(each.metadata),
        )
        for each in request.client_assignors
    )


def _response(reply: ConsumerBeaten) -> ConsumerGroupHeartbeatResponse:
    assignment = None
    if reply.assignment is not None:
        assignment = Assignment(
            topic_partitions=[
                TopicPartitions(topic_id=UUID(hex=topic), partitions=partitions)
                for topic, partitions in reply.assignment.items()
            ]
        )
    return ConsumerGroupHeartbeatResponse(
        error_code=reply.error,
        error_message=reply.detail,
        member_id=reply.member_id,
        member_epoch=reply.member_epoch,
        heartbeat_interval_ms=reply.heartbeat_interval_ms,
        assignment=assignment,
        should_compute_assignment=reply.should_assign,
    )
