"""Clients as programs have them, beyond the story that all share: kafka-go's Reader and its error
log, kcat, and spring-kafka's listeners with three threads each."""

import asyncio
import subprocess
from collections.abc import Callable, Iterator

import pytest

from launcher.installation import Installation
from tests.clients.conftest import Start, Worker, topic
from tests.clients.kcat import Kcat, program
from tests.clients.test_sharing import ALL, LONG_SESSION_MS, share

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]  # the first of them builds

FETCHES = 18
"""Of a Reader with three partitions: it was the second of each that failed."""

NOBODY = "127.0.0.1:9"
"""A port at which nothing listens."""


def fetches(worker: Worker) -> int:
    """How many of its fetches have been answered."""
    return max((e["count"] for e in worker.events if e["event"] == "fetches"), default=0)


def errors(worker: Worker, since: int = 0) -> list[str]:
    """What its error log has since then."""
    return [event["text"] for event in worker.events[since:] if event["event"] == "error"]


def complaints(reader: Worker, count: int) -> list[str]:
    """What a Reader's error log has of its next fetches, so many."""
    since, before = len(reader.events), fetches(reader)
    reader.until(lambda: fetches(reader) >= before + count, "so many fetches")
    return errors(reader, since)


def test_two_readers_of_kafka_go_have_nothing_to_complain_about(
    installation: Installation, start: Start, name: str
) -> None:
    """A Reader logs an error, and connects again, where its partition is missing in an answer, or
    comes later than it waits. One that finds nobody does complain: the error log is read."""
    asyncio.run(topic(installation.kafka, name))
    one = start("kafka-go", installation.kafka, name, LONG_SESSION_MS)
    other = start("kafka-go", installation.kafka, name, LONG_SESSION_MS)
    one.until(lambda: share(one, other), "three and three")
    assert [complaints(reader, FETCHES) for reader in (one, other)] == [[], []]
    lost = start("kafka-go", NOBODY, name, LONG_SESSION_MS)
    lost.until(lambda: bool(errors(lost)), "what is wrong with it")


Kcats = Callable[[str, str], Kcat]


@pytest.fixture
def kcats() -> Iterator[Kcats]:
    """Starts kcats, and ends them with the test."""
    started: list[Kcat] = []

    def begin(bootstrap: str, name: str) -> Kcat:
        started.append(Kcat(bootstrap, name))
        return started[-1]

    yield begin
    for one in started:
        one.end()


def test_kcats_share_a_topic_and_one_leaves(
    installation: Installation, kcats: Kcats, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    one, other = kcats(installation.kafka, name), kcats(installation.kafka, name)
    one.until(lambda: len(one.owned) == 3 and one.owned | other.owned == ALL, "three and three")

    other.close()

    one.until(lambda: one.owned == ALL, "all six")
    assert "ERROR" not in one.said + other.said


def test_kcat_lists_and_queries(installation: Installation, name: str) -> None:
    asyncio.run(topic(installation.kafka, name))

    def said(*words: str) -> str:
        command = (program(), "-b", installation.kafka, *words)
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert f'topic "{name}" with 6 partitions:' in said("-L", "-t", name)
    assert said("-Q", "-t", f"{name}:3:-1") == f"{name} [3] offset 0\n"
    assert said("-C", "-e", "-o", "beginning", "-t", name) == "", "it is at the end at once"


def test_static_threads_of_spring_return_and_disturb_nobody(
    installation: Installation, start: Start, name: str
) -> None:
    """Two listeners of three threads in each process; spring numbers the threads' instance ids."""
    for each in (name, f"{name}-audit"):
        asyncio.run(topic(installation.kafka, each))
    bootstrap, ids = installation.kafka, [f"group.instance.id={name}-{i}" for i in "ab"]
    one = start("spring-kafka", bootstrap, name, LONG_SESSION_MS, ids[0])
    other = start("spring-kafka", bootstrap, name, LONG_SESSION_MS, ids[1])
    one.until(lambda: share(one, other), "three and three")
    had, said = set(other.owned), len(one.events)

    other.close()
    again = start("spring-kafka", bootstrap, name, LONG_SESSION_MS, ids[1])
    again.until(lambda: again.owned == had, "what it had")

    assert again.commit(7) == {str(p): 7 for p in had}
    assert one.events[said:] == []
