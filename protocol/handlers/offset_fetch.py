"""OffsetFetch (9): the committed offsets of groups; -1 for a partition without one.

The response has three forms: up to v1 a group's error is on each partition, from v2 at the top,
from v8 on each group; from v10 on topics are named by id. The code between reading the request and
forming the response is the same for all.
"""

import logging
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from uuid import UUID

import psycopg
from psycopg_pool import PoolTimeout

from groups.core.acls.bindings import AclOperation, ResourceType
from groups.core.consumer.group import ConsumerGroup
from groups.core.consumer.offsets import check_reader
from groups.core.errors import ErrorCode, Refuse
from groups.node import Node
from groups.runtime.offset_reads import PARTITIONS_MAX
from groups.store import offsets
from groups.store.offsets import CommittedOffset, Partition
from protocol.handlers.support import found_offsets, validation
from protocol.handlers.support.found_offsets import (
    NONE,
    SEVERAL_GROUPS_SINCE,
    TOPIC_IDS_SINCE,
    GroupOffsets,
    Line,
)
from protocol.handlers.support.reply_room import AGAIN
from protocol.requests.call import Call
from rollcall.wire.codec import LARGE_ELEMENTS
from rollcall.wire.limits import REPLY_BYTES_MAX
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
)

logger = logging.getLogger(__name__)


GROUPS_AT_ONCE, TOPICS_AT_ONCE = 500, 2_000
"""Groups and topics that one statement reads: PostgreSQL needs 10 us for each, besides its rows."""


async def handle(request: OffsetFetchRequest, call: Call) -> OffsetFetchResponse:
    """Read each group's rows, and form the response for the version."""
    if call.version >= SEVERAL_GROUPS_SINCE:
        return OffsetFetchResponse(groups=await _groups(request, call))
    requested = await call.aside(partial(found_offsets.one_group, request))
    found = await _find(requested, request.require_stable, call, REPLY_BYTES_MAX)
    making = partial(found_offsets.response, requested, found, call.version)
    is_long = found.error is not ErrorCode.NONE or found.partitions > LARGE_ELEMENTS
    return await call.beside(making) if is_long else making()


async def _groups(request: OffsetFetchRequest, call: Call) -> list[OffsetFetchResponseGroup]:
    groups, room, most = list[OffsetFetchResponseGroup](), REPLY_BYTES_MAX, GROUPS_AT_ONCE
    while len(groups) < len(request.groups):
        few = _few(request.groups, len(groups), most)
        found = await _find_each(few, request.require_stable, call, room)
        if found is None:
            most = len(few) // 2
            continue
        most = min(2 * most, GROUPS_AT_ONCE)
        async for requested, one in call.each(zip(few, found, strict=True)):
            if room < 0 or (one.error is ErrorCode.POLICY_VIOLATION and groups):
                room, one = -1, GroupOffsets(AGAIN)  # it may fit into a reply of its own
            making = partial(found_offsets.group_of, requested.group_id, one)
            is_long = one.partitions > LARGE_ELEMENTS
            group, size = await call.beside(making) if is_long else making()
            groups.append(group)
            room -= size
        if room < 0:
            break
    async for requested in call.each(request.groups[len(groups) :]):
        groups.append(OffsetFetchResponseGroup(group_id=requested.group_id, error_code=AGAIN))
    return groups


def _few(
    groups: Sequence[OffsetFetchRequestGroup], start: int, most: int
) -> list[OffsetFetchRequestGroup]:
    """The next groups to read together: at most this many, and not too many topics."""
    few, topics = list[OffsetFetchRequestGroup](), 0
    for requested in groups[start : start + most]:
        topics += len(requested.topics or ())
        if few and topics > TOPICS_AT_ONCE:
            break
        few.append(requested)
    return few


