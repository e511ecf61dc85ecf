"""ConsumerMetadata (10) of the draft: which node coordinates a group, and its draft listener."""

from groups.core.errors import ErrorCode
from protocol.handlers.draft import number_of
from protocol.requests.call import Call
from rollcall.wire.messages.draft.consumer_metadata import (
    ConsumerMetadataRequest,
    ConsumerMetadataResponse,
)


async def handle(request: ConsumerMetadataRequest, call: Call) -> ConsumerMetadataResponse:
    """The coordinator; if there is none, the error with node -1, host "", port -1."""
    # A node whose lease expired may have been suspended: other nodes know the owners better.
    awake = call.node.coordinator.holds_lease
    if not awake:
        call.session.look_elsewhere()
    broker = call.node.cluster.coordinator(request.group_id) if awake else None
    if broker is None or (at := broker.draft) is None:
        return ConsumerMetadataResponse(
            error_code=number_of(ErrorCode.COORDINATOR_NOT_AVAILABLE),
            coordinator_id=-1,
            coordinator_port=-1,
        )
    return ConsumerMetadataResponse(
        error_code=number_of(ErrorCode.NONE),
        coordinator_id=broker.node_id,
        coordinator_host=at.host,
        coordinator_port=at.port,
    )
