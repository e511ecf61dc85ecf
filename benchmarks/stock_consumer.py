"""A stock consumer that waits for records which never come.

    python -m benchmarks.stock_consumer LIBRARY HOST:PORT TOPIC

Every setting but the addresses is the library's own default. Prints "assigned" when it has its
partitions, then polls until it is killed.
"""

import asyncio
import sys
from collections.abc import Callable

POLL_S = 1.0
"""How long a poll waits, as the libraries' own examples do."""


def confluent_kafka(bootstrap: str, topic: str) -> None:
    """librdkafka's client."""
    from confluent_kafka import Consumer

    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "idle-confluent-kafka"})
    consumer.subscribe([topic], on_assign=lambda _consumer, _partitions: assigned())
    while True:
        message = consumer.poll(POLL_S)
        assert message is None or message.error() is not None, message


def kafka_python(bootstrap: str, topic: str) -> None:
    """The client in plain Python."""
    from kafka import KafkaConsumer

    consumer = KafkaConsumer(topic, bootstrap_servers=bootstrap, group_id="idle-kafka-python")
    while not consumer.assignment():
        consumer.poll(timeout_ms=100)
    assigned()
    while True:
        assert not consumer.poll(timeout_ms=int(POLL_S * 1_000))


def aiokafka(bootstrap: str, topic: str) -> None:
    """The asyncio client."""
    asyncio.run(_aiokafka(bootstrap, topic))


async def _aiokafka(bootstrap: str, topic: str) -> None:
    from aiokafka import AIOKafkaConsumer

    consumer = AIOKafkaConsumer(topic, bootstrap_servers=bootstrap, group_id="idle-aiokafka")
    await consumer.start()
    while not consumer.assignment():
        await consumer.getmany(timeout_ms=100)
    assigned()
    while True:
        assert not await consumer.getmany(timeout_ms=int(POLL_S * 1_000))


def assigned() -> None:
    """Tell who measures that the client is idle from now on."""
    print("assigned", flush=True)


LIBRARIES: dict[str, Callable[[str, str], None]] = {
    "confluent-kafka": confluent_kafka,
    "kafka-python": kafka_python,
    "aiokafka": aiokafka,
}

if __name__ == "__main__":
    LIBRARIES[sys.argv[1]](sys.argv[2], sys.argv[3])
