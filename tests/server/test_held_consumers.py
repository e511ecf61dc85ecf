"""Held heartbeats of the consumer protocol: what ends the wait, and the response then.

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
from protocol.connection.connection import KafkaConnection
from protocol.handlers.support import long_poll
from protocol.requests import pace
from protocol.requests.call import Call
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from tests.server.client import Client
from tests.server.holds import HOLD_MS, PAUSE_S, SOON_S, holding, is_held
from tests.server.serving import Serving, until

PENDING_S, USUAL_S = 0.5, 5.0
INTERVALS_MAX = 12
"""More than it takes to come from the shortest interval to the usual one."""


@pytest.fixture
async def served(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    async with holding(settings, HOLD_MS) as started:
        yield started


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every group counts as quiet."""
    monkeypatch.setattr(long_poll, "QUIET_MS", 0)


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
    """The heartbeat that acknowledges its assignment, and nothing else."""
    owned = [
        TopicPartitions(topic_id=t.topic_id, partitions=t.partitions)
        for t in told.assignment.topic_partitions
    ]
    return replace(beat, topic_partitions=owned)


async def news(client: Client, empty: ConsumerGroupHeartbeatRequest) -> Any:
    """The answer to a held heartbeat that has an assignment; the target may come after the first
    one."""
    reply = await client.receive()
    while reply.assignment is None:
        reply = await client.call(replace(empty, member_epoch=reply.member_epoch), 1)
    return reply


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


async def test_a_settled_consumer_gets_a_new_target_at_once(served: Serving) -> None:
    client, _connection, _empty = await settled_and_held(served)
    newcomer = await Client.connect(served.address)
    waiting = await newcomer.call(joining(str(uuid4())), 1)

    async with asyncio.timeout(SOON_S):
        reply = await client.receive()
    assert [len(t.partitions) for t in reply.assignment.topic_partitions] == [1]
    # Both have something to do, so both get a short interval.
    rules = served.node.coordinator.own.rules
    short = rules.group_consumer_pending_heartbeat_interval_ms
    assert (waiting.heartbeat_interval_ms, reply.heartbeat_interval_ms) == (short, short)


async def test_a_newcomer_waits_for_its_first_partition_and_gets_it_at_once(
    served: Serving,
) -> None:
    """What it acknowledges is nothing, and there is nothing else for it to do."""
    client, _connection, empty = await settled_and_held(served)
    newcomer, waiting = await served.connect()
    joined = await newcomer.call(joining(str(uuid4())), 1)
    beat = replace(empty, member_id=joined.member_id, member_epoch=joined.member_epoch)
    newcomer.send(owning(beat, joined), 1)
    await until(lambda: is_held(waiting))
    less = await news(client, empty)
    assert is_held(waiting), "the other one has not revoked it yet"

    await client.call(owning(replace(empty, member_epoch=less.member_epoch), less), 1)

    async with asyncio.timeout(SOON_S):
        given = await newcomer.receive()
    assert [len(t.partitions) for t in given.assignment.topic_partitions] == [1]
    assert given.member_epoch > joined.member_epoch


async def test_a_newcomer_that_comes_to_a_new_epoch_waits_in_that(served: Serving) -> None:
    """An empty heartbeat in an epoch before its member's own is fenced."""
    client, _connection, empty = await settled_and_held(served)
    newcomer, waiting = await served.connect()
    joined = await newcomer.call(joining(str(uuid4())), 1)
    less = await news(client, empty)
    served.clock.ahead_s += PAUSE_S
    newcomer.send(replace(empty, member_id=joined.member_id, member_epoch=joined.member_epoch), 1)
    await until(lambda: is_held(waiting))

    await client.call(owning(replace(empty, member_epoch=less.member_epoch), less), 1)

    given = await newcomer.receive()
    assert (given.error_code, given.member_epoch) == (ErrorCode.NONE, joined.member_epoch + 1)
    assert [len(t.partitions) for t in given.assignment.topic_partitions] == [1]


async def test_a_held_consumer_gets_new_partitions_at_once(served: Serving) -> None:
    """Its group learns of them by heartbeats alone: one that is held is decided again."""
    client, _connection, empty = await settled_and_held(served)
    await served.node.catalogue.grow("t", 3)

    async with asyncio.timeout(SOON_S):
        reply = await news(client, empty)
        short = served.node.coordinator.own.rules.group_consumer_pending_heartbeat_interval_ms
        assert reply.heartbeat_interval_ms == short, "it has news"
    assert [t.partitions for t in reply.assignment.topic_partitions] == [[0, 1, 2]]
    assert reply.member_epoch > empty.member_epoch


