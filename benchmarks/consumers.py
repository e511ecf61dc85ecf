"""What an idle stock consumer costs, and how many fetches a second it sends.

Fetches are counted on the wire, by a proxy that the node advertises as itself.
"""

import asyncio
import multiprocessing
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from benchmarks.machine import spending
from benchmarks.wire import create_topic
from rollcall.installation import Installation

FETCH = 1
GOAL_CORES, GOAL_FETCHES = 0.03, 2.0
TOPIC, PARTITIONS = "idle", 6


class CountingProxy:
    """Passes bytes on, and counts the API keys of the requests that go by."""

    def __init__(self) -> None:
        self.requests: Counter[int] = Counter()
        self.target = ("127.0.0.1", 0)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._client, sock=self.listener)
        async with server:
            await server.serve_forever()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        node_reader, node_writer = await asyncio.open_connection(*self.target)
        await asyncio.gather(
            self._requests(reader, node_writer),
            self._replies(node_reader, writer),
            return_exceptions=True,
        )

    async def _requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                size = await reader.readexactly(4)
                frame = await reader.readexactly(int.from_bytes(size, "big"))
                self.requests[int.from_bytes(frame[:2], "big")] += 1
                writer.write(size + frame)
        finally:
            writer.close()

    async def _replies(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65_536):
                writer.write(data)
        finally:
            writer.close()


def kafka_python(bootstrap: str, ready: Callable[[], None], until: float) -> None:
    """An idle consumer of kafka-python."""
    from kafka import KafkaConsumer

    consumer: Any = KafkaConsumer(TOPIC, bootstrap_servers=bootstrap, group_id="idle-kp")
    while not consumer.assignment():
        consumer.poll(timeout_ms=100)
    ready()
    while time.time() < until:
        consumer.poll(timeout_ms=1000)
    consumer.close()


def confluent(bootstrap: str, ready: Callable[[], None], until: float) -> None:
    """An idle consumer of confluent-kafka."""
    from confluent_kafka import Consumer

    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "idle-ck"})
    consumer.subscribe([TOPIC])
    while not consumer.assignment():
        consumer.poll(0.1)
    ready()
    while time.time() < until:
        consumer.poll(1.0)
    consumer.close()


def aiokafka(bootstrap: str, ready: Callable[[], None], until: float) -> None:
    """An idle consumer of aiokafka."""
    from aiokafka import AIOKafkaConsumer

    async def live() -> None:
        consumer: Any = AIOKafkaConsumer(TOPIC, bootstrap_servers=bootstrap, group_id="idle-ak")
        await consumer.start()
        while not consumer.assignment():
            await consumer.getmany(timeout_ms=50)
        ready()
        while time.time() < until:
            await consumer.getmany(timeout_ms=1000)
        await consumer.stop()

    asyncio.run(live())


CLIENTS = {"confluent-kafka": confluent, "kafka-python": kafka_python, "aiokafka": aiokafka}


def _child(name: str, bootstrap: str, ready: Any, until: float) -> None:
    CLIENTS[name](bootstrap, ready.set, until)


def measure(name: str, seconds: float, settle: float = 3.0) -> tuple[float, float]:
    """CPU share of the client, and its fetches a second, once it is settled."""
    proxy = CountingProxy()
    with Installation({"ROLLCALL_ADVERTISED_PORT": str(proxy.port)}) as running:
        host, _, port = running.kafka.rpartition(":")
        proxy.target = (host, int(port))
        asyncio.run(create_topic(running.kafka, TOPIC, PARTITIONS))
        context = multiprocessing.get_context("spawn")
        ready = context.Event()
        until = time.time() + seconds + settle + 30
        client = context.Process(
            target=_child, args=(name, f"127.0.0.1:{proxy.port}", ready, until)
        )
        client.start()
        assert client.pid is not None
        assert ready.wait(30), f"{name} was never assigned anything"
        time.sleep(settle)
        before = proxy.requests[FETCH]
        with spending([client.pid]) as spent:
            time.sleep(seconds)
        fetches = (proxy.requests[FETCH] - before) / spent.wall
        client.terminate()
        client.join()
    return spent.cpu / spent.wall, fetches


def main(seconds: float = 20.0) -> None:
    """Print each client's figures."""
    for name in CLIENTS:
        cores, fetches = measure(name, seconds)
        print(
            f"{name:16} {cores:.3f} of a core (goal {GOAL_CORES}),"
            f" {fetches:.1f} fetches a second (goal {GOAL_FETCHES:.0f})"
        )
