"""Fetches of offsets that arrive together: few statements, and to each client its own answer."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from benchmarks.wire import create_topic
from groups import event_loop
from groups.core.errors import ErrorCode
from groups.event_loop import Slices
from groups.postgres.connections import Connection
from groups.runtime.offset_reads import AT_ONCE, PARTITIONS_MAX
from groups.store import offsets
from protocol.fast_paths.fetch_fast_path import PARTITIONS_MAX as FAST_MAX
from protocol.fast_paths.fetch_fast_path import FetchFastPath
from protocol.requests import turns
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from tests.server.client import Client
from tests.server.serving import Serving, until

GROUPS, OF_EACH = 30, 3
"""Each group has committed of its partitions what they are called, and a hundred."""


def fetch(group: int, partitions: Sequence[int]) -> OffsetFetchRequest:
    """Of the group of this number."""
    topic = OffsetFetchRequestTopics(name="work", partition_indexes=list(partitions))
    one = OffsetFetchRequestGroup(group_id=f"g{group}", topics=[topic])
    return OffsetFetchRequest(groups=[one], require_stable=group % 2 == 0)


async def commit(client: Client, group: int, group_id: str = "") -> None:
    """Each partition of the group but the last."""
    lines = [
        OffsetCommitRequestPartition(partition_index=p, committed_offset=group * 100 + p)
        for p in range(OF_EACH - 1)
    ]
    topic = OffsetCommitRequestTopic(name="work", partitions=lines)
    reply = await client.call(
        OffsetCommitRequest(group_id=group_id or f"g{group}", topics=[topic]), 8
    )
    assert {p.error_code for p in reply.topics[0].partitions} == {0}


@pytest.fixture
async def clients(served: Serving) -> list[Client]:
    """One for each group, which has committed."""
    made = [(await served.connect())[0] for _ in range(GROUPS)]
    await create_topic(served.address, "work", OF_EACH)
    for group, client in enumerate(made):
        await commit(client, group)
    return made


def lines(answer: Any) -> list[tuple[int, int]]:
    """Error and offset of each partition."""
    (group,) = answer.groups
    assert not group.error_code
    return [(p.error_code, p.committed_offset) for p in group.topics[0].partitions]


@dataclass
class Statements:
    """Statements that wait until they may go; how many have come, how many fetches each read."""

    may_go: asyncio.Event = field(default_factory=asyncio.Event)
    come: int = 0
    read: list[int] = field(default_factory=list)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> Statements:
    """Those of fetches wait."""
    made, of_partitions = Statements(), offsets.of_partitions

    async def held(readers: Any, asked: Any) -> Any:
        made.come += 1
        await made.may_go.wait()
        made.read.append(len(asked))
        return await of_partitions(readers, asked)

    monkeypatch.setattr(offsets, "of_partitions", held)
    return made


async def asking(clients: Sequence[Client], statements: Statements) -> "asyncio.Future[list[Any]]":
    """What will be answered to these clients. The first of them have a statement each."""
    calls = [asyncio.Future[Any]() for _ in clients]
    for number, client in enumerate(clients):
        calls[number] = asyncio.ensure_future(client.call(fetch(number, [1, 0, 2]), 8))
        await until(lambda at=number: statements.come >= min(at + 1, AT_ONCE))  # type: ignore[misc]
    return asyncio.gather(*calls)


async def test_fetches_that_arrive_during_a_read_share_the_next_statement(
    served: Serving, clients: list[Client], statements: Statements
) -> None:
    answers = await asking(clients, statements)
    await until(lambda: len(served.node.offset_reads.waiting) == GROUPS - AT_ONCE)
    statements.may_go.set()
    for group, answer in enumerate(await answers):
        assert lines(answer) == [(0, group * 100 + 1), (0, group * 100), (0, -1)]
    assert sorted(statements.read) == [*[1] * AT_ONCE, GROUPS - AT_ONCE]


async def test_a_disconnect_cancels_no_other_fetch(
    served: Serving, clients: list[Client], statements: Statements
) -> None:
    waiting, leaving = served.node.offset_reads.waiting, clients.pop()
    answers = await asking(clients, statements)
    await until(lambda: len(waiting) == len(clients) - AT_ONCE)
    leaving.send(fetch(0, [0]), 8)
    await until(lambda: len(waiting) == GROUPS - AT_ONCE)
    leaving.abort()
    await until(lambda: waiting[-1].waiter.done())
    statements.may_go.set()
    for group, answer in enumerate(await answers):
        assert lines(answer)[1] == (0, group * 100)
    assert sum(statements.read) == len(clients)


async def test_a_row_too_large_for_a_reply_closes_one_connection_only(
    other: Connection, clients: list[Client], caplog: pytest.LogCaptureFixture
) -> None:
    """No client and no function writes such metadata: only manual changes of the table do."""
    await other.execute(
        "UPDATE rollcall_offset SET metadata = repeat('x', 40000) WHERE group_id = 'g0'"
    )
    clients[0].send(fetch(0, [0]), 8)
    assert not await clients[0].ended()
    assert "40000 is more than" in caplog.text
    assert lines(await clients[1].call(fetch(1, [0]), 8)) == [(0, 100)]


async def test_a_failed_statement_fails_only_its_own_fetches(
    other: Connection, clients: list[Client]
) -> None:
    async with other.transaction():
        await other.execute("LOCK rollcall_offset IN ACCESS EXCLUSIVE MODE")
        for client in clients[:2]:
            answer = await client.call(fetch(0, [0]), 8)
            assert answer.groups[0].error_code == ErrorCode.NOT_COORDINATOR, "clients ask again"
    for group, client in enumerate(clients):
        assert lines(await client.call(fetch(group, [0]), 8)) == [(0, group * 100)]


async def test_many_partitions_at_once_are_read_by_several_statements(
    clients: list[Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groups.runtime.offset_reads.FEW_ROWS", 2)
    answers = await asyncio.gather(
        *(client.call(fetch(n, [0, 1, 1, 9]), 8) for n, client in enumerate(clients))
    )
    for group, answer in enumerate(answers):
        assert lines(answer) == [(0, group * 100), *[(0, group * 100 + 1)] * 2, (0, -1)]


ODD_GROUPS = [
    "g",
    'a "quoted" one',
    "back\\slash",
    "{braces},NULL",
    "NULL",
    " ",
    "ü\u2028",
    "x" * 249,
]
ODD_TOPICS = [
    "work",
    "none",
    "",
    " ",
    'q"uote',
    "b\\",
    "{a,b}",
    "NULL",
    "n\0l",
    "ü\U0001f600",
    "t" * 300,
]
ODD_PARTITIONS = [0, 1, 1, 2, 7, -1, 2**31 - 1, -(2**31)]


@pytest.mark.parametrize("stable", [False, True])
async def test_few_partitions_are_encoded_as_among_many(served: Serving, stable: bool) -> None:
    """For any names and numbers: a large fetch is read by another statement."""
    client, _ = await served.connect()
    await create_topic(served.address, "work", OF_EACH)
    for number, group_id in enumerate(ODD_GROUPS):
        await commit(client, number, group_id)
    more = OffsetFetchRequestTopics(name="work", partition_indexes=[*range(PARTITIONS_MAX)])
    for number, group_id in enumerate(ODD_GROUPS):
        few = [
            OffsetFetchRequestTopics(name=t, partition_indexes=ODD_PARTITIONS) for t in ODD_TOPICS
        ]
        told = []
        for topics in (few, [*few, more]):
            group = OffsetFetchRequestGroup(group_id=group_id, topics=topics)
            answer = await client.call(OffsetFetchRequest(groups=[group], require_stable=stable), 8)
            told.append((answer.groups[0].error_code, answer.groups[0].topics[: len(few)]))
        assert told[0] == told[1]
        assert told[0][1][0].partitions[1].committed_offset == number * 100 + 1


async def test_the_loop_runs_between_the_replies_of_a_statement(
    clients: list[Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses, pause = Counter[str](), Slices.pause

    async def counted(self: Slices) -> None:
        pauses["all"] += 1
        await pause(self)

    monkeypatch.setattr(event_loop, "SLICE_MS", -1)
    monkeypatch.setattr(Slices, "pause", counted)
    await asyncio.gather(*(client.call(fetch(n, [0]), 8) for n, client in enumerate(clients)))
    assert pauses["all"] >= len(clients)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the fast path took each fetch."""
    made, take = list[bool](), FetchFastPath.take

    def noting(path: FetchFastPath, frame: bytes) -> bool:
        made.append(take(path, frame))
        return made[-1]

    monkeypatch.setattr(FetchFastPath, "take", noting)
    return made


