"""ListTransactions: the transactions that a node coordinates (KIP-664, KIP-994, KIP-1152)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, int64, string


@message(api_key=66, versions="0-2", flexible="0+")
class ListTransactionsRequest(Message):
    """Filters; empty ones match everything."""

    state_filters: Sequence[str] = wire(array(string))
    producer_id_filters: Sequence[int] = wire(array(int64))
    duration_filter: int = wire(int64, since=1, default=-1)
    transactional_id_pattern: str | None = wire(string, since=2, nullable_since=2, default=None)


@struct
class TransactionState(Struct):
    """One transactional id."""

    transactional_id: str = wire(string)
    producer_id: int = wire(int64)
    transaction_state: str = wire(string)


@message(api_key=66, versions="0-2", flexible="0+")
class ListTransactionsResponse(Message):
    """The matching transactions, and the requested states that do not exist."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    unknown_state_filters: Sequence[str] = wire(array(string))
    transaction_states: Sequence[TransactionState] = wire(array(TransactionState))
