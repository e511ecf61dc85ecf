"""Replies that would be too long: cut where a version can say so, refused where it cannot."""

from types import ModuleType
from typing import Any

import pytest

from benchmarks.wire import create_topic
from groups.core.errors import ErrorCode
from protocol.handlers import (
    consumer_group_describe,
    describe_groups,
    describe_transactions,
    list_groups,
    list_transactions,
    metadata,
)
from protocol.handlers.support import reply_room
from protocol.handlers.support.config_resources import Resource
from rollcall.wire.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from rollcall.wire.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from rollcall.wire.messages.describe_groups import DescribeGroupsRequest
from rollcall.wire.messages.describe_transactions import DescribeTransactionsRequest
from rollcall.wire.messages.init_producer_id import InitProducerIdRequest
from rollcall.wire.messages.list_groups import ListGroupsRequest
from rollcall.wire.messages.list_transactions import ListTransactionsRequest
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.server.client import Client, consumer_join
from tests.server.serving import Serving

AGAIN = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
TOO_MUCH = ErrorCode.POLICY_VIOLATION
MISSING = ErrorCode.TRANSACTIONAL_ID_NOT_FOUND


@pytest.fixture
async def client(served: Serving) -> Client:
    return await Client.connect(served.address)


async def test_described_groups_that_do_not_fit_get_a_retriable_error(
    served: Serving, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first is sent whatever its length: a later request could not have it either."""
    for group_id in ("a", "b"):
        await (await Client.connect(served.address)).settled(group_id)
    monkeypatch.setattr(reply_room, "REPLY_BYTES_MAX", 1)

    both = (await client.call(DescribeGroupsRequest(groups=["a", "b"]), 5)).groups
    assert [(g.error_code, len(g.members)) for g in both] == [(0, 1), (AGAIN, 0)]
    (alone,) = (await client.call(DescribeGroupsRequest(groups=["b"]), 5)).groups
    assert (alone.error_code, len(alone.members)) == (0, 1)


@pytest.mark.parametrize("handler", [describe_groups, consumer_group_describe])
async def test_groups_that_do_not_fit_are_not_read(
    client: Client, monkeypatch: pytest.MonkeyPatch, handler: ModuleType
) -> None:
    """Nor one large group, however often a request names it."""
    looked_at, describe = list[str](), handler._describe

    async def counting(group_id: str, *asked: Any) -> Any:
        looked_at.append(group_id)
        return await describe(group_id, *asked)

    monkeypatch.setattr(handler, "_describe", counting)
    monkeypatch.setattr(reply_room, "REPLY_BYTES_MAX", 1)
    request: Any
    if handler is describe_groups:
        beat = await client.settled("large")
        request = DescribeGroupsRequest(groups=[beat.group_id] * 100)
    else:
        assert (await client.call(consumer_join("large"), 1)).error_code == 0
        request = ConsumerGroupDescribeRequest(group_ids=["large"] * 100)

    groups = (await client.call(request, 1)).groups
    assert [g.error_code for g in groups] == [0] + [AGAIN] * 99
    assert looked_at == ["large"]


async def test_described_consumer_groups_that_do_not_fit_get_a_retriable_error(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for group_id in ("a", "b"):
        assert (await client.call(consumer_join(group_id), 1)).error_code == 0
    monkeypatch.setattr(reply_room, "REPLY_BYTES_MAX", 1)

    both = (await client.call(ConsumerGroupDescribeRequest(group_ids=["a", "b"]), 1)).groups
    assert [(g.error_code, len(g.members)) for g in both] == [(0, 1), (AGAIN, 0)]


async def test_a_list_of_groups_that_does_not_fit_is_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    await client.settled("a")
    assert len((await client.call(ListGroupsRequest(), 5)).groups) == 1
    monkeypatch.setattr(list_groups, "REPLY_BYTES_MAX", 1)

    answer = await client.call(ListGroupsRequest(), 5)
    assert (answer.error_code, list(answer.groups)) == (TOO_MUCH, [])
    none_of_them = ListGroupsRequest(states_filter=["Dead"])
    assert (await client.call(none_of_them, 5)).error_code == 0


async def test_the_room_of_a_list_of_groups_is_bytes(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Characters beyond ASCII take more of them."""
    name = "\u00e9" * 40
    await client.settled(name)
    room = list_groups.OTHER_BYTES + len(f"{name}consumer".encode())
    monkeypatch.setattr(list_groups, "REPLY_BYTES_MAX", room)
    assert (await client.call(ListGroupsRequest(), 5)).error_code == 0
    monkeypatch.setattr(list_groups, "REPLY_BYTES_MAX", room - 1)
    assert (await client.call(ListGroupsRequest(), 5)).error_code == TOO_MUCH


async def test_a_list_of_transactions_that_does_not_fit_is_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = InitProducerIdRequest(transactional_id="pay", transaction_timeout_ms=60_000)
    assert (await client.call(starts, 4)).error_code == 0
    assert (await client.call(ListTransactionsRequest(), 1)).error_code == 0
    monkeypatch.setattr(list_transactions, "REPLY_BYTES_MAX", 1)

    answer = await client.call(ListTransactionsRequest(), 1)
    assert (answer.error_code, list(answer.transaction_states)) == (TOO_MUCH, [])


async def test_described_transactions_that_do_not_fit_get_a_retriable_error(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is named often is as long as often."""
    for name in ("pay", "buy"):
        starts = InitProducerIdRequest(transactional_id=name, transaction_timeout_ms=60_000)
        assert (await client.call(starts, 4)).error_code == 0

    async def codes(*ids: str) -> list[int]:
        answer = await client.call(DescribeTransactionsRequest(transactional_ids=ids), 0)
        return [state.error_code for state in answer.transaction_states]

    for at_once in (1, 2, 500):
        monkeypatch.setattr(describe_transactions, "IDS_AT_ONCE", at_once)
        assert await codes("", "buy", "pay", "no") == [ErrorCode.INVALID_REQUEST, 0, 0, MISSING]
    monkeypatch.setattr(describe_transactions, "REPLY_BYTES_MAX", 120)
    assert await codes("pay", "buy") == [0, 0]
    assert await codes("pay", "pay", "pay", "buy") == [0, 0, 0, AGAIN]
    assert await codes("buy") == [0]


@pytest.mark.parametrize("version", [0, 8, 12])
async def test_topics_whose_partitions_do_not_fit_are_returned_without_them(
    served: Serving, client: Client, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    for name in ("a", "b"):
        await create_topic(served.address, name, 5)
    monkeypatch.setattr(metadata, "PARTITIONS_LISTED_MAX", 9)

    def asking(*names: str) -> MetadataRequest:
        return MetadataRequest(topics=[MetadataRequestTopic(name=n) for n in names])

    topics = (await client.call(asking("a", "b"), version)).topics
    assert [(t.name, t.error_code, len(t.partitions)) for t in topics] == [
        ("a", 0, 5),
        ("b", TOO_MUCH, 0),
    ]
    (alone,) = (await client.call(asking("b"), version)).topics
    assert (alone.error_code, len(alone.partitions)) == (0, 5)


async def test_a_resource_named_often_is_answered_once(client: Client) -> None:
    broker = DescribeConfigsResource(resource_type=Resource.BROKER, resource_name="0")
    group = DescribeConfigsResource(resource_type=Resource.GROUP, resource_name="g")
    request = DescribeConfigsRequest(resources=[broker, group, broker, group, broker])

    results = (await client.call(request, 4)).results
    assert [(r.resource_type, r.resource_name) for r in results] == [
        (Resource.BROKER, "0"),
        (Resource.GROUP, "g"),
    ]
