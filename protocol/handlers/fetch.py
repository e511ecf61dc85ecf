"""Fetch (1): held for a while, then empty. There is no log (docs/decisions/0001-no-log.md).

Every idle consumer sends two of these a second, so no topic is looked up: from v7 on a response may
leave out partitions without news. The first response of a fetch session (KIP-227) contains all of
them, since Java's consumer otherwise logs a warning at every fetch. So does a response outside of a
session when the offsets differ from those of the last request, since librdkafka learns from it that
it is at the end of a partition. sarama gets all of them always: after an empty response it fetches
again before it sends a commit that has waited for its connection. No state is kept for a session,
since none of its partitions ever has news.
"""

from collections.abc import Iterator
from functools import partial

from protocol.call import Call
from protocol.heartbeat_hold import ONE_AT_A_TIME
from rollcall.wire.messages.fetch import (
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    PartitionData,
)

EMPTY_SINCE = 7
"""KIP-227. A client that requests no session (epoch -1) gets none: its next fetch is a full one
again."""

NEW_SESSION_EPOCH, FINAL_EPOCH = 0, -1
SESSION_ID = 1
"""The id of every session: any number but 0 is fine, since ids are not looked up."""

READ_COMMITTED = 1

EMPTY = FetchResponse()


async def handle(request: FetchRequest, call: Call) -> FetchResponse:
    """Wait as long as the client would wait for records, within our limits; then return none."""
    if _ends_session(request):
        return EMPTY
    settings = call.node.settings
    hold_ms = max(request.max_wait_ms, settings.fetch_hold_min_ms)
    await call.hold(min(hold_ms, settings.fetch_hold_max_ms) / 1_000)
    if call.version < EMPTY_SINCE:
        return await call.aside(partial(_echo, request, session_id=0))
    if request.session_epoch == NEW_SESSION_EPOCH:
        return await call.aside(partial(_echo, request, SESSION_ID))
    if request.session_epoch > NEW_SESSION_EPOCH:
        return FetchResponse(session_id=request.session_id)
    digest = await call.aside(lambda: hash(tuple(_offsets(request))))
    if call.memory.get(request.api_key) == digest and call.session.software not in ONE_AT_A_TIME:
        return EMPTY
    call.memory[request.api_key] = digest
    return await call.aside(partial(_echo, request, session_id=0))


def _ends_session(request: FetchRequest) -> bool:
    """Whether the client only says that its session is over, as Java's does when it closes; it
    waits for the answer, and there is nothing that it could wait for."""
    is_last = request.session_id != 0 and request.session_epoch == FINAL_EPOCH
    return is_last and not request.topics


def _offsets(request: FetchRequest) -> Iterator[tuple[object, ...]]:
    for topic in request.topics:
        for partition in topic.partitions:
            yield topic.topic, topic.topic_id, partition.partition, partition.fetch_offset


def _echo(request: FetchRequest, session_id: int) -> FetchResponse:
    """Each requested partition by name or id, with no records."""
    is_committed = request.isolation_level == READ_COMMITTED
    return FetchResponse(
        session_id=session_id,
        responses=[
            FetchableTopicResponse(
                topic=topic.topic,
                topic_id=topic.topic_id,
                partitions=[_nothing(partition, is_committed) for partition in topic.partitions],
            )
            for topic in request.topics
        ],
    )


def _nothing(partition: FetchPartition, is_committed: bool) -> PartitionData:
    return PartitionData(
        partition_index=partition.partition,
        high_watermark=partition.fetch_offset,
        last_stable_offset=partition.fetch_offset,
        log_start_offset=0,
        aborted_transactions=[] if is_committed else None,
        records=b"",
    )
