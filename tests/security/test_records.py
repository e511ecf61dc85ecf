"""Every API that changes what is durable leaves a record of who did it, in the transaction that
changes it: principal, client id, address, and what was before and after.

``RECORDS`` is compared with the table of APIs: one without a row fails, and so does a row that is
not true of the server.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from enum import Enum, auto
from typing import Any

import pytest

from benchmarks.wire import CLIENT_ID
from protocol.apis import APIS
from protocol.connection.listeners import Listener, Security
from protocol.draft_apis import DRAFT_APIS
from rollcall.wire.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from rollcall.wire.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from rollcall.wire.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from rollcall.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from rollcall.wire.messages.delete_groups import DeleteGroupsRequest
from rollcall.wire.messages.delete_topics import DeleteTopicsRequest
from rollcall.wire.messages.describe_groups import DescribeGroupsRequest
from rollcall.wire.messages.end_txn import EndTxnRequest
from rollcall.wire.messages.init_producer_id import InitProducerIdRequest
from rollcall.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
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
from rollcall.wire.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from rollcall.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.in_process import Other
from tests.security.test_sasl import make_user, with_scram
from tests.server.client import Client
from tests.server.serving import Serving, serving
from tests.server.test_configs import alter, change


class Record(Enum):
    """What an API leaves behind."""

    NOTHING = auto()  # it changes no durable row
    JOURNAL = auto()  # an entry with its author
    HISTORY = auto()  # a row of the history of offsets with its author
    MEMBER = auto()  # an entry about a member's own doing, with its id and client id
    PRODUCER = auto()  # a producer's own rows; what it commits is in the history of offsets


NOTHING, JOURNAL, HISTORY, MEMBER, PRODUCER = Record

RECORDS = {
    0: NOTHING,
    1: NOTHING,
    2: NOTHING,
    3: JOURNAL,  # where auto.create.topics.enable creates a topic that is requested
    8: HISTORY,  # and an entry of the journal, where it is no member that commits
    9: NOTHING,
    10: NOTHING,
    11: MEMBER,
    12: NOTHING,
    13: MEMBER,  # and an entry with its author, where it is not the member that leaves
    14: MEMBER,
    15: NOTHING,
    16: NOTHING,
    17: NOTHING,
    18: NOTHING,
    19: JOURNAL,
    20: JOURNAL,
    22: PRODUCER,
    25: PRODUCER,
    26: PRODUCER,
    28: HISTORY,
    29: NOTHING,
    30: JOURNAL,
    31: JOURNAL,
    32: NOTHING,
    35: NOTHING,
    36: NOTHING,
    37: JOURNAL,
    42: JOURNAL,
    44: JOURNAL,
    47: JOURNAL,
    48: NOTHING,
    49: JOURNAL,
    50: NOTHING,
    51: JOURNAL,
    60: NOTHING,
    65: NOTHING,
    66: NOTHING,
    68: MEMBER,
    69: NOTHING,
    74: NOTHING,
    75: NOTHING,
    10000: MEMBER,
    10001: NOTHING,  # what a member obeys is noted, and shown, as long as it is one
    10002: MEMBER,
    10010: NOTHING,
    10011: MEMBER,
}

DURABLE = (
    "group", "member", "command", "offset", "producer", "txn_group", "pending_offset", "pause",
    "topic", "group_config", "journal", "operation", "offset_history", "credential", "acl", "quota",
)  # fmt: skip
"""Tables of what is not forgotten. Liveness, beats, and who obeys a pause are noted as they are."""

WHO = {"principal": "User:ann", "client_id": CLIENT_ID.decode(), "client_host": "/127.0.0.1"}


@pytest.fixture
async def served(_prepared: None, settings: Any, other: Other) -> AsyncIterator[Serving]:
    """A server with a SASL listener and a user, Ann."""
    settings.AUTO_CREATE_TOPICS_ENABLE = True
    await other.execute("DELETE FROM rollcall_credential")
    await make_user(other, "ann")
    where = (Listener("SASL", "127.0.0.1", 0, Security.SASL_PLAINTEXT),)
    async with serving(where) as started:
        yield started


@pytest.fixture
async def ann(served: Serving) -> Client:
    """Who has authenticated."""
    client, _ = await served.connect()
    assert (await with_scram(client, "ann")).error_code == 0
    return client


async def rows(other: Other, table: str) -> list[Any]:
    cursor = await other.execute(f"SELECT * FROM rollcall_{table} ORDER BY 1, 2".encode())
    return await cursor.fetchall()


def test_every_api_has_a_row() -> None:
    """Say in ``RECORDS`` what a new one leaves behind, and show it below."""
    assert RECORDS.keys() == APIS.keys()
    assert DRAFT_APIS.keys() <= RECORDS.keys()


# -- what is written by whom


async def create(client: Client, name: str = "orders") -> None:
    topic = CreatableTopic(name=name, num_partitions=3, replication_factor=1)
    answer = await client.call(CreateTopicsRequest(topics=[topic], timeout_ms=5_000), 5)
    assert answer.topics[0].error_code == 0


async def grow(client: Client) -> None:
    grown = CreatePartitionsTopic(name="orders", count=5, assignments=None)
    await client.call(CreatePartitionsRequest(topics=[grown], timeout_ms=5_000), 3)


async def ask_for_a_topic(client: Client) -> None:
    topics = [MetadataRequestTopic(name="invoices")]
    await client.call(MetadataRequest(topics=topics, allow_auto_topic_creation=True), 12)


async def configure(client: Client) -> None:
    await alter(client, change(32, "ledger", consumer_session_timeout_ms="50000"))


def offsets(group: str, *, member_id: str = "", generation: int = -1) -> OffsetCommitRequest:
    partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=17)
    topic = OffsetCommitRequestTopic(name="orders", partitions=[partition])
    return OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=generation,
        member_id=member_id,
        topics=[topic],
    )


async def set_offsets(client: Client) -> None:
    """As kafka-consumer-groups --reset-offsets does."""
    await client.call(offsets("ledger"), 8)


async def delete_offsets(client: Client) -> None:
    partitions = [OffsetDeleteRequestPartition(partition_index=0)]
    topic = OffsetDeleteRequestTopic(name="orders", partitions=partitions)
    await client.call(OffsetDeleteRequest(group_id="ledger", topics=[topic]), 0)


async def delete_group(client: Client) -> None:
    await client.call(DeleteGroupsRequest(groups_names=["ledger"]), 2)


async def delete_topic(client: Client) -> None:
    await client.call(DeleteTopicsRequest(topic_names=["orders"], timeout_ms=5_000), 4)


WRITES: tuple[tuple[int, Callable[[Client], Awaitable[None]], str, Any, Any], ...] = (
    (19, create, "topic-created", None, {"partitions": 3}),
    (37, grow, "topic-grown", {"partitions": 3}, {"partitions": 5}),
    (3, ask_for_a_topic, "topic-created", None, {"partitions": 1}),
    (
        44,
        configure,
        "config-changed",
        {"consumer.session.timeout.ms": None},
        {"consumer.session.timeout.ms": "50000"},
    ),
    (8, set_offsets, "offsets-altered", {}, {"orders": {"0": 17}}),
    (47, delete_offsets, "offsets-deleted", {"orders": {"0": 17}}, None),
    (42, delete_group, "group-deleted", {}, None),
    (20, delete_topic, "topic-deleted", {"partitions": 5}, None),
)
"""API, what is done, the entry's kind, before and after. In this order."""


