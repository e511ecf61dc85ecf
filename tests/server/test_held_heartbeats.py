"""Heartbeats that wait for news: what ends the wait, and the response then.

A member is held only after it has paused, so each story sets the server's clock forward first.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from groups.core.errors import ErrorCode
from groups.core.rows import slot_of
from protocol.connection.connection import KafkaConnection
from protocol.fast_paths.heartbeat_hold import FETCH_S, WAITS_MAX
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.leave_group import LeaveGroupRequest
from tests.server.client import Client, hello, join
from tests.server.holds import HOLD_MS, PAUSE_S, SOON_S, holding, is_held
from tests.server.serving import Serving, serving, until

V = 3
BRIEF_MS = 2_000
SESSION_S = 45.0
SHORT_S = 0.5
"""An interval of which a third is too short for a hold."""


@pytest.fixture
async def served(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    async with holding(settings, HOLD_MS) as started:
        yield started


@pytest.fixture
async def brief(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    """For tests that wait until a hold is over."""
    async with holding(settings, BRIEF_MS) as started:
        yield started


async def held(
    served: Serving, group_id: str = "g", pause_s: float = PAUSE_S
) -> tuple[Client, KafkaConnection, HeartbeatRequest]:
    """The only member of a group, whose heartbeat waits."""
    client, connection = await served.connect()
    beat = await client.settled(group_id)
    assert (await client.call(beat, V)).error_code == ErrorCode.NONE  # the first is never held
    served.clock.ahead_s += pause_s
    client.send(beat, V)
    await until(lambda: is_held(connection))
    return client, connection, beat


async def test_a_rebalance_is_reported_as_soon_as_it_is_committed(served: Serving) -> None:
    client, connection, _beat = await held(served)
    newcomer = await Client.connect(served.address)
    newcomer.send(join("g"), V)

    async with asyncio.timeout(SOON_S):
        assert (await client.receive()).error_code == ErrorCode.REBALANCE_IN_PROGRESS
    assert not is_held(connection)
    assert served.server.ends.news == 1


async def test_no_heartbeat_is_held_during_a_rebalance(served: Serving) -> None:
    client, connection, beat = await held(served)
    newcomer = await Client.connect(served.address)
    newcomer.send(join("g"), V)
    assert (await client.receive()).error_code == ErrorCode.REBALANCE_IN_PROGRESS

    for _ in range(2):
        served.clock.ahead_s += PAUSE_S
        async with asyncio.timeout(SOON_S):
            assert (await client.call(beat, V)).error_code == ErrorCode.REBALANCE_IN_PROGRESS
    assert not is_held(connection)


async def test_a_client_with_a_short_interval_is_answered_at_once(served: Serving) -> None:
    """A hold of less than a third of a second is not worth its timer."""
    client, _connection = await served.connect()
    beat = await client.settled("g")
    for _ in range(4):
        async with asyncio.timeout(SOON_S):
            assert (await client.call(beat, V)).error_code == ErrorCode.NONE
        served.clock.ahead_s += SHORT_S


async def test_a_rebalance_is_not_reported_before_its_commit(served: Serving) -> None:
    client, connection, _beat = await held(served)
    let_go = served.points.hold("membership:before")
    newcomer = await Client.connect(served.address)
    newcomer.send(join("g"), V)
    await served.points.reached["membership:before"].wait()
    assert is_held(connection)
    let_go()

    assert (await client.receive()).error_code == ErrorCode.REBALANCE_IN_PROGRESS


async def test_without_news_a_hold_ends_by_itself(brief: Serving) -> None:
    loop = asyncio.get_running_loop()
    asked_at = loop.time()
    client, _connection, _beat = await held(brief)

    assert (await client.receive()).error_code == ErrorCode.NONE
    assert loop.time() - asked_at >= BRIEF_MS / 1000 - 0.1
    assert brief.server.ends.news == 0


async def test_the_next_request_ends_the_hold_and_keeps_its_order(served: Serving) -> None:
    """A leave is not delayed: its connection's heartbeat is answered first, at once."""
    client, _connection, beat = await held(served)
    client.send(LeaveGroupRequest(group_id="g", member_id=beat.member_id), 1)
    client.send(hello(), 3)

    async with asyncio.timeout(SOON_S):
        assert (await client.receive()).error_code == ErrorCode.NONE
        assert (await client.receive()).error_code == ErrorCode.NONE
        assert (await client.receive()).api_keys


async def after_a_hold(client: Client, beat: HeartbeatRequest) -> None:
    """Send a heartbeat, and the next request when it has been answered; as sarama does."""
    await client.call(beat, V)
    await client.call(hello(), 3)


