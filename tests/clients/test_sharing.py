"""Stock clients of three libraries share the partitions of a topic, two processes each."""

import asyncio
import time

import pytest

from launcher.installation import Installation
from tests.clients.conftest import SESSION_MS, Start, Worker, each, topic
from tests.clients.programs import WORKERS
from tests.clients.workers import CLASSIC, HEARTBEAT_MS, LIBRARIES
from tests.installations import SETTINGS

ALL = {0, 1, 2, 3, 4, 5}
LONG_SESSION_MS = 90_000
"""Longer than a stop and a start take on a busy machine: whoever comes back does so in time."""

LEAVES_S = 40
"""Less than any session: of the classic protocol the one above, of the consumer protocol 45 s. What
happens within it happened because somebody left."""


def share(one: Worker, other: Worker) -> bool:
    """Three and three, and all of them."""
    return len(one.owned) == len(other.owned) == 3 and one.owned | other.owned == ALL


# The consumer protocol is not among these: its sessions are the coordinator's, 45 s.
@pytest.mark.parametrize("library", each(WORKERS, CLASSIC, quick="kafka-python"))
def test_two_processes_share_and_one_takes_over_from_a_killed_one(
    library: str, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    one = start(library, installation.kafka, name)
    one.until(lambda: one.owned == ALL, "the first has all six")
    other = start(library, installation.kafka, name)
    one.until(lambda: share(one, other), "three and three")

    other.kill()
    died = time.monotonic()
    one.until(lambda: one.owned == ALL, "the survivor has all six")

    # Not before the session ended either: the dead one might have been alive.
    assert time.monotonic() - died > (SESSION_MS - HEARTBEAT_MS) / 1000 - 1


@pytest.mark.parametrize("library", each(WORKERS, LIBRARIES, quick="aiokafka"))
def test_a_member_that_closes_leaves_at_once(
    library: str, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    one = start(library, installation.kafka, name, LONG_SESSION_MS)
    other = start(library, installation.kafka, name, LONG_SESSION_MS)
    one.until(lambda: share(one, other), "three and three")

    other.close()

    one.until(lambda: one.owned == ALL, "the other has all six", LEAVES_S)
    assert one.process.poll() is None and other.process.returncode == 0


@pytest.mark.parametrize("library", each(WORKERS, LIBRARIES, quick="confluent-kafka"))
def test_the_next_owner_reads_the_commits(
    library: str, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    one = start(library, installation.kafka, name)
    one.until(lambda: one.owned == ALL, "all six")

    assert one.commit(42) == {str(p): 42 for p in ALL}


def test_different_libraries_share_one_group(
    installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    one = start("kafka-python", installation.kafka, name)
    other = start("confluent-kafka", installation.kafka, name)

    one.until(lambda: share(one, other), "three and three")
    assert not one.owned & other.owned and one.owned | other.owned == ALL


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_restart_of_every_process_disturbs_nobody(start: Start, name: str) -> None:
    """Neither lost nor was given anything, in any library: the generations went on."""
    with Installation(SETTINGS) as own:
        pairs = [_pair(start, library, own.kafka, f"{name}-{library}") for library in LIBRARIES]
        said = [[len(worker.events) for worker in pair] for pair in pairs]

        own.stop()
        own.start()

        for (one, other), (by_one, by_other) in zip(pairs, said, strict=True):
            assert one.commit(8) == {str(p): 8 for p in one.owned}
            assert [e["event"] for e in one.events[by_one:]] == ["committed"]
            assert other.events[by_other:] == []


def _pair(start: Start, library: str, bootstrap: str, name: str) -> tuple[Worker, Worker]:
    """Two consumers that share a group of their own and have committed."""
    asyncio.run(topic(bootstrap, name))
    one, other = (start(library, bootstrap, name, LONG_SESSION_MS) for _ in range(2))
    one.until(lambda: share(one, other), "three and three")
    one.commit(7)
    return one, other
