"""Heartbeats that wait for news: what ends the wait, and what is said then.

A member is held only after it has paused, so each story sets the server's clock forward first.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from benchmarks.wire import create_topic
from groups.core.errors import ErrorCode
from groups.core.rows import slot_of
from protocol.call import Call
from protocol.connection import KafkaConnection
from protocol.heartbeat_hold import FETCH_S, WAITS_MAX
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.leave_group import LeaveGroupRequest
from tests.server.client import Client, hello, join
from tests.server.serving import Serving, serving, until

V = 3
HOLD_MS = 15_000
BRIEF_MS = 2_000
PAUSE_S = 50.0
PENDING_S, USUAL_S = 0.5, 5.0
INTERVALS_MAX = 8
"""More than it takes to come from the shortest interval to the usual one."""

SESSION_S = 45.0
SOON_S = 10.0
"""Less than a hold, and more than an answer takes on a busy machine."""


@pytest.fixture
async def served(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    settings.GROUP_HEARTBEAT_HOLD_MS = HOLD_MS
    async with serving() as started:
        yield started


@pytest.fixture
async def brief(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    """For tests that wait until a hold is over."""
    settings.GROUP_HEARTBEAT_HOLD_MS = BRIEF_MS
    async with serving() as started:
        yield started


def is_held(connection: KafkaConnection) -> bool:
    return connection._hold.correlation_id is not None or connection.pauses.held is not None


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


async def test_a_rebalance_is_told_the_moment_it_is_committed(served: Serving) -> None:
    client, connection, _beat = await held(served)
    newcomer = await Client.connect(served.address)
    newcomer.send(join("g"), V)

    async with asyncio.timeout(SOON_S):
        assert (await client.receive()).error_code == ErrorCode.REBALANCE_IN_PROGRESS
    assert not is_held(connection)


async def test_nothing_is_told_of_a_rebalance_before_its_commit(served: Serving) -> None:
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


async def test_whatever_comes_next_ends_the_hold_and_keeps_its_turn(served: Serving) -> None:
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
    client, connection, beat = await held(served)
    client.send(beat, V)

    async with asyncio.timeout(SOON_S):
        assert (await client.receive()).error_code == ErrorCode.NONE
        assert (await client.receive()).error_code == ErrorCode.NONE
    assert not is_held(connection)


async def test_a_known_pace_makes_the_first_heartbeat_of_a_generation_wait_too(
    brief: Serving,
) -> None:
    """So news finds a member whose group rebalances again and again, as while many start."""
    client, connection, beat = await held(brief)
    assert (await client.receive()).error_code == ErrorCode.NONE
    again = await client.settled("g", beat.member_id)
    assert again.generation_id == beat.generation_id + 1

    client.send(again, V)

    await until(lambda: is_held(connection))


@pytest.mark.parametrize("count", [1, 20])
async def test_frames_that_come_together_are_answered_in_their_turn(
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


async def test_heartbeats_that_come_together_are_each_answered(served: Serving) -> None:
    client, _connection, beat = await held(served)
    client.writer.write(b"".join(client.packed(beat, version) for version in (2, 1, 2, 1)))

    for _ in range(4):
        assert (await client.receive()).error_code == ErrorCode.NONE


async def test_who_counts_from_its_request_is_held_for_longer(brief: Serving) -> None:
    """The next one came an interval after the one that was held: nearly all of it may be held."""
    client, connection, beat = await held(brief, pause_s=SESSION_S / 4)
    first_s = connection._hold._pace.hold_s(SESSION_S)
    brief.clock.ahead_s += SESSION_S / 4
    client.send(beat, V)
    assert (await client.receive()).error_code == ErrorCode.NONE
    await until(lambda: is_held(connection))

    assert connection._hold._pace.hold_s(SESSION_S) > 2 * first_s


async def test_who_beats_without_a_pause_is_not_held(served: Serving) -> None:
    client, connection = await served.connect()
    beat = await client.settled("g")

    async with asyncio.timeout(HOLD_MS / 1000):
        for _ in range(100):
            assert (await client.call(beat, V)).error_code == ErrorCode.NONE
            assert not is_held(connection)


async def test_who_takes_turns_with_two_heartbeats_leaves_no_end_for_each(served: Serving) -> None:
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


async def test_other_groups_news_ends_no_hold(served: Serving) -> None:
    _client, connection, _beat = await held(served)
    other = await Client.connect(served.address)
    await other.settled("another")

    assert is_held(connection)


async def test_a_connection_that_ends_is_forgotten(served: Serving) -> None:
    client, connection, _beat = await held(served)
    client.abort()

    await until(lambda: not is_held(connection))
    assert served.node.coordinator.heartbeat_views._watchers == {}


async def test_a_slot_that_goes_takes_its_holds_along(served: Serving) -> None:
    client, _connection, _beat = await held(served)
    served.node.coordinator.drop([slot_of("g")], ErrorCode.NOT_COORDINATOR)

    async with asyncio.timeout(SOON_S):
        assert (await client.receive()).error_code == ErrorCode.NOT_COORDINATOR


async def test_a_lease_that_ends_takes_its_holds_along(served: Serving) -> None:
    """The database is away: memory may not speak for it any longer."""
    client, _connection, _beat = await held(served)
    answer = asyncio.create_task(client.receive())

    async with asyncio.timeout(SOON_S):
        while not answer.done():
            served.node.coordinator.lease_until = 0  # whatever a beat says that is on its way
            await asyncio.sleep(0)
    assert answer.result().error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE


async def test_the_time_of_an_outage_is_no_interval(served: Serving) -> None:
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
async def test_with_a_hold_of_nothing_everybody_is_answered_at_once(settings: Any) -> None:
    settings.GROUP_HEARTBEAT_HOLD_MS = 0
    async with serving() as served:
        client, connection = await served.connect()
        beat = await client.settled("g")
        for _ in range(3):
            served.clock.ahead_s += PAUSE_S
            assert (await client.call(beat, V)).error_code == ErrorCode.NONE
            assert not is_held(connection)


# -- the consumer protocol


def joining(member_id: str) -> ConsumerGroupHeartbeatRequest:
    return ConsumerGroupHeartbeatRequest(
        group_id="g",
        member_id=member_id,
        member_epoch=0,
        rebalance_timeout_ms=10_000,
        subscribed_topic_names=["t"],
        topic_partitions=[],
    )


def owning(beat: ConsumerGroupHeartbeatRequest, told: Any) -> ConsumerGroupHeartbeatRequest:
    """The heartbeat that says: what I was told of is mine now, and nothing else."""
    owned = [
        TopicPartitions(topic_id=t.topic_id, partitions=t.partitions)
        for t in told.assignment.topic_partitions
    ]
    return replace(beat, topic_partitions=owned)


async def settled_and_held(
    served: Serving,
) -> tuple[Client, KafkaConnection, ConsumerGroupHeartbeatRequest]:
    """The only member of a consumer group, with two partitions, whose empty heartbeat waits."""
    await create_topic(served.address, "t", 2)
    client, connection = await served.connect()
    member_id = str(uuid4())
    joined = await client.call(joining(member_id), 1)
    empty = ConsumerGroupHeartbeatRequest(
        group_id="g", member_id=member_id, member_epoch=joined.member_epoch
    )
    assert (await client.call(owning(empty, joined), 1)).error_code == ErrorCode.NONE
    served.clock.ahead_s += PAUSE_S
    client.send(empty, 1)
    await until(lambda: is_held(connection))
    return client, connection, empty


async def test_a_settled_consumer_hears_of_a_new_target_at_once(served: Serving) -> None:
    client, _connection, _empty = await settled_and_held(served)
    newcomer = await Client.connect(served.address)
    waiting = await newcomer.call(joining(str(uuid4())), 1)

    async with asyncio.timeout(SOON_S):
        told = await client.receive()
    assert [len(t.partitions) for t in told.assignment.topic_partitions] == [1]
    # Both have something to do, so both are told to come back soon.
    rules = served.node.coordinator.own.rules
    short = rules.group_consumer_pending_heartbeat_interval_ms
    assert (waiting.heartbeat_interval_ms, told.heartbeat_interval_ms) == (short, short)


async def test_a_held_consumer_hears_of_new_partitions_at_once(served: Serving) -> None:
    """Its group learns of them by heartbeats alone: one that is held is decided again."""
    client, _connection, empty = await settled_and_held(served)
    await served.node.catalogue.grow("t", 3)

    async with asyncio.timeout(SOON_S):
        told = await client.receive()
        short = served.node.coordinator.own.rules.group_consumer_pending_heartbeat_interval_ms
        assert told.heartbeat_interval_ms == short, "it has news"
        while told.assignment is None:  # the target may come after the answer
            told = await client.call(replace(empty, member_epoch=told.member_epoch), 1)
    assert [t.partitions for t in told.assignment.topic_partitions] == [[0, 1, 2]]
    assert told.member_epoch > empty.member_epoch


async def test_a_topic_of_others_ends_no_hold_of_a_consumer(served: Serving) -> None:
    _client, connection, _empty = await settled_and_held(served)
    await create_topic(served.address, "other", 2)
    await served.node.topic_news.look()

    assert is_held(connection)


async def test_one_held_consumer_of_a_group_asks_again_when_its_topic_grows(
    served: Serving,
) -> None:
    """The group decides once, and tells the others when it has a new target."""
    client, connection, _empty = await settled_and_held(served)
    told, views = list[bool](), served.node.coordinator.heartbeat_views

    class Second:
        def view_changed(self) -> None: ...

        def topics_changed(self) -> bool:
            told.append(True)
            return True

    views.watch("g", Second())
    await served.node.catalogue.grow("t", 3)
    async with asyncio.timeout(SOON_S):
        await client.receive()
    assert told == [] and not is_held(connection)


async def test_a_consumer_that_leaves_while_it_is_held_is_not_delayed(served: Serving) -> None:
    client, _connection, empty = await settled_and_held(served)
    client.send(replace(empty, member_epoch=-1), 1)

    async with asyncio.timeout(SOON_S):
        assert (await client.receive()).assignment is None
        assert (await client.receive()).member_epoch == -1


async def test_a_held_consumer_is_answered_when_its_node_stops(served: Serving) -> None:
    client, _connection, _empty = await settled_and_held(served)
    stopping = asyncio.create_task(served.server._close())

    async with asyncio.timeout(SOON_S):
        assert (await client.receive()).error_code == ErrorCode.NOT_COORDINATOR
    await stopping


async def test_a_consumer_that_is_held_when_the_lease_ends_was_heard_when_it_came(
    served: Serving,
) -> None:
    """It may have died meanwhile; what it sends next says more."""
    client, _connection, _empty = await settled_and_held(served)
    coordinator = served.node.coordinator
    [before] = coordinator.entries["g"].group.sessions(coordinator.clock())
    await until(lambda: coordinator.listened > before.heard_at)
    answer = asyncio.create_task(client.receive())
    while not answer.done():
        coordinator.lease_until = 0  # whatever a beat says that is on its way
        await asyncio.sleep(0)
    assert answer.result().error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    [after] = coordinator.entries["g"].group.sessions(coordinator.clock())
    assert after.heard_at == before.heard_at


async def test_a_consumer_without_news_is_answered_as_if_it_had_not_waited(
    served: Serving,
) -> None:
    client, _connection, _empty = await settled_and_held(served)

    told = await client.receive()
    usual = served.node.coordinator.own.rules.group_consumer_heartbeat_interval_ms
    assert (told.error_code, told.assignment) == (ErrorCode.NONE, None)
    assert told.heartbeat_interval_ms == usual
    assert served.node.coordinator.heartbeat_views._watchers == {}


async def intervals_after_a_rebalance(
    served: Serving, monkeypatch: pytest.MonkeyPatch, hold_for_news: Callable[..., Any]
) -> list[float]:
    """The intervals that a member is told after it has given up partitions, until the usual one;
    its heartbeats are held by ``hold_for_news``."""
    client, _connection, empty = await settled_and_held(served)
    newcomer = await Client.connect(served.address)
    await newcomer.call(joining(str(uuid4())), 1)
    given_up = await client.call(owning(empty, await client.receive()), 1)
    monkeypatch.setattr(Call, "hold_for_news", hold_for_news)

    told = [given_up.heartbeat_interval_ms / 1000]
    while told[-1] < USUAL_S and len(told) < INTERVALS_MAX:
        served.clock.ahead_s += told[-1]
        beat = replace(empty, member_epoch=given_up.member_epoch)
        told.append((await client.call(beat, 1)).heartbeat_interval_ms / 1000)
    return told


async def test_no_consumer_is_held_for_longer_than_it_was_told_to_pause(
    served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """librdkafka takes the interval for the request's timeout: a longer hold costs it its
    connection, and a leave that is on its way."""
    holds = []
    hold_for_news = Call.hold_for_news

    async def at_once(
        call: Call, group_id: str, seconds: float, is_news: Callable[[], bool]
    ) -> bool:
        holds.append(seconds)
        return await hold_for_news(call, group_id, 0, is_news)

    told = await intervals_after_a_rebalance(served, monkeypatch, at_once)

    assert told == [PENDING_S, 1, 2, 4, USUAL_S]
    assert len(holds) == len(told) - 1
    assert all(hold < interval for hold, interval in zip(holds, told, strict=False))
    assert holds == sorted(holds)


async def test_who_counts_from_the_answer_is_told_what_is_left_of_its_interval(
    served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it beats no more often than others, and is nearly always held."""
    holds: list[float] = []

    async def held_at_once(
        call: Call, _group_id: str, seconds: float, _is_news: Callable[[], bool]
    ) -> bool:
        holds.append(seconds)
        served.clock.ahead_s += seconds
        return False

    client, _connection, empty = await settled_and_held(served)
    told = await client.receive()
    monkeypatch.setattr(Call, "hold_for_news", held_at_once)

    told_s = [told.heartbeat_interval_ms / 1000]
    for _ in range(4):
        served.clock.ahead_s += told_s[-1]
        told_s.append((await client.call(empty, 1)).heartbeat_interval_ms / 1000)

    assert told_s[1:] == pytest.approx([USUAL_S - holds[-1]] * 4, abs=0.1)
    assert holds == [holds[0]] * 4