async def test_authors_of_changes_are_in_the_journal(ann: Client, other: Other) -> None:
    """That both are of one transaction: tests/server/test_audit.py."""
    for key, act, kind, before, after in WRITES:
        last = await (
            await other.execute("SELECT coalesce(max(id), 0) FROM rollcall_journal")
        ).fetchone()
        assert last is not None
        await act(ann)
        told = await (
            await other.execute(
                "SELECT details FROM rollcall_journal WHERE id > %s AND kind = %s", [*last, kind]
            )
        ).fetchall()
        assert len(told) == 1, (key, told)
        ((details,),) = told
        assert details["author"] == WHO, key
        found = details.get("before")
        if found is not None and key == 20:
            found.pop("topic_id")
        assert (found, details.get("after")) == (before, after), key


def test_every_entry_with_an_author_is_shown() -> None:
    shown = {key for key, *_ in WRITES} | {
        8,
        30,
        31,
        49,
        51,
    }  # test_acls.py, tests/server/test_quotas.py
    assert {key for key, record in RECORDS.items() if record is JOURNAL} <= shown


HISTORY_ROWS = """
SELECT committed_offset, member_id, client_id, client_host, principal
FROM rollcall_offset_history WHERE group_id = %s
"""


async def test_committers_are_in_the_history_of_offsets(ann: Client, other: Other) -> None:
    """A member by the fast path, a non-member by the queue, and a transaction."""
    await create(ann)
    beat = await ann.settled("packers")
    commit = offsets("packers", member_id=beat.member_id, generation=beat.generation_id)
    assert (await ann.call(commit, 7)).topics[0].partitions[0].error_code == 0
    await set_offsets(ann)
    await in_a_transaction(ann)

    for group, member_id in (("packers", beat.member_id), ("ledger", ""), ("paid", "")):
        found = await (await other.execute(HISTORY_ROWS, [group])).fetchall()
        assert found == [(17, member_id, WHO["client_id"], WHO["client_host"], WHO["principal"])]


