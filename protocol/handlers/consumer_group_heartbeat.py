"""ConsumerGroupHeartbeat (68): the one request of the consumer protocol's members (KIP-848)."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from groups.catalogue import Unavailable
from groups.core.assignors import Racks
from groups.core.consumer.group import ConsumerGroup
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import ConsumerHeartbeat
from groups.core.replies import ConsumerBeaten
from protocol.call import Call
from protocol.handlers import forms
from protocol.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)


async def handle(
    request: ConsumerGroupHeartbeatRequest, call: Call
) -> ConsumerGroupHeartbeatResponse:
    """Check the form, show the group its topics, let it decide."""
    try:
        _check(request, call)
        view = await _view(request, call)
    except Refuse as refusal:
        return _response(ConsumerBeaten(error=refusal.code, detail=refusal.detail))
    reply = await call.decide(request.group_id, _event(request, call, view))
    if not isinstance(reply, ConsumerBeaten):
        reply = ConsumerBeaten(error=reply.error)
    return _response(reply)


def _check(request: ConsumerGroupHeartbeatRequest, call: Call) -> None:
    if not request.group_id.strip():
        raise Refuse(ErrorCode.INVALID_REQUEST, "GroupId can't be empty.")
    forms.group_id(request.group_id, call.node.settings)
    forms.storable(request.member_id, request.instance_id, request.rack_id)
    forms.storable(*(request.subscribed_topic_names or ()))
    if request.subscribed_topic_regex:
        raise Refuse(ErrorCode.INVALID_REQUEST, "SubscribedTopicRegex is not supported yet.")


@dataclass(frozen=True, slots=True)
class View:
    """The catalogue as this request sees it: which names were looked up, and what was found
    (topic id in 32 hex digits, partition count). ``racks`` of those that have some, by id."""

    looked_up: frozenset[str]
    topics: Mapping[str, tuple[str, int]]
    racks: Racks


async def _view(request: ConsumerGroupHeartbeatRequest, call: Call) -> View:
    """Every topic that the group subscribes to, or that this request brings."""
    catalogue = call.node.catalogue
    group = call.node.coordinator.group(request.group_id)
    known = group.topic_names if isinstance(group, ConsumerGroup) else frozenset[str]()
    brought = request.subscribed_topic_names or ()
    try:
        # Only what is named anew is worth a look at the rows: the doorbell tells of the rest.
        entries = {**catalogue.known(known), **await catalogue.find_many(brought)}
    except Unavailable:
        raise Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE) from None
    topics = {name: (entry.topic_id.hex, entry.partitions) for name, entry in entries.items()}
    racks = {entry.topic_id.hex: entry.racks for entry in entries.values() if entry.racks}
    return View(known.union(brought), topics, racks)


def _event(request: ConsumerGroupHeartbeatRequest, call: Call, view: View) -> ConsumerHeartbeat:
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
        owned=None if owned is None else {t.topic_id.hex: tuple(t.partitions) for t in owned},
        topics=view.topics,
        looked_up=view.looked_up,
        racks=view.racks,
        version=call.version,
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
    )
