"""Kafka's cases of failover, asked over the wire of a cluster of three nodes.

HS-05 and FO-01 to FO-04: requests at the wrong node, held joins, a generation without an
assignment, a stale owner, an id that was only promised. HS-06, a group that is being loaded, is
with the routing tests of one node; here it is what members hear of a real takeover.
"""

import asyncio
import signal
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from random import Random
from typing import Any, LiteralString

import pytest
import pytest_asyncio

from benchmarks.wire import Peer, create_topic
from groups.core.errors import ErrorCode
from groups.core.rows import slot_of
from proof.chaos.network import BROKEN, Network, call
from proof.chaos.processes import send
from proof.chaos.world import World
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.delete_groups import DeleteGroupsRequest
from rollcall.wire.messages.describe_groups import DescribeGroupsRequest
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from rollcall.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from rollcall.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.proof.conftest import SETTLE_S, until

pytestmark = [
    pytest.mark.long,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(200),
    pytest.mark.xdist_group("chaos"),
]

TOPIC = "t"
SESSION_MS = 30_000
EPOCH: LiteralString = "SELECT epoch FROM rollcall_slot WHERE slot = %s"
NOT_COORDINATOR = ErrorCode.NOT_COORDINATOR
ELSEWHERE = (NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE)


class Talk:
    """One group's conversation with its current coordinator."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.group_id = f"g-{uuid.uuid4().hex}"
        self.network = Network(world.bootstraps, Random(self.group_id))
        self.peers: list[Peer] = []

    async def at(self, node_id: int) -> Peer:
        """A connection to a node."""
        peer = await self.network.connect(f"127.0.0.1:{self.world.ports[node_id]}")
        self.peers.append(peer)
        return peer

    async def owner(self) -> int:
        """The node that owns the group, by the rows."""
        found = (await self.world.owners())[slot_of(self.group_id)]
        assert found is not None
        return found

    async def owner_or_none(self) -> int | None:
        """The same, where there may be no coordinator just now."""
        return (await self.world.owners())[slot_of(self.group_id)]

    async def epoch(self) -> int:
        """The epoch of the group's slot: each owner has another."""
        (row,) = await self.world.rows(EPOCH, slot_of(self.group_id))
        return int(row[0])

    async def find(self) -> Peer:
        """A connection to the group's coordinator, as clients find it."""
        peer = await self.network.reach(self.group_id)
        self.peers.append(peer)
        return peer

    async def join(self, peer: Peer, member_id: str = "", limit_s: float = SETTLE_S) -> Any:
        """JoinGroup v5, which wants an id first."""
        request = JoinGroupRequest(
            group_id=self.group_id,
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=SESSION_MS,
            member_id=member_id,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
        )
        return await call(peer, request, 5, limit_s)

    async def sync(self, peer: Peer, joined: Any) -> Any:
        """SyncGroup; the leader gives every member the same."""
        shares = [
            SyncGroupRequestAssignment(member_id=member.member_id, assignment=b"share")
            for member in joined.members
        ]
        request = SyncGroupRequest(
            group_id=self.group_id,
            generation_id=joined.generation_id,
            member_id=joined.member_id,
            assignments=shares,
        )
        return await call(peer, request, 3)

    async def heartbeat(self, peer: Peer, joined: Any) -> int:
        """Heartbeat; its code."""
        request = HeartbeatRequest(
            group_id=self.group_id,
            generation_id=joined.generation_id,
            member_id=joined.member_id,
        )
        return int((await call(peer, request, 3)).error_code)

    async def commit(self, peer: Peer, joined: Any, offset: int = 1) -> int:
        """OffsetCommit of one partition; its code."""
        partition = OffsetCommitRequestPartition(
            partition_index=0, committed_offset=offset, committed_metadata=""
        )
        request = OffsetCommitRequest(
            group_id=self.group_id,
            generation_id_or_member_epoch=joined.generation_id,
            member_id=joined.member_id,
            topics=[OffsetCommitRequestTopic(name=TOPIC, partitions=[partition])],
        )
        answer = await call(peer, request, 7)
        return int(answer.topics[0].partitions[0].error_code)

    async def leave(self, peer: Peer, joined: Any) -> int:
        """LeaveGroup; its code."""
        me = [MemberIdentity(member_id=joined.member_id)]
        request = LeaveGroupRequest(group_id=self.group_id, members=me)
        return int((await call(peer, request, 4)).error_code)

    async def alone(self) -> tuple[Peer, Any]:
        """A stable group of one member, and the connection to its coordinator."""
        while True:
            peer = await self.find()
            promised = await self.join(peer)
            if promised.error_code not in ELSEWHERE:  # a slot may move once more, under load
                break
        assert promised.error_code == ErrorCode.MEMBER_ID_REQUIRED
        joined = await self.join(peer, promised.member_id)
        assert joined.error_code == 0
        assert (await self.sync(peer, joined)).error_code == 0
        return peer, joined

    async def kill(self, node_id: int) -> None:
        """kill -9 of a node; returns when it is there again, and nothing moves any more. The slot
        was taken meanwhile: by another node, or by its own next life, which may be sooner."""
        before = await self.epoch()
        assert send(self.world.node(node_id), signal.SIGKILL)

        async def taken() -> bool:
            return await self.epoch() > before and await self.owner_or_none() is not None

        await until(taken)
        await self.world.whole(SETTLE_S)


