"""The database is missed_beat: whose heartbeat cannot be answered was heard all the same."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, NamedTuple

import pytest

from groups.core.errors import ErrorCode
from protocol.connection import connection
from rollcall.wire.messages.api_versions import ApiVersionsRequest
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.poll_commands import PollCommandsRequest
from rollcall.wire.messages.register_consumer import RegisterConsumerRequest, TopicThreads
from rollcall.wire.messages.sync_group import SyncGroupRequest
from tests.draft import raw
from tests.server.client import Client, consumer_join, join
from tests.server.serving import Serving, until

GROUPS: Final = ("beats", "stale", "silent")


@pytest.fixture(autouse=True)
def _no_holds(_prepared: None, settings: Any) -> None:
    """Nobody waits for news."""
    settings.GROUP_CONSUMER_HEARTBEAT_HOLD_PERCENT = 0


class Member(NamedTuple):
    """The only member of its group. ``says``: the code of its sign of life, of this generation or
    of one that is over."""

    says: Callable[[bool], Awaitable[int]]
    close: Callable[[], None]


def by_wire(client: Client, request: Any, version: int) -> Member:
    """A member that repeats this request; ``is_right`` False: as of the generation before."""

    async def says(is_right: bool) -> int:
        answer = await client.call(request if is_right else older(request), version)
        if isinstance(request, OffsetCommitRequest):
            return int(answer.topics[0].partitions[0].error_code)
        return int(answer.error_code)

    return Member(says, client.close)


async def heartbeats(served: Serving, group_id: str) -> Member:
    client, _ = await served.connect()
    return by_wire(client, await client.settled(group_id), 3)


async def joins(served: Serving, group_id: str) -> Member:
    client, _ = await served.connect()
    beat = await client.settled(group_id)
    return by_wire(client, join(group_id, beat.member_id), 3)


async def syncs(served: Serving, group_id: str) -> Member:
    client, _ = await served.connect()
    beat = await client.settled(group_id)
    request = SyncGroupRequest(
        group_id=group_id,
        generation_id=beat.generation_id,
        member_id=beat.member_id,
        assignments=[],
    )
    return by_wire(client, request, 2)


async def commits(served: Serving, group_id: str) -> Member:
    client, _ = await served.connect()
    beat = await client.settled(group_id)
    part = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=1, committed_metadata=""
    )
    request = OffsetCommitRequest(
        group_id=group_id,
        generation_id_or_member_epoch=beat.generation_id,
        member_id=beat.member_id,
        topics=[OffsetCommitRequestTopic(name="t", partitions=[part])],
    )
    return by_wire(client, request, 6)


async def consumer(served: Serving, group_id: str) -> Member:
    client, _ = await served.connect()
    joined = await client.call(consumer_join(group_id), 1)
    assert joined.error_code == ErrorCode.NONE
    beat = ConsumerGroupHeartbeatRequest(
        group_id=group_id, member_id=joined.member_id, member_epoch=joined.member_epoch
    )
    return by_wire(client, beat, 1)


async def polls(served: Serving, group_id: str) -> Member:
    """In a commanded group, whose consumers name no generation: an unknown consumer's is wrong."""
    client, _ = await served.connect()
    offer = RegisterConsumerRequest(
        group_id=group_id,
        consumer_id=group_id,
        session_timeout_ms=10_000,
        topics=[TopicThreads(name="t")],
    )
    assert (await client.call(offer, 0)).error_code == ErrorCode.NONE
    poll = PollCommandsRequest(
        group_id=group_id, member_id=group_id, last_command_id=0, max_wait_ms=0
    )
    return by_wire(client, poll, 0)


async def draft(served: Serving, group_id: str) -> Member:
    one = raw.Consumer(served.draft_address, group_id, ["t"])
    assert (await one.join()).error == 0
    generation = one.generation

    async def says(is_right: bool) -> int:
        one.generation = generation if is_right else generation - 1
        return await one.heartbeat()

    return Member(says, one.close)


