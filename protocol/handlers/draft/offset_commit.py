"""OffsetCommit (8) v0 to v2 on the draft's listener: partitions that do not exist fail alone.

The rest goes to the group as one event, whose answer holds for all of them.
"""

from collections.abc import Mapping, Set
from functools import partial

from groups.catalogue.cache import CatalogueEntry, Unavailable
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import Author, DraftCommit, OffsetWrite
from protocol.handlers.draft import check_names, decide, number_of
from protocol.handlers.offset_commit import NO_ROOM, RETENTION_MS_MAX, check, no_room
from protocol.handlers.support import validation
from protocol.requests.call import Call
from rollcall.wire.messages.draft.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

Codes = dict[tuple[int, int], ErrorCode]
"""By index in the request, since it may name a topic twice."""

TIMESTAMP_MS_MAX = 253_402_300_799_000
"""The end of the year 9999: later timestamps are refused."""


async def handle(request: OffsetCommitRequest, call: Call) -> OffsetCommitResponse:
    """Sort out the offsets that cannot be stored, and submit the others to the group."""
    try:
        check_names(call, request.group_id, request.consumer_id)
        found = await call.node.catalogue.find_many(topic.name for topic in request.topics)
    except Refuse as refusal:
        return _response(request, {}, refusal.code)
    except Unavailable:
        return _response(request, {}, ErrorCode.COORDINATOR_NOT_AVAILABLE)
    bucket = call.node.coordinator.own.buckets.get(request.group_id)
    if bucket is not None:
        call.throttle_ms = bucket.take(call.node.coordinator.clock())
    codes: Codes = {}
    writes = await call.aside(partial(_sort, request, found, codes, call))
    if writes and request.group_id in call.node.coordinator.full:
        try:
            without = await no_room(request.group_id, writes, call)
        except Refuse as refusal:
            return _response(request, {}, refusal.code)
        codes |= _codes_without(request, without)
        writes = [w for w in writes if (w.topic, w.partition) not in without]
    verdict = ErrorCode.NONE
    if writes:
        verdict = (await decide(call, request.group_id, _event(request, writes, call))).error
    return await call.aside(partial(_response, request, codes, verdict))


def _sort(
    request: OffsetCommitRequest, found: Mapping[str, CatalogueEntry], codes: Codes, call: Call
) -> list[OffsetWrite]:
    """The writes of the valid offsets; the error codes of the others go into ``codes``."""
    limit = call.node.settings.offset_metadata_max_bytes
    who = call.committer(request.consumer_id)
    retention = request.retention_time_ms
    retention_ms = min(retention, RETENTION_MS_MAX) if retention >= 0 else None
    writes: list[OffsetWrite] = []
    for t, topic in enumerate(request.topics):
        for p, partition in enumerate(topic.partitions):
            entry = found.get(topic.name)
            code = _code(partition, entry, limit)
            if entry is None or code is not ErrorCode.NONE:
                codes[t, p] = code
                continue
            writes.append(_write(entry, partition, retention_ms, who))
    return writes


def _codes_without(request: OffsetCommitRequest, without: Set[tuple[str, int]]) -> Codes:
    return {
        (t, p): NO_ROOM
        for t, topic in enumerate(request.topics)
        for p, partition in enumerate(topic.partitions)
        if (topic.name, partition.partition) in without
    }


def _write(
    topic: CatalogueEntry,
    partition: OffsetCommitRequestPartition,
    retention_ms: int | None,
    who: Author | None,
) -> OffsetWrite:
    timestamp_ms = partition.timestamp_ms
    return OffsetWrite(
        topic.name,
        partition.partition,
        partition.offset,
        -1,
        validation.stored(partition.metadata or ""),
        min(timestamp_ms, TIMESTAMP_MS_MAX) if timestamp_ms >= 0 else None,
        retention_ms,
        who,
        topic.topic_id,
    )


def _event(request: OffsetCommitRequest, writes: list[OffsetWrite], call: Call) -> DraftCommit:
    return DraftCommit(
        ticket=call.ticket,
        generation_id=request.group_generation_id,
        member_id=request.consumer_id,
        instance_id=None,
        offsets=tuple(writes),
        version=call.version,
    )


def _code(
    partition: OffsetCommitRequestPartition, entry: CatalogueEntry | None, limit: int
) -> ErrorCode:
    if entry is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return check(partition.partition, partition.metadata, entry, limit)


def _response(
    request: OffsetCommitRequest, codes: Codes, verdict: ErrorCode
) -> OffsetCommitResponse:
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=topic.name,
                partitions=[
                    OffsetCommitResponsePartition(
                        partition=partition.partition,
                        error_code=number_of(codes.get((t, p), verdict)),
                    )
                    for p, partition in enumerate(topic.partitions)
                ],
            )
            for t, topic in enumerate(request.topics)
        ]
    )