@pytest_asyncio.fixture(loop_scope="session")
async def talk(world: World) -> AsyncIterator[Talk]:
    """A group that was never used."""
    await world.whole(SETTLE_S)
    await create_topic(world.bootstraps[0], TOPIC, 1)
    one = Talk(world)
    yield one
    for peer in one.peers:
        peer.close()


async def test_every_group_request_at_another_node_is_refused(talk: Talk) -> None:
    """HS-05: at the top, per partition or per group, as each request has it."""
    _, joined = await talk.alone()
    owner = await talk.owner()
    other = await talk.at(next(n for n in talk.world.ports if n != owner))
    group_id = talk.group_id
    fetch = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id=group_id, topics=None)])
    beat = ConsumerGroupHeartbeatRequest(group_id=group_id, member_id="m", member_epoch=1)
    codes = {
        "join": (await talk.join(other, joined.member_id)).error_code,
        "sync": (await talk.sync(other, joined)).error_code,
        "heartbeat": await talk.heartbeat(other, joined),
        "commit": await talk.commit(other, joined),
        "leave": await talk.leave(other, joined),
        "fetch": (await call(other, fetch, 8)).groups[0].error_code,
        "describe": (await call(other, DescribeGroupsRequest(groups=[group_id]), 4))
        .groups[0]
        .error_code,
        "delete": (await call(other, DeleteGroupsRequest(groups_names=[group_id]), 1))
        .results[0]
        .error_code,
        "consumer heartbeat": (await call(other, beat, 0)).error_code,
    }
    assert codes == dict.fromkeys(codes, NOT_COORDINATOR)


async def test_a_held_join_ends_with_its_node_and_keeps_the_generation(talk: Talk) -> None:
    """FO-01: the new owner has the group Stable from its rows; the others' heartbeats succeed."""
    first, one = await talk.alone()
    second = await talk.find()
    promised = await talk.join(second)
    held = asyncio.create_task(talk.join(second, promised.member_id))

    async def rebalancing() -> bool:
        return await talk.heartbeat(first, one) == ErrorCode.REBALANCE_IN_PROGRESS

    await until(rebalancing)
    await talk.kill(await talk.owner())
    with suppress(*BROKEN):
        assert (await held).error_code == NOT_COORDINATOR
    again = await talk.find()
    assert await until_known(lambda: talk.heartbeat(again, one)) == 0
    assert await talk.commit(again, one) == 0


