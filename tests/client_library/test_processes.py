"""Library members and stock clients in one group, as real processes; each leads in its turn."""

import asyncio
import time

import pytest

from benchmarks.wire import create_topic
from launcher.installation import Installation
from tests.client_library.conftest import LIBRARY, Join
from tests.client_library.worker import SESSION_MS
from tests.clients.conftest import Worker
from tests.clients.workers import HEARTBEAT_MS

ALL = {0, 1, 2, 3, 4, 5}

PAIRS = (
    pytest.param("kafka-python", "range"),
    pytest.param("confluent-kafka", "range", marks=pytest.mark.long),
    pytest.param("aiokafka", "roundrobin", marks=pytest.mark.long),
    pytest.param("java", "range", marks=pytest.mark.long),
    pytest.param("java-cooperative", "cooperative-sticky", marks=pytest.mark.long),
    pytest.param("confluent-kafka-848", "consumer"),
    pytest.param("java-848", "consumer", marks=pytest.mark.long),
)
"""A stock client, and how the library's member speaks in its group."""


def share(one: Worker, other: Worker) -> bool:
    """Three and three, and all of them."""
    return len(one.owned) == len(other.owned) == 3 and one.owned | other.owned == ALL


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("stock", "how"), PAIRS)
def test_a_library_member_and_a_stock_client_share_and_lead_in_turn(
    stock: str, how: str, installation: Installation, join: Join, name: str
) -> None:
    asyncio.run(create_topic(installation.kafka, name, 6))
    first = join(stock)
    first.until(lambda: first.owned == ALL, "the stock client, which leads, has all six")
    ours = join(LIBRARY, how)
    ours.until(lambda: share(first, ours), "three and three, as the stock client decides")

    first.close()
    ours.until(lambda: ours.owned == ALL, "ours, which leads now, has all six")
    second = join(stock)
    ours.until(lambda: share(second, ours), "three and three, as ours decides")

    assert second.commit(7) == {str(p): 7 for p in second.owned}
    assert ours.commit(8) == {str(p): 8 for p in ours.owned}


@pytest.mark.long
@pytest.mark.timeout(200)
def test_three_libraries_in_one_group(installation: Installation, join: Join, name: str) -> None:
    asyncio.run(create_topic(installation.kafka, name, 6))
    ours = join(LIBRARY, "range,roundrobin")
    ours.until(lambda: ours.owned == ALL, "all six")
    others = [join("kafka-python"), join("confluent-kafka")]

    def is_shared() -> bool:
        shares = [each.owned for each in (ours, *others)]
        return [len(s) for s in shares] == [2, 2, 2] and set().union(*shares) == ALL

    ours.until(is_shared, "two each")
    assert ours.commit(9) == {str(p): 9 for p in ours.owned}


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_dead_library_member_is_removed_when_its_session_ends(
    installation: Installation, join: Join, name: str
) -> None:
    asyncio.run(create_topic(installation.kafka, name, 6))
    one, other = join(LIBRARY, "cooperative-sticky"), join(LIBRARY, "cooperative-sticky")
    one.until(lambda: share(one, other), "three and three")

    other.kill()
    died = time.monotonic()
    one.until(lambda: one.owned == ALL, "the survivor has all six")

    assert time.monotonic() - died > (SESSION_MS - HEARTBEAT_MS) / 1000 - 1
