"""Changes of offsets, configuration or topics by non-members are in the journal:
who it was, what was before and what is after, in the transaction that changes it."""

from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from benchmarks.wire import create_topic
from console.queries.journal_text import sentence
from groups.core.errors import ErrorCode
from groups.postgres.connections import Connection
from protocol.handlers.offset_commit import OUTSIDERS_NOTED_MAX
from rollcall.wire.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from rollcall.wire.messages.delete_groups import DeleteGroupsRequest
from rollcall.wire.messages.delete_topics import DeleteTopicsRequest
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tests.server.client import Client
from tests.server.serving import Serving
from tests.server.test_configs import alter, change

ENTRIES = """
SELECT kind, "trigger", client_id, reason, details, revision FROM rollcall_journal
WHERE group_id = %s AND kind !~ '^(slots|node)-' AND kind <> 'group-created' ORDER BY id
"""


@pytest.fixture
async def client(served: Serving) -> Client:
    await create_topic(served.address, "orders", 3)
    return await Client.connect(served.address)


async def entries_of(other: Connection, group_id: str = "ledger") -> list[Any]:
    """The entries of a group, "" for those of topics; each with its sentence."""
    rows = await (await other.execute(ENTRIES, [group_id])).fetchall()
    names = ("kind", "trigger", "client_id", "reason", "details", "revision")
    found = [SimpleNamespace(**dict(zip(names, row, strict=True))) for row in rows]
    for entry in found:
        assert entry.client_id and entry.details["author"]["client_host"] == "/127.0.0.1", entry
        entry.sentence = sentence(entry)  # type: ignore[arg-type]
    return found


async def set_offsets(client: Client, **offsets: int) -> list[int]:
    """As a tool does: by no member. The codes."""
    partitions = [
        OffsetCommitRequestPartition(partition_index=int(name[1:]), committed_offset=offset)
        for name, offset in offsets.items()
    ]
    topic = OffsetCommitRequestTopic(name="orders", partitions=partitions)
    answer = await client.call(OffsetCommitRequest(group_id="ledger", topics=[topic]), 8)
    return [partition.error_code for t in answer.topics for partition in t.partitions]


async def altered(other: Connection) -> list[Any]:
    """The entries about offsets."""
    return [entry for entry in await entries_of(other) if entry.kind == "offsets-altered"]


async def test_offsets_set_from_outside_are_journalled(client: Client, other: Connection) -> None:
    await set_offsets(client, p0=17, p1=4)
    await set_offsets(client, p0=5)

    first, second = await entries_of(other)
    assert first.kind == second.kind == "offsets-altered"
    assert first.details["before"] == {}
    assert first.details["after"] == {"orders": {"0": 17, "1": 4}}
    assert second.details["before"] == {"orders": {"0": 17}}
    assert second.details["after"] == {"orders": {"0": 5}}
    assert second.details["author"]["client_id"] == second.client_id
    assert second.sentence.endswith(
        "(/127.0.0.1) set 1 offset without being a member: orders-0 to 5 (was 17)."
    )


async def test_commits_of_a_simple_consumer_are_not_journalled_each(
    client: Client, other: Connection, served: Serving
) -> None:
    for offset in range(OUTSIDERS_NOTED_MAX + 5):
        await set_offsets(client, p0=offset)
    assert len(await altered(other)) == OUTSIDERS_NOTED_MAX
    await set_offsets(await Client.connect(served.address), p0=3)  # another client
    assert len(await altered(other)) == OUTSIDERS_NOTED_MAX + 1


async def test_each_change_is_journalled_where_a_group_has_had_members(
    client: Client, other: Connection
) -> None:
    await set_offsets(client, p0=1)
    await other.execute("UPDATE rollcall_group SET protocol_type = 'consumer', revision = 2")
    for offset in range(OUTSIDERS_NOTED_MAX + 5):
        await set_offsets(client, p0=offset)
    assert len(await altered(other)) == OUTSIDERS_NOTED_MAX + 6


async def test_deleted_offsets_are_journalled(client: Client, other: Connection) -> None:
    await set_offsets(client, p0=17)
    partitions = [OffsetDeleteRequestPartition(partition_index=n) for n in (0, 1)]
    topic = OffsetDeleteRequestTopic(name="orders", partitions=partitions)
    request = OffsetDeleteRequest(group_id="ledger", topics=[topic])
    for _ in range(2):  # the second finds nothing to delete
        assert (await client.call(request, 0)).error_code == ErrorCode.NONE

    *_, last = await entries_of(other)
    assert (last.kind, last.details["before"]) == ("offsets-deleted", {"orders": {"0": 17}})
    assert last.sentence.endswith("(/127.0.0.1) deleted 1 offset: orders-0 was 17.")
    kinds = [entry.kind for entry in await entries_of(other)]
    assert kinds == ["offsets-altered", "offsets-deleted"]


