"""A kind of group that came later goes through every part of a node, and none of them names it."""

import asyncio

import pytest

from benchmarks.wire import Peer, create_topic
from groups.core import kinds
from groups.core.errors import ErrorCode
from groups.core.events import DeleteGroup, LeaveGroup, Leaver
from groups.core.replies import Committed, Deleted, Joined, Left, Reply
from groups.postgres import connections
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.list_groups import ListGroupsRequest
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests import rows
from tests.node.running import Running, running
from tests.node.toy import KIND, SESSION_MS, Acquire, LockGroup
from tests.server.serving import serving

Other = connections.Connection


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch, _prepared: None) -> None:
    """All that a new kind needs: a line, and the event that creates it."""
    monkeypatch.setitem(kinds.KINDS, KIND, LockGroup)
    monkeypatch.setitem(kinds.CREATED_BY, Acquire, KIND)


def acquire(one: Running, who: str, lock: str = "lock") -> "asyncio.Future[Reply]":
    return one.ask(lock, Acquire(ticket=one.counter.ticket(), member_id=who))


def leave(one: Running, who: str, lock: str = "lock") -> "asyncio.Future[Reply]":
    return one.ask(lock, LeaveGroup(ticket=one.counter.ticket(), members=(Leaver(who, None),)))


async def held_and_wanted(one: Running) -> "asyncio.Future[Reply]":
    """Alice has the lock and Bob's request is parked; what Bob waits for."""
    assert await acquire(one, "alice") == Joined(member_id="alice", generation_id=1)
    bobs = acquire(one, "bob")
    holder = Joined(member_id="alice", generation_id=1)
    assert await one.commit("lock", 5, holder) == Committed()  # in its turn: Bob's is decided
    assert not bobs.done()
    return bobs


async def test_the_lock_passes_from_holder_to_holder(one: Running, other: Other) -> None:
    """Decisions become rows and journal, and the ticket that waits is answered by a later step."""
    bobs = await held_and_wanted(one)

    assert await leave(one, "alice") == Left(ErrorCode.NONE)
    assert await bobs == Joined(member_id="bob", generation_id=2)

    assert await rows.groups(other) == {"lock": ("Held", 2, 2)}
    assert await rows.members(other) == {("lock", "bob")}
    assert await rows.offsets(other) == {("lock", "t", 0): 5}
    granted = ("lock", "stable")
    assert [entry[:2] for entry in await rows.journal(other)] == [granted, granted]


async def test_an_old_token_is_refused_and_writes_nothing(one: Running, other: Other) -> None:
    await acquire(one, "alice")
    await leave(one, "alice")
    await acquire(one, "bob")

    late = await one.commit("lock", 5, Joined(member_id="alice", generation_id=1))

    assert late == Committed(ErrorCode.ILLEGAL_GENERATION)
    assert await rows.offsets(other) == {}


async def test_a_silent_holder_loses_the_lock_to_the_next(one: Running) -> None:
    """``due`` and ``Tick``: time passes, and only the kind knows what that means."""
    asked_at = one.node.coordinator.clock()
    await acquire(one, "alice")

    assert await acquire(one, "bob") == Joined(member_id="bob", generation_id=2)
    assert one.node.coordinator.clock() - asked_at >= SESSION_MS - 50


async def test_the_lock_is_deleted_with_its_rows(one: Running, other: Other) -> None:
    await acquire(one, "alice")
    await leave(one, "alice")

    deleted = await one.ask("lock", DeleteGroup(ticket=one.counter.ticket()))

    assert deleted == Deleted()
    assert await rows.groups(other) == {}
    while "lock" in one.node.coordinator.entries:
        await asyncio.sleep(0)


async def test_a_takeover_continues_from_the_rows(other: Other) -> None:
    """No token is issued twice, the holder has a full session again, and who waited at the old
    owner is told to look for the new one."""
    async with running(node_id=0) as first:
        bobs = await held_and_wanted(first)
    assert (await bobs).error is ErrorCode.NOT_COORDINATOR

    async with running(node_id=1) as second:
        holder = Joined(member_id="alice", generation_id=1)
        assert await second.commit("lock", 1, holder) == Committed()
        assert await acquire(second, "bob") == Joined(member_id="bob", generation_id=2)
    assert (await rows.groups(other))["lock"] == ("Held", 2, 2)


async def test_a_reload_keeps_the_waiting_members(one: Running, other: Other) -> None:
    """Rows of another revision: the group is read again, what was live is joined to it, and
    the same event is stepped once more."""
    bobs = await held_and_wanted(one)
    await other.execute("UPDATE rollcall_group SET revision = 7, generation = 40")

    await leave(one, "alice")

    assert await bobs == Joined(member_id="bob", generation_id=41)
    assert await rows.groups(other) == {"lock": ("Held", 41, 8)}


async def test_a_lost_connection_leaves_the_queue_unchanged(one: Running, other: Other) -> None:
    """Nobody knows whether the batch was written: its request may be repeated, others wait on."""
    bobs = await held_and_wanted(one)
    let_go = one.points.hold("membership:connected")
    left = leave(one, "alice")
    await one.points.reached["membership:connected"].wait()
    await other.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'rollcall node membership' AND datname = current_database()"
    )
    let_go()

    assert (await left).error is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert not bobs.done()
    assert await leave(one, "alice") == Left(ErrorCode.NONE)
    assert await bobs == Joined(member_id="bob", generation_id=2)


@pytest.mark.usefixtures("_prepared")
async def test_stock_requests_reach_it_over_the_wire() -> None:
    """A heartbeat (by the fast path), a commit of offsets and a listing know no kinds either."""
    async with serving() as server:
        peer = await Peer.connect(server.address)
        await create_topic(server.address, "t", 1)
        granted = await server.ask("lock", lambda t: Acquire(ticket=t, member_id="alice"))
        assert granted == Joined(member_id="alice", generation_id=1)

        for token, code in ((1, ErrorCode.NONE), (2, ErrorCode.ILLEGAL_GENERATION)):
            beat = HeartbeatRequest(group_id="lock", generation_id=token, member_id="alice")
            assert (await peer.call(beat, 3)).error_code == code
            answer = await peer.call(commit_of("lock", "alice", token), 8)
            assert answer.topics[0].partitions[0].error_code == code

        (listed,) = (await peer.call(ListGroupsRequest(), 5)).groups
        assert (listed.group_id, listed.group_type, listed.group_state) == ("lock", KIND, "Held")
        peer.close()


def commit_of(group_id: str, member_id: str, token: int) -> OffsetCommitRequest:
    partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=9)
    return OffsetCommitRequest(
        group_id=group_id,
        generation_id_or_member_epoch=token,
        member_id=member_id,
        topics=[OffsetCommitRequestTopic(name="t", partitions=[partition])],
    )
