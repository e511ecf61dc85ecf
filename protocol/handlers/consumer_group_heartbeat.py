"""ConsumerGroupHeartbeat (68): the one request of the consumer protocol's members (KIP-848)."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from groups.catalogue import Unavailable
from groups.core.consumer.group import ConsumerGroup
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import ConsumerHeartbeat
from groups.core.replies import ConsumerBeaten
from protocol.call import Call
from protocol.handlers import forms
from protocol.holding import HOLD_S_MIN
from protocol.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)


async def handle(
    request: ConsumerGroupHeartbeatRequest, call: Call
) -> ConsumerGroupHeartbeatResponse:
    """Check the form, show the group its topics, let it decide; a settled member's heartbeat
    waits for news a while, and is decided again when there is any."""
    reply = await _decide(request, call)
    seconds = _hold_s(request, reply, call)
    if seconds and await call.hold_for_news(request.group_id, seconds, News(reply, request, call)):
        reply = await _decide(request, call)
    return _response(reply)


async def _decide(request: ConsumerGroupHeartbeatRequest, call: Call) -> ConsumerBeaten:
    try:
        _check(request, call)
        view = await _view(request, call)
    except Refuse as refusal:
        return ConsumerBeaten(error=refusal.code, detail=refusal.detail)
    reply = await call.decide(request.group_id, _event(request, call, view))
    return reply if isinstance(reply, ConsumerBeaten) else ConsumerBeaten(error=reply.error)


SESSION_SHARE = 1 / 3
"""Of the session at most: a client that counts its interval from the answer beats so much later."""


def _hold_s(request: ConsumerGroupHeartbeatRequest, reply: ConsumerBeaten, call: Call) -> float:
    """How long an empty heartbeat of a member that has all it shall have may wait; else 0."""
    share = call.node.settings.group_consumer_heartbeat_hold_percent / 100
    says_something = (
        request.member_epoch <= 0
        or request.topic_partitions is not None
        or request.subscribed_topic_names is not None
        or request.subscribed_topic_regex is not None
        or request.server_assignor is not None
        or request.rebalance_timeout_ms != -1
    )
    if not share or says_something or reply.error or reply.assignment is not None:
        return 0
    group = call.node.coordinator.group(request.group_id)
    if not (
        isinstance(group, ConsumerGroup)
        and reply.member_epoch == request.member_epoch
        and group.is_settled(request.member_id, reply.member_epoch)
    ):
        return 0
    # Who beats faster than it was told is held for less, or not at all.
    interval_s = min(reply.heartbeat_interval_ms / 1000, call.gap_s)
    session_s = group.rules.group_consumer_session_timeout_ms / 1000
    seconds = min(interval_s * share, session_s * SESSION_SHARE)
    return seconds if seconds >= HOLD_S_MIN else 0


@dataclass(frozen=True, slots=True)
class News:
    """The question whether a held heartbeat would be answered otherwise by now."""

    reply: ConsumerBeaten
    request: ConsumerGroupHeartbeatRequest
    call: Call

    def __call__(self) -> bool:
        coordinator, group_id = self.call.node.coordinator, self.request.group_id
        if not coordinator.owns(group_id) or not coordinator.holds_lease:
            return True
        group = coordinator.group(group_id)
        return not (
            isinstance(group, ConsumerGroup)
            and group.is_settled(self.request.member_id, self.reply.member_epoch)
        )


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
    (topic id in 32 hex digits, partition count)."""

    looked_up: frozenset[str]
    topics: Mapping[str, tuple[str, int]]


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
    return View(known.union(brought), topics)


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
