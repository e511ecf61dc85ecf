"""ListTransactions (66): the transactional ids of this node's slots (KIP-664)."""

from groups.core.acls.bindings import AclOperation, ResourceType
from groups.core.errors import ErrorCode, Refuse
from groups.core.transactions import State
from protocol.requests.call import Call
from rollcall.wire.limits import REPLY_BYTES_MAX
from rollcall.wire.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    TransactionState,
)

TRANSACTION = ResourceType.TRANSACTIONAL_ID

OTHER_BYTES = 30
"""Bytes of a transaction's entry without its id."""


async def handle(request: ListTransactionsRequest, call: Call) -> ListTransactionsResponse:
    """The transactions that match all filters. Unknown states in the filter are returned
    separately."""
    known = {str(state) for state in State}
    unknown = [state for state in request.state_filters if state not in known]
    code = await call.listable()
    if code is not ErrorCode.NONE:
        return ListTransactionsResponse(error_code=code, unknown_state_filters=unknown)
    try:
        found = await call.node.transactions.listed(request.transactional_id_pattern)
    except Refuse as refusal:
        return ListTransactionsResponse(error_code=refusal.code)
    states, producers = set(request.state_filters), set(request.producer_id_filters)
    listed, room = list[TransactionState](), REPLY_BYTES_MAX
    async for one, age_ms in call.each(found):
        if (states and one.state not in states) or (producers and one.producer_id not in producers):
            continue
        if not call.access.may(AclOperation.DESCRIBE, TRANSACTION, one.transactional_id):
            continue
        if age_ms <= request.duration_filter:
            continue
        room -= len(one.transactional_id) + OTHER_BYTES
        if room < 0:
            return ListTransactionsResponse(error_code=ErrorCode.POLICY_VIOLATION)
        listed.append(
            TransactionState(
                transactional_id=one.transactional_id,
                producer_id=one.producer_id,
                transaction_state=one.state,
            )
        )
    return ListTransactionsResponse(
        error_code=ErrorCode.NONE, unknown_state_filters=unknown, transaction_states=listed
    )