async def test_a_client_that_sends_one_request_at_a_time_is_soon_not_held(brief: Serving) -> None:
    client, connection, beat = await held(brief)
    await client.receive()
    await client.call(hello(), 3)
    for _ in range(WAITS_MAX - 1):
        brief.clock.ahead_s += PAUSE_S
        await after_a_hold(client, beat)
    brief.clock.ahead_s += PAUSE_S
    client.send(beat, V)
    async with asyncio.timeout(BRIEF_MS / 2000):
        await client.receive()
    assert not is_held(connection)


async def test_sarama_is_never_held(served: Serving) -> None:
    """It sends one request at a time, and its version of ApiVersions says its name."""
    client, connection = await served.connect()
    await client.call(replace(hello(), client_software_name="sarama"), 3)
    beat = await client.settled("g")
    for _ in range(3):
        async with asyncio.timeout(SOON_S):
            await client.call(beat, V)
        served.clock.ahead_s += PAUSE_S
    assert not is_held(connection)
    assert connection._hold.s_max == 0


async def test_kafkajs_is_not_held_for_longer_than_a_fetch(served: Serving) -> None:
    """Its consumer awaits a heartbeat between two fetches, and close() waits for both."""
    client, connection = await served.connect()
    beat = await client.settled("g", assignor="RoundRobinAssigner")
    await client.call(beat, V)
    for _ in range(3):
        served.clock.ahead_s += PAUSE_S
        client.send(beat, V)
        await until(lambda: is_held(connection))
        async with asyncio.timeout(SOON_S):
            await client.receive()
    assert connection._hold.s_max == FETCH_S


async def test_a_client_that_does_not_wait_for_responses_is_always_held(brief: Serving) -> None:
    client, connection, beat = await held(brief)
    client.send(hello(), 3)  # ends the hold
    await client.receive()
    await client.receive()
    for _ in range(WAITS_MAX):
        brief.clock.ahead_s += PAUSE_S
        await after_a_hold(client, beat)
    brief.clock.ahead_s += PAUSE_S
    client.send(beat, V)
    await until(lambda: is_held(connection))
    assert connection._hold.s_max == BRIEF_MS / 1000


async def test_the_next_heartbeat_ends_the_hold_of_the_last(served: Serving) -> None:
    """What came so soon after it shows no interval: what was learnt stays."""
    client, connection, beat = await held(served)
    learnt_s = connection._hold._pace.interval_s
    client.send(beat, V)

    async with asyncio.timeout(SOON_S):
        assert (await client.receive()).error_code == ErrorCode.NONE
        assert (await client.receive()).error_code == ErrorCode.NONE
    assert not is_held(connection)
    assert connection._hold._pace.interval_s == learnt_s > 0


async def test_a_known_pace_holds_the_first_heartbeat_of_a_generation_too(
    brief: Serving,
) -> None:
    """So news finds a member whose group rebalances again and again, as while many start."""
    client, connection, beat = await held(brief)
    assert (await client.receive()).error_code == ErrorCode.NONE
    again = await client.settled("g", beat.member_id)
    assert again.generation_id == beat.generation_id + 1

    client.send(again, V)

    await until(lambda: is_held(connection))


@pytest.mark.parametrize("other_id", [False, True])
async def test_a_pace_outlives_its_connection(other_id: bool, brief: Serving) -> None:
    """Of the same client id and library: another client's first heartbeat is not held."""
    client, _connection, beat = await held(brief)
    assert (await client.receive()).error_code == ErrorCode.NONE
    await client.call(LeaveGroupRequest(group_id="g", member_id=beat.member_id), 1)
    client.close()
    following, connection = await brief.connect()
    following.client_id = b"other" if other_id else client.client_id
    beat = await following.settled("g")

    following.send(beat, V)

    if other_id:
        async with asyncio.timeout(BRIEF_MS / 2000):
            assert (await following.receive()).error_code == ErrorCode.NONE
    else:
        await until(lambda: is_held(connection))


@pytest.mark.parametrize("count", [1, 20])
async def test_frames_that_arrive_together_are_answered_in_order(
    served: Serving, count: int
) -> None:
    """Heartbeats that might wait, with something else behind each, in one piece of bytes."""
    client, connection, beat = await held(served)
    versions = ((2, 1) * count)[:count]  # none repeats the one before
    pairs = (client.packed(beat, version) + client.packed(hello(), 3) for version in versions)
    client.writer.write(b"".join(pairs))

    for _ in range(2 * count + 1):
        assert (await client.receive()).error_code == ErrorCode.NONE
    assert not is_held(connection)


async def test_heartbeats_that_arrive_together_are_each_answered(served: Serving) -> None:
    client, _connection, beat = await held(served)
    client.writer.write(b"".join(client.packed(beat, version) for version in (2, 1, 2, 1)))

    for _ in range(4):
        assert (await client.receive()).error_code == ErrorCode.NONE


