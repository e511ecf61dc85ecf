"""Stock clients of Python, secured: ``-m tests.security.stock_clients LIBRARY NAME DOOR``.

NAME is that of the group and of its topic, which is made; DOOR how to get in (``doors.py``), as
JSON.
Each joins and prints the partitions that it was given, or ends with its library's error.
"""

import asyncio
import json
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from aiokafka import AIOKafkaConsumer
from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, NewTopic
from kafka import KafkaConsumer

from tests.clients.workers import PATIENT_POLL_MS
from tests.security import options
from tests.security.doors import Door

PATIENCE_S = 10
REFUSED = (KafkaError._AUTHENTICATION, KafkaError._SSL)


def create_topic(door: Door, name: str) -> None:
    """A topic of two partitions; the error, as soon as the library reports that it is refused: it
    would try again until its patience ends."""
    errors: list[KafkaError] = []
    admin = AdminClient({**options.confluent(door), "error_cb": errors.append})
    made = admin.create_topics([NewTopic(name, 2, 1)])[name]
    end = time.monotonic() + PATIENCE_S
    while not made.done() and time.monotonic() < end:
        admin.poll(0.1)
        for error in errors:
            if error.code() in REFUSED:
                raise KafkaException(error)
    made.result(0)


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
