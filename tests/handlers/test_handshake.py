"""How a client finds its way: versions, nodes, and the coordinator of its group."""

import struct
from dataclasses import replace

import pytest

from groups.core.errors import ErrorCode
from protocol import apis
from protocol.handlers import (
    api_versions,
    consumer_group_describe,
    consumer_group_heartbeat,
    describe_cluster,
    find_coordinator,
)
from protocol.handlers.support.wire_codes import WireCode
from rollcall.wire.codec import decode
from rollcall.wire.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from rollcall.wire.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.describe_cluster import DescribeClusterRequest
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from tests.handlers.world import BROKERS, World, cluster, settings

pytestmark = pytest.mark.asyncio

GROUP, TRANSACTION, SHARE = 0, 1, 2
A_CLIENT = ApiVersionsRequest(
    client_software_name="confluent-kafka-python", client_software_version="2.16.0-librdkafka-2.16"
)


# ---- versions


async def test_every_version_lists_the_full_table(cut_off: World) -> None:
    """HS-01."""
    for version in range(6):
        answer = await cut_off.ask(api_versions.handle, version, A_CLIENT)
        assert answer.error_code == 0
        listed = [(api.api_key, api.min_version, api.max_version) for api in answer.api_keys]
        assert listed == apis.advertised()
        assert (18, 0, 5) in listed


CLUSTER, NODE = cluster().cluster_id, World.node_id


@pytest.mark.parametrize(
    ("cluster_id", "node_id", "code"),
    [
        (None, -1, ErrorCode.NONE),
        (CLUSTER, NODE, ErrorCode.NONE),
        (CLUSTER, -1, ErrorCode.INVALID_REQUEST),
        (None, NODE, ErrorCode.INVALID_REQUEST),
        (None, -7, ErrorCode.INVALID_REQUEST),
        ("", -1, ErrorCode.INVALID_REQUEST),
        ("other", -1, ErrorCode.INVALID_REQUEST),
        ("", NODE, ErrorCode.REBOOTSTRAP_REQUIRED),
        ("other", NODE, ErrorCode.REBOOTSTRAP_REQUIRED),
        (CLUSTER, NODE + 1, ErrorCode.REBOOTSTRAP_REQUIRED),
        (CLUSTER, -2, ErrorCode.REBOOTSTRAP_REQUIRED),
    ],
)
async def test_a_client_that_expected_another_node_starts_again(
    cluster_id: str | None, node_id: int, code: ErrorCode, cut_off: World
) -> None:
    """KIP-1242, as Kafka 4.4.0 answers; earlier versions name nobody."""
    asked = replace(A_CLIENT, cluster_id=cluster_id, node_id=node_id)
    answer = await cut_off.ask(api_versions.handle, 5, asked)
    assert (answer.error_code, bool(answer.api_keys)) == (code, code is ErrorCode.NONE)
    earlier = await cut_off.ask(api_versions.handle, 4, asked)
    assert earlier.error_code == ErrorCode.NONE


