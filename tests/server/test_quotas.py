"""Client quotas over the wire: set, described, sent to nodes, journalled, and kept.

Sessions may be as short as 100 ms here, so that no pause is longer than a third of that.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from benchmarks.wire import CLIENT_ID, create_topic
from console.queries.journal_text import sentence
from groups.core.errors import ErrorCode
from groups.core.quotas.entities import Entity, of_client
from groups.models import Journal
from groups.store.sql.quotas import BELL
from protocol.limits.metering import SESSION_SHARE
from rollcall.wire.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    EntryData,
    OpData,
)
from rollcall.wire.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from rollcall.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from rollcall.wire.messages.delete_topics import DeleteTopicsRequest
from rollcall.wire.messages.describe_client_quotas import (
    ComponentData,
    DescribeClientQuotasRequest,
    EntityData,
)
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.in_process import Other
from tests.server.client import Client, hello
from tests.server.serving import Serving, serving, until

ME = CLIENT_ID.decode()
PAUSE_MS = 33
"""The longest here."""
TIME, BYTES, ANSWERS = "request_percentage", "producer_byte_rate", "consumer_byte_rate"
MUTATIONS = "controller_mutation_rate"
LITTLE = 1e-6
"""Whatever is done is too much."""


def changed(*changes: tuple[Entity, Mapping[str, float | None]], only: bool = False) -> Any:
    """A request; None: to be removed."""
    return AlterClientQuotasRequest(
        entries=[
            EntryData(
                entity=[EntityData(entity_type=kind, entity_name=name) for kind, name in entity],
                ops=[
                    OpData(key=key, value=value or 0.0, remove=value is None)
                    for key, value in values.items()
                ],
            )
            for entity, values in changes
        ],
        validate_only=only,
    )


async def alter(client: Client, *changes: Any, only: bool = False) -> list[int]:
    """The codes."""
    answer = await client.call(changed(*changes, only=only), 1)
    return [entry.error_code for entry in answer.entries]


async def described(client: Client, *components: Any, strict: bool = False) -> Any:
    """What there is, by entity."""
    asked = [ComponentData(entity_type=k, match_type=m, match=n) for k, m, n in components]
    answer = await client.call(DescribeClientQuotasRequest(components=asked, strict=strict), 1)
    assert (answer.error_code, answer.error_message) == (0, "")
    return {
        tuple((part.entity_type, part.entity_name) for part in entry.entity): {
            each.key: each.value for each in entry.values
        }
        for entry in answer.entries
    }


@pytest.fixture
async def ops(served: Serving) -> Client:
    """Who has no quota whatever is set below."""
    client, _ = await served.connect()
    client.client_id = b"ops"
    return client


async def test_quotas_are_set_described_and_removed(ops: Client, other: Other) -> None:
    both = of_client("ann", None)
    assert await alter(
        ops, (of_client("ann"), {TIME: 1.5, BYTES: 1024.0}), (both, {TIME: 2.0})
    ) == [
        0,
        0,
    ]
    assert await described(ops) == {of_client("ann"): {TIME: 1.5, BYTES: 1024.0}, both: {TIME: 2.0}}
    assert await described(ops, ("user", 0, "ann"), strict=True) == {
        of_client("ann"): {TIME: 1.5, BYTES: 1024.0}
    }
    assert await alter(ops, (of_client("ann"), {TIME: None, BYTES: 2048.0, MUTATIONS: None})) == [0]
    assert await alter(ops, (of_client("ann"), {BYTES: 2048.0})) == [0]  # as it is already
    assert await described(ops, ("client-id", 2, None)) == {both: {TIME: 2.0}}

    rows = await (
        await other.execute(
            "SELECT kind, client_id, details FROM rollcall_journal"
            " WHERE kind LIKE 'quota-%' ORDER BY id"
        )
    ).fetchall()
    entries = [Journal(kind=kind, client_id=c, details=details) for kind, c, details in rows]
    assert [sentence(entry).partition(") ")[2] for entry in entries] == [
        "set the quota request_percentage of user ann to 1.5 (was not set).",
        "set the quota producer_byte_rate of user ann to 1024 (was not set).",
        "set the quota request_percentage of client-id (default), user ann to 2 (was not set).",
        "removed the quota request_percentage of user ann (was 1.5).",
        "set the quota producer_byte_rate of user ann to 2048 (was 1024).",
    ]
    audited = await (
        await other.execute("SELECT who FROM rollcall_audit WHERE kind LIKE 'quota-%'")
    ).fetchall()
    assert audited == [("User:ANONYMOUS",)] * len(entries)


async def test_an_invalid_change_changes_nothing(ops: Client) -> None:
    """Of an entity; the others are changed. Kafka reports an entity that is named twice, too,
    that it was ignored, and has changed it the first time."""
    ann, ben = of_client("ann"), of_client("ben")
    assert await alter(ops, (ann, {TIME: 1.0}), (ben, {BYTES: 1.0, "nobody": 1.0})) == [0, 42]
    assert await alter(ops, (ann, {TIME: 2.0}), (ann, {BYTES: 2.0})) == [42]
    assert await alter(ops, (ann, {TIME: 3.0}), (ben, {TIME: 0.0}), only=True) == [0, 42]
    assert await described(ops) == {ann: {TIME: 1.0}}


async def test_the_number_of_quotas_is_limited(ops: Client, served: Serving) -> None:
    served.node.quotas._most = 2
    assert await alter(ops, (of_client("a"), {TIME: 1.0, BYTES: 1.0})) == [0]
    assert await alter(ops, (of_client("b"), {TIME: 1.0})) == [ErrorCode.POLICY_VIOLATION]
    assert await alter(ops, (of_client("a"), {TIME: 9.0})) == [0]
    assert await alter(ops, (of_client("a"), {TIME: None}), (of_client("b"), {TIME: 1.0})) == [0, 0]


async def test_the_other_nodes_apply_it(served: Serving, other: Other) -> None:
    """And a row of a later version is left out."""
    await other.execute(
        "INSERT INTO rollcall_quota (entity_type, user_name, client_id, ip, key, value, updated_at)"
        f" VALUES ('user', 'ann', '', '', '{TIME}', 5, now()),"
        f" ('tenant', 'ann', '', '', '{TIME}', 7, now())"
    )
    await other.execute(f"NOTIFY {BELL}")
    await until(lambda: served.node.quotas.of_clients)
    assert served.node.quotas.index.quotas == {of_client("ann"): {TIME: 5.0}}


async def test_a_heartbeat_above_the_quota_is_answered_at_once_and_pauses_its_connection(
    ops: Client, served: Serving
) -> None:
    client, connection = await served.connect()
    beat = await client.settled("g")
    assert await alter(ops, (of_client(client_id=ME), {TIME: LITTLE})) == [0]

    answer = await client.call(beat, 4)

    assert (answer.error_code, answer.throttle_time_ms) == (0, PAUSE_MS)
    client.send(beat, 4)
    assert connection.pauses.muted is not None
    assert not connection._reading
    answer = await client.receive()
    assert (answer.error_code, answer.throttle_time_ms) == (0, PAUSE_MS)


async def test_clients_without_a_quota_use_the_fast_path(ops: Client, served: Serving) -> None:
    client, _ = await served.connect()
    neighbour, _ = await served.connect()
    neighbour.client_id = b"free"
    beat, theirs = await client.settled("g"), await neighbour.settled("h")
    for one, its in ((client, beat), (neighbour, theirs)):
        await one.call(its, 4)
    assert served.server.served["Heartbeat"].errors == {}
    await alter(ops, (of_client("ANONYMOUS", ME), {TIME: LITTLE}))

    assert (await client.call(beat, 4)).throttle_time_ms
    assert not (await neighbour.call(theirs, 4)).throttle_time_ms
    assert served.server.served["Heartbeat"].errors == {0: 1}

    await alter(ops, (of_client("ANONYMOUS", ME), {TIME: None}))
    assert not (await client.call(beat, 4)).throttle_time_ms
    assert served.server.served["Heartbeat"].errors == {0: 1}


@pytest.mark.parametrize("key", [TIME, BYTES, ANSWERS])
async def test_commits_above_the_quota_count_and_are_stored(
    ops: Client, served: Serving, key: str
) -> None:
    """The bytes of an answer count for the next one."""
    await create_topic(served.address, "orders", 1)
    client, _ = await served.connect()
    await alter(
        ops, (of_client(client_id=None), {key: LITTLE}), (of_client(client_id="ops"), {key: 1e9})
    )
    partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=17)
    topic = OffsetCommitRequestTopic(name="orders", partitions=[partition])
    commit = OffsetCommitRequest(group_id="g", generation_id_or_member_epoch=-1, topics=[topic])

    answers = [await client.call(commit, 8) for _ in range(2)]

    assert [a.topics[0].partitions[0].error_code for a in answers] == [0, 0]
    assert [a.throttle_time_ms for a in answers] == [0 if key == ANSWERS else PAUSE_MS, PAUSE_MS]


async def test_clients_that_share_a_quota_are_counted_together(
    ops: Client, served: Serving
) -> None:
    """A user's connections are; two clients of a default quota are not."""
    first, _ = await served.connect()
    second, _ = await served.connect()
    await alter(ops, (of_client("ANONYMOUS", ME), {BYTES: 20.0}))
    while not (await first.call(hello(), 3)).throttle_time_ms:
        pass
    assert (await second.call(hello(), 3)).throttle_time_ms
    await alter(
        ops, (of_client("ANONYMOUS", ME), {BYTES: None}), (of_client(None, None), {BYTES: 20.0})
    )
    second.client_id = b"fresh"
    assert not (await second.call(hello(), 3)).throttle_time_ms