async def test_no_takeover_answers_that_it_is_loading(talk: Talk) -> None:
    """HS-06: who asks the living nodes all the time hears "elsewhere" until one has the group
    loaded, and then that all is well; never 14, which crashes a common client."""
    _, joined = await talk.alone()
    owner = await talk.owner()
    others = [await talk.at(node_id) for node_id in talk.world.ports if node_id != owner]
    heard: list[int] = []

    async def served() -> bool:
        heard.extend([await talk.heartbeat(peer, joined) for peer in others])
        with suppress(*BROKEN):  # its next life may be sooner than they
            heard.append(await talk.heartbeat(await talk.at(owner), joined))
        return ErrorCode.NONE in heard

    assert send(talk.world.node(owner), signal.SIGKILL)
    await until(served)
    assert set(heard) <= {
        ErrorCode.NONE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
    }


async def test_clients_are_not_sent_to_a_hung_node(talk: Talk) -> None:
    """Before its lease is over, and so before another has its slots: a client that was sent there
    would wait for its own time limit."""
    await talk.alone()
    hung = await talk.owner()
    node = talk.world.node(hung)
    others = [await talk.at(node_id) for node_id in talk.world.ports if node_id != hung]
    request = FindCoordinatorRequest(coordinator_keys=[talk.group_id])

    async def named() -> set[int]:
        answers = [await call(peer, request, 4) for peer in others]
        return {answer.coordinators[0].node_id for answer in answers}

    assert send(node, signal.SIGSTOP)
    try:

        async def not_there() -> bool:
            return hung not in await named()

        await until(not_there)
        print("named instead:", await named(), "owner by the rows:", await talk.owner_or_none())
    finally:
        send(node, signal.SIGCONT)


async def test_a_generation_without_an_assignment_continues_at_the_new_owner(talk: Talk) -> None:
    """FO-02: Rollcall's own: the generation was stored before any response had it."""
    first = await talk.find()
    promised = await talk.join(first)
    joined = await talk.join(first, promised.member_id)
    await talk.kill(await talk.owner())
    again = await talk.find()
    repeated = await talk.join(again, joined.member_id)
    assert (repeated.error_code, repeated.generation_id) == (0, joined.generation_id)
    synced = await talk.sync(again, repeated)
    assert (synced.error_code, synced.assignment) == (0, b"share")


async def test_a_stale_owner_refuses_every_request(talk: Talk) -> None:
    """FO-03: it slept past its lease; what waited at its door is no longer its business."""
    first, joined = await talk.alone()
    assert await talk.commit(first, joined, 5) == 0
    stale = await talk.owner()
    doors = [await talk.at(stale) for _ in range(5)]
    node = talk.world.node(stale)
    assert send(node, signal.SIGSTOP)

    async def taken() -> bool:
        return (await talk.world.owners())[slot_of(talk.group_id)] not in (None, stale)

    try:
        await until(taken)
        again = await talk.at(await talk.owner())
        assert await until_known(lambda: talk.commit(again, joined, 6)) == 0
        asked = [
            asyncio.create_task(request)
            for request in (
                talk.heartbeat(doors[0], joined),
                talk.commit(doors[1], joined, 4),
                talk.leave(doors[2], joined),
                code_of(talk.sync(doors[3], joined)),
                code_of(talk.join(doors[4], joined.member_id)),
            )
        ]
        await asyncio.sleep(0.5)  # they lie in the sockets of a process that does not run
    finally:
        send(node, signal.SIGCONT)
    assert await asyncio.gather(*asked) == [NOT_COORDINATOR] * 5
    rows = await talk.world.rows(
        "SELECT committed_offset FROM rollcall_offset WHERE group_id = %s", talk.group_id
    )
    assert rows == [(6,)]
    assert await talk.heartbeat(again, joined) == 0


async def test_a_pending_member_id_is_lost_with_its_node(talk: Talk) -> None:
    """FO-04: the client requests another."""
    promised = await talk.join(await talk.find())
    await talk.kill(await talk.owner())
    again = await talk.find()
    answer = await talk.join(again, promised.member_id)
    assert answer.error_code == ErrorCode.UNKNOWN_MEMBER_ID


async def code_of(asking: Awaitable[Any]) -> int:
    """The error code of an answer."""
    return int((await asking).error_code)


async def until_known(ask: Callable[[], Awaitable[int]]) -> int:
    """The first code that is not "elsewhere": the new owner may be loading still."""
    while (code := await ask()) in ELSEWHERE:
        await asyncio.sleep(0.05)
    return code
