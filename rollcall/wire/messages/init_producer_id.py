"""InitProducerId: a producer's id and epoch, which fence earlier producers (KIP-98, KIP-360,
KIP-939)."""

from rollcall.wire.declare import Message, message, wire
from rollcall.wire.kinds import boolean, int16, int32, int64, string


@message(api_key=22, versions="0-6", flexible="2+")
class InitProducerIdRequest(Message):
    """Without a transactional id any producer id is returned."""

    transactional_id: str | None = wire(string, nullable_since=0)
    transaction_timeout_ms: int = wire(int32)
    producer_id: int = wire(int64, since=3, default=-1)  # KIP-360: its previous id
    producer_epoch: int = wire(int16, since=3, default=-1)
    enable2_pc: bool = wire(boolean, since=6)  # KIP-939
    keep_prepared_txn: bool = wire(boolean, since=6)


@message(api_key=22, versions="0-6", flexible="2+")
class InitProducerIdResponse(Message):
    """The producer id and epoch; producers with older epochs are fenced."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    producer_id: int = wire(int64, default=-1)
    producer_epoch: int = wire(int16)
    ongoing_txn_producer_id: int = wire(int64, since=6, default=-1)
    ongoing_txn_producer_epoch: int = wire(int16, since=6, default=-1)
