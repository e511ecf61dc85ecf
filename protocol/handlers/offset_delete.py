"""OffsetDelete (47): delete committed offsets of topics without subscribers (KIP-496)."""

from collections.abc import Mapping
from functools import partial

from groups.catalogue.cache import CatalogueEntry, Unavailable
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import OffsetDelete
from groups.core.replies import OffsetsDeleted
from protocol.handlers.support import validation
from protocol.handlers.support.merged_topics import added_up, is_answered_by_both
from protocol.requests.call import Call
from rollcall.wire.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

UNKNOWN = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


async def handle(request: OffsetDeleteRequest, call: Call) -> OffsetDeleteResponse:
    """Sort out the partitions that do not exist, and submit the others to the group."""
    try:
        validation.group_id(request.group_id, call.node.settings)
    except Refuse as refusal:
        return OffsetDeleteResponse(error_code=refusal.code)
    try:
        entries = await call.node.catalogue.find_many(topic.name for topic in request.topics)
    except Unavailable:
        return OffsetDeleteResponse(error_code=ErrorCode.COORDINATOR_NOT_AVAILABLE)
    existing = await call.aside(partial(_existing, request, entries))
    event = OffsetDelete(ticket=call.ticket, partitions=tuple(existing), author=call.author)
    reply = await call.decide(request.group_id, event)
    if reply.error is not ErrorCode.NONE or not isinstance(reply, OffsetsDeleted):
        return OffsetDeleteResponse(error_code=reply.error)
    return await call.aside(partial(_response, request, entries, reply))


def _existing(
    request: OffsetDeleteRequest, entries: Mapping[str, CatalogueEntry]
) -> list[tuple[str, int]]:
    return [
        (topic.name, partition.partition_index)
        for topic in request.topics
        for partition in topic.partitions
        if topic.name in entries and entries[topic.name].has(partition.partition_index)
    ]


def _response(
    request: OffsetDeleteRequest, entries: Mapping[str, CatalogueEntry], reply: OffsetsDeleted
) -> OffsetDeleteResponse:
    answers = [
        (
            topic.name,
            [
                OffsetDeleteResponsePartition(
                    partition_index=p.partition_index,
                    error_code=reply.partitions.get((topic.name, p.partition_index), UNKNOWN),
                )
                for p in topic.partitions
            ],
        )
        for topic in request.topics
        if topic.partitions or topic.name not in entries
    ]
    codes = ({p.error_code for p in partitions} or {UNKNOWN} for _, partitions in answers)
    return OffsetDeleteResponse(
        topics=[
            OffsetDeleteResponseTopic(name=name, partitions=partitions)
            for name, partitions in (added_up(answers) if is_answered_by_both(codes) else answers)
        ]
    )