def topics(*names: str, count: int = 10, only: bool = False) -> CreateTopicsRequest:
    return CreateTopicsRequest(
        topics=[CreatableTopic(name=n, num_partitions=count, replication_factor=1) for n in names],
        timeout_ms=5_000,
        validate_only=only,
    )


async def test_changes_of_the_catalogue_have_their_own_quota(ops: Client, served: Serving) -> None:
    """KIP-599: what goes beyond is done once; then newer clients hear how long to wait, and older
    ones are served, and pause."""
    client, _ = await served.connect()
    await alter(ops, (of_client("ANONYMOUS", ME), {MUTATIONS: 1.0}))

    answer = await client.call(topics("a", "b", "c"), 6)
    codes = [topic.error_code for topic in answer.topics]
    assert codes == [0, 0, ErrorCode.THROTTLING_QUOTA_EXCEEDED]
    assert 8_000 < answer.throttle_time_ms <= 9_000
    assert answer.topics[2].error_message == "The throttling quota has been exceeded."
    grown = CreatePartitionsTopic(name="a", count=11, assignments=None)
    growth = CreatePartitionsRequest(topics=[grown], timeout_ms=5_000)
    assert (await client.call(growth, 3)).results[0].error_code == 89
    assert (await client.call(growth, 2)).results[0].error_code == 0
    gone = DeleteTopicsRequest(topic_names=["b"], timeout_ms=5_000)
    refused = await client.call(gone, 5)
    assert (refused.responses[0].error_code, refused.responses[0].name) == (89, "b")
    done = await client.call(gone, 4)
    assert done.responses[0].error_code == 0
    assert done.throttle_time_ms > refused.throttle_time_ms
    assert {t.name for t in served.node.catalogue.all()} == {"a"}