async def _find_each(
    few: Sequence[OffsetFetchRequestGroup], stable: bool, call: Call, room: int
) -> list[GroupOffsets] | None:
    """``_find`` for each group, with one statement; None if they have too many offsets for that."""
    if len(few) == 1:
        return [await _find(few[0], stable, call, room)]
    found = [GroupOffsets(await _refusal(requested, call)) async for requested in call.each(few)]
    open_ones = [at for at, one in enumerate(found) if one.error is ErrorCode.NONE]
    try:
        read = await _read_each([few[at] for at in open_ones], stable, call)
    except (psycopg.Error, PoolTimeout) as error:
        logger.warning("offsets of %d groups could not be read: %s", len(open_ones), error)
        read = [GroupOffsets(ErrorCode.NOT_COORDINATOR)] * len(open_ones)
    if read is None:
        return None
    for at, one in zip(open_ones, read, strict=True):
        found[at] = _shown(one, few[at], call)
    return found


def _shown(found: GroupOffsets, requested: OffsetFetchRequestGroup, call: Call) -> GroupOffsets:
    """Without topics that the client may not describe: refused if the request names them, left out
    if it asks for all. Runs on the loop, where access rules change."""
    if not call.access.is_on:
        return found
    may, refused = call.access.may, ErrorCode.TOPIC_AUTHORIZATION_FAILED
    topics = list[tuple[str, UUID, Sequence[Line]]]()
    for name, topic_id, lines in found.topics:
        if not name or may(AclOperation.DESCRIBE, ResourceType.TOPIC, name):
            topics.append((name, topic_id, lines))
        elif requested.topics is not None:
            topics.append((name, topic_id, [Line(e.partition, NONE, refused) for e in lines]))
    return GroupOffsets(found.error, topics)


async def _find(
    requested: OffsetFetchRequestGroup, stable: bool, call: Call, room: int
) -> GroupOffsets:
    """Read one group. ``stable``: offsets with a pending transaction get UNSTABLE_OFFSET_COMMIT
    (KIP-447). POLICY_VIOLATION: there are more than there is ``room`` for."""
    code = await _refusal(requested, call)
    if code is not ErrorCode.NONE:
        return GroupOffsets(code)
    try:
        return _shown(await _read(requested, stable, call, room), requested, call)
    except offsets.TooLong:
        logger.info("offsets of %r are more than a reply holds", requested.group_id)
        return GroupOffsets(ErrorCode.POLICY_VIOLATION)
    except (psycopg.Error, PoolTimeout) as error:
        # Retriable for every client; Java's client knows no other such code here.
        logger.warning("offsets of %r could not be read: %s", requested.group_id, error)
        return GroupOffsets(ErrorCode.NOT_COORDINATOR)


async def _refusal(requested: OffsetFetchRequestGroup, call: Call) -> ErrorCode:
    """Why the group is not read; NONE if it is."""
    try:
        validation.group_id(requested.group_id, call.node.settings, may_be_empty=True)
    except Refuse as refusal:
        return refusal.code
    if not call.access.may(AclOperation.DESCRIBE, ResourceType.GROUP, requested.group_id):
        return ErrorCode.GROUP_AUTHORIZATION_FAILED
    code = await call.available(requested.group_id)
    return reader_error(requested, call.node) if code is ErrorCode.NONE else code


def reader_error(requested: OffsetFetchRequestGroup, node: Node) -> ErrorCode:
    """If the request names a member and an epoch of a consumer group, both must be right."""
    group = node.coordinator.group(requested.group_id)
    nobody = requested.member_id is None and requested.member_epoch < 0
    if nobody or not isinstance(group, ConsumerGroup):
        return ErrorCode.NONE
    return check_reader(group.members.get(requested.member_id or ""), requested.member_epoch)


