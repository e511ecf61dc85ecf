"""DescribeCluster (60): the live nodes as brokers (KIP-700)."""

from groups.core.errors import ErrorCode
from protocol.handlers.support import authorized_operations
from protocol.handlers.support.wire_codes import WireCode
from protocol.requests.call import Call
from rollcall.wire.messages.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)

BROKERS, CONTROLLERS = 1, 2
"""Endpoint types (KIP-919)."""


async def handle(request: DescribeClusterRequest, call: Call) -> DescribeClusterResponse:
    """The live nodes. Fenced brokers are never listed: a dead node is not in the view."""
    code = _refusal(request.endpoint_type)
    if code is not ErrorCode.NONE:
        return DescribeClusterResponse(
            error_code=code,
            error_message="Only brokers can be described here.",
            endpoint_type=request.endpoint_type,
        )
    cluster = call.node.cluster
    return DescribeClusterResponse(
        cluster_id=cluster.cluster_id,
        controller_id=cluster.controller_id,
        brokers=[
            DescribeClusterBroker(broker_id=node_id, host=at.host, port=at.port)
            for node_id, at in call.reachable().items()
        ],
        cluster_authorized_operations=authorized_operations.of_cluster(
            request.include_cluster_authorized_operations, call.access
        ),
    )


def _refusal(endpoint_type: int) -> ErrorCode | WireCode:
    if endpoint_type == BROKERS:
        return ErrorCode.NONE
    if endpoint_type == CONTROLLERS:
        return WireCode.MISMATCHED_ENDPOINT_TYPE
    return WireCode.UNSUPPORTED_ENDPOINT_TYPE
