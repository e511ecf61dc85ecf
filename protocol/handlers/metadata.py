"""Metadata (3): the live nodes, and topics with their partitions and leaders."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

from groups.catalogue.cache import CatalogueEntry, Unavailable
from groups.core.acls.bindings import AclOperation, ResourceType
from groups.core.errors import ErrorCode
from groups.core.topics import (
    PARTITIONS_MAX,
    PARTITIONS_PER_REQUEST_MAX,
    TOPICS_PER_REQUEST_MAX,
    name_problem,
)
from protocol.handlers.support import authorized_operations
from protocol.handlers.support.group_operations import NOT_REQUESTED
from protocol.handlers.support.partition_lists import PartitionLists
from protocol.handlers.support.wire_codes import WireCode
from protocol.requests.access import Open
from protocol.requests.call import Call
from rollcall.wire.codec import LARGE_ELEMENTS
from rollcall.wire.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponseTopic,
)

NO_TOPIC_ID = UUID(int=0)

PARTITIONS_LISTED_MAX = 100_000
"""Partitions in one reply: about four megabytes, of the eight that a reply may have."""

LISTS: Final = PartitionLists()
"""Of this process."""

TOO_MUCH = ErrorCode.POLICY_VIOLATION
"""For a topic that does not fit into the reply: clients learn that it exists, and may ask for it
alone. With any other error they would assume that it does not exist, or ask again at once."""

ILL_NAMED = ErrorCode.INVALID_TOPIC_EXCEPTION
REFUSED = ErrorCode.TOPIC_AUTHORIZATION_FAILED

NULL_MEANS_ALL_SINCE = 1
BY_ID_SINCE = 12
"""v10 and v11 have the field in the request but Kafka serves it only from v12 (KAFKA-10551)."""


async def handle(request: MetadataRequest, call: Call) -> MetadataResponse:
    """The topics of the request: null means all topics, as does an empty list in v0; [] none."""
    cluster = call.node.cluster
    return MetadataResponse(
        brokers=[
            MetadataResponseBroker(node_id=node_id, host=at.host, port=at.port)
            for node_id, at in call.reachable().items()
        ],
        cluster_id=cluster.cluster_id,
        controller_id=cluster.controller_id,
        topics=await _topics(request, call),
        cluster_authorized_operations=authorized_operations.of_cluster(
            request.include_cluster_authorized_operations, call.access
        ),
    )


async def _topics(request: MetadataRequest, call: Call) -> list[MetadataResponseTopic]:
    topics = request.topics
    operations = _Operations(request.include_topic_authorized_operations, call.access)
    if topics is None or (not topics and call.version < NULL_MEANS_ALL_SINCE):
        reply, access = _Answer(call, operations), call.access
        return [
            await reply.known(entry)
            async for entry in call.each(call.node.catalogue.all())
            if access.may(AclOperation.DESCRIBE, ResourceType.TOPIC, entry.name)
        ]
    if call.version < BY_ID_SINCE and any(_is_by_id(topic) for topic in topics):
        return [
            _failed(
                ErrorCode.INVALID_REQUEST,
                topic.name or "",
                operations.of(topic.name or ""),
                topic.topic_id,
            )
            for topic in topics
        ]
    ids = dict.fromkeys(topic.topic_id for topic in topics if _is_by_id(topic))
    if ids:  # Kafka uses names only if the request has no id
        return await _by_id(ids, call, operations)
    names = dict.fromkeys(topic.name or "" for topic in topics)
    return await _by_name(names, request.allow_auto_topic_creation, call, operations)


@dataclass(frozen=True, slots=True)
class _Operations:
    """A topic's authorized operations, if the request asks for them."""

    requested: bool
    access: Open

    def of(self, name: str) -> int:
        """The operations as bits."""
        return authorized_operations.of_topic(self.requested, name, self.access)


class _Answer:
    """Collects the topics of one reply, with their partitions while there is room, then without."""

    def __init__(self, call: Call, operations: _Operations) -> None:
        self._call = call
        self._operations = operations
        self._room = PARTITIONS_LISTED_MAX
        self._nodes = tuple(call.reachable())

    async def known(self, entry: CatalogueEntry) -> MetadataResponseTopic:
        """An existing topic. A long list of partitions is created in the thread."""
        count = entry.partitions
        self._room -= count
        if self._room < 0:
            operations = self._operations.of(entry.name)
            return _failed(TOO_MUCH, entry.name, operations, entry.topic_id)
        partitions = LISTS.find(entry.topic_id, count, self._nodes)
        if partitions is None:
            making = partial(LISTS.make, entry.topic_id, count, self._nodes)
            partitions = await self._call.beside(making) if count > LARGE_ELEMENTS else making()
        return MetadataResponseTopic(
            name=entry.name,
            topic_id=entry.topic_id,
            partitions=partitions,
            topic_authorized_operations=self._operations.of(entry.name),
        )


