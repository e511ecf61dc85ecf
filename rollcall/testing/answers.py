"""Requests to events of the rules, and their replies to responses: the consumer and the classic
protocol, offsets, and what a client asks before it joins.

The server's own handlers (``protocol``) also validate, authorize and limit; here a request of the
member library is trusted.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from groups.core.errors import ErrorCode
from groups.core.events import (
    ConsumerHeartbeat,
    Event,
    JoinGroup,
    LeaveGroup,
    Leaver,
    OffsetCommit,
    OffsetWrite,
    SyncGroup,
    Ticket,
)
from groups.core.replies import Committed, ConsumerBeaten, Joined, Left, Reply, Synced
from rollcall.client.core.events import TopicPartition
from rollcall.testing.memory import Memory
from rollcall.wire.declare import Message
from rollcall.wire.messages.api_versions import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
)
from rollcall.wire.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from rollcall.wire.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from rollcall.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from rollcall.wire.messages.join_group import (
    JoinGroupRequest,
    JoinGroupResponse,
    JoinGroupResponseMember,
)
from rollcall.wire.messages.leave_group import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberResponse,
)
from rollcall.wire.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopics,
)
from rollcall.wire.messages.sync_group import SyncGroupRequest, SyncGroupResponse

SPOKEN: Final[Mapping[type[Message], tuple[int, int]]] = {
    ApiVersionsRequest: (0, 4),
    MetadataRequest: (12, 13),
    FindCoordinatorRequest: (4, 6),
    JoinGroupRequest: (5, 9),
    SyncGroupRequest: (5, 5),
    HeartbeatRequest: (4, 4),
    LeaveGroupRequest: (3, 5),
    OffsetCommitRequest: (8, 10),
    OffsetFetchRequest: (8, 9),
    ConsumerGroupHeartbeatRequest: (1, 1),
}
"""What is served, first and last version: those in which every field is there."""

KEYS: Final = {request.api_key: request for request in SPOKEN}
NODE: Final = 1
NO_ID: Final = UUID(int=0)
HOST: Final = "/127.0.0.1"


class Asked:
    """One request: what the coordinator knows, and what the request's header says."""

    def __init__(
        self, memory: Memory, port: int, ticket: Ticket, version: int, client_id: str, now: int
    ) -> None:
        self.memory, self.port, self.ticket = memory, port, ticket
        self.version, self.client_id, self.now = version, client_id, now


def answer(request: Message, asked: Asked) -> Message | Event:
    """The response to a request that needs no decision, or the event that decides it."""
    return _HANDLERS[type(request)](request, asked)


def _api_versions(request: ApiVersionsRequest, asked: Asked) -> Message:
    keys = [
        ApiVersion(api_key=key, min_version=first, max_version=last)
        for (first, last), key in ((SPOKEN[each], each.api_key) for each in SPOKEN)
        if key is not None
    ]
    return ApiVersionsResponse(api_keys=keys)


def _find_coordinator(request: FindCoordinatorRequest, asked: Asked) -> Message:
    return FindCoordinatorResponse(
        coordinators=[
            Coordinator(key=key, node_id=NODE, host="127.0.0.1", port=asked.port, error_message="")
            for key in request.coordinator_keys
        ]
    )


def _metadata(request: MetadataRequest, asked: Asked) -> Message:
    memory, topics = asked.memory, request.topics
    if topics is None:
        topics = [MetadataRequestTopic(name=name) for name in memory.topics]
    broker = MetadataResponseBroker(node_id=NODE, host="127.0.0.1", port=asked.port)
    return MetadataResponse(
        brokers=[broker], controller_id=NODE, topics=[_topic(each, memory) for each in topics]
    )


def _topic(wanted: MetadataRequestTopic, memory: Memory) -> MetadataResponseTopic:
    name = wanted.name if wanted.topic_id == NO_ID else memory.name_of(wanted.topic_id)
    if name is None:
        unknown_id = ErrorCode.UNKNOWN_TOPIC_ID
        return MetadataResponseTopic(error_code=unknown_id, name=None, topic_id=wanted.topic_id)
    if name not in memory.topics:
        return MetadataResponseTopic(error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, name=name)
    topic_id, count = memory.topics[name]
    partitions = [
        MetadataResponsePartition(
            partition_index=number, leader_id=NODE, replica_nodes=[NODE], isr_nodes=[NODE]
        )
        for number in range(count)
    ]
    return MetadataResponseTopic(name=name, topic_id=topic_id, partitions=partitions)


