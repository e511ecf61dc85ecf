"""Client-side assignors over the wire: who is asked, when a held heartbeat is let go for it, what
is refused, and what a node that takes over knows of it (KIP-848)."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest

from benchmarks.wire import create_topic
from groups.core.errors import ErrorCode
from groups.postgres import connections
from rollcall.wire.messages.consumer_group_heartbeat import (
    OURS,
    ClientAssignor,
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from rollcall.wire.messages.consumer_group_install_assignment import (
    ConsumerGroupInstallAssignmentRequest,
    InstalledMember,
)
from rollcall.wire.messages.consumer_group_prepare_assignment import (
    ConsumerGroupPrepareAssignmentRequest,
)
from tests.server.client import Client
from tests.server.holds import PAUSE_S, SOON_S, is_held
from tests.server.serving import Serving, serving, until

MINE = ClientAssignor(name="mine", maximum_version=3, version=1, metadata=b"four cores")
SILENT = ClientAssignor(name="mine", maximum_version=3)


@pytest.fixture(autouse=True)
def _every_target_at_once(settings: Any) -> None:
    settings.GROUP_CONSUMER_ASSIGNMENT_INTERVAL_MS = 0


async def row(other: connections.Connection) -> dict[str, Any]:
    """What the group's row says."""
    found = await other.execute("SELECT details FROM rollcall_group WHERE group_id = 'g'")
    (details,) = await found.fetchone() or ({},)
    return dict(details)


class Hand:
    """A member driven by hand: what it sends, and its last responses."""

    def __init__(self, client: Client, member_id: str) -> None:
        self.client = client
        self.member_id = member_id
        self.epoch = 0
        self.told: Any = None

    @classmethod
    async def join(cls, served: Serving, *own: ClientAssignor, member_id: str = "") -> "Hand":
        """A new member, or one that comes to another node."""
        hand = cls(await Client.connect(served.address), member_id or str(uuid4()))
        await hand.beat(
            rebalance_timeout_ms=10_000,
            subscribed_topic_names=["t"],
            topic_partitions=[],
            client_assignors=own or None,
        )
        return hand

    def request(self, **said: Any) -> ConsumerGroupHeartbeatRequest:
        return ConsumerGroupHeartbeatRequest(
            group_id="g", member_id=self.member_id, member_epoch=self.epoch, **said
        )

    async def beat(self, **said: Any) -> Any:
        """A heartbeat; it obeys the response at once."""
        self.told = await self.client.call(self.request(**said), 1)
        assert self.told.error_code == ErrorCode.NONE, self.told
        self.epoch = self.told.member_epoch
        if self.told.assignment is not None and not said.get("topic_partitions"):
            return await self.beat(topic_partitions=self.told.assignment.topic_partitions)
        return self.told

    @property
    def is_asked(self) -> bool:
        asked: bool = self.told.should_compute_assignment
        return asked

    async def prepare(self, **over: Any) -> Any:
        said = {"member_id": self.member_id, "member_epoch": self.epoch, **over}
        return await self.client.call(
            ConsumerGroupPrepareAssignmentRequest(**{"group_id": "g", **said}), 0
        )

    async def install(self, epoch: int, shares: dict[str, list[int]], **over: Any) -> Any:
        topic = UUID(hex=over.pop("topic", None) or "0" * 32)
        message = ConsumerGroupInstallAssignmentRequest(
            group_id="g",
            member_id=self.member_id,
            member_epoch=self.epoch,
            group_epoch=epoch,
            members=[
                InstalledMember(
                    member_id=member,
                    topic_partitions=[TopicPartitions(topic_id=topic, partitions=parts)],
                )
                for member, parts in shares.items()
            ],
            **over,
        )
        return await self.client.call(message, 0)

    async def assign(self, shares: dict[str, list[int]]) -> None:
        """What an honest member does when it is asked."""
        view = await self.prepare()
        assert view.error_code == ErrorCode.NONE
        answer = await self.install(view.group_epoch, shares, topic=view.topics[0].topic_id.hex)
        assert answer.error_code == ErrorCode.NONE, answer.error_message


async def test_a_member_assigns_over_the_wire(served: Serving) -> None:
    await create_topic(served.address, "t", 3)
    one = await Hand.join(served, MINE)
    assert one.is_asked

    view = await one.prepare()

    assert (view.error_code, view.assignor_name) == (ErrorCode.NONE, "mine")
    (topic,), (member,) = view.topics, view.members
    assert (topic.topic_name, topic.num_partitions) == ("t", 3)
    assert member.subscribed_topic_ids == [topic.topic_id]
    assert (member.assignor.metadata_version, member.assignor.metadata_bytes) == (1, b"four cores")
    await one.assign({one.member_id: [0, 2]})
    reply = await one.client.call(one.request(), 1)
    assert reply.assignment.topic_partitions[0].partitions == [0, 2]
    assert not reply.should_compute_assignment