async def test_too_many_connections_from_an_address_are_closed_unread(
    ops: Client, served: Serving
) -> None:
    """After a pause, and they do not count; who is there already stays."""
    here = (("ip", "127.0.0.1"),)
    await alter(ops, (here, {"connection_creation_rate": 1.0}))
    ended = []
    for _ in range(12):
        client, connection = await served.connect()
        client.send(hello(), 3)
        if connection.pauses.muted is not None:
            assert connection._transport is not None and not connection._transport.is_closing()
            ended.append(await client.ended())
    assert ended and not any(ended)
    assert len(ended) < 12
    assert await alter(ops, (here, {"connection_creation_rate": None})) == [0]
    client, _ = await served.connect()
    assert (await client.call(hello(), 3)).error_code == 0


async def test_of_two_throttles_the_longer_applies(served: Serving) -> None:
    """A new connection may have to wait for the node, and for its address."""
    client, connection = await served.connect()
    connection.pauses.mute(1)
    connection.pauses.mute(PAUSE_MS)
    over = asyncio.get_running_loop().create_future()
    served.server.loop.call_later(0.002, over.set_result, None)  # the first has ended
    await over
    assert connection.pauses.muted is not None
    client.send(hello(), 3)
    assert (await client.receive()).error_code == 0


@pytest.mark.usefixtures("_prepared")
async def test_a_throttled_member_stays_a_member(settings: Any) -> None:
    """Over two of its sessions, each of its pauses as long as they may be; who is silent for one
    is no member any more."""
    session_ms = settings.GROUP_MIN_SESSION_TIMEOUT_MS = 1_200
    async with serving() as served:
        ops, client, neighbour = [(await served.connect())[0] for _ in range(3)]
        ops.client_id = b"ops"
        beat = await client.settled("g", session_ms=session_ms)
        await neighbour.settled("h", session_ms=session_ms)
        assert await alter(ops, (of_client(client_id=ME), {TIME: LITTLE})) == [0]
        for _ in range(2 * SESSION_SHARE + 1):
            answer = await client.call(beat, 4)
            pause_ms = session_ms // SESSION_SHARE
            assert (answer.error_code, answer.throttle_time_ms) == (0, pause_ms)
        assert not served.node.coordinator.entries["h"].group.durable.members


