"""The database is away: whose heartbeat cannot be answered was heard all the same."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from groups.core.errors import ErrorCode
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from tests.server.client import Client, consumer_join
from tests.server.serving import Serving, until


async def classic(client: Client, group_id: str) -> tuple[HeartbeatRequest, int]:
    return await client.settled(group_id), 3


async def consumer(client: Client, group_id: str) -> tuple[ConsumerGroupHeartbeatRequest, int]:
    joined = await client.call(consumer_join(group_id), 1)
    assert joined.error_code == ErrorCode.NONE
    beat = ConsumerGroupHeartbeatRequest(
        group_id=group_id, member_id=joined.member_id, member_epoch=joined.member_epoch
    )
    return beat, 1


@pytest.mark.parametrize("joins", [classic, consumer])
async def test_who_beats_while_nobody_can_be_answered_was_heard(
    served: Serving, monkeypatch: pytest.MonkeyPatch, joins: Callable[..., Any]
) -> None:
    """When the lease ended: time without one counts for nobody. Of a heartbeat that is wrong
    nobody was heard."""
    coordinator = served.node.coordinator
    client, _ = await served.connect()
    beat, version = await joins(client, "beats")
    stale, _ = await joins(client, "stale")
    await joins(client, "silent")
    before = {group_id: heard_at(served, group_id) for group_id in ("beats", "stale", "silent")}
    with monkeypatch.context() as patch:
        patch.setattr(served.node.keeper.lease_loop, "_beat", away)
        await until(lambda: coordinator.listened > max(before.values()))
        coordinator.lease_until = 0
        for request in (beat, older(stale)):
            refused = await client.call(request, version)
            assert refused.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
        ended_at = coordinator.listened
    await until(lambda: coordinator.holds_lease)

    assert heard_at(served, "beats") == ended_at <= coordinator.clock()
    assert [heard_at(served, each) for each in ("stale", "silent")] == [
        before["stale"],
        before["silent"],
    ]
    assert (await client.call(beat, version)).error_code == ErrorCode.NONE


def heard_at(served: Serving, group_id: str) -> int:
    """When the group's member was last heard of, as its session counts."""
    coordinator = served.node.coordinator
    [session] = coordinator.entries[group_id].group.sessions(coordinator.clock())
    return session.heard_at


def older(beat: HeartbeatRequest | ConsumerGroupHeartbeatRequest) -> Any:
    """The same of an epoch that is over."""
    if isinstance(beat, HeartbeatRequest):
        return replace(beat, generation_id=beat.generation_id - 1)
    return replace(beat, member_epoch=beat.member_epoch - 1)


async def away() -> bool:
    """A beat of a node without a database."""
    raise OSError("away")