async def test_a_deleted_group_is_journalled(client: Client, other: Connection) -> None:
    await set_offsets(client, p0=17, p2=1)
    await client.call(DeleteGroupsRequest(groups_names=["ledger"]), 2)

    *_, last = await entries_of(other)
    assert last.kind == "group-deleted"
    assert last.details["before"] == {"orders": {"0": 17, "2": 1}}
    assert "(/127.0.0.1), with 2 offsets." in last.sentence


async def test_configuration_changes_are_journalled(client: Client, other: Connection) -> None:
    """Also of a group that is not there yet."""
    settings = {"rollcall_freeze": "true", "consumer_session_timeout_ms": "50000"}
    await alter(client, change(32, "ledger", **settings), validate=True)
    assert await entries_of(other) == []
    await alter(client, change(32, "ledger", **settings))
    await alter(client, change(32, "ledger", **settings))  # nothing changes
    await alter(client, change(32, "ledger", rollcall_freeze=None))

    freeze, thaw = await entries_of(other)
    assert freeze.kind == thaw.kind == "config-changed"
    assert freeze.details["before"] == dict.fromkeys(freeze.details["after"])
    assert freeze.details["after"] == {
        "consumer.session.timeout.ms": "50000",
        "rollcall.freeze": "true",
    }
    assert "set consumer.session.timeout.ms to 50000 (was not set); froze the group." in (
        freeze.sentence
    )
    assert thaw.details["before"] == {"rollcall.freeze": "true"}
    assert thaw.sentence.endswith("(/127.0.0.1) thawed the group.")


async def test_topic_changes_and_lost_offsets_are_journalled(
    client: Client, other: Connection
) -> None:
    await set_offsets(client, p0=17, p1=4)
    grown = CreatePartitionsTopic(name="orders", count=5, assignments=None)
    await client.call(CreatePartitionsRequest(topics=[grown], timeout_ms=5_000), 3)
    await client.call(DeleteTopicsRequest(topic_names=["orders"], timeout_ms=5_000), 4)

    made, grew, deleted = await entries_of(other, "")
    assert [entry.kind for entry in (made, grew, deleted)] == [
        "topic-created",
        "topic-grown",
        "topic-deleted",
    ]
    assert {entry.details["topic"] for entry in (made, grew, deleted)} == {"orders"}
    assert made.details["after"] == {"partitions": 3}
    assert (grew.details["before"], grew.details["after"]) == ({"partitions": 3}, {"partitions": 5})
    assert UUID(deleted.details["before"].pop("topic_id")).version == 4
    assert deleted.details["before"] == {"partitions": 5} and "after" not in deleted.details
    assert grew.sentence.endswith(
        "(/127.0.0.1) added partitions to the topic orders (3 to 5 partitions)."
    )

    *_, lost = await entries_of(other)
    assert (lost.kind, lost.trigger) == ("offsets-deleted", "topic-deleted")
    assert lost.details["before"] == {"orders": {"0": 17, "1": 4}}
    assert "deleted 2 offsets with their topic: orders-0 was 17, orders-1 was 4." in lost.sentence
    (revision,) = (await (await other.execute("SELECT revision FROM rollcall_group")).fetchall())[0]
    assert lost.revision == revision


async def test_refused_changes_are_not_journalled(client: Client, other: Connection) -> None:
    """A trigger of the test's own fails the deletion after the journal was written."""
    await set_offsets(client, p0=17)
    await other.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
        " $$BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '57014'; END$$;"
        "CREATE CONSTRAINT TRIGGER refuse AFTER DELETE ON rollcall_offset DEFERRABLE"
        " INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()"
    )
    try:
        answer = await client.call(DeleteTopicsRequest(topic_names=["orders"], timeout_ms=5_000), 4)
        assert answer.responses[0].error_code != ErrorCode.NONE
    finally:
        await other.execute("DROP FUNCTION refuse CASCADE")
    assert [entry.kind for entry in await entries_of(other)] == ["offsets-altered"]
    assert [entry.kind for entry in await entries_of(other, "")] == ["topic-created"]


async def test_ten_thousand_offsets_take_one_statement(
    client: Client, other: Connection, database_url: str
) -> None:
    """One entry for each group, with the first thousand of many partitions."""
    await other.execute(
        "INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch,"
        " metadata, committed_at) SELECT 'g-' || n % 4, 'orders', n, n, -1, '', now()"
        " FROM generate_series(0, 9999) AS n"
    )
    answer = await client.call(DeleteTopicsRequest(topic_names=["orders"], timeout_ms=30_000), 4)
    assert answer.responses[0].error_code == ErrorCode.NONE

    for n in range(4):
        (entry,) = await entries_of(other, f"g-{n}")
        assert entry.details["offsets"] == 2_500
        before = entry.details["before"]["orders"]
        assert len(before) == 1_000 and before[str(n)] == n
        assert "2,500 offsets with their topic" in entry.sentence and "2,497 more" in entry.sentence
