"""Between messages and the rules, as the handlers do it: requests as events, replies as answers.

``world`` is a ``tests.client_library.world.World``: the catalogue, the group and the clock.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from uuid import UUID, uuid5

from groups.core import commands, events
from groups.core.commanded import thread_offers
from groups.core.replies import (
    Acknowledged,
    ConsumerBeaten,
    DraftBeaten,
    DraftJoined,
    Joined,
    Left,
    Registered,
    Synced,
)
from groups.core.rows import CommandRow
from rollcall.wire.declare import Message
from rollcall.wire.messages.acknowledge_command import (
    AcknowledgeCommandRequest,
    AcknowledgeCommandResponse,
)
from rollcall.wire.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from rollcall.wire.messages.draft import heartbeat as draft_heartbeat
from rollcall.wire.messages.draft import join_group as draft_join
from rollcall.wire.messages.draft import leave_group as draft_leave
from rollcall.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from rollcall.wire.messages.join_group import (
    JoinGroupRequest,
    JoinGroupResponse,
    JoinGroupResponseMember,
)
from rollcall.wire.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse
from rollcall.wire.messages.poll_commands import (
    Command,
    OwnedTopic,
    PartitionThread,
    PollCommandsRequest,
    PollCommandsResponse,
)
from rollcall.wire.messages.register_consumer import (
    RegisterConsumerRequest,
    RegisterConsumerResponse,
)
from rollcall.wire.messages.sync_group import SyncGroupRequest, SyncGroupResponse

NAMESPACE = UUID(int=1)


def id_of(topic: str) -> UUID:
    """A topic's id, the same every time."""
    return uuid5(NAMESPACE, topic)


def event_of(world: Any, ticket: events.Ticket, message: Message) -> events.Event | Message:
    """What the rules are asked; or the answer, where the view says it."""
    return _EVENTS[type(message)](world, ticket, message)


def _heartbeat(world: Any, ticket: events.Ticket, message: Any) -> Message:
    code = world.group.heartbeat_view().heartbeat(
        message.member_id, message.group_instance_id, message.generation_id, world.now
    )
    return HeartbeatResponse(error_code=code)


def _old_heartbeat(world: Any, ticket: events.Ticket, message: Any) -> events.Event | Message:
    """The view answers that nothing changed; anything else is for the rules."""
    who, generation = message.consumer_id, message.group_generation_id
    if not world.group.heartbeat_view().heartbeat(who, None, generation, world.now):
        return draft_heartbeat.HeartbeatResponse(error_code=0)
    return events.DraftHeartbeat(ticket=ticket, consumer_id=who, generation_id=generation)


def _old_join(world: Any, ticket: events.Ticket, message: Any) -> events.Event:
    topics = tuple(message.topics)
    return events.DraftJoin(
        ticket=ticket,
        consumer_id=message.consumer_id,
        client_id="app",
        client_host="/127.0.0.1",
        session_timeout_ms=message.session_timeout_ms,
        topics=topics,
        strategy=message.partition_assignment_strategy,
        counts={name: world.catalogue[name] for name in topics if name in world.catalogue},
    )


def _register(world: Any, ticket: events.Ticket, message: Any) -> events.Event:
    kind = {1: thread_offers.WHITE_LIST, 2: thread_offers.BLACK_LIST}.get(message.filter_type)
    key = None if kind is None else thread_offers.filter_key(kind, message.pattern)
    matches = world.matches([] if key is None else [key])
    threads = {topic.name: topic.threads for topic in message.topics}
    return events.RegisterConsumer(
        ticket=ticket,
        consumer_id=message.consumer_id,
        generation_id=message.generation_id,
        client_id="app",
        client_host="/127.0.0.1",
        session_timeout_ms=message.session_timeout_ms,
        threads=threads,
        filter=key,
        filter_threads=message.pattern_threads,
        counts={n: c for n, c in world.catalogue.items() if n in threads or key is not None},
        matches=matches,
    )


def _acknowledge(world: Any, ticket: events.Ticket, message: Any) -> events.Event:
    return events.AcknowledgeCommand(
        ticket=ticket, member_id=message.member_id, command_id=message.command_id
    )


def polled(world: Any, message: PollCommandsRequest) -> PollCommandsResponse | None:
    """The answer to a poll; None: it has to wait."""
    row = commands.receiver(world.group, message.member_id)
    if row is None:
        return PollCommandsResponse(error_code=25)
    todo = commands.behind(row, message.last_command_id)
    return answer_to(todo, world.group.durable.group.generation) if todo else None


def answer_to(todo: Iterable[CommandRow], generation: int = 0) -> PollCommandsResponse:
    """Commands as a message."""
    return PollCommandsResponse(
        generation_id=generation,
        commands=[
            Command(
                command_id=each.command_id,
                option=each.option,
                generation_id=each.generation,
                ownership=None
                if each.ownership is None
                else [
                    OwnedTopic(
                        name=topic,
                        partitions=[
                            PartitionThread(partition=p, consumer_thread=thread)
                            for p, thread in owned.items()
                        ],
                    )
                    for topic, owned in each.ownership.items()
                ],
            )
            for each in todo
        ],
    )


