"""AddOffsetsToTxn: a group's offsets will be part of the transaction (KIP-98)."""

from rollcall.wire.declare import Message, message, wire
from rollcall.wire.kinds import int16, int32, int64, string


@message(api_key=25, versions="0-4", flexible="3+")
class AddOffsetsToTxnRequest(Message):
    """The producer, and the group."""

    transactional_id: str = wire(string)
    producer_id: int = wire(int64)
    producer_epoch: int = wire(int16)
    group_id: str = wire(string)


@message(api_key=25, versions="0-4", flexible="3+")
class AddOffsetsToTxnResponse(Message):
    """Whether the group is part of the transaction now."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