def _is_by_id(topic: MetadataRequestTopic) -> bool:
    return topic.topic_id != NO_TOPIC_ID or topic.name is None


async def _by_name(
    requested: Iterable[str], may_create: bool, call: Call, operations: _Operations
) -> list[MetadataResponseTopic]:
    """The topic of each name; missing ones are created if client and settings allow it."""
    catalogue, settings = call.node.catalogue, call.node.settings
    missing: int = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    names, hidden = await _shown(requested, call), list[str]()
    refused = [name for name in requested if name not in names]
    try:
        found = await catalogue.find_many(names)
        if may_create and settings.auto_create_topics_enable:
            new_names = [n for n in names if n not in found and name_problem(n) is None]
            hidden = _not_creatable(new_names, call)
            new = _room_for([n for n in new_names if n not in hidden], call)
            if new:
                call.change_topics(sum(new.values()))
                await catalogue.create_many(new, call.author.details())
                found = await catalogue.find_many(names)
    except Unavailable:
        found = catalogue.known(names)
        missing = WireCode.LEADER_NOT_AVAILABLE
    reply = _Answer(call, operations)
    return [
        await reply.known(found[name])
        if name in found
        else _failed(
            missing if name_problem(name) is None else ILL_NAMED, name, operations.of(name)
        )
        async for name in call.each([n for n in names if n not in hidden])
    ] + [_failed(REFUSED, name, NOT_REQUESTED) for name in (*hidden, *refused)]


async def _shown(names: Iterable[str], call: Call) -> dict[str, None]:
    """The names that the client may describe; the others are not looked up."""
    may = call.access.may
    if not call.access.is_on:
        return dict.fromkeys(names)
    each = call.each(names)
    return {n: None async for n in each if may(AclOperation.DESCRIBE, ResourceType.TOPIC, n)}


def _not_creatable(names: Sequence[str], call: Call) -> list[str]:
    """The names for which this client may not create topics."""
    may = call.access.may
    if not names or may(AclOperation.CREATE, ResourceType.CLUSTER):
        return []
    return [n for n in names if not may(AclOperation.CREATE, ResourceType.TOPIC, n)]


def _room_for(names: Sequence[str], call: Call) -> dict[str, int]:
    """The topics to create, with their partitions: at most as many as CreateTopics creates at a
    time, and as there is room for. The others are reported as unknown, as without auto-creation."""
    count = min(call.node.settings.num_partitions, PARTITIONS_MAX)
    most = min(TOPICS_PER_REQUEST_MAX, PARTITIONS_PER_REQUEST_MAX // count)
    room = call.node.catalogue.room()
    room_for = max(min(room.topics, room.partitions // count, most), 0)
    return dict.fromkeys(names[:room_for], count)


async def _by_id(
    ids: Iterable[UUID], call: Call, operations: _Operations
) -> list[MetadataResponseTopic]:
    catalogue = call.node.catalogue
    missing: int = ErrorCode.UNKNOWN_TOPIC_ID
    try:
        found = await catalogue.find_many_by_id(ids)
    except Unavailable:
        found = catalogue.known_by_id(ids)
        missing = WireCode.LEADER_NOT_AVAILABLE
    reply = _Answer(call, operations)
    return [
        _failed(missing, None, NOT_REQUESTED, topic_id)
        if topic_id not in found
        else await reply.known(found[topic_id])
        if call.access.may(AclOperation.DESCRIBE, ResourceType.TOPIC, found[topic_id].name)
        else _failed(REFUSED, None, NOT_REQUESTED, topic_id)
        async for topic_id in call.each(ids)
    ]


def _failed(
    code: int, name: str | None, operations: int, topic_id: UUID = NO_TOPIC_ID
) -> MetadataResponseTopic:
    """Kafka returns the authorized operations of a topic that is requested by name even if it does
    not exist."""
    return MetadataResponseTopic(
        error_code=code, name=name, topic_id=topic_id, topic_authorized_operations=operations
    )