def _old_leave(world: Any, ticket: events.Ticket, message: Any) -> events.Event:
    return events.LeaveGroup(ticket=ticket, members=(events.Leaver(message.consumer_id, None),))


def _heartbeat_event(world: Any, ticket: events.Ticket, message: Any) -> events.Event:
    owned = message.topic_partitions
    names = message.subscribed_topic_names
    return events.ConsumerHeartbeat(
        ticket=ticket,
        member_id=message.member_id,
        member_epoch=message.member_epoch,
        instance_id=message.instance_id,
        rack_id=message.rack_id,
        client_id="app",
        client_host="/127.0.0.1",
        rebalance_timeout_ms=message.rebalance_timeout_ms,
        subscribed_topic_names=None if names is None else tuple(names),
        server_assignor=message.server_assignor,
        owned=None if owned is None else {t.topic_id.hex: tuple(t.partitions) for t in owned},
        topics=world.topics_of(message),
        looked_up=frozenset(world.group.topic_names | set(names or ())),
    )


def _join(world: Any, ticket: events.Ticket, message: Any) -> events.Event:
    return events.JoinGroup(
        ticket=ticket,
        member_id=message.member_id,
        instance_id=message.group_instance_id,
        client_id="app",
        client_host="/127.0.0.1",
        session_timeout_ms=message.session_timeout_ms,
        rebalance_timeout_ms=message.rebalance_timeout_ms,
        protocol_type=message.protocol_type,
        protocols=tuple((p.name, p.metadata) for p in message.protocols),
        needs_member_id=message.group_instance_id is None,
        can_skip_assignment=True,
    )


def _sync(world: Any, ticket: events.Ticket, message: Any) -> events.Event:
    return events.SyncGroup(
        ticket=ticket,
        generation_id=message.generation_id,
        member_id=message.member_id,
        instance_id=message.group_instance_id,
        assignments={each.member_id: each.assignment for each in message.assignments},
        names_protocol=True,
        protocol_type=message.protocol_type,
        protocol_name=message.protocol_name,
    )


def _leave(world: Any, ticket: events.Ticket, message: Any) -> events.Event:
    leavers = tuple(events.Leaver(m.member_id, m.group_instance_id) for m in message.members)
    return events.LeaveGroup(ticket=ticket, members=leavers)


_EVENTS: Mapping[type[Message], Callable[[Any, events.Ticket, Any], events.Event | Message]] = {
    HeartbeatRequest: _heartbeat,
    draft_heartbeat.HeartbeatRequest: _old_heartbeat,
    draft_join.JoinGroupRequest: _old_join,
    RegisterConsumerRequest: _register,
    AcknowledgeCommandRequest: _acknowledge,
    draft_leave.LeaveGroupRequest: _old_leave,
    ConsumerGroupHeartbeatRequest: _heartbeat_event,
    JoinGroupRequest: _join,
    SyncGroupRequest: _sync,
    LeaveGroupRequest: _leave,
}


def message_of(reply: Any, request: Message) -> Message:
    """What a handler would make of the rules' answer."""
    match reply:
        case DraftJoined():
            return draft_join.JoinGroupResponse(
                error_code=reply.error,
                group_generation_id=reply.generation_id,
                consumer_id=reply.consumer_id,
                partitions_to_own=[
                    draft_join.JoinGroupResponseTopic(name=topic, partitions=partitions)
                    for topic, partitions in reply.partitions.items()
                ],
            )
        case Registered():
            return RegisterConsumerResponse(
                error_code=reply.error,
                error_message=reply.detail,
                consumer_id=reply.consumer_id,
                generation_id=reply.generation_id,
                last_command_id=reply.last_command_id,
            )
        case Acknowledged():
            return AcknowledgeCommandResponse(error_code=reply.error)
        case DraftBeaten():
            return draft_heartbeat.HeartbeatResponse(error_code=reply.error)
        case Left() if isinstance(request, draft_leave.LeaveGroupRequest):
            return draft_leave.LeaveGroupResponse(error_code=reply.error)
        case Joined():
            return JoinGroupResponse(
                error_code=reply.error,
                generation_id=reply.generation_id,
                protocol_type=reply.protocol_type,
                protocol_name=reply.protocol_name,
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
        case Synced():
            return SyncGroupResponse(
                error_code=reply.error,
                protocol_type=reply.protocol_type,
                protocol_name=reply.protocol_name,
                assignment=reply.assignment,
            )
        case Left():
            return LeaveGroupResponse(error_code=reply.error)
        case ConsumerBeaten():
            return _beaten_message(reply)
    raise AssertionError(f"no message for {reply}")


def _beaten_message(reply: ConsumerBeaten) -> ConsumerGroupHeartbeatResponse:
    assignment = None
    if reply.assignment is not None:
        assignment = Assignment(
            topic_partitions=[
                TopicPartitions(topic_id=UUID(hex=topic), partitions=list(partitions))
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
