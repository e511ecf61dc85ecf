"""DescribeTransactions: the state of single transactions (KIP-664)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, int64, string


@message(api_key=65, versions="0-0", flexible="0+")
class DescribeTransactionsRequest(Message):
    """The transactional ids to describe."""

    transactional_ids: Sequence[str] = wire(array(string))


@struct
class TopicData(Struct):
    """Partitions that the transaction has written to."""

    topic: str = wire(string)
    partitions: Sequence[int] = wire(array(int32))


@struct
class TransactionState(Struct):
    """One transactional id and its state. Without an ongoing transaction the start is -1."""

    error_code: int = wire(int16)
    transactional_id: str = wire(string)
    transaction_state: str = wire(string)
    transaction_timeout_ms: int = wire(int32)
    transaction_start_time_ms: int = wire(int64)
    producer_id: int = wire(int64)
    producer_epoch: int = wire(int16)
    topics: Sequence[TopicData] = wire(array(TopicData))


@message(api_key=65, versions="0-0", flexible="0+")
class DescribeTransactionsResponse(Message):
    """One result for each id."""

    throttle_time_ms: int = wire(int32)
    transaction_states: Sequence[TransactionState] = wire(array(TransactionState))
