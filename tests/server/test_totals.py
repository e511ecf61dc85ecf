"""How much durable state there may be: who asks for more is told so, and nobody else notices."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Any, NoReturn
from uuid import uuid4

import psycopg
import pytest

from groups.coordinator.totals import GROUPS, HISTORY, OFFSETS, TOPICS, WAITING, Figure
from groups.core.errors import ErrorCode
from groups.postgres.connections import Connection
from groups.store import offsets
from protocol.handlers.support.config_resources import Resource
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from rollcall.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from rollcall.wire.messages.end_txn import EndTxnRequest
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from rollcall.wire.messages.init_producer_id import InitProducerIdRequest
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
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
from rollcall.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.server.client import Client, join
from tests.server.serving import Serving, serving, until

FULL = ErrorCode.POLICY_VIOLATION
UNKNOWN = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
SET, DELETE = 0, 1

NOTES = "SELECT details ->> 'what', details -> 'count' FROM rollcall_journal WHERE kind = %s"
HISTORY_ROWS = "SELECT count(*) FROM rollcall_offset_history WHERE group_id = %s"


@pytest.fixture
async def limited(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    """A server with room for little."""
    settings.TOPICS_MAX = settings.GROUPS_MAX = settings.TRANSACTIONAL_IDS_MAX = 5
    settings.PARTITIONS_MAX = 12
    settings.GROUP_CONFIGS_MAX = 3
    async with serving() as started:
        yield started


@pytest.fixture
async def client(limited: Serving) -> Client:
    """Somebody who asks for much."""
    return (await limited.connect())[0]


async def make(client: Client, partitions: int, *names: str) -> list[int]:
    """CreateTopics: the code of each."""
    one = partial(CreatableTopic, num_partitions=partitions, replication_factor=1)
    wanted = [one(name=name) for name in names]
    request = CreateTopicsRequest(topics=wanted, timeout_ms=5000)
    return [topic.error_code for topic in (await client.call(request, 5)).topics]


async def ask(client: Client, *names: str) -> list[int]:
    """Metadata that may make topics: the code of each."""
    wanted = [MetadataRequestTopic(name=name) for name in names]
    request = MetadataRequest(topics=wanted, allow_auto_topic_creation=True)
    return [topic.error_code for topic in (await client.call(request, 9)).topics]


async def grow(client: Client, name: str, count: int) -> int:
    """CreatePartitions: the code."""
    request = CreatePartitionsRequest(
        topics=[CreatePartitionsTopic(name=name, count=count, assignments=None)], timeout_ms=5000
    )
    (result,) = (await client.call(request, 3)).results
    return int(result.error_code)


async def commit(client: Client, group_id: str, topic: str = "kept") -> int:
    """A commit of no member: the code."""
    partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=7)
    topics = [OffsetCommitRequestTopic(name=topic, partitions=[partition])]
    request = OffsetCommitRequest(group_id=group_id, topics=topics)
    return int((await client.call(request, 8)).topics[0].partitions[0].error_code)


async def configure(client: Client, group_id: str, operation: int = SET, value: str = "9") -> int:
    """One setting of a group: the code."""
    said = None if operation == DELETE else value
    change = AlterableConfig(name="rollcall.max.members", config_operation=operation, value=said)
    resource = AlterConfigsResource(
        resource_type=Resource.GROUP, resource_name=group_id, configs=[change]
    )
    request = IncrementalAlterConfigsRequest(resources=[resource])
    return int((await client.call(request, 1)).responses[0].error_code)


async def initialise(client: Client, transactional_id: str) -> int:
    """InitProducerId: the code."""
    request = InitProducerIdRequest(
        transactional_id=transactional_id, transaction_timeout_ms=60_000
    )
    return int((await client.call(request, 4)).error_code)


async def test_of_too_many_topics_those_are_made_for_which_there_is_room(client: Client) -> None:
    assert await make(client, 1, "a", "b", "c") == [0, 0, 0]

    assert await ask(client, "a", "d", "e", "f", "g") == [0, 0, 0, UNKNOWN, UNKNOWN]
    assert await make(client, 1, "a", "f") == [ErrorCode.TOPIC_ALREADY_EXISTS, FULL]
    assert await ask(client, "a", "f") == [0, UNKNOWN]


async def test_many_who_ask_at_once_find_the_same_room_once(
    client: Client, limited: Serving, other: Connection
) -> None:
    """Whether by CreateTopics, Metadata or CreatePartitions: nothing is written yet when all of
    them have asked."""
    assert await make(client, 1, "a") == [0]
    clients = [await Client.connect(limited.address) for _ in range(9)]
    asked = [
        *(make(one, 2, f"made-{n}", f"more-{n}") for n, one in enumerate(clients[:4])),
        *(ask(one, f"asked-{n}", f"and-{n}") for n, one in enumerate(clients[4:8])),
        grow(clients[8], "a", 9),
    ]
    await asyncio.gather(*asked)

    topics, partitions, *_ = await row(other, KINDS)
    assert topics <= 5
    assert partitions <= 12


async def test_partitions_are_counted_over_all_topics(client: Client, limited: Serving) -> None:
    assert await make(client, 5, "a", "b") == [0, 0]

    assert await make(client, 5, "c") == [FULL]
    assert await grow(client, "a", 8) == FULL
    assert await grow(client, "a", 7) == 0
    assert await ask(client, "c") == [UNKNOWN]
    await limited.node.catalogue.delete("b")
    assert await make(client, 5, "c") == [0]


async def test_metadata_makes_no_more_topics_at_a_time_than_create_topics(served: Serving) -> None:
    client, _ = await served.connect()

    codes = await ask(client, *(f"many-{n:04}" for n in range(1_200)))

    assert [codes.count(code) for code in (0, UNKNOWN)] == [1_000, 200]
    assert served.node.totals.figures[TOPICS].now == 1_000


async def test_a_group_too_many_is_refused_and_the_others_go_on(
    client: Client, limited: Serving
) -> None:
    assert await make(client, 1, "kept") == [0]
    beat = await client.settled("good")
    assert [await commit(client, f"g-{n}") for n in range(4)] == [0, 0, 0, 0]

    assert await commit(client, "g-4") == FULL
    assert (await client.call(join("g-4"), 3)).error_code == FULL
    joining = ConsumerGroupHeartbeatRequest(
        group_id="g-4",
        member_id=str(uuid4()),
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=["kept"],
        topic_partitions=[],
    )
    assert (await client.call(joining, 1)).error_code == FULL
    # What makes no group is answered as ever.
    nobody = HeartbeatRequest(group_id="g-4", generation_id=1, member_id="m")
    assert (await client.call(nobody, 3)).error_code == ErrorCode.UNKNOWN_MEMBER_ID

    assert (await client.call(beat, 3)).error_code == 0
    assert await commit(client, "g-0") == 0
    assert limited.node.totals.figures[GROUPS] == Figure(5, 5)


async def test_a_transactional_id_too_many_is_refused_and_the_others_go_on(client: Client) -> None:
    assert [await initialise(client, f"pay-{n}") for n in range(6)] == [0, 0, 0, 0, 0, FULL]

    assert await initialise(client, "pay-0") == 0
    assert await initialise(client, "pay-6") == FULL


async def test_a_setting_too_many_is_refused_and_others_can_be_changed(client: Client) -> None:
    assert [await configure(client, f"g-{n}") for n in range(4)] == [0, 0, 0, FULL]

    assert await configure(client, "g-0", value="8") == 0
    assert await configure(client, "g-1", DELETE) == 0


async def test_what_was_admitted_stays_counted_when_rows_are_counted(
    client: Client, limited: Serving
) -> None:
    for n in range(3):
        await configure(client, f"g-{n}")
    await limited.node.totals.look()
    assert await configure(client, "g-3") == FULL
    await configure(client, "g-1", DELETE)

    await limited.node.totals.look()

    assert await configure(client, "g-3") == 0


async def test_history_that_is_full_is_not_written_and_commits_go_on(
    client: Client, limited: Serving, other: Connection
) -> None:
    async def rows() -> int:
        row = await (await other.execute(HISTORY_ROWS, ["g"])).fetchone()
        assert row is not None
        return int(row[0])

    await make(client, 1, "kept")
    assert await commit(client, "g") == 0
    assert await rows() == 1

    limited.node.totals.rows[HISTORY].most = 0
    await limited.node.totals.look()
    assert await commit(client, "g") == 0

    assert await rows() == 1


GOOD, NO_ROOM = ErrorCode.NONE, ErrorCode.INVALID_COMMIT_OFFSET_SIZE


async def commit_many(client: Client, group_id: str, partitions: range) -> list[int]:
    """A commit of no member, of partitions of the topic "wide": the code of each."""
    lines = [
        OffsetCommitRequestPartition(partition_index=p, committed_offset=7) for p in partitions
    ]
    topics = [OffsetCommitRequestTopic(name="wide", partitions=lines)]
    request = OffsetCommitRequest(group_id=group_id, topics=topics)
    (told,) = (await client.call(request, 8)).topics
    return [partition.error_code for partition in told.partitions]


async def wait(
    client: Client, producer: tuple[int, int], group_id: str, partitions: range
) -> set[int]:
    """TxnOffsetCommit of the transaction "pay", by a producer (id, epoch): its codes."""
    lines = [
        TxnOffsetCommitRequestPartition(partition_index=p, committed_offset=7) for p in partitions
    ]
    request = TxnOffsetCommitRequest(
        transactional_id="pay",
        group_id=group_id,
        producer_id=producer[0],
        producer_epoch=producer[1],
        topics=[TxnOffsetCommitRequestTopic(name="wide", partitions=lines)],
    )
    (told,) = (await client.call(request, 5)).topics
    return {partition.error_code for partition in told.partitions}


@pytest.fixture
async def of_offsets(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    """A server with room for few offsets, and a topic of many partitions."""
    settings.OFFSETS_MAX, settings.GROUP_OFFSETS_MAX = 300, 200
    settings.TRANSACTIONAL_OFFSETS_MAX = 250
    async with serving() as started:
        client, _ = await started.connect()
        assert await make(client, 1_000, "wide") == [0]
        yield started


async def test_a_group_with_too_many_offsets_goes_on_with_those_it_has(
    of_offsets: Serving, other: Connection
) -> None:
    """Nobody has to wait for the next look at all groups: what was written for it is noticed."""
    client, _ = await of_offsets.connect()
    assert set(await commit_many(client, "greedy", range(200))) == {GOOD}
    await until(lambda: "greedy" in of_offsets.node.coordinator.full)

    codes = await commit_many(client, "greedy", range(190, 210))

    assert codes == [GOOD] * 10 + [NO_ROOM] * 10
    assert set(await commit_many(client, "greedy", range(500, 510))) == {NO_ROOM}
    assert set(await commit_many(client, "modest", range(10))) == {GOOD}
    assert await row(other, KINDS) == (1, 1_000, 2, 0, 0, 210)
    await of_offsets.node.totals.look()
    assert ("committed offsets of 'greedy'", 200) in await (
        await other.execute(NOTES, ["limit-near"])
    ).fetchall()


async def test_what_a_full_group_deletes_makes_room(of_offsets: Serving, other: Connection) -> None:
    client, _ = await of_offsets.connect()
    await commit_many(client, "greedy", range(200))
    await until(lambda: "greedy" in of_offsets.node.coordinator.full)
    await other.execute("DELETE FROM rollcall_offset WHERE partition >= 100")

    await of_offsets.node.totals.look()

    assert set(await commit_many(client, "greedy", range(100, 150))) == {GOOD}


async def test_a_count_that_postgresql_does_not_answer_is_made_again(
    of_offsets: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    totals, asked = of_offsets.node.totals.offsets, 0

    def away() -> NoReturn:
        nonlocal asked
        asked += 1
        raise psycopg.OperationalError

    client, _ = await of_offsets.connect()
    with monkeypatch.context() as patched:
        patched.setattr(totals, "_connections", away)
        await commit_many(client, "greedy", range(200))
        await until(lambda: asked > 0)

    await of_offsets.node.totals.look()
    assert "greedy" in of_offsets.node.coordinator.full


async def test_offsets_that_were_deleted_are_new_again(
    of_offsets: Serving, other: Connection
) -> None:
    client, _ = await of_offsets.connect()
    for number in range(2):
        await commit_many(client, f"greedy-{number}", range(150))
    await of_offsets.node.totals.look()
    assert set(await commit_many(client, "greedy-0", range(150))) == {GOOD}
    await other.execute("UPDATE rollcall_offset SET group_id = 'x' WHERE group_id = 'greedy-0'")

    await of_offsets.node.totals.look()
    assert set(await commit_many(client, "greedy-0", range(150))) == {NO_ROOM}


async def test_where_all_groups_have_too_many_offsets_those_of_few_go_on(
    of_offsets: Serving, other: Connection
) -> None:
    client, _ = await of_offsets.connect()
    for number in range(2):
        await commit_many(client, f"greedy-{number}", range(150))
    await of_offsets.node.totals.look()
    assert of_offsets.node.totals.figures[OFFSETS] == Figure(300, 300)

    assert await commit_many(client, "greedy-0", range(149, 151)) == [GOOD, NO_ROOM]
    assert set(await commit_many(client, "modest", range(100))) == {GOOD}
    assert set(await commit_many(client, "modest", range(100))) == {GOOD}
    assert set(await commit_many(client, "modest", range(100, 101))) == {NO_ROOM}
    assert set(await commit_many(client, "another", range(101))) == {NO_ROOM}

    await other.execute("DELETE FROM rollcall_offset WHERE group_id = 'greedy-1'")
    await of_offsets.node.totals.look()
    assert set(await commit_many(client, "greedy-0", range(150, 160))) == {GOOD}


async def test_offsets_that_wait_for_the_end_of_transactions_have_their_totals(
    of_offsets: Serving, other: Connection
) -> None:
    client, _ = await of_offsets.connect()
    asked = InitProducerIdRequest(transactional_id="pay", transaction_timeout_ms=60_000)
    told = await client.call(asked, 4)
    put = partial(wait, client, (told.producer_id, told.producer_epoch))
    assert await put("greedy", range(200)) == {GOOD}
    await until(lambda: "greedy" in of_offsets.node.totals.offsets.large)
    assert await put("greedy", range(200, 201)) == {NO_ROOM}
    assert await put("other", range(150)) == {GOOD}

    await of_offsets.node.totals.look()

    assert of_offsets.node.totals.figures[WAITING] == Figure(350, 250)
    assert await put("other", range(150, 151)) == {NO_ROOM}
    assert await put("modest", range(50)) == {GOOD}
    assert (await row(other, "SELECT count(*) FROM rollcall_pending_offset"))[0] == 400
    end = EndTxnRequest(
        transactional_id="pay",
        producer_id=told.producer_id,
        producer_epoch=told.producer_epoch,
        committed=False,
    )
    assert (await client.call(end, 4)).error_code == GOOD
    await of_offsets.node.totals.look()
    assert of_offsets.node.totals.figures[WAITING] == Figure(0, 250)


async def test_where_many_offsets_wait_all_of_the_group_are_unstable(
    of_offsets: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offsets, "UNSTABLE_MAX", 5)
    client, _ = await of_offsets.connect()
    assert set(await commit_many(client, "g", range(10))) == {GOOD}
    asked = InitProducerIdRequest(transactional_id="pay", transaction_timeout_ms=60_000)
    told = await client.call(asked, 4)
    put = partial(wait, client, (told.producer_id, told.producer_epoch))

    async def seen() -> list[int]:
        wanted = OffsetFetchRequestTopics(name="wide", partition_indexes=[1, 9])
        group = OffsetFetchRequestGroup(group_id="g", topics=[wanted])
        request = OffsetFetchRequest(groups=[group], require_stable=True)
        (found,) = (await client.call(request, 8)).groups
        return [partition.error_code for partition in found.topics[0].partitions]

    assert await put("g", range(5)) == {GOOD}
    assert await seen() == [ErrorCode.UNSTABLE_OFFSET_COMMIT, GOOD]
    assert await put("g", range(6)) == {GOOD}
    assert await seen() == [ErrorCode.UNSTABLE_OFFSET_COMMIT] * 2


async def test_what_is_nearly_full_is_told_of_once(
    client: Client, limited: Serving, other: Connection
) -> None:
    totals = limited.node.totals

    async def told() -> list[Any]:
        return await (await other.execute(NOTES, ["limit-near"])).fetchall()

    await make(client, 1, "a", "b", "c")
    await totals.look()
    assert await told() == []

    await make(client, 1, "d")
    for _ in range(3):
        await totals.look()

    assert await told() == [(TOPICS, 4)]
    assert totals.figures[TOPICS] == Figure(4, 5)


KINDS = """
SELECT (SELECT count(*) FROM rollcall_topic), (SELECT sum(partitions) FROM rollcall_topic),
       (SELECT count(*) FROM rollcall_group), (SELECT count(*) FROM rollcall_producer),
       (SELECT count(*) FROM rollcall_group_config), (SELECT count(*) FROM rollcall_offset)
