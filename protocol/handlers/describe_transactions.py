"""DescribeTransactions (65): the state of single transactions (KIP-664)."""

from collections import Counter
from collections.abc import Sequence

from groups.core.acls.bindings import AclOperation, ResourceType
from groups.core.errors import ErrorCode, Refuse
from groups.runtime.transactions import Described
from protocol.handlers.support import validation
from protocol.handlers.support.reply_room import AGAIN
from protocol.requests.call import Call
from rollcall.wire.limits import REPLY_BYTES_MAX
from rollcall.wire.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TopicData,
    TransactionState,
)

OTHER_BYTES = 50
"""Bytes of a transaction without its id and its partitions."""


IDS_AT_ONCE = 500
"""Ids that one statement reads."""


async def handle(request: DescribeTransactionsRequest, call: Call) -> DescribeTransactionsResponse:
    """One result for each id, even if it is named twice. Partitions are those with pending
    offsets."""
    found, room = dict[str, TransactionState](), REPLY_BYTES_MAX
    times = Counter(request.transactional_ids)
    ids = list(times)
    for start in range(0, len(ids), IDS_AT_ONCE):
        few = ids[start : start + IDS_AT_ONCE]
        states = await _described(few, call) if room >= 0 else {}
        async for transactional_id in call.each(few):
            state = states.get(transactional_id)
            if state is not None and room >= 0:
                room -= times[transactional_id] * _bytes_of(state)
            if state is None or (room < 0 and found):
                state = TransactionState(error_code=AGAIN, transactional_id=transactional_id)
            found[transactional_id] = state
    return DescribeTransactionsResponse(
        transaction_states=[found[i] for i in request.transactional_ids]
    )


def _bytes_of(state: TransactionState) -> int:
    topics = sum(len(topic.topic) + 4 * len(topic.partitions) for topic in state.topics)
    return OTHER_BYTES + len(state.transactional_id) + topics


async def _described(ids: Sequence[str], call: Call) -> dict[str, TransactionState]:
    """The state of each transaction."""
    codes = {i: await _refusal(i, call) async for i in call.each(ids)}
    allowed = [i for i, code in codes.items() if code is ErrorCode.NONE]
    try:
        found = await call.node.transactions.described(allowed) if allowed else {}
    except Refuse as refusal:
        codes.update(dict.fromkeys(allowed, refusal.code))
        found = {}
    return {i: _state(i, code, found.get(i), call) async for i, code in call.each(codes.items())}


async def _refusal(transactional_id: str, call: Call) -> ErrorCode:
    """The error, or NONE if the transaction is looked up."""
    try:
        validation.transactional_id(transactional_id, call.node.settings)
    except Refuse as refusal:
        return refusal.code
    return await call.describable(transactional_id)


def _state(
    transactional_id: str, code: ErrorCode, found: Described | None, call: Call
) -> TransactionState:
    if code is not ErrorCode.NONE:
        return TransactionState(error_code=code, transactional_id=transactional_id)
    if found is None:
        missing = ErrorCode.TRANSACTIONAL_ID_NOT_FOUND
        return TransactionState(error_code=missing, transactional_id=transactional_id)
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
            if call.access.may(AclOperation.DESCRIBE, ResourceType.TOPIC, topic)
        ],
    )
