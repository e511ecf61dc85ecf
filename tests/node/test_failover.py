"""A node ends during a rebalance, and another one over the same PostgreSQL continues.

The steps are those of the transcripts ``tests/core/scenarios/fo_s*``; here with the real commit in
the middle: what was committed stays, what was not is lost, and no reply says otherwise.
"""

import asyncio

import pytest

from groups.core.errors import ErrorCode
from groups.core.replies import Committed, Joined, Synced
from groups.core.rows import slot_of
from groups.postgres import connections
from tests import rows
from tests.node.running import Running, running

Other = connections.Connection
BEFORE, AFTER = "membership:before", "membership:after"
GONE = ErrorCode.NOT_COORDINATOR
END_COMMITTERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE application_name = 'rollcall node membership' AND datname = current_database()"
)


def beat(node: Running, joined: Joined) -> ErrorCode:
    """The response to the member's heartbeat."""
    coordinator = node.node.coordinator
    view = coordinator.heartbeat_views["g"]
    return view.heartbeat(joined.member_id, None, joined.generation_id, coordinator.clock())


async def state(other: Other) -> tuple[str, int]:
    """State and generation, as the rows have them."""
    found = (await rows.groups(other))["g"]
    return found[0], found[1]


@pytest.mark.parametrize(
    ("point", "found", "heard"),
    [
        (BEFORE, ("Stable", 1), ErrorCode.NONE),
        (AFTER, ("CompletingRebalance", 2), ErrorCode.ILLEGAL_GENERATION),
    ],
)
async def test_the_node_ends_around_the_commit_of_a_generation(
    other: Other, point: str, found: tuple[str, int], heard: ErrorCode
) -> None:
    """FO-02: each number is assigned once, by any node; an older one is ILLEGAL_GENERATION."""
    async with running() as first:
        joined = await first.settled("g")
        first.points.hold(point)
        lost = first.join("g", joined.member_id)
        await first.points.reached[point].wait()
    assert (await lost).error is GONE
    assert await state(other) == found

    async with running(1) as second:
        assert beat(second, joined) is heard
        assert (await second.commit("g", 5, joined)).error is heard
        again = await second.join("g", joined.member_id)
        assert isinstance(again, Joined) and again.generation_id == 2
        synced = await second.sync("g", again, {again.member_id: b"more"})
        assert synced == Synced(assignment=b"more", protocol_type="consumer", protocol_name="range")
        assert await second.commit("g", 6, again) == Committed()
    assert await state(other) == ("Stable", 2)


@pytest.mark.parametrize(
    ("point", "found", "given"),
    [(BEFORE, "CompletingRebalance", b"second"), (AFTER, "Stable", b"first")],
)
async def test_the_node_ends_around_the_commit_of_an_assignment(
    other: Other, point: str, found: str, given: bytes
) -> None:
    """FO-02: the sync is asked again; what was stored is given, not what the leader says now."""
    async with running() as first:
        joined = await first.join("g")
        assert isinstance(joined, Joined)
        first.points.hold(point)
        lost = first.sync("g", joined, {joined.member_id: b"first"})
        await first.points.reached[point].wait()
    assert (await lost).error is GONE
    assert await state(other) == (found, 1)

    async with running(1) as second:
        synced = await second.sync("g", joined, {joined.member_id: b"second"})
        assert isinstance(synced, Synced) and synced.assignment == given
        assert beat(second, joined) is ErrorCode.NONE
    assert await state(other) == ("Stable", 1)


async def test_the_node_ends_while_a_join_is_held(other: Other) -> None:
    """FO-01: Stable, of the same generation; no member is removed before its session is over."""
    async with running() as first:
        joined = await first.settled("g")
        lost = first.join("g")
        while beat(first, joined) is ErrorCode.NONE:
            await asyncio.sleep(0.001)
    assert (await lost).error is GONE

    async with running(1) as second:
        assert beat(second, joined) is ErrorCode.NONE
        assert await second.commit("g", 5, joined) == Committed()
    assert await state(other) == ("Stable", 1)


# ---- the leader's sync cannot be written


async def forming(one: Running) -> tuple[Joined, Joined]:
    """Leader and follower of a generation that has no assignment yet."""
    first = await one.settled("g")
    newcomer = one.join("g")
    while beat(one, first) is ErrorCode.NONE:
        await asyncio.sleep(0.001)
    leader, follower = await one.join("g", first.member_id), await newcomer
    assert isinstance(leader, Joined) and isinstance(follower, Joined)
    return leader, follower


async def test_an_assignment_whose_commit_is_in_doubt_is_asked_for_again(
    one: Running, other: Other
) -> None:
    """SY-07: a retriable error for the leader; the group continues in the same generation."""
    leader, follower = await forming(one)
    work = {leader.member_id: b"1", follower.member_id: b"2"}
    held = one.sync("g", follower)
    let_go = one.points.hold("membership:connected")
    syncing = one.sync("g", leader, work)
    await one.points.reached["membership:connected"].wait()
    await other.execute(END_COMMITTERS)
    let_go()

    assert (await syncing).error is ErrorCode.COORDINATOR_NOT_AVAILABLE
    while (again := await one.sync("g", leader, work)).error is ErrorCode.COORDINATOR_NOT_AVAILABLE:
        await asyncio.sleep(0.01)
    assert isinstance(again, Synced) and again.assignment == b"1"
    reply = await held
    if reply.error is not ErrorCode.NONE:
        assert reply.error is ErrorCode.COORDINATOR_NOT_AVAILABLE
        reply = await one.sync("g", follower)
    assert isinstance(reply, Synced) and reply.assignment == b"2"
    assert await state(other) == ("Stable", leader.generation_id)


async def test_an_assignment_that_arrives_after_the_slot_was_lost_is_dropped(
    one: Running, other: Other
) -> None:
    """SY-07, FO-03: leader and followers hear NOT_COORDINATOR, and nothing is written."""
    leader, follower = await forming(one)
    held = one.sync("g", follower)
    let_go = one.points.hold(BEFORE)
    syncing = one.sync("g", leader, {leader.member_id: b"1", follower.member_id: b"2"})
    await one.points.reached[BEFORE].wait()
    await other.execute(
        "UPDATE rollcall_slot SET epoch = epoch + 1 WHERE slot = %s", [slot_of("g")]
    )
    let_go()
    assert ((await syncing).error, (await held).error) == (GONE, GONE)
    assert await state(other) == ("CompletingRebalance", leader.generation_id)