async def test_a_client_that_counts_from_its_request_is_held_longer(brief: Serving) -> None:
    """The next one came an interval after the one that was held: nearly all of it may be held."""
    client, connection, beat = await held(brief, pause_s=SESSION_S / 4)
    first_s = connection._hold._pace.hold_s(SESSION_S)
    brief.clock.ahead_s += SESSION_S / 4
    client.send(beat, V)
    assert (await client.receive()).error_code == ErrorCode.NONE
    await until(lambda: is_held(connection))

    assert connection._hold._pace.hold_s(SESSION_S) > 2 * first_s


async def test_a_client_that_heartbeats_continuously_is_not_held(served: Serving) -> None:
    client, connection = await served.connect()
    beat = await client.settled("g")

    async with asyncio.timeout(HOLD_MS / 1000):
        for _ in range(100):
            assert (await client.call(beat, V)).error_code == ErrorCode.NONE
            assert not is_held(connection)


async def test_alternating_heartbeats_of_two_members_are_each_answered(served: Serving) -> None:
    client, connection, beat = await held(served)
    steps = connection.server.ends._steps
    before = sum(map(len, steps.values()))
    for number in range(60):
        said = (beat, V) if number % 2 else (beat, V - 1)
        assert (await client.call(*said)).error_code == ErrorCode.NONE
        if number:
            assert not is_held(connection)
    assert sum(map(len, steps.values())) <= before + 1


async def test_a_heartbeat_counts_when_it_arrives(served: Serving) -> None:
    client, _connection, beat = await held(served)
    session = served.node.coordinator.heartbeat_views["g"].beats[beat.member_id]
    arrived_at = session.at
    client.send(hello(), 3)
    await client.receive()
    await client.receive()

    assert session.at == arrived_at


async def test_news_of_other_groups_ends_no_hold(served: Serving) -> None:
    _client, connection, _beat = await held(served)
    other = await Client.connect(served.address)
    await other.settled("another")

    assert is_held(connection)


async def test_a_closed_connection_is_dropped(served: Serving) -> None:
    client, connection, _beat = await held(served)
    client.abort()

    await until(lambda: not is_held(connection))
    assert served.node.coordinator.heartbeat_views._watchers == {}


async def test_a_lost_slot_ends_its_holds(served: Serving) -> None:
    client, _connection, _beat = await held(served)
    served.node.coordinator.drop([slot_of("g")], ErrorCode.NOT_COORDINATOR)

    async with asyncio.timeout(SOON_S):
        assert (await client.receive()).error_code == ErrorCode.NOT_COORDINATOR


async def test_a_lost_lease_ends_its_holds(served: Serving) -> None:
    """The database is away: memory may not speak for it any longer."""
    client, _connection, _beat = await held(served)
    answer = asyncio.create_task(client.receive())

    async with asyncio.timeout(SOON_S):
        while not answer.done():
            served.node.coordinator.lease_until = 0  # whatever a beat says that is on its way
            await asyncio.sleep(0)
    assert answer.result().error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE


async def test_the_duration_of_an_outage_is_not_learnt_as_an_interval(served: Serving) -> None:
    """Who asked all the while is not held by the time between two good answers when the node
    serves again."""
    client, connection = await served.connect()
    beat = await client.settled("g")
    assert (await client.call(beat, V)).error_code == ErrorCode.NONE
    served.clock.ahead_s += PAUSE_S
    answer = asyncio.create_task(client.call(beat, V))
    while not answer.done():
        served.node.coordinator.lease_until = 0  # whatever a beat says that is on its way
        await asyncio.sleep(0)
    assert answer.result().error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    await until(lambda: served.node.coordinator.holds_lease)

    assert (await client.call(beat, V)).error_code == ErrorCode.NONE
    assert connection._hold._pace.interval_s < PAUSE_S / 2


async def test_a_node_that_stops_answers_first(served: Serving) -> None:
    client, _connection, _beat = await held(served)
    stopping = asyncio.create_task(served.server._close())

    async with asyncio.timeout(SOON_S):
        assert (await client.receive()).error_code == ErrorCode.NOT_COORDINATOR
    await stopping


@pytest.mark.usefixtures("_prepared")
async def test_with_a_hold_of_zero_every_heartbeat_is_answered_at_once(settings: Any) -> None:
    settings.GROUP_HEARTBEAT_HOLD_MS = 0
    async with serving() as served:
        client, connection = await served.connect()
        beat = await client.settled("g")
        for _ in range(3):
            served.clock.ahead_s += PAUSE_S
            assert (await client.call(beat, V)).error_code == ErrorCode.NONE
            assert not is_held(connection)
