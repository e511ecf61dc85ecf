"""Produce (0): refused, partition by partition. There is no log (docs/decisions/0001-no-log.md).

It is served at all because librdkafka takes the newer forms of Fetch only from a
broker that has Produce, and spins without.
"""

from functools import partial

from groups.core.errors import ErrorCode
from protocol.call import Call
from rollcall.wire.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)

NO_REPLY = 0
"""The acks of a producer that reads no answer."""

REFUSAL = "Rollcall coordinates consumer groups and keeps no records: nothing can be produced."


async def handle(request: ProduceRequest, call: Call) -> ProduceResponse | None:
    """POLICY_VIOLATION for each partition: not retriable, so producers fail at once and
    do not wait for their delivery timeout. Of many partitions none has the sentence beside it."""
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
