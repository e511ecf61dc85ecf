"""A group of stock consumers is upgraded to the consumer protocol and back, one at a time.

At no moment do two processes work on one partition, and no commit that was accepted is lost
(KIP-848, migration).
"""

import asyncio
from collections.abc import Sequence
from itertools import count, pairwise

import pytest

from launcher.installation import Installation
from tests.clients.conftest import SESSION_MS, Start, Worker, topic

ALL = {0, 1, 2, 3, 4, 5}
CLASSIC = "confluent-kafka"
COOPERATIVE = "confluent-kafka-cooperative"
NEXT = "confluent-kafka-848"


class Fleet:
    """Workers of one group that are replaced one by one."""

    def __init__(self, start: Start, bootstrap: str, name: str) -> None:
        self.start = start
        self.bootstrap = bootstrap
        self.name = name
        self.running: list[Worker] = []
        self.every: list[Worker] = []
        self.accepted: dict[str, int] = {}
        self.numbers = count(1)

    def add(self, library: str) -> Worker:
        """One worker more."""
        worker = self.start(library, self.bootstrap, self.name, SESSION_MS)
        self.running.append(worker)
        self.every.append(worker)
        return worker

    def restart(self, library: str) -> None:
        """The oldest worker leaves cleanly and is replaced; work continues in the meantime."""
        self.running.pop(0).close()
        newcomer = self.add(library)
        for worker in self.running[:-1]:
            self.attempt(worker)
        self.settle(newcomer)

    def attempt(self, worker: Worker) -> None:
        """A commit in the midst of it: refused or not, what was accepted must stay."""
        taken = worker.attempt(next(self.numbers))
        self.accepted.update(taken or {})

    def settle(self, listener: Worker) -> None:
        """All have equally much, and commit it. A rebalance that moves nothing
        may follow one that did: who is asked just then is asked again."""
        for worker in self.running:
            taken = None
            while taken is None:
                listener.until(self._is_even, f"{6 // len(self.running)} each")
                taken = worker.attempt(next(self.numbers))
            self.accepted.update(taken)
        assert {int(p) for p in self.accepted} == ALL

    def _is_even(self) -> bool:
        owned = [worker.owned for worker in self.running]
        share = 6 // len(owned)
        return all(len(mine) == share for mine in owned) and set().union(*owned) == ALL

    def check_commits(self) -> None:
        """The last worker reads, one by one, what all of them had committed."""
        last = self.running[-1]
        for worker in self.running[:-1]:
            worker.close()
        last.until(lambda: last.owned == ALL, "the last one has everything")
        assert stored(self.bootstrap, self.name) == {int(p): n for p, n in self.accepted.items()}


def stored(bootstrap: str, name: str) -> dict[int, int]:
    """The group's committed offsets, as an administrator reads them."""
    from confluent_kafka import ConsumerGroupTopicPartitions
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({"bootstrap.servers": bootstrap})
    (future,) = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(name)]).values()
    found = future.result(20).topic_partitions
    return {partition.partition: partition.offset for partition in found}


def check_owners(workers: Sequence[Worker]) -> None:
    """No partition was worked on by two at a time. Each worker says what it is given when it is
    given it, and what it loses before it lets go."""
    spans: dict[int, list[tuple[float, float]]] = {}
    for worker in workers:
        since: dict[int, float] = {}
        for event in worker.events:
            if event["event"] == "assigned":
                for p in event["partitions"]:
                    since.setdefault(p, event["at"])
            elif event["event"] == "revoked":
                for p in set(event["partitions"]) & since.keys():
                    spans.setdefault(p, []).append((since.pop(p), event["at"]))
        for p, begun in since.items():
            spans.setdefault(p, []).append((begun, float("inf")))
    for p, mine in spans.items():
        for (_, end), (begin, _) in pairwise(sorted(mine)):
            assert end <= begin, f"partition {p} had two owners for {end - begin} s"


@pytest.mark.timeout(400)
@pytest.mark.parametrize("after", [pytest.param(CLASSIC, marks=pytest.mark.long), COOPERATIVE])
def test_a_group_is_upgraded_and_back_one_consumer_at_a_time(
    after: str, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    fleet = Fleet(start, installation.kafka, name)
    for _ in range(3):
        newest = fleet.add(CLASSIC)
    fleet.settle(newest)

    for _ in range(3):
        fleet.restart(NEXT)
    for _ in range(3):
        fleet.restart(after)

    fleet.check_commits()
    check_owners(fleet.every)


@pytest.mark.timeout(400)
def test_an_offline_upgrade_works_for_a_group_whose_assignor_keeps_user_data(
    installation: Installation, start: Start, name: str
) -> None:
    """librdkafka's cooperative-sticky writes each member's partitions into the user data of its
    assignment, from the second generation on. Kafka 4.3.1 answers the same."""
    asyncio.run(topic(installation.kafka, name))
    fleet = Fleet(start, installation.kafka, name)
    for _ in range(2):
        fleet.settle(fleet.add(COOPERATIVE))

    refused = start(NEXT, installation.kafka, name, SESSION_MS)
    refused.until(lambda: any(e["event"] == "failed" for e in refused.events), "refused")
    (failure,) = (e["error"] for e in refused.events if e["event"] == "failed")
    assert "The group id does not exist" in failure
    refused.close()
    fleet.settle(fleet.running[-1])

    for worker in fleet.running:
        worker.close()
    fleet.running.clear()
    fleet.settle(fleet.add(NEXT))
    fleet.check_commits()
    check_owners(fleet.every)


@pytest.mark.long
@pytest.mark.timeout(400)
def test_consumers_of_two_languages_and_protocols_share_a_group(
    installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    fleet = Fleet(start, installation.kafka, name)
    fleet.settle(fleet.add(CLASSIC))
    # One that is new takes its half: the group is of both protocols from here on.
    fleet.settle(fleet.add("java-848"))
    fleet.restart("java-848")
    fleet.restart(COOPERATIVE)
    fleet.restart(COOPERATIVE)
    fleet.check_commits()
    check_owners(fleet.every)
