"""Stock consumers as programs:
``-m tests.clients.workers LIBRARY BOOTSTRAP NAME SESSION_MS [DOOR]``.

NAME is that of the group and of its topic; DOOR how to get in, as JSON (``tests.security.doors``).

Each joins, polls, and says on standard output, a JSON object a line, that it starts, what it is
given and what is taken from it. A line on standard input makes it commit that offset for all it
holds, and say what is committed, and how long the commit and the read of it took; those of
confluent-kafka say "refused" where they may not. SIGTERM closes it cleanly; it says how long that
took.
"""

import asyncio
import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterable
from typing import Any

HEARTBEAT_MS = int(os.environ.get("HEARTBEAT_MS", "500"))

PATIENT_POLL_MS = 2_000
"""For polls of kafka-python without partitions. Version 3.0.12 forgets its assignment where a poll
ends between SyncGroup and its answer, and goes on without one; a shorter poll often ends there."""

SECURED: dict[str, str] = {}
"""The door, if there is one."""

orders: "queue.Queue[str]" = queue.Queue()
stopping = threading.Event()


def say(event: str, **facts: Any) -> None:
    """One line for the test."""
    print(json.dumps({"event": event, "at": time.time(), **facts}), flush=True)


def numbers(partitions: Iterable[Any]) -> list[int]:
    """Partition indexes, sorted."""
    return sorted(p.partition for p in partitions)


def committed(offsets: dict[int, int | None], began: float, written: float) -> None:
    """What is committed. ``began`` and ``written``: ``time.monotonic()`` before the commit and
    after it."""
    read_s = time.monotonic() - written
    say("committed", offsets=offsets, commit_s=written - began, read_s=read_s)


async def stored_by_aiokafka(consumer: Any, partition: Any) -> int:
    """The offset that was committed. Version 0.14 takes a group's error, as of one that is on the
    move, for "nothing is committed": it is asked again."""
    while (offset := await consumer.committed(partition)) is None:
        pass
    return int(offset)


def closed(began: float) -> None:
    """The library's own close has returned."""
    say("closed", close_s=time.monotonic() - began)


def next_order() -> str | None:
    """What the test requested, if anything."""
    try:
        return orders.get_nowait()
    except queue.Empty:
        return None


def secured(library: str) -> dict[str, Any]:
    """The settings of a library for the door; none where there is no door."""
    if not SECURED:
        return {}
    from tests.security import options
    from tests.security.doors import Door

    found: dict[str, Any] = getattr(options, library)(Door(**json.loads(SECURED["door"])))
    return found


def kafka_python(bootstrap: str, name: str, session_ms: int) -> None:
    """kafka-python's consumer."""
    from kafka import ConsumerRebalanceListener, KafkaConsumer
    from kafka.structs import OffsetAndMetadata

    class Listener(ConsumerRebalanceListener):  # type: ignore[misc]
        def on_partitions_revoked(self, revoked: Any) -> None:
            say("revoked", partitions=numbers(revoked))

        def on_partitions_assigned(self, assigned: Any) -> None:
            say("assigned", partitions=numbers(assigned))

    consumer: Any = KafkaConsumer(
        group_id=name,
        enable_auto_commit=False,
        session_timeout_ms=session_ms,
        heartbeat_interval_ms=HEARTBEAT_MS,
        **{"bootstrap_servers": bootstrap, **secured("kafka_python")},
    )
    consumer.subscribe([name], listener=Listener())
    while not stopping.is_set():
        consumer.poll(timeout_ms=200 if consumer.assignment() else PATIENT_POLL_MS)
        order = next_order()
        if order is not None:
            held, began = consumer.assignment(), time.monotonic()
            consumer.commit({p: OffsetAndMetadata(int(order), "", -1) for p in held})
            written = time.monotonic()
            committed({p.partition: consumer.committed(p) for p in held}, began, written)
    began = time.monotonic()
    consumer.close()
    closed(began)


def confluent(bootstrap: str, name: str, session_ms: int) -> None:
    """confluent-kafka's consumer (librdkafka), with the classic protocol."""
    timing = {"session.timeout.ms": session_ms, "heartbeat.interval.ms": HEARTBEAT_MS}
    _confluent(bootstrap, name, timing)


def confluent_next(bootstrap: str, name: str, _session_ms: int) -> None:
    """The same with the consumer protocol (KIP-848): the coordinator says how long a session is."""
    _confluent(bootstrap, name, {"group.protocol": "consumer"})