"""
JOURNAL = "SELECT count(*) FROM rollcall_journal"
BYTES = """
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
WHERE relname LIKE 'rollcall\\_%' AND relkind IN ('r', 'p')
"""


HALF_S = 30.0


async def flood(client: Client, number: int) -> set[int]:
    """One more of everything; the codes."""
    name = f"flood-{number}"
    return {
        *await make(client, 2, name),
        *await ask(client, f"{name}-asked"),
        await commit(client, name),
        await configure(client, name),
        await initialise(client, name),
    }


async def row(other: Connection, question: str) -> tuple[int, ...]:
    """The only row."""
    found = await (await other.execute(question.encode())).fetchone()
    assert found is not None
    return tuple(map(int, found))


async def test_who_makes_ever_more_of_everything_ends_at_the_limits(
    client: Client, limited: Serving, other: Connection
) -> None:
    """Nor does what is refused leave a trace, and a good member does not notice."""
    good = await Client.connect(limited.address)
    assert await make(client, 1, "kept") == [0]
    beat = await good.settled("good")
    before = await row(other, JOURNAL)

    for number in range(40):
        codes = await flood(client, number)
        if number == 10:
            before = await row(other, JOURNAL)
            assert codes == {FULL, UNKNOWN}
        assert (await good.call(beat, 3)).error_code == 0
        assert await commit(good, "flood-0") == 0

    topics, partitions, groups, ids, configs, offsets = await row(other, KINDS)
    assert (topics, groups, ids, configs) == (5, 5, 5, 3)
    assert partitions <= 12
    assert offsets <= groups
    assert await row(other, JOURNAL) == before


@pytest.fixture
async def roomier(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    """A server with room for what some seconds bring."""
    settings.TOPICS_MAX = settings.GROUPS_MAX = settings.TRANSACTIONAL_IDS_MAX = 300
    settings.GROUP_CONFIGS_MAX, settings.OFFSETS_HISTORY_MAX_MEBIBYTES = 300, 1
    async with serving() as started:
        yield started


@pytest.mark.long
async def test_a_minute_of_making_more_leaves_the_database_as_large_as_its_limits(
    roomier: Serving, other: Connection
) -> None:
    """The first half fills what may be filled; the second adds next to nothing."""
    clients = [await Client.connect(roomier.address) for _ in range(4)]
    good = await Client.connect(roomier.address)
    assert await make(good, 1, "kept") == [0]
    beat, sizes, at = await good.settled("good"), [await row(other, BYTES)], 0
    loop = asyncio.get_running_loop()
    for _ in range(2):
        end = loop.time() + HALF_S
        while loop.time() < end:
            at += len(clients)
            await asyncio.gather(*(flood(c, at + n) for n, c in enumerate(clients)))
            assert (await good.call(beat, 3)).error_code == 0
        sizes.append(await row(other, BYTES))
        print(f"{at} of each kind asked for: {sizes[-1][0] >> 10} KiB")
    topics, _, groups, ids, configs, _ = await row(other, KINDS)
    assert (topics, configs) == (300, 300)
    assert groups <= 300
    assert ids <= 300 + len(clients)  # what is under way as rows are counted may come on top
    assert sizes[2][0] - sizes[1][0] < (sizes[1][0] - sizes[0][0]) // 2
