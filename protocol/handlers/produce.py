"""Produce (0): refused for each partition. There is no log (docs/decisions/0001-no-log.md).

It is served because librdkafka uses newer versions of Fetch only with a broker that has Produce,
and otherwise retries in a busy loop.
"""

from functools import partial

from groups.core.errors import ErrorCode
from protocol.requests.call import Call
from rollcall.wire.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)

NO_REPLY = 0
"""The acks of a producer that expects no response."""

REFUSAL = "Rollcall coordinates consumer groups and keeps no records: nothing can be produced."


async def handle(request: ProduceRequest, call: Call) -> ProduceResponse | None:
    """POLICY_VIOLATION for each partition: not retriable, so producers fail at once and do not wait
    for their delivery timeout. With many partitions the message is left out."""
    if request.acks == NO_REPLY:
        return None
    sentence = None if call.is_large else REFUSAL
    return await call.aside(partial(_response, request, sentence))


def _response(request: ProduceRequest, sentence: str | None) -> ProduceResponse:
    return ProduceResponse(
        responses=[
            TopicProduceResponse(
                name=topic.name,
                topic_id=topic.topic_id,
                partition_responses=[
                    _refused(partition, sentence) for partition in topic.partition_data
                ],
            )
            for topic in request.topic_data
        ]
    )


def _refused(partition: PartitionProduceData, sentence: str | None) -> PartitionProduceResponse:
    return PartitionProduceResponse(
        index=partition.index,
        error_code=ErrorCode.POLICY_VIOLATION,
        base_offset=-1,
        error_message=sentence,
    )