async def in_a_transaction(client: Client) -> None:
    """All four requests."""
    given = await client.call(
        InitProducerIdRequest(transactional_id="pay", transaction_timeout_ms=60_000), 2
    )
    named = {
        "transactional_id": "pay",
        "producer_id": given.producer_id,
        "producer_epoch": given.producer_epoch,
    }
    assert (await client.call(AddOffsetsToTxnRequest(group_id="paid", **named), 1)).error_code == 0
    partition = TxnOffsetCommitRequestPartition(partition_index=0, committed_offset=17)
    topic = TxnOffsetCommitRequestTopic(name="orders", partitions=[partition])
    put = TxnOffsetCommitRequest(group_id="paid", topics=[topic], **named)
    assert (await client.call(put, 2)).topics[0].partitions[0].error_code == 0
    assert (await client.call(EndTxnRequest(committed=True, **named), 1)).error_code == 0


@pytest.mark.parametrize("is_another", [True, False])
async def test_authors_of_removals_are_in_the_journal(
    ann: Client, other: Other, is_another: bool
) -> None:
    """As kafka-consumer-groups does (KIP-345); a member that leaves is recorded as usual."""
    beat = await ann.settled("packers")
    leaver = MemberIdentity(member_id=beat.member_id, group_instance_id=None)
    frame = ann.packed(LeaveGroupRequest(group_id="packers", members=[leaver]), 3)
    tool = b"a-tool"[: len(CLIENT_ID)].ljust(len(CLIENT_ID), b"-")
    ann.writer.write(frame.replace(CLIENT_ID, tool, 1) if is_another else frame)
    assert (await ann.receive()).members[0].error_code == 0

    found = await (
        await other.execute(
            "SELECT member_id, details FROM rollcall_journal WHERE kind = 'member-expelled'"
        )
    ).fetchall()
    expected = [(beat.member_id, {"author": {**WHO, "client_id": tool.decode()}})]
    assert found == (expected if is_another else [])
    entries = await (
        await other.execute(
            "SELECT client_id FROM rollcall_journal WHERE member_id = %s AND kind = 'emptied'",
            [beat.member_id],
        )
    ).fetchall()
    assert entries == [(CLIENT_ID.decode(),)]


# -- what is not written


SAMPLES: dict[int, Any] = {
    9: OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="ledger", topics=None)]),
    15: DescribeGroupsRequest(groups=["packers", "ledger"]),
    69: ConsumerGroupDescribeRequest(group_ids=["packers"]),
}
"""Where the request as it is made does not say enough to be answered with anything."""


async def test_validate_only_changes_nothing(ann: Client, served: Serving, other: Other) -> None:
    await create(ann)
    await set_offsets(ann)
    beat = await ann.settled("packers")
    before = {table: await rows(other, table) for table in DURABLE}
    for key in (key for key, record in RECORDS.items() if record is NOTHING):
        api = APIS[key]
        request = beat if key == 12 else SAMPLES.get(key, api.request())
        if key in (17, 36):
            continue  # those of the login above
        client, _ = await served.connect()
        assert (await with_scram(client, "ann")).error_code == 0
        client.send(request, api.max_version)
        if key not in (0, 1):  # one with acks=0 has no answer; an empty fetch waits for records
            await client.receive()
        client.close()
    for table in DURABLE:
        assert await rows(other, table) == before[table], table
