"""The stock clients behind one small face, so that the demo's program is written once.

Each is imported only when it plays. What a member does with it is in ``stock.py``.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

from demo.cast import Kind, Part

BEATS_PER_SESSION = 6
FETCH_WAIT_MS = 5_000
"""How long a fetch may be held: nothing ever comes, so asking often is only work."""
FIRST_POLL_S = 2.0
"""How long kafka-python is polled, at least, while it has no partitions."""


class Client(Protocol):
    """A consumer of one topic that is in its group already or about to be."""

    errors: tuple[type[Exception], ...]
    """What a request raises that the next one may not."""

    def poll(self, seconds: float) -> None:
        """Let the library do what it has to, for so long."""

    def held(self) -> set[int]:
        """The partitions that it works on now."""

    def committed(self, partitions: Collection[int]) -> dict[int, int]:
        """What the group has committed, -1 for nothing yet."""

    def commit(self, offsets: Mapping[int, int]) -> None:
        """Commit, and wait for the answer."""

    def close(self) -> None:
        """Leave as the library leaves."""


def beat_ms(part: Part) -> int:
    """How often a classic member says that it lives."""
    return max(part.session_ms // BEATS_PER_SESSION, 100)


def instance(part: Part) -> str | None:
    """A static member's name in its group."""
    return f"{part.topic}-{part.name}" if part.kind == Kind.STATIC.name else None


class Confluent:
    """confluent-kafka, which is librdkafka: the only one here with the consumer protocol."""

    ASSIGNORS = {Kind.COOPERATIVE.name: "cooperative-sticky"}

    def __init__(self, part: Part) -> None:
        from confluent_kafka import Consumer, KafkaException, TopicPartition

        self.errors: tuple[type[Exception], ...] = (KafkaException,)
        self._topic = part.topic
        self._partition: Callable[..., Any] = TopicPartition
        self._consumer: Any = Consumer(self._settings(part))
        self._consumer.subscribe([part.topic])

    def _settings(self, part: Part) -> dict[str, Any]:
        settings: dict[str, Any] = {
            "bootstrap.servers": part.bootstrap,
            "group.id": part.group,
            "client.id": part.name,
            "enable.auto.commit": False,
            "fetch.wait.max.ms": FETCH_WAIT_MS,
            "log_level": 3,
        }
        if part.kind == Kind.CONSUMER.name:
            return settings | {"group.protocol": "consumer"}
        name = instance(part)
        return (
            settings
            | {
                "session.timeout.ms": part.session_ms,
                "heartbeat.interval.ms": beat_ms(part),
                "partition.assignment.strategy": self.ASSIGNORS.get(part.kind, "range"),
            }
            | ({"group.instance.id": name} if name else {})
        )

    def poll(self, seconds: float) -> None:
        self._consumer.poll(seconds)

    def held(self) -> set[int]:
        return {p.partition for p in self._consumer.assignment()}

    def committed(self, partitions: Collection[int]) -> dict[int, int]:
        wanted = [self._partition(self._topic, p) for p in partitions]
        return {p.partition: p.offset for p in self._consumer.committed(wanted, timeout=10)}

    def commit(self, offsets: Mapping[int, int]) -> None:
        wanted = [self._partition(self._topic, p, offset) for p, offset in offsets.items()]
        self._consumer.commit(offsets=wanted, asynchronous=False)

    def close(self) -> None:
        self._consumer.close()


class KafkaPython:
    """kafka-python."""

    def __init__(self, part: Part) -> None:
        from kafka import KafkaConsumer, TopicPartition
        from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
        from kafka.coordinator.assignors.range import RangePartitionAssignor
        from kafka.errors import KafkaError
        from kafka.structs import OffsetAndMetadata

        cooperative = part.kind == Kind.COOPERATIVE.name
        self.errors: tuple[type[Exception], ...] = (KafkaError,)
        self._topic = part.topic
        self._partition: Callable[..., Any] = TopicPartition
        self._offset: Callable[..., Any] = OffsetAndMetadata
        self._consumer: Any = KafkaConsumer(
            part.topic,
            bootstrap_servers=part.bootstrap,
            group_id=part.group,
            client_id=part.name,
            group_instance_id=instance(part),
            enable_auto_commit=False,
            session_timeout_ms=part.session_ms,
            heartbeat_interval_ms=beat_ms(part),
            fetch_max_wait_ms=FETCH_WAIT_MS,
            partition_assignment_strategy=[
                CooperativeStickyAssignor if cooperative else RangePartitionAssignor
            ],
        )

    def poll(self, seconds: float) -> None:
        # Version 3.0.12 forgets an assignment whose answer comes after a poll has ended.
        patience = seconds if self._consumer.assignment() else max(seconds, FIRST_POLL_S)
        self._consumer.poll(timeout_ms=int(patience * 1000))

    def held(self) -> set[int]:
        return {p.partition for p in self._consumer.assignment()}

    def committed(self, partitions: Collection[int]) -> dict[int, int]:
        asked = {p: self._consumer.committed(self._partition(self._topic, p)) for p in partitions}
        return {p: -1 if offset is None else offset for p, offset in asked.items()}

    def commit(self, offsets: Mapping[int, int]) -> None:
        wanted = {
            self._partition(self._topic, p): self._offset(at, "", -1) for p, at in offsets.items()
        }
        self._consumer.commit(wanted)

    def close(self) -> None:
        self._consumer.close()


class Aiokafka:
    """aiokafka; its event loop runs while it polls, which is nearly always."""

    def __init__(self, part: Part) -> None:
        from aiokafka import AIOKafkaConsumer, TopicPartition
        from aiokafka.errors import KafkaError

        self.errors: tuple[type[Exception], ...] = (KafkaError,)
        self._topic = part.topic
        self._partition: Callable[..., Any] = TopicPartition
        self._runner = asyncio.Runner()
        self._consumer: Any = self._run(self._start(AIOKafkaConsumer, part))

    async def _start(self, consumer: Callable[..., Any], part: Part) -> Any:
        started = consumer(
            part.topic,
            bootstrap_servers=part.bootstrap,
            group_id=part.group,
            client_id=part.name,
            group_instance_id=instance(part),
            enable_auto_commit=False,
            session_timeout_ms=part.session_ms,
            heartbeat_interval_ms=beat_ms(part),
            fetch_max_wait_ms=FETCH_WAIT_MS,
        )
        await started.start()
        return started

    def _run(self, coroutine: Any) -> Any:
        return self._runner.run(coroutine)

    def poll(self, seconds: float) -> None:
        self._run(self._consumer.getmany(timeout_ms=int(seconds * 1000)))

    def held(self) -> set[int]:
        return {p.partition for p in self._consumer.assignment()}

    def committed(self, partitions: Collection[int]) -> dict[int, int]:
        asked = {
            p: self._run(self._consumer.committed(self._partition(self._topic, p)))
            for p in partitions
        }
        return {p: -1 if offset is None else offset for p, offset in asked.items()}

    def commit(self, offsets: Mapping[int, int]) -> None:
        wanted = {self._partition(self._topic, p): at for p, at in offsets.items()}
        self._run(self._consumer.commit(wanted))

    def close(self) -> None:
        self._run(self._consumer.stop())
        self._runner.close()


CLIENTS: Mapping[str, Callable[[Part], Client]] = {
    "confluent-kafka": Confluent,
    "kafka-python": KafkaPython,
    "aiokafka": Aiokafka,
}
"""By the names in ``cast.MODULES``."""
