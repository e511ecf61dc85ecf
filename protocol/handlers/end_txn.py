"""EndTxn (26): commit or discard the transaction's offsets (KIP-98, KIP-890)."""

from groups.core.errors import Refuse
from groups.core.transactions import NO_EPOCH, Claim
from protocol.handlers.support import validation
from protocol.requests.call import Call
from rollcall.wire.messages.end_txn import EndTxnRequest, EndTxnResponse

FENCED_SINCE = 2
"""Clients of earlier versions know only INVALID_PRODUCER_EPOCH (KIP-588)."""


async def handle(request: EndTxnRequest, call: Call) -> EndTxnResponse:
    """Commit or abort; the response is sent when it is done."""
    try:
        validation.transactional_id(request.transactional_id, call.node.settings)
        await call.available_or_refuse(request.transactional_id)
        producer = await call.node.transactions.end(
            request.transactional_id,
            Claim(request.producer_id, request.producer_epoch),
            commit=request.committed,
            version=call.version,
        )
    except Refuse as refusal:
        code = validation.fencing(refusal.code, known=call.version >= FENCED_SINCE)
        return EndTxnResponse(error_code=code, producer_epoch=NO_EPOCH)
    return EndTxnResponse(producer_id=producer.producer_id, producer_epoch=producer.epoch)