@pytest.mark.parametrize("has_news", [True, False], ids=["after news", "to say something"])
async def test_a_heartbeat_that_comes_at_once_does_not_show_from_where_its_client_counts(
    has_news: bool, served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A member acknowledges news, or tells its own, whatever the time. Taken for one that counts
    from the request, franz-go's was without a held heartbeat for five seconds after a rebalance."""
    news = [False, has_news, False]

    async def held_at_once(
        call: Call, _group_id: str, seconds: float, _is_news: Callable[[], bool]
    ) -> bool:
        served.clock.ahead_s += seconds
        return news.pop(0)

    client, _connection, empty = await settled_and_held(served)
    told = await client.receive()
    monkeypatch.setattr(Call, "hold_for_news", held_at_once)
    for _ in range(2):  # the first shows that it counts from the answer
        served.clock.ahead_s += told.heartbeat_interval_ms / 1000
        told = await client.call(empty, 1)
    soon = empty if has_news else replace(empty, subscribed_topic_names=["t"])
    told = await client.call(soon, 1)

    served.clock.ahead_s += told.heartbeat_interval_ms / 1000
    told = await client.call(empty, 1)
    assert told.heartbeat_interval_ms < USUAL_S * 1000, "the rest of its interval, still"
    assert not news


async def test_who_counts_a_new_interval_from_the_answer_is_not_taken_for_one_that_always_does(
    served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Java's consumer. It was told to come soon, after a rebalance, and came without a pause as
    soon as its interval was the same again: then it was not held for a whole one."""

    async def held_at_once(
        call: Call, _group_id: str, seconds: float, _is_news: Callable[[], bool]
    ) -> bool:
        served.clock.ahead_s += seconds
        return False

    told = await intervals_after_a_rebalance(served, monkeypatch, held_at_once)

    assert told == [PENDING_S, 1, 2, 4, USUAL_S]


async def test_who_counts_from_the_request_is_never_held_beyond_what_it_was_told(
    served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told the usual interval: what is left of one is not for who takes it for a timeout."""
    held_s = 4.5

    async def held_at_once(
        call: Call, _group_id: str, seconds: float, _is_news: Callable[[], bool]
    ) -> bool:
        assert seconds == pytest.approx(held_s)
        served.clock.ahead_s += seconds
        return False

    client, _connection, empty = await settled_and_held(served)
    told = await client.receive()
    monkeypatch.setattr(Call, "hold_for_news", held_at_once)

    for _ in range(4):
        served.clock.ahead_s += told.heartbeat_interval_ms / 1000 - held_s
        told = await client.call(empty, 1)
        assert told.heartbeat_interval_ms == USUAL_S * 1000
