"""Every message that Rollcall can read and write: one file per API, Kafka 4.3's versions.

``MESSAGES`` is what the wire knows, not what the server serves: that, with the
versions it offers, is ``protocol.apis``. Keys from ``PRIVATE_FROM`` on are Rollcall's own.
"""

from typing import Final, NamedTuple

from protocol.messages.acknowledge_command import (
    AcknowledgeCommandRequest,
    AcknowledgeCommandResponse,
)
from protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse
from protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from protocol.messages.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)
from protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from protocol.messages.consumer_group_install_assignment import (
    ConsumerGroupInstallAssignmentRequest,
    ConsumerGroupInstallAssignmentResponse,
)
from protocol.messages.consumer_group_prepare_assignment import (
    ConsumerGroupPrepareAssignmentRequest,
    ConsumerGroupPrepareAssignmentResponse,
)
from protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsResponse
from protocol.messages.create_topics import CreateTopicsRequest, CreateTopicsResponse
from protocol.messages.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from protocol.messages.describe_cluster import DescribeClusterRequest, DescribeClusterResponse
from protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResponse
from protocol.messages.describe_groups import DescribeGroupsRequest, DescribeGroupsResponse
from protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
)
from protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
)
from protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from protocol.messages.fetch import FetchRequest, FetchResponse
from protocol.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from protocol.messages.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse
from protocol.messages.list_groups import ListGroupsRequest, ListGroupsResponse
from protocol.messages.list_offsets import ListOffsetsRequest, ListOffsetsResponse
from protocol.messages.list_transactions import ListTransactionsRequest, ListTransactionsResponse
from protocol.messages.metadata import MetadataRequest, MetadataResponse
from protocol.messages.offset_commit import OffsetCommitRequest, OffsetCommitResponse
from protocol.messages.offset_delete import OffsetDeleteRequest, OffsetDeleteResponse
from protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchResponse
from protocol.messages.poll_commands import PollCommandsRequest, PollCommandsResponse
from protocol.messages.produce import ProduceRequest, ProduceResponse
from protocol.messages.register_consumer import (
    RegisterConsumerRequest,
    RegisterConsumerResponse,
)
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from protocol.messages.txn_offset_commit import TxnOffsetCommitRequest, TxnOffsetCommitResponse
from protocol.wire.declare import Message

PRIVATE_FROM: Final = 10_000
"""The first key of APIs that Kafka does not have (docs/commanded.md)."""


class Api(NamedTuple):
    """An API's key and name, and its two messages."""

    key: int
    name: str
    request: type[Message]
    response: type[Message]


def _api(request: type[Message], response: type[Message]) -> Api:
    assert request.api_key is not None
    assert request.api_key == response.api_key
    return Api(request.api_key, request.__name__.removesuffix("Request"), request, response)


MESSAGES: Final[dict[int, Api]] = {
    api.key: api
    for api in (
        _api(ProduceRequest, ProduceResponse),
        _api(FetchRequest, FetchResponse),
        _api(ListOffsetsRequest, ListOffsetsResponse),
        _api(MetadataRequest, MetadataResponse),
        _api(OffsetCommitRequest, OffsetCommitResponse),
        _api(OffsetFetchRequest, OffsetFetchResponse),
        _api(FindCoordinatorRequest, FindCoordinatorResponse),
        _api(JoinGroupRequest, JoinGroupResponse),
        _api(HeartbeatRequest, HeartbeatResponse),
        _api(LeaveGroupRequest, LeaveGroupResponse),
        _api(SyncGroupRequest, SyncGroupResponse),
        _api(DescribeGroupsRequest, DescribeGroupsResponse),
        _api(ListGroupsRequest, ListGroupsResponse),
        _api(ApiVersionsRequest, ApiVersionsResponse),
        _api(CreateTopicsRequest, CreateTopicsResponse),
        _api(DeleteTopicsRequest, DeleteTopicsResponse),
        _api(InitProducerIdRequest, InitProducerIdResponse),
        _api(AddOffsetsToTxnRequest, AddOffsetsToTxnResponse),
        _api(EndTxnRequest, EndTxnResponse),
        _api(TxnOffsetCommitRequest, TxnOffsetCommitResponse),
        _api(DescribeConfigsRequest, DescribeConfigsResponse),
        _api(CreatePartitionsRequest, CreatePartitionsResponse),
        _api(DeleteGroupsRequest, DeleteGroupsResponse),
        _api(IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse),
        _api(OffsetDeleteRequest, OffsetDeleteResponse),
        _api(DescribeClusterRequest, DescribeClusterResponse),
        _api(DescribeTransactionsRequest, DescribeTransactionsResponse),
        _api(ListTransactionsRequest, ListTransactionsResponse),
        _api(ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse),
        _api(ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse),
        _api(DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse),
        _api(RegisterConsumerRequest, RegisterConsumerResponse),
        _api(PollCommandsRequest, PollCommandsResponse),
        _api(AcknowledgeCommandRequest, AcknowledgeCommandResponse),
        _api(ConsumerGroupPrepareAssignmentRequest, ConsumerGroupPrepareAssignmentResponse),
        _api(ConsumerGroupInstallAssignmentRequest, ConsumerGroupInstallAssignmentResponse),
    )
}
