"""EndTxn (26): the transaction's offsets count from now on, or never (KIP-98, KIP-890)."""

from groups.core.errors import Refuse
from groups.core.transactions import NO_EPOCH, Claim
from protocol.call import Call
from protocol.handlers.support import validation
from rollcall.wire.messages.end_txn import EndTxnRequest, EndTxnResponse

FENCED_SINCE = 2
"""Before, clients know INVALID_PRODUCER_EPOCH alone (KIP-588)."""


async def handle(request: EndTxnRequest, call: Call) -> EndTxnResponse:
    """Commit or abort; when the answer comes, it is done."""
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
