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
from aiokafka.abc import AbstractTokenProvider
from aiokafka.helpers import create_ssl_context
from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient, NewTopic
from kafka import KafkaConsumer
from kafka.net.sasl.oauth import AbstractTokenProvider as PythonsProvider

from tests.clients.workers import PATIENT_POLL_MS
from tests.security.doors import Door

PATIENCE_S = 10


class Provider(PythonsProvider):  # type: ignore[misc]  # kafka-python is untyped
    """Of one token, for kafka-python."""

    def __init__(self, token: str) -> None:
        self._token = token

    def token(self) -> str:
        """At each connection."""
        return self._token


class PatientProvider(AbstractTokenProvider):  # type: ignore[misc]  # aiokafka is untyped
    """The same, for aiokafka."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def token(self) -> str:
        """At each connection."""
        return self._token


def _confluent(door: Door) -> dict[str, Any]:
    if not door.token:
        return dict(door.confluent())
    return {**door.confluent(), "oauth_cb": lambda _config: (door.token, time.time() + 300)}


def create_topic(door: Door, name: str) -> None:
    """A topic of two partitions."""
    admin = AdminClient(_confluent(door))
    admin.create_topics([NewTopic(name, 2, 1)])[name].result(PATIENCE_S)


def _confluent_kafka(door: Door, name: str) -> set[int]:
    consumer = Consumer({**_confluent(door), "group.id": name})
    consumer.subscribe([name])
    try:
        while not (assigned := consumer.assignment()):
            consumer.poll(0.2)
        return {each.partition for each in assigned}
    finally:
        consumer.close()


def _kafka_python(door: Door, name: str) -> set[int]:
    files = {
        "ssl_cafile": door.ca,
        "ssl_certfile": door.certificate,
        "ssl_keyfile": door.certificate,
    }
    consumer: Any = KafkaConsumer(
        name,
        group_id=name,
        **door.python(),
        **{key: path for key, path in files.items() if path},
        **({"sasl_oauth_token_provider": Provider(door.token)} if door.token else {}),
    )
    try:
        while not consumer.assignment():
            consumer.poll(PATIENT_POLL_MS)
        return {each.partition for each in consumer.assignment()}
    finally:
        consumer.close()


def _aiokafka(door: Door, name: str) -> set[int]:
    async def owned() -> set[int]:
        options = door.python()
        if door.ca:
            own = door.certificate or None
            options["ssl_context"] = create_ssl_context(cafile=door.ca, certfile=own, keyfile=own)
        if door.token:
            options["sasl_oauth_token_provider"] = PatientProvider(door.token)
        consumer: Any = AIOKafkaConsumer(name, group_id=name, **options)
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
