"""DescribeCluster: the cluster and its brokers (KIP-700)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, boolean, int8, int16, int32, string


@message(api_key=60, versions="0-2", flexible="0+")
class DescribeClusterRequest(Message):
    """What of the cluster is asked for."""

    include_cluster_authorized_operations: bool = wire(boolean)
    endpoint_type: int = wire(int8, since=1, default=1)  # KIP-919; 1: brokers, 2: controllers
    include_fenced_brokers: bool = wire(boolean, since=2)  # KIP-1073


@struct
class DescribeClusterBroker(Struct):
    """A broker and its address."""

    broker_id: int = wire(int32)
    host: str = wire(string)
    port: int = wire(int32)
    rack: str | None = wire(string, default=None)
    is_fenced: bool = wire(boolean, since=2)


@message(api_key=60, versions="0-2", flexible="0+")
class DescribeClusterResponse(Message):
    """The cluster, its controller and its brokers."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, default=None)
    endpoint_type: int = wire(int8, since=1, default=1)  # KIP-919; 1: brokers, 2: controllers
    cluster_id: str = wire(string)
    controller_id: int = wire(int32, default=-1)
    brokers: Sequence[DescribeClusterBroker] = wire(array(DescribeClusterBroker))
    cluster_authorized_operations: int = wire(int32, default=-0x80000000)  # KIP-430
