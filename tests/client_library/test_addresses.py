"""How members find nodes: names with several addresses, and a cluster whose first node is gone."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack
from typing import Any

import pytest

from rollcall.client import Member, TopicPartition
from rollcall.testing import Coordinator
from tests.client_library.line import line_to

TOPIC = "orders"
SILENT, LIVING = "127.0.0.2", "127.0.0.1"
PATIENCE_S = 30
TIMES: dict[str, Any] = {"retry_backoff_ms": 10, "retry_backoff_max_ms": 50}


@pytest.fixture
def coordinator() -> Iterator[Coordinator]:
    with Coordinator({TOPIC: 2}) as started:
        yield started


@pytest.fixture
def silent(coordinator: Coordinator) -> Iterator[int]:
    """The coordinator's port at an address that answers no connection, as a host without power: its
    queue of connections is full."""
    port = int(coordinator.bootstrap.rpartition(":")[2])
    with ExitStack() as sockets:
        full = sockets.enter_context(socket.create_server((SILENT, port), backlog=0))
        for _ in range(4):
            waiting = sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        yield port


def test_an_address_that_does_not_answer_keeps_nobody_from_the_next_one(
    silent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        stream = socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, ""
        return [(*stream, (each, port)) for each in (SILENT, LIVING)]

    async def join() -> int:
        async with asyncio.timeout(PATIENCE_S):
            async with Member(f"nodes.example:{silent}", "g", [TOPIC], **TIMES) as member:
                return len((await anext(member.changes())).partitions)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:  # it asks ``socket``
        assert runner.run(join()) == 2


def _at(port: int) -> bytes:
    return b"127.0.0.1" + port.to_bytes(4, "big")


async def test_a_member_finds_its_coordinator_when_the_node_of_its_bootstrap_is_gone(
    coordinator: Coordinator, caplog: pytest.LogCaptureFixture
) -> None:
    """Nodes are learnt from the cluster, as Kafka's clients do."""
    async with AsyncExitStack() as stack:
        node = await stack.enter_async_context(line_to(coordinator.bootstrap))
        async with line_to(coordinator.bootstrap) as first:
            first.lie = lambda key, version, frame: frame.replace(_at(first.port), _at(node.port))
            member = Member(first.address, "g", [TOPIC, "none"], request_timeout_ms=5_000, **TIMES)
            await stack.enter_async_context(member)
            await anext(member.changes())
            while not caplog.messages:  # the topic that is not there has been looked up
                await asyncio.sleep(0.01)
        for carrying in list(node._carrying):
            carrying.cancel()  # the coordinator has restarted

        await member.commit({TopicPartition(TOPIC, 0): 5})

        assert member.failure is None and coordinator.offsets("g") == {TopicPartition(TOPIC, 0): 5}
