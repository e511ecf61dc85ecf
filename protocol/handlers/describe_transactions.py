"""DescribeTransactions (65): how single transactions stand (KIP-664)."""

from collections import Counter

from groups.core.errors import ErrorCode, Refuse
from protocol.call import Call
from protocol.handlers.describe_groups import AGAIN
from protocol.handlers.support import validation
from rollcall.wire.limits import REPLY_BYTES_MAX
from rollcall.wire.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TopicData,
    TransactionState,
)

OTHER_BYTES = 50
"""Of a transaction beside its id and its partitions."""


async def handle(request: DescribeTransactionsRequest, call: Call) -> DescribeTransactionsResponse:
    """An answer as often as an id is named. Partitions are those whose offsets wait for the end."""
    found, room = dict[str, TransactionState](), REPLY_BYTES_MAX
    times = Counter(request.transactional_ids)
    for transactional_id, often in times.items():
        if room >= 0:
            state = await _one(transactional_id, call)
            room -= often * _bytes_of(state)
        if room < 0 and found:
            state = TransactionState(error_code=AGAIN, transactional_id=transactional_id)
        found[transactional_id] = state
    return DescribeTransactionsResponse(
        transaction_states=[found[i] for i in request.transactional_ids]
    )


def _bytes_of(state: TransactionState) -> int:
    topics = sum(len(topic.topic) + 4 * len(topic.partitions) for topic in state.topics)
    return OTHER_BYTES + len(state.transactional_id) + topics


async def _one(transactional_id: str, call: Call) -> TransactionState:
    try:
        validation.transactional_id(transactional_id, call.node.settings)
        await call.available_or_refuse(transactional_id)
        found = await call.node.transactions.described(transactional_id)
    except Refuse as refusal:
        return TransactionState(error_code=refusal.code, transactional_id=transactional_id)
    producer = found.producer
    return TransactionState(
        error_code=ErrorCode.NONE,
        transactional_id=transactional_id,
        transaction_state=producer.state,
        transaction_timeout_ms=producer.timeout_ms,
        transaction_start_time_ms=found.started_at_ms,
        producer_id=producer.producer_id,
        producer_epoch=producer.epoch,
        topics=[
            TopicData(topic=topic, partitions=partitions)
            for topic, partitions in found.waiting.items()
        ],
    )
