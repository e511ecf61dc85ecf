"""FindCoordinator (10): which node owns the slot of a group or a transactional id.

One key below v4, many from v4.
"""

from groups.core.errors import ErrorCode
from protocol.requests.call import Call
from rollcall.wire.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

GROUP, TRANSACTION = 0, 1

BATCHED_SINCE = 4

SUCCESS = "NONE"
"""Kafka's error message of success in v1 to v3, where the field is null or a sentence."""

UNAVAILABLE = "The coordinator is not available now."
NO_SUCH_TYPE = "There is no coordinator for keys of this type."


async def handle(request: FindCoordinatorRequest, call: Call) -> FindCoordinatorResponse:
    """The owner of each key; if there is none, the error with node -1, host "", port -1."""
    if not call.node.coordinator.holds_lease:
        call.session.look_elsewhere()
    if call.version >= BATCHED_SINCE:
        keys = request.coordinator_keys
        return FindCoordinatorResponse(
            coordinators=[_found(key, request.key_type, call) async for key in call.each(keys)]
        )
    found = _found(request.key, request.key_type, call)
    return FindCoordinatorResponse(
        error_code=found.error_code,
        error_message=found.error_message or SUCCESS,
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )


def _found(key: str, key_type: int, call: Call) -> Coordinator:
    if key_type in (GROUP, TRANSACTION):
        # A node whose lease expired may have been suspended: other nodes know the owners better.
        awake = call.node.coordinator.holds_lease
        broker = call.node.cluster.coordinator(key) if awake else None
        endpoint = broker and broker.at(call.session.listener)
        if broker is not None and endpoint is not None:
            return Coordinator(
                key=key,
                node_id=broker.node_id,
                host=endpoint.host,
                port=endpoint.port,
                error_code=ErrorCode.NONE,
                error_message="",
            )
        return _missing(key, ErrorCode.COORDINATOR_NOT_AVAILABLE, UNAVAILABLE)
    # Key type 2, share groups, exists from v6 (KIP-932); Rollcall has none in any version.
    return _missing(key, ErrorCode.INVALID_REQUEST, NO_SUCH_TYPE)


def _missing(key: str, code: ErrorCode, message: str) -> Coordinator:
    return Coordinator(
        key=key, node_id=-1, host="", port=-1, error_code=code, error_message=message
    )