def of_topics(count: int) -> OffsetFetchRequest:
    """One partition of each."""
    topics = [OffsetFetchRequestTopics(name=f"t{n}", partition_indexes=[0]) for n in range(count)]
    return OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="g0", topics=topics)])


async def test_of_concurrent_fetches_those_of_many_topics_are_queued(
    served: Serving, taken: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crowd of them would otherwise hold the loop: each takes 50 us."""
    client, _ = await served.connect()
    for turn_s, expected in ((60.0, [True, True]), (0.0, [True, False])):
        monkeypatch.setattr(turns, "TURN_S", turn_s)
        await asyncio.sleep(0)
        for count in (2, 40):
            answer = await client.call(of_topics(count), 8)
            assert len(answer.groups[0].topics) == count
        assert taken == expected
        taken.clear()


async def test_an_unread_long_reply_counts(served: Serving, taken: list[bool]) -> None:
    await create_topic(served.address, "work", FAST_MAX)
    client, _ = await served.connect(receive_buffer=4_096)
    lines = [
        OffsetCommitRequestPartition(partition_index=p, committed_metadata="x" * 4_096)
        for p in range(FAST_MAX)
    ]
    topic = OffsetCommitRequestTopic(name="work", partitions=lines)
    reply = await client.call(OffsetCommitRequest(group_id="g0", topics=[topic]), 8)
    assert {p.error_code for p in reply.topics[0].partitions} == {0}
    client.send(fetch(0, range(FAST_MAX)), 8)
    await until(lambda: bool(served.server.reply_bytes.unread))
    assert taken == [True]