def _join(request: JoinGroupRequest, asked: Asked) -> Event:
    names = asked.memory.subscribed(request.group_id)
    return JoinGroup(
        ticket=asked.ticket,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
        client_id=asked.client_id,
        client_host=HOST,
        session_timeout_ms=request.session_timeout_ms,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        protocol_type=request.protocol_type,
        protocols=tuple((each.name, bytes(each.metadata)) for each in request.protocols),
        needs_member_id=request.group_instance_id is None,
        can_skip_assignment=asked.version >= 9,  # KIP-814
        topics=asked.memory.seen(asked.memory.topics),
        looked_up=names | asked.memory.topics.keys(),
    )


def _sync(request: SyncGroupRequest, asked: Asked) -> Event:
    return SyncGroup(
        ticket=asked.ticket,
        generation_id=request.generation_id,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
        assignments={each.member_id: bytes(each.assignment) for each in request.assignments},
        names_protocol=True,
        protocol_type=request.protocol_type,
        protocol_name=request.protocol_name,
    )


def _heartbeat(request: HeartbeatRequest, asked: Asked) -> Message:
    group = asked.memory.group(request.group_id)
    if group is None:
        return HeartbeatResponse(error_code=ErrorCode.UNKNOWN_MEMBER_ID)
    member_id, generation = request.member_id, request.generation_id
    code = group.heartbeat_view().heartbeat(
        member_id, request.group_instance_id, generation, asked.now
    )
    return HeartbeatResponse(error_code=code)


def _leave(request: LeaveGroupRequest, asked: Asked) -> Event:
    leavers = tuple(
        Leaver(each.member_id, each.group_instance_id, each.reason) for each in request.members
    )
    return LeaveGroup(ticket=asked.ticket, members=leavers)


def _consumer_heartbeat(request: ConsumerGroupHeartbeatRequest, asked: Asked) -> Event:
    names, owned = request.subscribed_topic_names, request.topic_partitions
    known = asked.memory.subscribed(request.group_id) | set(names or ())
    return ConsumerHeartbeat(
        ticket=asked.ticket,
        member_id=request.member_id,
        member_epoch=request.member_epoch,
        instance_id=request.instance_id,
        rack_id=request.rack_id,
        client_id=asked.client_id,
        client_host=HOST,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        subscribed_topic_names=None if names is None else tuple(names),
        server_assignor=request.server_assignor,
        owned=None if owned is None else {t.topic_id.hex: tuple(t.partitions) for t in owned},
        topics=asked.memory.seen(known),
        looked_up=known,
        subscribed_topic_regex=request.subscribed_topic_regex,
        regex_problem=_problem(request.subscribed_topic_regex),
    )


def _problem(pattern: str | None) -> str | None:
    """Why a pattern is invalid, by Python's ``re``; a node asks RE2."""
    try:
        re.compile(pattern or "")
    except re.error as error:
        return str(error)
    return None


def _commit(request: OffsetCommitRequest, asked: Asked) -> Message | Event:
    writes = tuple(
        OffsetWrite(name, each.partition_index, each.committed_offset, -1, "")
        for name, each in _named(request, asked)
        if _exists(name, each.partition_index, asked.memory)
    )
    if not writes:
        return _committed(Committed(), request, asked)
    return OffsetCommit(
        ticket=asked.ticket,
        generation_id=request.generation_id_or_member_epoch,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
        offsets=writes,
        version=asked.version,
    )


def _named(request: OffsetCommitRequest, asked: Asked) -> Iterable[tuple[str, Any]]:
    """Each partition of a commit, with its topic's name."""
    for topic in request.topics:
        name = topic.name if topic.topic_id == NO_ID else asked.memory.name_of(topic.topic_id)
        for each in topic.partitions:
            yield name or "", each


def _exists(topic: str, partition: int, memory: Memory) -> bool:
    return 0 <= partition < memory.topics.get(topic, (NO_ID, 0))[1]


def _committed(reply: Reply, request: OffsetCommitRequest, asked: Asked) -> Message:
    def line(topic: Any, partition: int) -> OffsetCommitResponsePartition:
        by_name = topic.topic_id == NO_ID
        name = topic.name if by_name else asked.memory.name_of(topic.topic_id)
        code = reply.error
        if not _exists(name or "", partition, asked.memory):
            is_id = not by_name and name is None
            unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            code = ErrorCode.UNKNOWN_TOPIC_ID if is_id else unknown
        return OffsetCommitResponsePartition(partition_index=partition, error_code=code)

    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=topic.name,
                topic_id=topic.topic_id,
                partitions=[line(topic, each.partition_index) for each in topic.partitions],
            )
            for topic in request.topics
        ]
    )


