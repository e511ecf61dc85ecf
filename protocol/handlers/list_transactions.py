"""ListTransactions (66): the transactional ids of this node's slots (KIP-664)."""

from groups.core.errors import ErrorCode, Refuse
from groups.core.transactions import State
from protocol.call import Call
from protocol.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    TransactionState,
)


async def handle(request: ListTransactionsRequest, call: Call) -> ListTransactionsResponse:
    """Those that every filter lets pass. A state that Kafka does not know is told apart."""
    known = {str(state) for state in State}
    unknown = [state for state in request.state_filters if state not in known]
    try:
        found = await call.node.transactions.listed(request.transactional_id_pattern)
    except Refuse as refusal:
        return ListTransactionsResponse(error_code=refusal.code)
    return ListTransactionsResponse(
        error_code=ErrorCode.NONE,
        unknown_state_filters=unknown,
        transaction_states=[
            TransactionState(
                transactional_id=one.transactional_id,
                producer_id=one.producer_id,
                transaction_state=one.state,
            )
            for one, age_ms in found
            if (not request.state_filters or one.state in request.state_filters)
            and (not request.producer_id_filters or one.producer_id in request.producer_id_filters)
            and age_ms > request.duration_filter
        ],
    )