def confluent_pattern(bootstrap: str, name: str, _session_ms: int) -> None:
    """The same, subscribed to every topic whose name begins with NAME."""
    _confluent(bootstrap, name, {"group.protocol": "consumer"}, f"^{name}.*")


def confluent_static(bootstrap: str, name: str, session_ms: int) -> None:
    """A static member; its ``group.instance.id`` is NAME-static."""
    settings = {"session.timeout.ms": session_ms, "group.instance.id": f"{name}-static"}
    _confluent(bootstrap, name, settings)


def confluent_cooperative(bootstrap: str, name: str, session_ms: int) -> None:
    """With the classic protocol, but giving up only what moves (KIP-429)."""
    settings = {
        "session.timeout.ms": session_ms,
        "heartbeat.interval.ms": HEARTBEAT_MS,
        "partition.assignment.strategy": "cooperative-sticky",
    }
    _confluent(bootstrap, name, settings)


def _confluent(
    bootstrap: str, name: str, settings: dict[str, Any], subscription: str | None = None
) -> None:
    from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": name,
            "enable.auto.commit": False,
            **settings,
            **secured("confluent"),
        }
    )
    consumer.subscribe(
        [subscription or name],
        # What is given may come on top of what it has.
        on_assign=lambda c, given: say("assigned", partitions=numbers(c.assignment() + given)),
        on_revoke=lambda _c, taken: say("revoked", partitions=numbers(taken)),
    )
    while not stopping.is_set():
        message = consumer.poll(0.2)
        failure = message.error() if message is not None else None
        if failure is not None and failure.code() == KafkaError._FATAL:
            say("failed", error=str(failure))
        order = next_order()
        if order is not None:
            held = consumer.assignment()
            wanted = [TopicPartition(p.topic, p.partition, int(order)) for p in held]
            began = time.monotonic()
            try:
                consumer.commit(offsets=wanted, asynchronous=False)
                written = time.monotonic()
                stored = {p.partition: p.offset for p in consumer.committed(held, timeout=10)}
            except KafkaException as error:  # a fetch is refused too where its group moves
                say("refused", error=str(error))
                continue
            committed(stored, began, written)
    began = time.monotonic()
    consumer.close()
    closed(began)


def aiokafka(bootstrap: str, name: str, session_ms: int) -> None:
    """aiokafka's consumer."""
    from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener

    class Listener(ConsumerRebalanceListener):  # type: ignore[misc]
        def on_partitions_revoked(self, revoked: Any) -> None:
            say("revoked", partitions=numbers(revoked))

        def on_partitions_assigned(self, assigned: Any) -> None:
            say("assigned", partitions=numbers(assigned))

    async def live() -> None:
        consumer: Any = AIOKafkaConsumer(
            group_id=name,
            enable_auto_commit=False,
            session_timeout_ms=session_ms,
            heartbeat_interval_ms=HEARTBEAT_MS,
            **{"bootstrap_servers": bootstrap, **secured("aiokafka")},
        )
        consumer.subscribe([name], listener=Listener())
        await consumer.start()
        while not stopping.is_set():
            await consumer.getmany(timeout_ms=200)
            order = next_order()
            if order is not None:
                held, began = consumer.assignment(), time.monotonic()
                await consumer.commit(dict.fromkeys(held, int(order)))
                written = time.monotonic()
                stored: dict[int, int | None] = {
                    p.partition: await stored_by_aiokafka(consumer, p) for p in held
                }
                committed(stored, began, written)
        began = time.monotonic()
        await consumer.stop()
        closed(began)

    asyncio.run(live())


CLASSIC = {"kafka-python": kafka_python, "aiokafka": aiokafka, "confluent-kafka": confluent}
LIBRARIES = {**CLASSIC, "confluent-kafka-848": confluent_next}
PROGRAMS = {
    **LIBRARIES,
    "confluent-kafka-static": confluent_static,
    "confluent-kafka-cooperative": confluent_cooperative,
    "confluent-kafka-848-pattern": confluent_pattern,
}


def main() -> None:
    """Run one worker until SIGTERM."""
    library, bootstrap, name, session_ms, *door = sys.argv[1:]
    if door:
        [SECURED["door"]] = door
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    threading.Thread(target=_listen, daemon=True).start()
    say("starts")
    PROGRAMS[library](bootstrap, name, int(session_ms))


def _listen() -> None:
    for line in sys.stdin:
        orders.put(line.strip())


if __name__ == "__main__":
    main()