async def test_validate_only_counts_as_with_kafka(ops: Client, served: Serving) -> None:
    """Kafka 4.3.1 answers so, of new topics and of new partitions."""
    client, _ = await served.connect()
    assert (await client.call(topics("there", count=1), 6)).topics[0].error_code == 0
    await alter(ops, (of_client("ANONYMOUS", ME), {MUTATIONS: 1.0}))
    codes = [(await client.call(topics(name, only=True), 6)).topics[0].error_code for name in "abc"]
    assert codes == [0, 0, ErrorCode.THROTTLING_QUOTA_EXCEEDED]
    grown = CreatePartitionsTopic(name="there", count=11, assignments=None)
    growth = CreatePartitionsRequest(topics=[grown], timeout_ms=5_000, validate_only=True)
    assert (await client.call(growth, 3)).results[0].error_code == 89


async def test_a_pipelining_client_is_throttled_request_by_request(
    ops: Client, served: Serving
) -> None:
    """In order, and nothing is lost; a client that disconnects leaves nothing behind."""
    client, connection = await served.connect()
    await alter(ops, (of_client(client_id=ME), {BYTES: LITTLE}))
    for _ in range(4):
        client.send(hello(), 3)
    assert [(await client.receive()).throttle_time_ms for _ in range(4)] == [PAUSE_MS] * 4
    client.send(hello(), 3)
    client.abort()
    served.sweep()
    await until(lambda: connection._transport is None)


async def test_metrics_count_throttles_by_the_entity_of_the_quota(
    ops: Client, served: Serving
) -> None:
    client, _ = await served.connect()
    await alter(ops, (of_client("ANONYMOUS", ME), {TIME: LITTLE}))
    await client.call(hello(), 3)
    metering = served.server.metering
    assert metering.pauses == {("user and client-id", TIME): 1}
    assert metering.paused == {("user and client-id", TIME): PAUSE_MS}


async def test_the_number_of_remembered_clients_is_limited(ops: Client, served: Serving) -> None:
    served.server.metering._most = 5
    await alter(ops, (of_client(None, None), {BYTES: 1e6}))
    client, _ = await served.connect()
    for number in range(20):
        client.client_id = b"c%d" % number
        await client.call(hello(), 3)
    assert len(served.server.metering._used) <= 5
    assert len(served.server.metering._limits) <= 5


async def test_while_the_database_is_down_the_outcome_is_unknown(
    ops: Client, served: Serving, other: Other
) -> None:
    """And what is known continues to count."""
    async with other.transaction():
        await other.execute("LOCK TABLE rollcall_quota IN ACCESS EXCLUSIVE MODE")
        assert await alter(ops, (of_client("ann"), {TIME: 1.0})) == [7]
    assert await alter(ops, (of_client("ann"), {TIME: 1.0})) == [0]
