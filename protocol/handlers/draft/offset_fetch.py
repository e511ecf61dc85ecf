"""OffsetFetch (9) v0 and v1 on the draft's listener: a group's committed offsets.

A partition without a committed offset is an error in v0 (which read ZooKeeper, where nothing was
found), and has offset -1 in v1.
"""

import logging
from collections.abc import Mapping
from functools import partial

import psycopg
from psycopg_pool import PoolTimeout

from groups.core.errors import ErrorCode, Refuse
from groups.store import offsets
from groups.store.offsets import CommittedOffset, Partition
from protocol.handlers.draft import available, check_names, number_of
from protocol.handlers.support import validation
from protocol.requests.call import Call
from rollcall.wire.limits import REPLY_BYTES_MAX
from rollcall.wire.messages.draft.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchResponse,
    OffsetFetchResponsePartition,
    OffsetFetchResponseTopic,
)

logger = logging.getLogger(__name__)

Rows = Mapping[Partition, CommittedOffset]

NOTHING_IS_NO_ERROR_SINCE = 1


async def handle(request: OffsetFetchRequest, call: Call) -> OffsetFetchResponse:
    """Read the group's rows; an error of the group is set on each partition."""
    try:
        check_names(call, request.group_id, *(topic.name for topic in request.topics))
    except Refuse as refusal:
        return _response(request, {}, refusal.code, call)
    code = await available(call, request.group_id)
    rows: Rows = {}
    if code is ErrorCode.NONE:
        try:
            rows = await _read(request, call)
        except offsets.TooLong:
            code = ErrorCode.POLICY_VIOLATION
        except (psycopg.Error, PoolTimeout) as error:
            logger.warning("offsets of %r could not be read: %s", request.group_id, error)
            code = ErrorCode.COORDINATOR_NOT_AVAILABLE
    return await call.aside(partial(_response, request, rows, code, call))


async def _read(request: OffsetFetchRequest, call: Call) -> Rows:
    requested = dict[str, set[int]]()
    for topic in request.topics:
        requested.setdefault(topic.name, set()).update(topic.partitions)
    return await offsets.committed(
        call.node.readers,
        request.group_id,
        requested,
        room=REPLY_BYTES_MAX,
        is_requested=lambda at: at[1] in requested[at[0]],
    )


def _response(
    request: OffsetFetchRequest, rows: Rows, code: ErrorCode, call: Call
) -> OffsetFetchResponse:
    return OffsetFetchResponse(
        topics=[
            OffsetFetchResponseTopic(
                name=topic.name,
                partitions=[
                    _line(p, rows.get((topic.name, p)), code, call.version)
                    for p in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def _line(
    partition: int, found: CommittedOffset | None, code: ErrorCode, version: int
) -> OffsetFetchResponsePartition:
    if found is not None:
        return OffsetFetchResponsePartition(
            partition=partition, offset=found.offset, metadata=validation.restored(found.metadata)
        )
    if code is ErrorCode.NONE and version < NOTHING_IS_NO_ERROR_SINCE:
        code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return OffsetFetchResponsePartition(partition=partition, error_code=number_of(code))