async def test_a_topic_of_others_ends_no_hold_of_a_consumer(served: Serving) -> None:
    _client, connection, _empty = await settled_and_held(served)
    await create_topic(served.address, "other", 2)
    await served.node.topic_news.look()

    assert is_held(connection)


async def test_one_held_consumer_of_a_group_is_released_when_its_topic_grows(
    served: Serving,
) -> None:
    """The group decides once, and notifies the others when it has a new target."""
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


async def test_a_heartbeat_held_when_the_lease_ends_counts_from_its_arrival(
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


@pytest.mark.usefixtures("quiet")
async def test_a_consumer_without_news_is_answered_as_if_not_held(
    served: Serving,
) -> None:
    client, _connection, _empty = await settled_and_held(served)

    reply = await client.receive()
    usual = served.node.coordinator.own.rules.group_consumer_heartbeat_interval_ms
    assert (reply.error_code, reply.assignment) == (ErrorCode.NONE, None)
    assert reply.heartbeat_interval_ms == usual
    assert served.node.coordinator.heartbeat_views._watchers == {}


async def intervals_after_a_rebalance(
    served: Serving, monkeypatch: pytest.MonkeyPatch, hold_for_news: Callable[..., Any]
) -> list[float]:
    """The intervals that a member gets after it has given up partitions, until the usual one; its
    heartbeats are held by ``hold_for_news``. As Java's, it counts a changed interval from the
    response, else from the request."""
    client, _connection, empty = await settled_and_held(served)
    newcomer = await Client.connect(served.address)
    await newcomer.call(joining(str(uuid4())), 1)
    given_up = await client.call(owning(empty, await news(client, empty)), 1)
    monkeypatch.setattr(Call, "hold_for_news", hold_for_news)

    intervals, sent_s = [given_up.heartbeat_interval_ms / 1000], served.clock.ahead_s
    while intervals[-1] < USUAL_S and len(intervals) < INTERVALS_MAX:
        is_changed = len(set(intervals[-2:])) == len(intervals[-2:])
        sent_s = (served.clock.ahead_s if is_changed else sent_s) + intervals[-1]
        served.clock.ahead_s = sent_s
        beat = replace(empty, member_epoch=given_up.member_epoch)
        intervals.append((await client.call(beat, 1)).heartbeat_interval_ms / 1000)
    return intervals


@pytest.mark.usefixtures("quiet")
async def test_no_consumer_is_held_longer_than_its_heartbeat_interval(
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

    intervals = await intervals_after_a_rebalance(served, monkeypatch, at_once)

    assert intervals == [PENDING_S, 1, 1, 2, 2, 4, 4, USUAL_S]
    assert len(holds) == len(intervals) - 1
    assert all(hold < interval for hold, interval in zip(holds, intervals, strict=False))
    assert holds == sorted(holds)


@pytest.mark.usefixtures("quiet")
async def test_a_client_that_counts_from_the_response_gets_the_rest_of_its_interval(
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
    reply = await client.receive()
    monkeypatch.setattr(Call, "hold_for_news", held_at_once)

    told_s = [reply.heartbeat_interval_ms / 1000]
    for _ in range(4):
        served.clock.ahead_s += told_s[-1]
        told_s.append((await client.call(empty, 1)).heartbeat_interval_ms / 1000)

    assert told_s[1:] == pytest.approx([USUAL_S - holds[-1]] * 4, abs=0.1)
    assert holds == [holds[0]] * 4


@pytest.mark.parametrize("has_news", [True, False], ids=["after news", "to say something"])
async def test_a_heartbeat_sent_at_once_does_not_show_from_where_its_client_counts(
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
    reply = await client.receive()
    monkeypatch.setattr(Call, "hold_for_news", held_at_once)
    for _ in range(2):  # the first shows that it counts from the answer
        served.clock.ahead_s += reply.heartbeat_interval_ms / 1000
        reply = await client.call(empty, 1)
    soon = empty if has_news else replace(empty, subscribed_topic_names=["t"])
    reply = await client.call(soon, 1)

    served.clock.ahead_s += reply.heartbeat_interval_ms / 1000
    reply = await client.call(empty, 1)
    assert reply.heartbeat_interval_ms < USUAL_S * 1000, "the rest of its interval, still"
    assert not news


@pytest.mark.usefixtures("quiet")
async def test_counting_a_new_interval_from_the_response_once_is_not_taken_for_a_rule(
    served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Java's consumer. It had a short interval, after a rebalance, and came without a pause as
    soon as its interval was the same again: then it was not held for a whole one."""

    async def held_at_once(
        call: Call, _group_id: str, seconds: float, _is_news: Callable[[], bool]
    ) -> bool:
        served.clock.ahead_s += seconds
        return False

    intervals = await intervals_after_a_rebalance(served, monkeypatch, held_at_once)

    assert intervals == [PENDING_S, 1, 1, 2, 2, 4, 4, USUAL_S]


@pytest.mark.usefixtures("quiet")
async def test_a_client_that_counts_from_the_request_is_never_held_beyond_its_interval(
    served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets the usual interval: a shortened one might be taken for a timeout."""
    held_s = 4.5

    async def held_at_once(
        call: Call, _group_id: str, seconds: float, _is_news: Callable[[], bool]
    ) -> bool:
        assert seconds == pytest.approx(held_s)
        served.clock.ahead_s += seconds
        return False

    client, _connection, empty = await settled_and_held(served)
    reply = await client.receive()
    monkeypatch.setattr(Call, "hold_for_news", held_at_once)

    for _ in range(4):
        served.clock.ahead_s += reply.heartbeat_interval_ms / 1000 - held_s
        reply = await client.call(empty, 1)
        assert reply.heartbeat_interval_ms == USUAL_S * 1000


@pytest.mark.parametrize(
    ("from_answer", "last_s"), [(False, [4, 4, USUAL_S]), (True, [0.5, 0.5, 0.5])]
)
async def test_until_a_group_is_quiet_its_members_come_soon_and_are_held_each_time(
    from_answer: bool, last_s: list[float], served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a rolling deploy: the next change finds most of them. Then they come to the usual
    interval in steps, one of them twice: it shows from where the client counts, and one that counts
    from the answer has the rest of its interval from then on. It was unknown for half a minute,
    in which such a client was not held for half of its time."""
    holds: list[float] = []

    async def held_at_once(
        call: Call, _group_id: str, seconds: float, _is_news: Callable[[], bool]
    ) -> bool:
        holds.append(seconds)
        served.clock.ahead_s += seconds
        return False

    client, _connection, empty = await settled_and_held(served)
    newcomer = await Client.connect(served.address)
    await newcomer.call(joining(str(uuid4())), 1)
    reply = await client.call(owning(empty, await news(client, empty)), 1)
    beat = replace(empty, member_epoch=reply.member_epoch)
    monkeypatch.setattr(Call, "hold_for_news", held_at_once)

    told_s = []
    for number in range(11):
        if number == 4:
            monkeypatch.setattr(long_poll, "QUIET_MS", 0)
        held_s = 0.0 if from_answer or not holds else holds[-1]
        served.clock.ahead_s += reply.heartbeat_interval_ms / 1000 - held_s
        reply = await client.call(beat, 1)
        told_s.append(reply.heartbeat_interval_ms / 1000)

    assert told_s == [PENDING_S] * 4 + [1, 1, 2, 2, *last_s]
    assert len(holds) == len(told_s), "held each time"


async def test_a_member_that_comes_right_after_news_comes_soon_again(served: Serving) -> None:
    """A held heartbeat that news ended is old: a client that counts from its request sends the next
    one at once. It was then told the usual interval, and heard of nothing for so long."""
    client, _connection, empty = await settled_and_held(served)
    newcomer = await Client.connect(served.address)
    await newcomer.call(joining(str(uuid4())), 1)
    given_up = await client.call(owning(empty, await news(client, empty)), 1)

    reply = await client.call(replace(empty, member_epoch=given_up.member_epoch), 1)

    assert reply.heartbeat_interval_ms == PENDING_S * 1000


async def test_a_node_that_has_asked_for_many_soon_names_the_usual_interval(
    served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "SOON_MAX", 0)
    client, _connection, empty = await settled_and_held(served)
    newcomer = await Client.connect(served.address)
    await newcomer.call(joining(str(uuid4())), 1)
    given_up = await client.call(owning(empty, await news(client, empty)), 1)

    reply = await client.call(replace(empty, member_epoch=given_up.member_epoch), 1)

    assert reply.heartbeat_interval_ms == USUAL_S * 1000


@pytest.mark.parametrize("is_quiet", [False, True])
async def test_a_client_that_never_pauses_is_not_held_again_and_again(
    is_quiet: bool, served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was once late had all its following heartbeats held, and sent few."""
    if is_quiet:
        monkeypatch.setattr(long_poll, "QUIET_MS", 0)
    client, connection, empty = await settled_and_held(served)
    await client.receive()

    for _ in range(3):
        client.send(empty, 1)
        async with asyncio.timeout(USUAL_S / 2):
            assert (await client.receive()).error_code == ErrorCode.NONE
        assert not is_held(connection)
