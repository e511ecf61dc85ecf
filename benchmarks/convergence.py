"""From one consumer to ten on 100 partitions: how long until each has its ten.

Stock consumers (confluent-kafka) with their own defaults and a node's defaults, once with the
consumer protocol and once with the classic one; the same script against Apache Kafka where an
address is given. The clock starts when the last of the nine new members calls ``subscribe``, so
connecting and finding the coordinator count.
"""

import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from benchmarks.options import Options
from launcher.installation import Installation

GOAL_S = 1.5
"""Consumer protocol, default settings."""

PARTITIONS = 100
CONSUMERS = 10
ROUNDS = 3

REST_S = 6.0
"""How long the first consumer is alone, at least: it has come to its usual interval by then."""

PHASE_S = 1.3
"""Each round's rest is so much longer than the last one's, so that the newcomers meet another
moment between two of its heartbeats."""

POLL_S = 0.05
CONVERGED_S_MAX = 120.0
PROTOCOLS = ("consumer", "classic")


class Consumer:
    """One stock consumer and the thread that polls it; ``owned`` as its callbacks tell."""

    def __init__(self, bootstrap: str, topic: str, group_id: str, protocol: str) -> None:
        self.owned: frozenset[int] = frozenset()
        self.subscribed_at = 0.0
        self._settings = {
            "bootstrap.servers": bootstrap,
            "group.id": group_id,
            "group.protocol": protocol,
        }
        self._topic = topic
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._live)
        self._thread.start()

    def _live(self) -> None:
        from confluent_kafka import Consumer as Stock

        stock = Stock(self._settings)
        self.subscribed_at = time.monotonic()
        stock.subscribe([self._topic], on_assign=self._given, on_revoke=self._taken)
        while not self._over.is_set():
            stock.poll(POLL_S)
        stock.close()

    def _given(self, _stock: Any, partitions: Sequence[Any]) -> None:
        self.owned |= {p.partition for p in partitions}

    def _taken(self, _stock: Any, partitions: Sequence[Any]) -> None:
        self.owned -= {p.partition for p in partitions}

    def end(self) -> None:
        """Ask it to leave."""
        self._over.set()

    def join(self) -> None:
        """Wait until it has left."""
        self._thread.join()


def create_topic(bootstrap: str, topic: str) -> None:
    """With the stock admin client, so that it is the same everywhere."""
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic(topic, PARTITIONS, 1)])[topic].result()


def shared(consumers: Sequence[Consumer]) -> bool:
    """Whether every member has an even share, and each partition one owner."""
    held = [consumer.owned for consumer in consumers]
    even = PARTITIONS // len(consumers)
    return all(len(own) == even for own in held) and len(frozenset().union(*held)) == PARTITIONS


def until(claim: Callable[[], bool]) -> float:
    """The time from which on it holds; checked two hundred times a second."""
    end = time.monotonic() + CONVERGED_S_MAX
    while not claim():
        if time.monotonic() > end:
            raise RuntimeError(f"not converged after {CONVERGED_S_MAX:.0f} s")
        time.sleep(0.005)
    return time.monotonic()


@contextmanager
def members(bootstrap: str, topic: str, protocol: str) -> Iterator[list[Consumer]]:
    """The consumers of a new group, the first of which has all partitions."""
    group_id = f"convergence-{uuid4().hex[:8]}"
    consumers = [Consumer(bootstrap, topic, group_id, protocol)]
    try:
        until(lambda: shared(consumers))
        yield consumers
    finally:
        for consumer in consumers:
            consumer.end()
        for consumer in consumers:
            consumer.join()


def converge(bootstrap: str, topic: str, protocol: str, rest_s: float) -> float:
    """Seconds from the last ``subscribe`` to an even share."""
    with members(bootstrap, topic, protocol) as consumers:
        time.sleep(rest_s)
        group_id = consumers[0]._settings["group.id"]
        consumers += [Consumer(bootstrap, topic, group_id, protocol) for _ in range(CONSUMERS - 1)]
        converged_at = until(lambda: shared(consumers))
        return converged_at - max(consumer.subscribed_at for consumer in consumers)


def measure(bootstrap: str, rounds: int = ROUNDS, rest_s: float = REST_S) -> dict[str, list[float]]:
    """Each protocol's rounds, in seconds."""
    topic = f"convergence-{uuid4().hex[:8]}"
    create_topic(bootstrap, topic)
    return {
        protocol: [
            converge(bootstrap, topic, protocol, rest_s + turn * PHASE_S) for turn in range(rounds)
        ]
        for protocol in PROTOCOLS
    }


def main(options: Options) -> bool:
    """Print both protocols' figures, and their ratio to Kafka's where there is one."""
    rounds = options.rounds or ROUNDS
    rest_s = options.seconds or REST_S
    with Installation() as running:
        ours = measure(running.kafka, rounds, rest_s)
    theirs = measure(options.against, rounds, rest_s) if options.against else {}
    for protocol in PROTOCOLS:
        goal = f" (goal {GOAL_S} s)" if protocol == "consumer" else ""
        print(f"{protocol:9} rollcall {_line(ours[protocol])}{goal}")
        if protocol in theirs:
            ratio = statistics.median(theirs[protocol]) / statistics.median(ours[protocol])
            print(f"{protocol:9} kafka    {_line(theirs[protocol])}, {ratio:.1f} times as long")
    return True


def _line(seconds: Sequence[float]) -> str:
    median, rounds = statistics.median(seconds), " ".join(f"{s:.2f}" for s in seconds)
    return f"median {median:.2f} s of {rounds}"
