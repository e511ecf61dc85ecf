"""DescribeTransactions (65): how single transactions stand (KIP-664)."""

from groups.core.errors import ErrorCode, Refuse
from protocol.call import Call
from protocol.handlers import forms
from protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TopicData,
    TransactionState,
)


async def handle(request: DescribeTransactionsRequest, call: Call) -> DescribeTransactionsResponse:
    """An answer as often as an id is named. Partitions are those whose offsets wait for the end."""
    found = {i: await _one(i, call) for i in dict.fromkeys(request.transactional_ids)}
    return DescribeTransactionsResponse(
        transaction_states=[found[i] for i in request.transactional_ids]
    )


async def _one(transactional_id: str, call: Call) -> TransactionState:
    try:
        forms.transactional_id(transactional_id, call.node.settings)
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
