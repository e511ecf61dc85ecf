"""Every message that Rollcall can read and write: one file per API, Kafka 4.4's versions.

``MESSAGES`` are those of the wire; ``protocol.apis`` has those that the server serves, with their
versions. Keys from ``PRIVATE_FROM`` on are Rollcall's own.
"""

from typing import Final, NamedTuple

from rollcall.wire.declare import Message
from rollcall.wire.messages.acknowledge_command import (
    AcknowledgeCommandRequest,
    AcknowledgeCommandResponse,
)
from rollcall.wire.messages.add_offsets_to_txn import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
)
from rollcall.wire.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
)
from rollcall.wire.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
)
from rollcall.wire.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from rollcall.wire.messages.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from rollcall.wire.messages.consumer_group_install_assignment import (
    ConsumerGroupInstallAssignmentRequest,
    ConsumerGroupInstallAssignmentResponse,
)
from rollcall.wire.messages.consumer_group_prepare_assignment import (
    ConsumerGroupPrepareAssignmentRequest,
    ConsumerGroupPrepareAssignmentResponse,
)
from rollcall.wire.messages.create_acls import CreateAclsRequest, CreateAclsResponse
from rollcall.wire.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
)
from rollcall.wire.messages.create_topics import CreateTopicsRequest, CreateTopicsResponse
from rollcall.wire.messages.delete_acls import DeleteAclsRequest, DeleteAclsResponse
from rollcall.wire.messages.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse
from rollcall.wire.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from rollcall.wire.messages.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from rollcall.wire.messages.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
)
from rollcall.wire.messages.describe_cluster import DescribeClusterRequest, DescribeClusterResponse
from rollcall.wire.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResponse
from rollcall.wire.messages.describe_groups import DescribeGroupsRequest, DescribeGroupsResponse
from rollcall.wire.messages.describe_log_dirs import DescribeLogDirsRequest, DescribeLogDirsResponse
from rollcall.wire.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
)
from rollcall.wire.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
)
from rollcall.wire.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
)
from rollcall.wire.messages.end_txn import EndTxnRequest, EndTxnResponse
from rollcall.wire.messages.fetch import FetchRequest, FetchResponse
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from rollcall.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from rollcall.wire.messages.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from rollcall.wire.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from rollcall.wire.messages.join_group import JoinGroupRequest, JoinGroupResponse
from rollcall.wire.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse
from rollcall.wire.messages.list_config_resources import (
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)
from rollcall.wire.messages.list_groups import ListGroupsRequest, ListGroupsResponse
from rollcall.wire.messages.list_offsets import ListOffsetsRequest, ListOffsetsResponse
from rollcall.wire.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
)
from rollcall.wire.messages.metadata import MetadataRequest, MetadataResponse
from rollcall.wire.messages.offset_commit import OffsetCommitRequest, OffsetCommitResponse
from rollcall.wire.messages.offset_delete import OffsetDeleteRequest, OffsetDeleteResponse
from rollcall.wire.messages.offset_fetch import OffsetFetchRequest, OffsetFetchResponse
from rollcall.wire.messages.poll_commands import PollCommandsRequest, PollCommandsResponse
from rollcall.wire.messages.produce import ProduceRequest, ProduceResponse
from rollcall.wire.messages.register_consumer import (
    RegisterConsumerRequest,
    RegisterConsumerResponse,
)
from rollcall.wire.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)
from rollcall.wire.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from rollcall.wire.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from rollcall.wire.messages.txn_offset_commit import TxnOffsetCommitRequest, TxnOffsetCommitResponse

PRIVATE_FROM: Final = 10_000
"""The first key of APIs that Kafka does not have (docs/commanded.md)."""


class Messages(NamedTuple):
    """An API's key and name, and its two messages."""

    key: int
    name: str
    request: type[Message]
    response: type[Message]


def _messages(request: type[Message], response: type[Message]) -> Messages:
    assert request.api_key is not None
    assert request.api_key == response.api_key
    return Messages(request.api_key, request.__name__.removesuffix("Request"), request, response)


MESSAGES: Final[dict[int, Messages]] = {
    each.key: each
    for each in (
        _messages(ProduceRequest, ProduceResponse),
        _messages(FetchRequest, FetchResponse),
        _messages(ListOffsetsRequest, ListOffsetsResponse),
        _messages(MetadataRequest, MetadataResponse),
        _messages(OffsetCommitRequest, OffsetCommitResponse),
        _messages(OffsetFetchRequest, OffsetFetchResponse),
        _messages(FindCoordinatorRequest, FindCoordinatorResponse),
        _messages(JoinGroupRequest, JoinGroupResponse),
        _messages(HeartbeatRequest, HeartbeatResponse),
        _messages(LeaveGroupRequest, LeaveGroupResponse),
        _messages(SyncGroupRequest, SyncGroupResponse),
        _messages(DescribeGroupsRequest, DescribeGroupsResponse),
        _messages(ListGroupsRequest, ListGroupsResponse),
        _messages(SaslHandshakeRequest, SaslHandshakeResponse),
        _messages(ApiVersionsRequest, ApiVersionsResponse),
        _messages(CreateTopicsRequest, CreateTopicsResponse),
        _messages(DeleteTopicsRequest, DeleteTopicsResponse),
        _messages(InitProducerIdRequest, InitProducerIdResponse),
        _messages(AddOffsetsToTxnRequest, AddOffsetsToTxnResponse),
        _messages(EndTxnRequest, EndTxnResponse),
        _messages(TxnOffsetCommitRequest, TxnOffsetCommitResponse),
        _messages(DescribeAclsRequest, DescribeAclsResponse),
        _messages(CreateAclsRequest, CreateAclsResponse),
        _messages(DeleteAclsRequest, DeleteAclsResponse),
        _messages(DescribeConfigsRequest, DescribeConfigsResponse),
        _messages(DescribeLogDirsRequest, DescribeLogDirsResponse),
        _messages(SaslAuthenticateRequest, SaslAuthenticateResponse),
        _messages(CreatePartitionsRequest, CreatePartitionsResponse),
        _messages(DeleteGroupsRequest, DeleteGroupsResponse),
        _messages(IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse),
        _messages(OffsetDeleteRequest, OffsetDeleteResponse),
        _messages(DescribeClientQuotasRequest, DescribeClientQuotasResponse),
        _messages(AlterClientQuotasRequest, AlterClientQuotasResponse),
        _messages(DescribeUserScramCredentialsRequest, DescribeUserScramCredentialsResponse),
        _messages(AlterUserScramCredentialsRequest, AlterUserScramCredentialsResponse),
        _messages(DescribeClusterRequest, DescribeClusterResponse),
        _messages(DescribeTransactionsRequest, DescribeTransactionsResponse),
        _messages(ListTransactionsRequest, ListTransactionsResponse),
        _messages(ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse),
        _messages(ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse),
        _messages(ListConfigResourcesRequest, ListConfigResourcesResponse),
        _messages(DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse),
        _messages(RegisterConsumerRequest, RegisterConsumerResponse),
        _messages(PollCommandsRequest, PollCommandsResponse),
        _messages(AcknowledgeCommandRequest, AcknowledgeCommandResponse),
        _messages(ConsumerGroupPrepareAssignmentRequest, ConsumerGroupPrepareAssignmentResponse),
        _messages(ConsumerGroupInstallAssignmentRequest, ConsumerGroupInstallAssignmentResponse),
    )
}
