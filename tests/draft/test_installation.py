"""The draft's client against a whole installation, and against two nodes of which one is killed."""

import asyncio
import json
from typing import Any
from urllib.request import Request, urlopen

import pytest

from launcher.installation import Installation
from tests.draft.raw import Consumer
from tests.installations import TOKEN
from tests.nodes import all_nodes, kill_node

TIMEOUT_S = 60
NODES = 2


def rest(installation: Installation, path: str, body: dict[str, str] | None = None) -> Any:
    """What REST answers to a GET, or to a POST that waits for its effect."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = Request(f"{installation.web}/api/v1{path}", data, {**headers, "Prefer": "wait=20"})
    with urlopen(request) as answer:
        return json.loads(answer.read())


async def coordinator_of(consumer: Consumer) -> int:
    """The node id behind the address that the consumer is connected to."""
    await consumer.discover()
    assert consumer.connection is not None
    host, port = consumer.connection.writer.get_extra_info("peername")
    brokers = (await consumer.metadata()).brokers
    return next(node for node, address in brokers.items() if address == f"{host}:{port}")


async def settle(a: Consumer, b: Consumer) -> None:
    """Both in one generation."""
    await a.join()
    joining = asyncio.create_task(b.join())
    await a.until_rejoin()
    await a.join()
    assert (await joining).error == 0


async def beat(consumer: Consumer) -> int:
    """A heartbeat that finds its current coordinator; codes of one that is just
    coming, or is another, are asked again (failover, 1 and 2)."""
    while True:
        try:
            code = await consumer.heartbeat()
        except (OSError, asyncio.IncompleteReadError):
            code = 16
        if code not in (14, 15, 16):
            return code
        await asyncio.sleep(0.1)
        await consumer.discover()


async def fetched(consumer: Consumer) -> tuple[int, str, int]:
    """The offset of ledger 0, as the current coordinator has it: the node that comes back
    is given slots, perhaps this group's."""
    while True:
        (found,) = (await consumer.fetch({"ledger": [0]})).values()
        if found[-1] not in (14, 15, 16):
            return found
        await asyncio.sleep(0.1)
        await consumer.discover()


async def committed(consumer: Consumer, offset: int) -> int:
    """The answer to a commit of it, likewise."""
    while True:
        (code,) = (await consumer.commit({("ledger", 0): offset})).values()
        if code not in (14, 15, 16):
            return code
        await asyncio.sleep(0.1)
        await consumer.discover()


@pytest.mark.long
@pytest.mark.xdist_group("pair")
async def test_a_group_continues_when_its_coordinator_is_killed(pair: Installation) -> None:
    """Join, rebalance, commit, fail over: no member rejoins, and nothing is lost."""
    a = Consumer(pair.draft, "payments", ["ledger"])
    b = Consumer(pair.draft, "payments", ["ledger"])
    async with asyncio.timeout(TIMEOUT_S):
        made = await a.metadata(["ledger"])  # by asking, as Kafka does
        assert made.errors == {"ledger": 0}
        await all_nodes(pair, NODES)  # one that is late with its beat is not named
        owner = await coordinator_of(a)
        # who survives is whom to ask for the coordinator afterwards
        brokers = (await a.metadata()).brokers
        a.bootstrap = b.bootstrap = brokers[1 - owner]
        await settle(a, b)
        first = a if a.parts else b
        assert await first.commit({("ledger", 0): 41}) == {("ledger", 0): 0}
        generation = a.generation

        kill_node(pair, owner)

        assert [await beat(a), await beat(b)] == [0, 0]
        assert a.generation == b.generation == generation
        assert await fetched(first) == (41, "", 0)
        assert await committed(first, 42) == 0
        assert await b.leave() == 0
        await a.until_rejoin()
        reply = await a.join()
        assert (reply.generation, reply.parts) == (generation + 1, {"ledger": [0]})
    a.close()
    b.close()
    await all_nodes(pair, NODES)  # other tests want both


async def test_a_custom_strategy_is_named_by_its_friendly_name(
    installation: Installation,
) -> None:
    a = Consumer(installation.draft, "ours", ["shelf"], strategy="mine")
    async with asyncio.timeout(TIMEOUT_S):
        await a.metadata(["shelf"])
        reply = await a.join()
        assert (reply.error, reply.parts) == (0, {"shelf": [0]})
    a.close()


async def test_an_operator_sees_the_group_and_forces_a_rebalance(
    installation: Installation,
) -> None:
    """The generation rises, though nothing moves."""
    a = Consumer(installation.draft, "seen", ["pages"])
    async with asyncio.timeout(TIMEOUT_S):
        await a.metadata(["pages"])
        await a.join()
        seen = await asyncio.to_thread(rest, installation, "/groups/seen")
        assert (seen["type"], seen["state"], seen["generation"]) == ("draft", "Stable", 1)
        (member,) = seen["members"]
        assert member["member_id"] == a.consumer_id
        assert member["subscribed_topics"] == ["pages"]
        assert member["assignment"] == {"pages": [0]}

        path, body = "/groups/seen/rebalances", {"reason": "a drill"}
        forcing = asyncio.create_task(asyncio.to_thread(rest, installation, path, body))
        await a.until_rejoin()
        assert (await a.join()).generation == 2
        assert (await forcing)["state"] == "succeeded"
        (newest, *_) = (await asyncio.to_thread(rest, installation, path))["data"]
        assert "a drill" in newest["sentence"] and newest["generation_after"] == 2
        listed = await asyncio.to_thread(rest, installation, "/groups?type=draft")
        assert "seen" in [group["group_id"] for group in listed["data"]]
    a.close()