async def test_the_consumer_protocol_is_a_feature_where_its_heartbeat_is_served(
    cut_off: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for served, level in (([(18, 0, 4)], None), ([(18, 0, 4), (68, 0, 1)], 1)):
        monkeypatch.setattr(apis, "advertised", lambda served=served: served)
        for version, lowest in ((3, 1), (4, 0)):
            answer = await cut_off.ask(api_versions.handle, version, A_CLIENT)
            supported = [(f.name, f.min_version, f.max_version) for f in answer.supported_features]
            finalized = [(f.name, f.max_version_level) for f in answer.finalized_features]
            assert supported == ([("group.version", lowest, level)] if level else [])
            assert finalized == ([("group.version", level)] if level else [])
            assert answer.finalized_features_epoch >= 0


async def test_cg_29_without_the_consumer_protocol_its_feature_is_missing(
    cut_off: World,
) -> None:
    cut_off.settings = settings(group_coordinator_rebalance_protocols=("classic",))
    answer = await cut_off.ask(api_versions.handle, 4, A_CLIENT)
    assert {f.name for f in answer.finalized_features} == {"transaction.version"}
    assert {f.name for f in answer.supported_features} == {"group.version", "transaction.version"}


async def test_cg_29_without_the_consumer_protocol_its_requests_are_refused(
    cut_off: World,
) -> None:
    cut_off.settings = settings(group_coordinator_rebalance_protocols=("classic",))
    beat = ConsumerGroupHeartbeatRequest(
        group_id="g", member_id="m", member_epoch=0, subscribed_topic_names=["orders"]
    )
    for version in (0, 1):
        beaten = await cut_off.ask(consumer_group_heartbeat.handle, version, beat)
        described = await cut_off.ask(
            consumer_group_describe.handle, version, ConsumerGroupDescribeRequest(group_ids=["g"])
        )
        assert beaten.error_code == ErrorCode.UNSUPPORTED_VERSION
        assert [g.error_code for g in described.groups] == [ErrorCode.UNSUPPORTED_VERSION]


async def test_client_software_names_are_validated_from_version_three(cut_off: World) -> None:
    for name, version in (("", "1"), ("a", ""), ("-a", "1"), ("a b", "1"), ("a", "1.")):
        request = ApiVersionsRequest(client_software_name=name, client_software_version=version)
        answer = await cut_off.ask(api_versions.handle, 3, request)
        assert answer.error_code == ErrorCode.INVALID_REQUEST
        assert (await cut_off.ask(api_versions.handle, 2, request)).error_code == 0


async def test_an_unknown_version_is_answered_in_version_zero() -> None:
    """HS-02."""
    body = api_versions.unsupported_version_body(apis.advertised())
    assert body == struct.pack(">hihhh", ErrorCode.UNSUPPORTED_VERSION, 1, 18, 0, 5)
    assert decode(ApiVersionsResponse, 0, body).error_code == ErrorCode.UNSUPPORTED_VERSION


# ---- the coordinator


async def test_the_owner_of_the_slot_coordinates_the_group(cut_off: World) -> None:
    """HS-03."""
    for version in range(4):
        request = FindCoordinatorRequest(key="g", key_type=GROUP)
        reply = await cut_off.ask(find_coordinator.handle, version, request)
        assert (reply.error_code, reply.node_id, reply.host, reply.port) == (0, *BROKERS[1][:3])
        assert reply.error_message == ("NONE" if version else "")
    for version in range(4, 7):
        request = FindCoordinatorRequest(coordinator_keys=["g", "h"], key_type=GROUP)
        reply = await cut_off.ask(find_coordinator.handle, version, request)
        assert [(c.key, c.error_code, c.node_id) for c in reply.coordinators] == [
            ("g", 0, 1),
            ("h", 0, 1),
        ]
        assert [c.error_message for c in reply.coordinators] == ["", ""]


async def test_a_node_without_a_lease_names_no_coordinator(cut_off: World) -> None:
    """It may have slept, and what it remembers of the slots may be old."""
    cut_off.coordinator.holds_lease = False
    request = FindCoordinatorRequest(coordinator_keys=["g"], key_type=GROUP)
    reply = await cut_off.ask(find_coordinator.handle, 4, request)
    assert reply.coordinators[0].error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE


@pytest.mark.parametrize(
    ("key_type", "code"),
    [
        (GROUP, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (TRANSACTION, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (SHARE, ErrorCode.INVALID_REQUEST),
        (99, ErrorCode.INVALID_REQUEST),
    ],
)
async def test_no_coordinator_is_node_minus_one(
    cut_off: World, key_type: int, code: ErrorCode
) -> None:
    """HS-04."""
    cut_off.cluster = cluster(owner=None)
    for version in range(1, 7):
        request = FindCoordinatorRequest(key="k", coordinator_keys=["k"], key_type=key_type)
        answer = await cut_off.ask(find_coordinator.handle, version, request)
        coordinator = answer.coordinators[0] if version >= 4 else answer
        assert (
            coordinator.error_code,
            coordinator.node_id,
            coordinator.host,
            coordinator.port,
        ) == (code, -1, "", -1)
        assert coordinator.error_message not in (None, "", "NONE")


# ---- the cluster


async def test_the_live_nodes_are_the_brokers(cut_off: World) -> None:
    for version in range(3):
        for asked, operations in ((True, 0b1_1111_1010_0000), (False, -(2**31))):
            request = DescribeClusterRequest(include_cluster_authorized_operations=asked)
            reply = await cut_off.ask(describe_cluster.handle, version, request)
            assert (reply.error_code, reply.cluster_id) == (0, "cluster-of-tests")
            assert reply.controller_id == 0
            assert [(b.broker_id, b.host, b.port) for b in reply.brokers] == [
                b[:3] for b in BROKERS
            ]
            assert not any(b.is_fenced for b in reply.brokers)
            assert reply.cluster_authorized_operations == operations


async def test_controllers_cannot_be_described(cut_off: World) -> None:
    for endpoint_type, code in (
        (2, WireCode.MISMATCHED_ENDPOINT_TYPE),
        (3, WireCode.UNSUPPORTED_ENDPOINT_TYPE),
    ):
        request = DescribeClusterRequest(endpoint_type=endpoint_type)
        reply = await cut_off.ask(describe_cluster.handle, 1, request)
        assert (reply.error_code, list(reply.brokers)) == (code, [])
        assert reply.error_message


async def test_every_node_answers_from_its_own_view(cut_off: World) -> None:
    cut_off.cluster = replace(cut_off.cluster, brokers=BROKERS[1:])
    reply = await cut_off.ask(describe_cluster.handle, 2, DescribeClusterRequest())
    assert (reply.controller_id, [b.broker_id for b in reply.brokers]) == (1, [1])