def _fetch_offsets(request: OffsetFetchRequest, asked: Asked) -> Message:
    groups = [_offsets_of(group, asked.memory) for group in request.groups]
    return OffsetFetchResponse(groups=groups)


def _offsets_of(wanted: OffsetFetchRequestGroup, memory: Memory) -> OffsetFetchResponseGroup:
    stored = memory.offsets.get(wanted.group_id, {})
    topics = [
        OffsetFetchResponseTopics(
            name=topic.name,
            partitions=[
                OffsetFetchResponsePartitions(
                    partition_index=number,
                    committed_offset=stored.get(TopicPartition(topic.name, number), -1),
                    metadata="",
                )
                for number in topic.partition_indexes
            ],
        )
        for topic in _wanted(wanted.topics, stored)
    ]
    return OffsetFetchResponseGroup(group_id=wanted.group_id, topics=topics)


def _wanted(
    topics: Sequence[OffsetFetchRequestTopics] | None, stored: Iterable[TopicPartition]
) -> Sequence[OffsetFetchRequestTopics]:
    """The topics asked for; null: every one with an offset."""
    if topics is not None:
        return topics
    by_topic: dict[str, list[int]] = {}
    for topic, partition in sorted(stored):
        by_topic.setdefault(topic, []).append(partition)
    return [OffsetFetchRequestTopics(name=n, partition_indexes=p) for n, p in by_topic.items()]


_HANDLERS: Final[Mapping[type[Message], Callable[[Any, Asked], Message | Event]]] = {
    ApiVersionsRequest: _api_versions,
    MetadataRequest: _metadata,
    FindCoordinatorRequest: _find_coordinator,
    JoinGroupRequest: _join,
    SyncGroupRequest: _sync,
    HeartbeatRequest: _heartbeat,
    LeaveGroupRequest: _leave,
    ConsumerGroupHeartbeatRequest: _consumer_heartbeat,
    OffsetCommitRequest: _commit,
    OffsetFetchRequest: _fetch_offsets,
}


# -- replies


def response(reply: Reply, request: Message, asked: Asked) -> Message:
    """The response to a request that the rules have decided."""
    match request, reply:
        case JoinGroupRequest(), Joined():
            return _joined(reply)
        case SyncGroupRequest(), Synced():
            return SyncGroupResponse(
                error_code=reply.error,
                protocol_type=reply.protocol_type,
                protocol_name=reply.protocol_name,
                assignment=reply.assignment,
            )
        case LeaveGroupRequest(), Left():
            return _left(reply, request)
        case ConsumerGroupHeartbeatRequest(), ConsumerBeaten():
            return _beaten(reply)
        case OffsetCommitRequest(), _:
            return _committed(reply, request, asked)
    return _FAILED[type(request)](error_code=reply.error)


_FAILED: Final[Mapping[type[Message], Callable[..., Message]]] = {
    JoinGroupRequest: JoinGroupResponse,
    SyncGroupRequest: SyncGroupResponse,
    LeaveGroupRequest: LeaveGroupResponse,
    ConsumerGroupHeartbeatRequest: ConsumerGroupHeartbeatResponse,
}


def _joined(reply: Joined) -> JoinGroupResponse:
    return JoinGroupResponse(
        error_code=reply.error,
        generation_id=reply.generation_id,
        protocol_type=reply.protocol_type,
        protocol_name=reply.protocol_name or "",
        leader=reply.leader,
        skip_assignment=reply.skip_assignment,
        member_id=reply.member_id,
        members=[
            JoinGroupResponseMember(
                member_id=each.member_id,
                group_instance_id=each.instance_id,
                metadata=each.metadata,
            )
            for each in reply.members
        ],
    )


def _left(reply: Left, request: LeaveGroupRequest) -> LeaveGroupResponse:
    lines = [
        MemberResponse(member_id=m.member_id, group_instance_id=m.group_instance_id, error_code=c)
        for m, c in zip(request.members, reply.members, strict=False)
    ]
    return LeaveGroupResponse(error_code=reply.error, members=lines)


def _beaten(reply: ConsumerBeaten) -> ConsumerGroupHeartbeatResponse:
    assignment = None
    if reply.assignment is not None:
        parts = [
            TopicPartitions(topic_id=UUID(hex=topic), partitions=list(partitions))
            for topic, partitions in reply.assignment.items()
        ]
        assignment = Assignment(topic_partitions=parts)
    return ConsumerGroupHeartbeatResponse(
        error_code=reply.error,
        error_message=reply.detail,
        member_id=reply.member_id,
        member_epoch=reply.member_epoch,
        heartbeat_interval_ms=reply.heartbeat_interval_ms,
        assignment=assignment,
    )
