"""Limits of durable state: a request above them is refused, and other clients notice nothing."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest

from groups.core.errors import ErrorCode
from groups.postgres.connections import Connection
from groups.reporting.totals import GROUPS, HISTORY, TOPICS, Figure
from protocol.handlers.support.config_resources import Resource
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
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
from tests.server.client import Client, join
from tests.server.serving import Serving, serving
from tests.server.totals import KINDS, NOTES, make, row

FULL = ErrorCode.POLICY_VIOLATION
UNKNOWN = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
SET, DELETE = 0, 1

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
    """A client that creates a lot."""
    return (await limited.connect())[0]


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


async def test_of_too_many_topics_those_within_the_limit_are_created(client: Client) -> None:
    assert await make(client, 1, "a", "b", "c") == [0, 0, 0]

    assert await ask(client, "a", "d", "e", "f", "g") == [0, 0, 0, UNKNOWN, UNKNOWN]
    assert await make(client, 1, "a", "f") == [ErrorCode.TOPIC_ALREADY_EXISTS, FULL]
    assert await ask(client, "a", "f") == [0, UNKNOWN]


async def test_concurrent_requests_share_the_remaining_limit(
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


async def test_metadata_creates_no_more_topics_per_request_than_create_topics(
    served: Serving,
) -> None:
    client, _ = await served.connect()

    codes = await ask(client, *(f"many-{n:04}" for n in range(1_200)))

    assert [codes.count(code) for code in (0, UNKNOWN)] == [1_000, 200]
    assert served.node.totals.figures[TOPICS].now == 1_000


async def test_a_group_above_the_limit_is_refused_and_the_others_continue(
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


async def test_a_transactional_id_above_the_limit_is_refused_and_the_others_continue(
    client: Client,
) -> None:
    assert [await initialise(client, f"pay-{n}") for n in range(6)] == [0, 0, 0, 0, 0, FULL]

    assert await initialise(client, "pay-0") == 0
    assert await initialise(client, "pay-6") == FULL


async def test_a_setting_above_the_limit_is_refused_and_others_can_be_changed(
    client: Client,
) -> None:
    assert [await configure(client, f"g-{n}") for n in range(4)] == [0, 0, 0, FULL]

    assert await configure(client, "g-0", value="8") == 0
    assert await configure(client, "g-1", DELETE) == 0


async def test_admitted_rows_stay_counted_after_a_recount(client: Client, limited: Serving) -> None:
    for n in range(3):
        await configure(client, f"g-{n}")
    await limited.node.totals.look()
    assert await configure(client, "g-3") == FULL
    await configure(client, "g-1", DELETE)

    await limited.node.totals.look()

    assert await configure(client, "g-3") == 0


async def test_a_full_history_is_not_written_and_commits_continue(
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


async def test_reaching_a_limit_is_logged_once(
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


JOURNAL = "SELECT count(*) FROM rollcall_journal WHERE kind <> 'limit-near'"
"""But for what the regular count of rows tells, which comes in the middle of a long flood."""
BYTES = """
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
WHERE relname LIKE 'rollcall\\_%' AND relkind IN ('r', 'p')
"""


HALF = 1_500
"""Of each kind, five times what the server below has room for."""


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


async def test_clients_that_create_everything_reach_the_limits(
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
async def test_creating_ten_times_as_much_keeps_the_database_within_its_limits(
    roomier: Serving, other: Connection
) -> None:
    """The first half fills what may be filled; the second adds next to nothing."""
    clients = [await Client.connect(roomier.address) for _ in range(4)]
    good = await Client.connect(roomier.address)
    assert await make(good, 1, "kept") == [0]
    await other.execute("VACUUM")  # what other tests have left would be freed meanwhile
    beat, sizes = await good.settled("good"), [await row(other, BYTES)]
    for half in range(2):
        for at in range(half * HALF, (half + 1) * HALF, len(clients)):
            await asyncio.gather(*(flood(c, at + n) for n, c in enumerate(clients)))
            assert (await good.call(beat, 3)).error_code == 0
        await roomier.node.totals.look()
        sizes.append(await row(other, BYTES))
        print(f"{HALF} more of each kind asked for: {sizes[-1][0] >> 10} KiB")
    topics, _, groups, ids, configs, _ = await row(other, KINDS)
    assert (topics, configs) == (300, 300)
    assert groups <= 300
    assert ids <= 300 + len(clients)  # what is under way as rows are counted may come on top
    assert sizes[2][0] - sizes[1][0] < (sizes[1][0] - sizes[0][0]) // 2