async def _read(
    requested: OffsetFetchRequestGroup, stable: bool, call: Call, room: int
) -> GroupOffsets:
    readers = call.node.readers
    if requested.topics is None:
        unstable = await _unstable(requested, None, stable, call)
        rows = await offsets.committed(readers, requested.group_id, None, room=room)
        everything = partial(_everything, rows, unstable, call)
        return await call.beside(everything) if len(rows) > LARGE_ELEMENTS else everything()
    names = await call.aside(partial(_names, requested.topics, call))
    if sum(len(topic.partition_indexes) for topic in requested.topics) <= PARTITIONS_MAX:
        partitions = found_offsets.partitions(requested.topics, names)
        read = call.node.offset_reads.read(requested.group_id, partitions, stable=stable)
        return found_offsets.found(requested.topics, names, *await read)
    known = _known(names)
    is_requested = await call.aside(partial(_is_requested, requested.topics, names))
    unstable = await _unstable(requested, known, stable, call)
    rows = await offsets.committed(
        readers, requested.group_id, known, room=room, is_requested=is_requested
    )
    return await call.aside(partial(found_offsets.found, requested.topics, names, rows, unstable))


async def _read_each(
    few: Sequence[OffsetFetchRequestGroup], stable: bool, call: Call
) -> list[GroupOffsets] | None:
    """Read all groups with one or two statements; None if there are too many offsets."""
    if not few:
        return []
    names = await call.aside(lambda: [_names(requested.topics or (), call) for requested in few])
    groups = [
        (requested.group_id, None if requested.topics is None else _known(named))
        for requested, named in zip(few, names, strict=True)
    ]
    unstable: list[frozenset[Partition]] | None = [frozenset()] * len(few)
    if stable:
        unstable = await offsets.unstable_of_many(call.node.readers, groups)
    if unstable is None:
        return None
    rows = await offsets.committed_of_many(call.node.readers, groups)
    if rows is None:
        return None
    parts = list(zip(few, names, rows, unstable, strict=True))
    return await call.aside(lambda: [_found_in(*part, call) for part in parts])


def _found_in(
    requested: OffsetFetchRequestGroup,
    names: Sequence[str | None],
    rows: Mapping[Partition, CommittedOffset],
    unstable: Container[Partition],
    call: Call,
) -> GroupOffsets:
    if requested.topics is None:
        return _everything(rows, unstable, call)
    return found_offsets.found(requested.topics, names, rows, unstable)


async def _unstable(
    requested: OffsetFetchRequestGroup, topics: Sequence[str] | None, stable: bool, call: Call
) -> Container[Partition]:
    if not stable:
        return frozenset()
    return await offsets.unstable(call.node.readers, requested.group_id, topics)


def _names(topics: Sequence[OffsetFetchRequestTopics], call: Call) -> list[str | None]:
    return found_offsets.names(topics, call.version, call.node.catalogue)


def _known(names: Sequence[str | None]) -> list[str]:
    """The valid topic names, each once."""
    return [name for name in set(names) if name is not None and "\0" not in name]


def _is_requested(
    topics: Sequence[OffsetFetchRequestTopics], names: Sequence[str | None]
) -> Callable[[Partition], bool]:
    """Whether the request names the partition."""
    partitions = dict[str | None, set[int]]()
    for topic, name in zip(topics, names, strict=True):
        partitions.setdefault(name, set()).update(topic.partition_indexes)
    return lambda at: at[1] in partitions.get(at[0], ())


def _everything(
    rows: Mapping[Partition, CommittedOffset], unstable: Container[Partition], call: Call
) -> GroupOffsets:
    by_topic: dict[str, list[Line]] = {}
    for (topic, partition), found in rows.items():
        by_topic.setdefault(topic, []).append(
            found_offsets.line((topic, partition), found, unstable)
        )
    nothing = UUID(int=0)
    topics = []
    for name, lines in by_topic.items():
        entry = call.node.catalogue.get(name)
        if entry is None and call.version >= TOPIC_IDS_SINCE:
            continue  # there is no id to return
        topics.append((name, nothing if entry is None else entry.topic_id, lines))
    return GroupOffsets(ErrorCode.NONE, topics)
