"""Stock clients of Python, secured: ``-m tests.security.stock_clients LIBRARY NAME DOOR``.

NAME is that of the group and of its topic, which is made; DOOR how to get in (``doors.py``), as
JSON.
Each joins and prints the partitions that it was given, or ends with its library's error.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from aiokafka import AIOKafkaConsumer
from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient, NewTopic
from kafka import KafkaConsumer

from tests.clients.workers import PATIENT_POLL_MS
from tests.security import options
from tests.security.doors import Door

PATIENCE_S = 10


def create_topic(door: Door, name: str) -> None:
    """A topic of two partitions."""
    admin = AdminClient(options.confluent(door))
    admin.create_topics([NewTopic(name, 2, 1)])[name].result(PATIENCE_S)


def _confluent_kafka(door: Door, name: str) -> set[int]:
    consumer = Consumer({**options.confluent(door), "group.id": name})
    consumer.subscribe([name])
    try:
        while not (assigned := consumer.assignment()):
            consumer.poll(0.2)
        return {each.partition for each in assigned}
    finally:
        consumer.close()


def _kafka_python(door: Door, name: str) -> set[int]:
    consumer: Any = KafkaConsumer(name, group_id=name, **options.kafka_python(door))
    try:
        while not consumer.assignment():
            consumer.poll(PATIENT_POLL_MS)
        return {each.partition for each in consumer.assignment()}
    finally:
        consumer.close()


def _aiokafka(door: Door, name: str) -> set[int]:
    async def owned() -> set[int]:
        consumer: Any = AIOKafkaConsumer(name, group_id=name, **options.aiokafka(door))
        await consumer.start()
        try:
            while not consumer.assignment():
                await consumer.getmany(timeout_ms=200)
            return {each.partition for each in consumer.assignment()}
        finally:
            await consumer.stop()

    return asyncio.run(owned())


CLIENTS: Mapping[str, Callable[[Door, str], set[int]]] = {
    "confluent-kafka": _confluent_kafka,
    "kafka-python": _kafka_python,
    "aiokafka": _aiokafka,
}


if __name__ == "__main__":
    library, name, door = sys.argv[1:]
    entrance = Door(**json.loads(door))
    create_topic(entrance, name)
    print(json.dumps(sorted(CLIENTS[library](entrance, name))))