async def test_a_stock_member_is_assigned_without_extra_fields(
    served: Serving,
) -> None:
    await create_topic(served.address, "t", 2)
    one = await Hand.join(served, SILENT)
    await one.assign({one.member_id: [0, 1]})
    await one.beat()
    stock = await Hand.join(served)
    assert not stock.is_asked and (await one.beat()).should_compute_assignment

    view = await one.prepare()
    by_id = {member.member_id: member for member in view.members}
    assert by_id[stock.member_id].assignor is None
    await one.assign({stock.member_id: [0, 1]})
    await one.beat()
    reply = await stock.client.call(stock.request(), 1)

    assert reply.assignment.topic_partitions[0].partitions == [0, 1]
    assert OURS == 10_000 and not reply.should_compute_assignment


async def test_a_held_heartbeat_does_not_delay_the_request_to_assign(served: Serving) -> None:
    await create_topic(served.address, "t", 2)
    client, connection = await served.connect()
    one = Hand(client, str(uuid4()))
    await one.beat(
        rebalance_timeout_ms=10_000,
        subscribed_topic_names=["t"],
        topic_partitions=[],
        client_assignors=[SILENT],
    )
    await one.assign({one.member_id: [0, 1]})
    await one.beat()
    await one.beat()
    served.clock.ahead_s += PAUSE_S
    client.send(one.request(), 1)
    await until(lambda: is_held(connection))

    await Hand.join(served)

    async with asyncio.timeout(SOON_S):
        assert (await client.receive()).should_compute_assignment


@pytest.mark.parametrize(
    ("over", "code"),
    [
        ({"group_id": "nobody's"}, ErrorCode.GROUP_ID_NOT_FOUND),
        ({"group_id": ""}, ErrorCode.INVALID_GROUP_ID),
        ({"member_id": "x"}, ErrorCode.UNKNOWN_MEMBER_ID),
        ({"member_epoch": 77}, ErrorCode.STALE_MEMBER_EPOCH),
    ],
)
async def test_a_member_without_the_right_to_assign_is_not_asked(
    served: Serving, over: dict[str, Any], code: ErrorCode
) -> None:
    await create_topic(served.address, "t", 2)
    one = await Hand.join(served, SILENT)
    prepared = await one.prepare(**over)
    assert (prepared.error_code, list(prepared.members), list(prepared.topics)) == (code, [], [])


async def test_an_assignment_that_breaks_a_rule_is_refused_with_a_reason(served: Serving) -> None:
    await create_topic(served.address, "t", 2)
    one = await Hand.join(served, SILENT)
    view = await one.prepare()
    topic = view.topics[0].topic_id.hex

    wrong = await one.install(view.group_epoch, {one.member_id: [2]}, topic=topic)
    assert wrong.error_code == ErrorCode.INVALID_REQUEST
    assert "what does not exist" in wrong.error_message
    older = await one.install(view.group_epoch - 1, {one.member_id: [0]}, topic=topic)
    assert older.error_code == ErrorCode.ILLEGAL_GENERATION
    assert "The group epoch is" in older.error_message

    await one.assign({one.member_id: [0, 1]})


async def test_a_classic_group_has_no_client_assignors(served: Serving) -> None:
    client = await Client.connect(served.address)
    await client.settled("g")
    prepared = await Hand(client, "x").prepare()
    assert prepared.error_code == ErrorCode.GROUP_ID_NOT_FOUND


@pytest.mark.usefixtures("_prepared")
async def test_without_the_consumer_protocol_no_member_assigns(settings: Any) -> None:
    settings.GROUP_COORDINATOR_REBALANCE_PROTOCOLS = ("classic",)
    async with serving() as served:
        hand = Hand(await Client.connect(served.address), "x")
        assert (await hand.prepare()).error_code == ErrorCode.UNSUPPORTED_VERSION
        assert (await hand.install(1, {})).error_code == ErrorCode.UNSUPPORTED_VERSION


async def test_the_next_owner_requests_the_assignment_again(
    other: connections.Connection,
) -> None:
    """The first node ends between the question and the answer."""
    async with serving() as first:
        await create_topic(first.address, "t", 2)
        one = await Hand.join(first, MINE)
        await one.assign({one.member_id: [0, 1]})
        await one.beat()
        two = await Hand.join(first, SILENT)
        assert two.is_asked
        epoch = (await two.prepare()).group_epoch

    async with serving() as second:
        client = await Client.connect(second.address)
        one.client, two.client = client, await Client.connect(second.address)
        late = await two.install(epoch, {}, failure=None)
        assert late.error_code == ErrorCode.ILLEGAL_GENERATION
        assert (await one.beat()).should_compute_assignment
        view = await one.prepare()
        assert view.group_epoch == epoch and len(view.members) == 2
        await one.assign({one.member_id: [0], two.member_id: [1]})
        await one.beat()
        assert (await two.beat()).error_code == ErrorCode.NONE
    facts = await row(other)
    assert (facts["assignor"], facts["assigned_by"]) == ("mine", "bench")


async def test_the_row_has_the_reason_why_the_coordinator_assigned(
    served: Serving, other: connections.Connection
) -> None:
    await create_topic(served.address, "t", 2)
    one = await Hand.join(served, SILENT)
    view = await one.prepare()

    assert (await one.install(view.group_epoch, {}, failure="ValueError: no")).error_code == 0

    why = "mine: 1 member gave no assignment: ValueError: no"
    facts = await row(other)
    assert (facts["assignor"], facts["fell_back"]) == ("uniform", why)
