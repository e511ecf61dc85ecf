"""Fetch (1): held for a while, then answered without records. There is no log
(docs/decisions/0001-no-log.md).

Every idle consumer sends two of these a second, so no topic is looked up. A response has each
partition that its request names, and no other. Outside of a fetch session (KIP-227) a request names
all that it wants, and clients look for them: Go's kafka-go reports an error, and connects again,
where its topic is missing, sarama fetches again before it sends a commit that has waited for its
connection, librdkafka learns that it is at the end of a partition. In a session only what is new is
named, and whatever else the session has is without news: so no state is kept for one.
"""

from functools import partial

from protocol.requests.call import Call
from rollcall.wire.messages.fetch import (
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    PartitionData,
)

WAIT_MS_MIN = 50
"""A client that names a shorter wait wants none, and would ask hundreds of times a second. A longer
wait is kept exactly: kafka-go's Reader asks for three quarters of its ``MaxWait``, and takes the
connection for broken when that is over."""

NEW_SESSION_EPOCH, FINAL_EPOCH = 0, -1
"""A client that requests no session sends the latter, and gets none."""

SESSION_ID = 1
"""The id of every session: any number but 0 is fine, since ids are not looked up."""

READ_COMMITTED = 1


async def handle(request: FetchRequest, call: Call) -> FetchResponse:
    """Wait as long as the client would wait for records, within our limits; then return none."""
    if _ends_session(request):
        return FetchResponse()
    settings = call.node.settings
    has_wait = request.max_wait_ms >= WAIT_MS_MIN
    hold_ms = request.max_wait_ms if has_wait else settings.fetch_hold_min_ms
    await call.hold(min(hold_ms, settings.fetch_hold_max_ms) / 1_000)
    return await call.aside(partial(_echo, request, _session_of(request)))


def _ends_session(request: FetchRequest) -> bool:
    """Whether the client only says that its session is over, as Java's does when it closes; it
    waits for the answer, and there is nothing that it could wait for."""
    is_last = request.session_id != 0 and request.session_epoch == FINAL_EPOCH
    return is_last and not request.topics


def _session_of(request: FetchRequest) -> int:
    """The session in which the client fetches from now on; 0: none."""
    if request.session_epoch == NEW_SESSION_EPOCH:
        return SESSION_ID
    return request.session_id if request.session_epoch > NEW_SESSION_EPOCH else 0


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
