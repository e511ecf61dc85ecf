"""Stock consumers of both protocols that commit all the time, and what they noticed."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from threading import Event, Lock, Thread
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.launcher.test_hosts import AGAIN
from tests.launcher.waiting import until

TOPIC, PARTITIONS = "orders", 4
PROTOCOLS = ("classic", "consumer")
GROUPS = {f"{protocol}-{n}": protocol for protocol in PROTOCOLS for n in range(3)}
MEMBERS = 2
COMMIT_EVERY_S = 0.1

SOCKET_TIMEOUT_MS = 6_000
"""After which a client takes the host for lost whose packets have stopped. librdkafka's own 60 s
are longer than a session: its member would be removed before it looks for another node."""

NEXT = AGAIN | {KafkaError.STALE_MEMBER_EPOCH, KafkaError.REBALANCE_IN_PROGRESS}
"""What a client asks again after, or after its next heartbeat."""

JOIN = {
    KafkaError.ILLEGAL_GENERATION,
    KafkaError.UNKNOWN_MEMBER_ID,
    KafkaError.FENCED_MEMBER_EPOCH,
    KafkaError._NO_OFFSET,
}
"""It is no member any more: it joins again."""


class Ledger:
    """What was attempted and what was acknowledged, by group and partition."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.attempted: Counter[tuple[str, int]] = Counter()
        self.acknowledged: Counter[tuple[str, int]] = Counter()
        self.times: defaultdict[tuple[str, int], list[float]] = defaultdict(list)

    def next(self, group: str, partition: int) -> int:
        """An offset that nobody has tried."""
        with self._lock:
            self.attempted[group, partition] += 1
            return self.attempted[group, partition]

    def acknowledge(self, group: str, offsets: list[TopicPartition]) -> None:
        """They are durable."""
        with self._lock:
            for each in offsets:
                key = group, each.partition
                self.acknowledged[key] = max(self.acknowledged[key], each.offset)
                self.times[key].append(time.monotonic())

    def gap(self, since: float) -> float:
        """The longest time without an acknowledgement for a partition, from a moment on."""
        with self._lock:
            kept = [[since, *(at for at in times if at > since)] for times in self.times.values()]
        return max(b - a for times in kept for a, b in pairwise(times))


class Member(Thread):
    """``lost``: how often it was told that it owns nothing any more; ``repeated``: the errors after
    which it committed again."""

    def __init__(self, group: str, reached: Mapping[str, Any], ledger: Ledger) -> None:
        super().__init__(daemon=True)
        self.group, self.ledger, self.ended = group, ledger, Event()
        self.assigned, self.lost = 0, 0
        self.failures: list[KafkaError] = []
        self.repeated = Counter[str]()
        self._consumer = Consumer(
            {
                **reached,
                "group.id": group,
                "group.protocol": GROUPS[group],
                "enable.auto.commit": False,
                "socket.timeout.ms": SOCKET_TIMEOUT_MS,
                "topic.metadata.refresh.interval.ms": 5_000,
                "log_level": 2,
            }
        )

    def run(self) -> None:
        self._consumer.subscribe([TOPIC], on_assign=self._on_assign, on_lost=self._on_lost)
        while not self.ended.is_set():
            self._consumer.poll(COMMIT_EVERY_S)
            if partitions := self._consumer.assignment():
                self._commit([each.partition for each in partitions])
        self._consumer.close()

    def _on_assign(self, _consumer: Consumer, _partitions: Any) -> None:
        self.assigned += 1

    def _on_lost(self, _consumer: Consumer, _partitions: Any) -> None:
        self.lost += 1

    def _commit(self, partitions: list[int]) -> None:
        offsets = [TopicPartition(TOPIC, n, self.ledger.next(self.group, n)) for n in partitions]
        try:
            answers = self._consumer.commit(offsets=offsets, asynchronous=False) or []
        except KafkaException as error:
            self._note(error.args[0])
            return
        for each in answers:
            if each.error is not None:
                self._note(each.error)
        self.ledger.acknowledge(self.group, [each for each in answers if each.error is None])

    def _note(self, error: KafkaError) -> None:
        if error.code() in NEXT:
            self.repeated[error.name()] += 1
        else:
            self.failures.append(error)


class Members:
    """All members of all groups. ``reached``: a stock client's settings for where the nodes are."""

    def __init__(self, reached: Mapping[str, Any]) -> None:
        self.ledger = Ledger()
        admin = AdminClient(dict(reached))
        admin.create_topics([NewTopic(TOPIC, PARTITIONS, 1)])[TOPIC].result(60)
        self.all = [Member(group, reached, self.ledger) for group in GROUPS for _ in range(MEMBERS)]

    def settle(self) -> None:
        """Wait until every group commits every partition."""
        before = Counter(self.ledger.acknowledged)
        until(lambda: self._has_moved(before), "every partition is committed")

    def _has_moved(self, before: Mapping[tuple[str, int], int]) -> bool:
        ledger = self.ledger.acknowledged
        keys = [(group, n) for group in GROUPS for n in range(PARTITIONS)]
        return all(ledger[key] > before.get(key, 0) for key in keys)

    @contextmanager
    def working(self) -> Iterator[None]:
        """They work meanwhile."""
        for member in self.all:
            member.start()
        try:
            self.settle()
            yield
        finally:
            for member in self.all:
                member.ended.set()
            for member in self.all:
                member.join(60)
