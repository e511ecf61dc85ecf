"""AddOffsetsToTxn (25): a group becomes part of a producer's transaction (KIP-98).

Producers of transaction.version 2 do not send it: TxnOffsetCommit adds the group (KIP-890).
"""

from groups.core.errors import Refuse
from groups.core.transactions import Claim
from protocol.handlers.support import validation
from protocol.requests.call import Call
from rollcall.wire.messages.add_offsets_to_txn import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
)

FENCED_SINCE = 2
"""Clients of earlier versions know only INVALID_PRODUCER_EPOCH (KIP-588)."""


async def handle(request: AddOffsetsToTxnRequest, call: Call) -> AddOffsetsToTxnResponse:
    """Add the group; this begins the transaction if it has not begun."""
    try:
        validation.transactional_id(request.transactional_id, call.node.settings)
        validation.group_id(request.group_id, call.node.settings, may_be_empty=True)
        await call.available_or_refuse(request.transactional_id)
        claim = Claim(request.producer_id, request.producer_epoch)
        await call.node.transactions.add_group(request.transactional_id, claim, request.group_id)
    except Refuse as refusal:
        code = validation.fencing(refusal.code, known=call.version >= FENCED_SINCE)
        return AddOffsetsToTxnResponse(error_code=code)
    return AddOffsetsToTxnResponse()
