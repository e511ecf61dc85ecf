"""Stock transactional producers commit offsets and nothing else: all libraries, the same story."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from benchmarks.wire import Peer
from groups.core.errors import ErrorCode
from launcher.installation import Installation
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from tests.clients.conftest import Shell, each, topic
from tests.clients.programs import PRODUCERS

pytestmark = pytest.mark.timeout(900)  # the first of a language builds

DONE = {"done": True}
FENCED = {
    int(ErrorCode.PRODUCER_FENCED),
    int(ErrorCode.INVALID_PRODUCER_EPOCH),
    # librdkafka's own number for either
    -144,
}
NOTHING = (-1, ErrorCode.NONE)
WAITS = (-1, ErrorCode.UNSTABLE_OFFSET_COMMIT)

SEND_AT_THE_COMMIT = ("sarama",)
"""Nothing waits before; the library keeps the offsets itself."""

Make = Callable[[], Shell]


@pytest.fixture
def make(library: str, installation: Installation, name: str) -> Iterator[Make]:
    """Starts producers of a library, all of one transactional id."""
    shells: list[Shell] = []

    def begin() -> Shell:
        shells.append(Shell(PRODUCERS[library].command(installation.kafka, name)))
        assert shells[-1].ask("init") == DONE
        return shells[-1]

    yield begin
    for shell in shells:
        shell.__exit__()


every_library = pytest.mark.parametrize("library", each(PRODUCERS, quick="confluent-kafka"))


async def stored(bootstrap: str, name: str, *, stable: bool) -> tuple[int, int]:
    """The offset of partition 0 of the topic, in the group of the same name, and the error."""
    peer = await Peer.connect(bootstrap)
    topics = [OffsetFetchRequestTopics(name=name, partition_indexes=[0])]
    group = OffsetFetchRequestGroup(group_id=name, topics=topics)
    answer = await peer.call(OffsetFetchRequest(groups=[group], require_stable=stable), 9)
    peer.close()
    [partition] = answer.groups[0].topics[0].partitions
    return partition.committed_offset, partition.error_code


@every_library
def test_offsets_are_visible_from_the_commit_on_and_dropped_by_an_abort(
    make: Make, library: str, installation: Installation, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name, partitions=1))
    producer = make()

    def now(*, stable: bool = False) -> tuple[int, int]:
        return asyncio.run(stored(installation.kafka, name, stable=stable))

    assert producer.ask("begin") == DONE
    assert producer.ask(f"offset {name} {name} 0 7") == DONE
    if library not in SEND_AT_THE_COMMIT:
        assert (now(), now(stable=True)) == (NOTHING, WAITS)
    assert producer.ask("commit") == DONE
    assert now(stable=True) == (7, ErrorCode.NONE)

    assert producer.ask("begin") == DONE
    assert producer.ask(f"offset {name} {name} 0 8") == DONE
    assert producer.ask("abort") == DONE
    assert now(stable=True) == (7, ErrorCode.NONE)

    assert producer.ask("begin") == DONE
    assert producer.ask(f"offset {name} {name} 0 9") == DONE
    assert producer.ask("commit") == DONE
    assert now(stable=True) == (9, ErrorCode.NONE)


@every_library
def test_a_second_producer_of_the_same_id_fences_the_first(
    make: Make, installation: Installation, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name, partitions=1))
    old = make()
    old.ask("begin")
    old.ask(f"offset {name} {name} 0 7")

    new = make()
    new.ask("begin")
    assert new.ask(f"offset {name} {name} 0 70") == DONE
    assert new.ask("commit") == DONE

    assert old.ask("commit").get("error") in FENCED
    assert asyncio.run(stored(installation.kafka, name, stable=True)) == (70, ErrorCode.NONE)
