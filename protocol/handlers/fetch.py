"""Fetch (1): held for a while, then empty. There is no log (docs/decisions/0001-no-log.md).

Every consumer sends two of these a second while it idles, so nothing here looks
at a topic: from v7 an answer may leave out partitions that have nothing new.
"""

from protocol.call import Call
from protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    PartitionData,
)

EMPTY_SINCE = 7
"""KIP-227. Session id 0 says that there is no fetch session: the next fetch is full again."""

READ_COMMITTED = 1

EMPTY = FetchResponse()


async def handle(request: FetchRequest, call: Call) -> FetchResponse:
    """Wait as long as the client would for records, within our bounds; then say there are none."""
    settings = call.node.settings
    hold_ms = max(request.max_wait_ms, settings.fetch_hold_min_ms)
    await call.hold(min(hold_ms, settings.fetch_hold_max_ms) / 1_000)
    if call.version >= EMPTY_SINCE:
        return EMPTY
    return _echo(request)


def _echo(request: FetchRequest) -> FetchResponse:
    """v4 to v6 must name each partition asked for: nothing beyond the offset asked for."""
    is_committed = request.isolation_level == READ_COMMITTED
    return FetchResponse(
        responses=[
            FetchableTopicResponse(
                topic=topic.topic,
                partitions=[_nothing(partition, is_committed) for partition in topic.partitions],
            )
            for topic in request.topics
        ]
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
