"""EndTxn: commits or aborts the transaction (KIP-98, KIP-890)."""

from rollcall.wire.declare import Message, message, wire
from rollcall.wire.kinds import boolean, int16, int32, int64, string


@message(api_key=26, versions="0-5", flexible="3+")
class EndTxnRequest(Message):
    """The producer, and whether to commit."""

    transactional_id: str = wire(string)
    producer_id: int = wire(int64)
    producer_epoch: int = wire(int16)
    committed: bool = wire(boolean)


@message(api_key=26, versions="0-5", flexible="3+")
class EndTxnResponse(Message):
    """From v5 every transaction has its own epoch; this is the next one's."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    producer_id: int = wire(int64, since=5, default=-1)
    producer_epoch: int = wire(int16, since=5, default=-1)