KINDS = (heartbeats, joins, syncs, commits, consumer, polls, draft)
IN_THE_DRAFT: Final = {ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.NOT_COORDINATOR}


@pytest.mark.parametrize("kind", KINDS)
async def test_a_heartbeat_without_a_lease_is_a_sign_of_life(
    served: Serving, monkeypatch: pytest.MonkeyPatch, kind: Callable[..., Awaitable[Member]]
) -> None:
    """When the lease ended: time without one counts for nobody. Of a request that is wrong nobody
    was heard; of whom a join is, the group does not ask for the generation."""
    coordinator = served.node.coordinator
    await served.node.catalogue.create_many({"t": 1})
    members = [await kind(served, group_id) for group_id in GROUPS]
    beat, stale, _ = members
    before = {group_id: heard_at(served, group_id) for group_id in GROUPS}
    with monkeypatch.context() as patch:
        patch.setattr(served.node.keeper.lease_loop, "_beat", missed_beat)
        await until(lambda: coordinator.listened > max(before.values()))
        coordinator.lease_until = 0
        refused = [await beat.says(True), await stale.says(False)]
        assert set(refused) <= IN_THE_DRAFT
        ended_at = coordinator.listened
    await until(lambda: coordinator.holds_lease)

    assert heard_at(served, "beats") == ended_at <= coordinator.clock()
    assert [heard_at(served, each) for each in ("stale", "silent")] == [
        before["stale"],
        before["silent"],
    ]
    assert await beat.says(True) == ErrorCode.NONE
    for member in members:
        member.close()


async def test_a_heartbeat_during_a_reload_is_a_sign_of_life(served: Serving) -> None:
    """The rows of a group are in doubt: no view answers, and its members are alive all the same."""
    coordinator = served.node.coordinator
    member = await heartbeats(served, "beats")
    before, entry = heard_at(served, "beats"), coordinator.entries["beats"]
    coordinator.doubt(entry)
    await until(lambda: coordinator.listened > before)
    assert await member.says(True) == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert before < heard_at(served, "beats") <= coordinator.clock()


def heard_at(served: Serving, group_id: str) -> int:
    """The time of the member's last sign of life, as its session counts."""
    coordinator = served.node.coordinator
    [session] = coordinator.entries[group_id].group.sessions(coordinator.clock())
    return session.heard_at


def older(request: Any) -> Any:
    """The same with an epoch that is over, or without one with another member's id."""
    for name in ("generation_id", "generation_id_or_member_epoch", "member_epoch"):
        if hasattr(request, name):
            return replace(request, **{name: getattr(request, name) - 1})
    return replace(request, member_id="a stranger")


async def missed_beat() -> bool:
    """A beat of a node without a database."""
    raise OSError("missed_beat")


async def test_who_asks_a_node_without_a_lease_for_a_coordinator_is_sent_elsewhere(
    served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stock client asks a node to which it is connected, again and again: it is sent to another
    one by the end of its connection; not at once, since there may be no other."""
    find = FindCoordinatorRequest(coordinator_keys=["g"], key_type=0)
    client, later = await Client.connect(served.address), await Client.connect(served.address)
    with monkeypatch.context() as patch:
        patch.setattr(served.node.keeper.lease_loop, "_beat", missed_beat)
        served.node.coordinator.lease_until = 0
        for _ in range(3):
            answer = await client.call(find, 4)
            assert answer.coordinators[0].error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
        patch.setattr(connection, "ELSEWHERE_S", 0.0)
        with suppress(OSError, asyncio.IncompleteReadError):
            await client.call(find, 4)
        await client.ended()
        assert await later.call(ApiVersionsRequest(), 0), "others stay"
    await until(lambda: served.node.coordinator.holds_lease)
    monkeypatch.setattr(connection, "ELSEWHERE_S", 0.0)
    found = await later.call(find, 4)
    assert found.coordinators[0].error_code == ErrorCode.NONE
    later.close()
