"""AddOffsetsToTxn (25): a group becomes part of a producer's transaction (KIP-98).

Producers of transaction.version 2 do without: TxnOffsetCommit says it for them (KIP-890).
"""

from groups.core.errors import Refuse
from groups.core.transactions import Claim
from protocol.call import Call
from protocol.handlers.support import validation
from rollcall.wire.messages.add_offsets_to_txn import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
)

FENCED_SINCE = 2
"""Before, clients know INVALID_PRODUCER_EPOCH alone (KIP-588)."""


async def handle(request: AddOffsetsToTxnRequest, call: Call) -> AddOffsetsToTxnResponse:
    """Begin the transaction, if this is the first that is heard of it."""
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
