"""Members of the library that are stopped and started, over the real wire."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.wire import create_topic
from groups.core.pauses import ORDERS_FROM
from rollcall.client import Change, Order, TopicPartition
from tests.pause.asking import Other, completed, obeying
from tests.pause.conftest import Join, Worker, kinds
from tests.server.serving import Serving, serving, until

PROTOCOLS = pytest.mark.parametrize(
    "protocol",
    [
        "consumer",
        "classic",
        pytest.param("draft", marks=pytest.mark.long),
        pytest.param("commanded", marks=pytest.mark.long),
    ],
)
STATIC = pytest.mark.parametrize("protocol", ["consumer", "classic"])
"""Protocols with static members."""


@pytest.fixture
async def topic(served: Serving) -> str:
    """Four partitions of work."""
    await create_topic(served.address, "t", 4)
    return "t"


def at(server: Serving, protocol: str) -> str:
    """Where members of this protocol find the server."""
    return server.draft_address if protocol == "draft" else server.address


async def until_obeyed(other: Other, claim: Callable[[dict[str, int]], object]) -> None:
    """Until the rows say so of what members obey."""
    while not claim(await obeying(other)):
        await asyncio.sleep(0.005)


def owns(worker: Worker, count: int) -> Callable[[], bool]:
    """Whether it is assigned so many partitions."""
    return lambda: len(worker.assigned) == count


@PROTOCOLS
async def test_a_stopped_member_keeps_everything_but_its_work(
    protocol: str, served: Serving, topic: str, other: Other, join: Join
) -> None:
    anna = await join(at(served, protocol), protocol=protocol)
    await until(lambda: len(anna.workable) == 4)

    number = await completed(other, "pause")
    await until(lambda: anna.paused)

    assert anna.order == Order(ORDERS_FROM + 2 * number, "olga: an upgrade")
    assert (len(anna.assigned), anna.workable) == (4, frozenset())
    await anna.commit({TopicPartition("t", 0): 5})
    assert await anna.committed([TopicPartition("t", 0)]) == {TopicPartition("t", 0): 5}
    assert anna.token(TopicPartition("t", 0)).epoch > 0
    await until_obeyed(other, lambda rows: rows == {anna.member_id: number})

    await completed(other, "resume")
    await until(lambda: not anna.paused)
    assert len(anna.workable) == 4
    await until_obeyed(other, lambda rows: rows == {anna.member_id: 0})
    assert anna.heard == [("assigned", 4), ("paused", 4), ("resumed", 4)]


@PROTOCOLS
async def test_a_member_that_joins_a_stopped_group_owns_partitions_but_gets_none(
    protocol: str, served: Serving, topic: str, other: Other, join: Join
) -> None:
    anna = await join(at(served, protocol), protocol=protocol)
    await until(owns(anna, 4))
    number = await completed(other, "pause")

    bert = await join(at(served, protocol), protocol=protocol)
    await until(lambda: len(bert.assigned) == len(anna.assigned) == 2)
    await until_obeyed(other, lambda rows: set(rows.values()) == {number} and len(rows) == 2)

    assert "assigned" not in bert.words and bert.workable == frozenset()
    await completed(other, "resume")
    await until(lambda: len(bert.workable) == 2)
    assert bert.heard == [("paused", 0), ("resumed", 0), ("assigned", 2)]


@PROTOCOLS
async def test_one_member_is_stopped_and_the_other_keeps_working(
    protocol: str, served: Serving, topic: str, other: Other, join: Join
) -> None:
    anna, bert = [await join(at(served, protocol), protocol=protocol) for _ in range(2)]
    await until(lambda: len(bert.workable) == len(anna.workable) == 2)

    await completed(other, "pause", anna.member_id)
    await until(lambda: anna.paused)

    assert (len(bert.workable), bert.paused) == (2, False)
    await completed(other, "resume", anna.member_id)
    await until(lambda: not anna.paused)


@STATIC
async def test_a_static_member_returns_stopped(
    protocol: str, served: Serving, topic: str, other: Other, join: Join
) -> None:
    static: dict[str, Any] = {"protocol": protocol, "instance_id": "desk-2"}
    first = await join(served.address, **static)
    await until(owns(first, 4))
    await completed(other, "pause", "desk-2")
    await until(lambda: first.paused)
    await first.close()

    again = await join(served.address, **static)
    await until(lambda: again.paused and len(again.assigned) == 4)
    assert "assigned" not in again.words


async def test_obeyed_means_that_the_callback_has_returned(
    served: Serving, topic: str, other: Other, join: Join
) -> None:
    stopping, stopped = asyncio.Event(), asyncio.Event()

    async def finish(_: object) -> None:
        stopping.set()
        await stopped.wait()

    anna = await join(served.address, on_paused=finish)
    await until(owns(anna, 4))
    await until_obeyed(other, lambda rows: rows == {anna.member_id: 0})
    number = await completed(other, "pause")
    await stopping.wait()

    assert anna.workable == frozenset()
    assert await obeying(other) == {anna.member_id: 0}
    stopped.set()
    await until_obeyed(other, lambda rows: rows == {anna.member_id: number})


async def test_in_a_loop_the_body_is_the_callback(
    served: Serving, topic: str, other: Other, join: Join
) -> None:
    anna = await join(served.address)
    await until(owns(anna, 4))
    heard: list[Change] = []

    async def follow() -> None:
        async for change in anna.changes():
            heard.append(change)

    following = asyncio.create_task(follow())
    await until(lambda: kinds(heard) == ["assigned"])
    await completed(other, "pause")
    await until(lambda: kinds(heard)[1:] == ["paused"])
    await completed(other, "resume")
    await until(lambda: kinds(heard)[2:] == ["resumed"])
    await completed(other, "pause")
    await until(lambda: kinds(heard)[3:] == ["paused"])
    following.cancel()
    await asyncio.wait([following])

    late: list[Change] = []
    async for change in anna.changes():
        late.append(change)
        if len(late) == 2:
            break
    assert kinds(late) == ["assigned", "paused"]
    assert late[1].partitions == anna.assigned


async def test_a_member_that_closes_while_stopped_leaves_in_order(
    served: Serving, topic: str, other: Other, join: Join
) -> None:
    anna = await join(served.address)
    await until(owns(anna, 4))
    await completed(other, "pause")
    await until(lambda: anna.paused)

    await anna.close()

    assert anna.heard == [("assigned", 4), ("paused", 4), ("revoked", 4)]


@PROTOCOLS
@pytest.mark.usefixtures("_prepared")
async def test_a_stopped_member_stays_stopped_under_the_next_coordinator(
    protocol: str, other: Other, join: Join
) -> None:
    """The first node is gone before it is asked anything more; the member finds the second."""
    async with serving() as first:
        await create_topic(first.address, "t", 4)
        anna = await join(at(first, protocol), protocol=protocol)
        await until(owns(anna, 4))
        number = await completed(other, "pause")
        await until(lambda: anna.paused)
        anna.member._cluster._addresses.clear()

    async with serving() as second:
        host, _, port = at(second, protocol).rpartition(":")
        anna.member._cluster._addresses.append((host, int(port)))
        await until(lambda: second.node.coordinator.own.paused.watched())
        assert anna.paused and anna.words == ["assigned", "paused"]
        await until_obeyed(other, lambda rows: rows == {anna.member_id: number})

        await completed(other, "resume")
        await until(lambda: not anna.paused)
        assert anna.words == ["assigned", "paused", "resumed"]


async def test_a_coordinator_without_the_pause_api_is_not_polled(
    served: Serving, topic: str, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    from protocol import apis

    public = [api for api in apis.advertised() if api[0] < 10_000]
    monkeypatch.setattr(apis, "advertised", lambda: public)

    anna = await join(served.address)

    await until(lambda: len(anna.workable) == 4)
    assert not served.node.coordinator.own.paused.watched()
