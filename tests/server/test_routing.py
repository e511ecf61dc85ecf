"""Requests for a group that is elsewhere, still loading, or out of reach; over the wire.

Each group API has its own place for the error; the table below says where.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from benchmarks.wire import create_topic
from groups.core.errors import ErrorCode
from groups.core.rows import slot_of
from groups.postgres import connections
from rollcall.wire.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from rollcall.wire.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.delete_groups import DeleteGroupsRequest
from rollcall.wire.messages.describe_groups import DescribeGroupsRequest
from rollcall.wire.messages.describe_transactions import DescribeTransactionsRequest
from rollcall.wire.messages.end_txn import EndTxnRequest
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.init_producer_id import InitProducerIdRequest
from rollcall.wire.messages.join_group import JoinGroupRequestProtocol
from rollcall.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from rollcall.wire.messages.list_groups import ListGroupsRequest
from rollcall.wire.messages.list_transactions import ListTransactionsRequest
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
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from rollcall.wire.messages.sync_group import SyncGroupRequest
from rollcall.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.draft import raw
from tests.server.client import Client, join
from tests.server.serving import Serving, until

G = "g"
SLOT = slot_of(G)
HOLD_MS = 300
GONE = ErrorCode.NOT_COORDINATOR
AWAY = ErrorCode.COORDINATOR_NOT_AVAILABLE

MOVED = """
WITH other AS (
    INSERT INTO rollcall_node VALUES (9, gen_random_uuid(), 1, 'h', 1, now(), now(), 0, 3000, false)
    RETURNING incarnation)
UPDATE rollcall_slot SET epoch = epoch + 1, node_id = 9,
       incarnation = (SELECT incarnation FROM other) WHERE slot = %s
"""


class Api(NamedTuple):
    """A request, its version, and the places of its error code."""

    name: str
    request: Any
    version: int
    codes: Callable[[Any], list[int]]


def _top(answer: Any) -> list[int]:
    return [answer.error_code]


def _groups(answer: Any) -> list[int]:
    return [group.error_code for group in answer.groups]


def _partitions(answer: Any) -> list[int]:
    return [p.error_code for topic in answer.topics for p in topic.partitions]


COMMIT = OffsetCommitRequest(
    group_id=G,
    topics=[
        OffsetCommitRequestTopic(
            name="t",
            partitions=[
                OffsetCommitRequestPartition(partition_index=p, committed_offset=1) for p in (0, 1)
            ],
        )
    ],
)
FETCH = OffsetFetchRequest(
    group_id=G, topics=[OffsetFetchRequestTopic(name="t", partition_indexes=[0, 1])]
)
FETCH_GROUPS = OffsetFetchRequest(
    groups=[
        OffsetFetchRequestGroup(
            group_id=G, topics=[OffsetFetchRequestTopics(name="t", partition_indexes=[0, 1])]
        )
    ]
)
DELETE = OffsetDeleteRequest(
    group_id=G,
    topics=[
        OffsetDeleteRequestTopic(
            name="t", partitions=[OffsetDeleteRequestPartition(partition_index=0)]
        )
    ],
)

COMMIT_AS_CONSUMER = replace(COMMIT, generation_id_or_member_epoch=1, member_id="m")
FETCH_AS_CONSUMER = OffsetFetchRequest(
    groups=[replace(FETCH_GROUPS.groups[0], member_id="m", member_epoch=1)]
)
TRANSACTION: Any = {"transactional_id": G, "producer_id": 1, "producer_epoch": 0}
COMMIT_IN_TRANSACTION = TxnOffsetCommitRequest(
    **TRANSACTION,
    group_id=G,
    member_id="",
    topics=[
        TxnOffsetCommitRequestTopic(
            name="t",
            partitions=[
                TxnOffsetCommitRequestPartition(
                    partition_index=p, committed_offset=1, committed_metadata=""
                )
                for p in (0, 1)
            ],
        )
    ],
)

TABLE = (
    Api("join", join(G), 3, _top),
    Api("sync", SyncGroupRequest(group_id=G, generation_id=1, member_id="m"), 3, _top),
    Api("heartbeat", HeartbeatRequest(group_id=G, generation_id=1, member_id="m"), 3, _top),
    Api("leave", LeaveGroupRequest(group_id=G, members=[MemberIdentity(member_id="m")]), 4, _top),
    Api("commit", COMMIT, 8, _partitions),
    Api("fetch v1", FETCH, 1, _partitions),
    Api("fetch v7", FETCH, 7, _top),
    Api("fetch v8", FETCH_GROUPS, 8, _groups),
    Api(
        "delete",
        DeleteGroupsRequest(groups_names=[G]),
        2,
        lambda a: [result.error_code for result in a.results],
    ),
    Api("delete offsets", DELETE, 0, _top),
    Api(
        "consumer heartbeat",
        ConsumerGroupHeartbeatRequest(group_id=G, member_id="m", member_epoch=1),
        0,
        _top,
    ),
    Api("commit of a consumer's", COMMIT_AS_CONSUMER, 9, _partitions),
    Api("fetch of a consumer's", FETCH_AS_CONSUMER, 9, _groups),
    Api("commit in a transaction", COMMIT_IN_TRANSACTION, 3, _partitions),
    Api("commit in a transaction, KIP-890", COMMIT_IN_TRANSACTION, 5, _partitions),
    Api("add offsets", AddOffsetsToTxnRequest(**TRANSACTION, group_id=G), 3, _top),
    Api("end transaction", EndTxnRequest(**TRANSACTION, committed=True), 5, _top),
    Api(
        "init producer id",
        InitProducerIdRequest(
            transactional_id=G,
            transaction_timeout_ms=1_000,
            enable2_pc=False,
            keep_prepared_txn=False,
        ),
        4,
        _top,
    ),
)

DESCRIBE = (
    Api("describe", DescribeGroupsRequest(groups=[G]), 5, _groups),
    Api(
        "describe consumer group",
        ConsumerGroupDescribeRequest(group_ids=[G], include_authorized_operations=False),
        0,
        _groups,
    ),
    Api(
        "describe transactions",
        DescribeTransactionsRequest(transactional_ids=[G]),
        0,
        lambda a: [state.error_code for state in a.transaction_states],
    ),
)
LIST = (
    Api("list", ListGroupsRequest(), 5, _top),
    Api("list transactions", ListTransactionsRequest(), 1, _top),
)


@pytest.fixture(autouse=True)
def _prepared_for_long(_prepared: None, settings: Any) -> None:
    """Nobody takes a slot from the dead here; requests are held for a moment."""
    settings.NODE_LEASE_MS = 60_000
    settings.COORDINATOR_LOAD_HOLD_MS = HOLD_MS


@asynccontextmanager
async def loading(served: Serving) -> AsyncIterator[None]:
    """The node has the slots and has not read yet what they hold, as after a takeover."""
    coordinator = served.node.coordinator
    async with coordinator.own.reading:  # a load waits for who reads configuration
        coordinator.drop(list(coordinator.epochs), GONE)
        served.node.keeper.look_soon()
        await until(lambda: SLOT in served.node.keeper.loader.loading)
        yield


async def moved(served: Serving, other: connections.Connection) -> None:
    """The group's slot is another node's from now on."""
    await other.execute(MOVED, [SLOT])
    served.node.keeper.look_soon()
    await until(lambda: SLOT not in served.node.coordinator.epochs)


async def codes_of(client: Client, api: Api) -> set[int]:
    """The codes that the client reads, wherever they stand; there is at least one."""
    codes = api.codes(await client.call(api.request, api.version))
    assert codes, api.name
    return set(codes)


async def test_every_api_reports_a_group_of_another_node(
    served: Serving, other: connections.Connection
) -> None:
    """HS-05: NOT_COORDINATOR, at the place where each API has its error."""
    await create_topic(served.address, "t", 2)
    client = await Client.connect(served.address)
    await moved(served, other)
    table = (*TABLE, *DESCRIBE)
    assert {api.name: await codes_of(client, api) for api in table} == {
        api.name: {GONE} for api in table
    }
    assert [await codes_of(client, api) for api in LIST] == [{ErrorCode.NONE}] * len(LIST)


async def test_every_api_waits_while_the_group_is_loading_and_then_gives_up(
    served: Serving,
) -> None:
    """HS-06: never COORDINATOR_LOAD_IN_PROGRESS, which crashes a common client; heartbeats too. But
    to an administrator's client, as Kafka's: what it is not shown it would take for deleted."""
    await create_topic(served.address, "t", 2)
    table = (*TABLE, *DESCRIBE, *LIST)
    clients = [await Client.connect(served.address) for _ in table]
    async with loading(served):
        start = asyncio.get_running_loop().time()
        answers = await asyncio.gather(*map(codes_of, clients, table))
        waited_ms = (asyncio.get_running_loop().time() - start) * 1000
    others = [{ErrorCode.COORDINATOR_LOAD_IN_PROGRESS}] * len((*DESCRIBE, *LIST))
    assert answers == [{GONE}] * len(TABLE) + others
    assert waited_ms >= HOLD_MS


async def test_a_list_is_answered_once_it_is_complete(served: Serving) -> None:
    """With every group, however its load goes on; nobody reads a part of them."""
    served.node.settings = replace(served.node.settings, coordinator_load_hold_ms=60_000)
    client = await Client.connect(served.address)
    await create_topic(served.address, "t", 2)
    names = {f"g-{n}" for n in range(30)}
    for name in names:
        await client.call(replace(COMMIT, group_id=name), 8)
    async with loading(served):
        client.send(ListGroupsRequest(), 5)
    answer = await client.receive()
    assert (answer.error_code, {g.group_id for g in answer.groups}) == (ErrorCode.NONE, names)


async def test_a_group_of_no_node_is_missing_in_no_list(
    served: Serving, other: connections.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While its owner is away and nobody has taken over, each node says that groups are missing."""
    client = await Client.connect(served.address)
    await moved(served, other)
    assert await codes_of(client, LIST[0]) == {ErrorCode.NONE}, "the other node lists it"
    keeper = served.node.keeper
    monkeypatch.setattr(keeper._observer, "is_overdue", lambda node_id, _now: node_id == 9)
    keeper.look_soon()
    await until(lambda: SLOT not in served.node.cluster.owners)
    assert await codes_of(client, LIST[0]) == {ErrorCode.COORDINATOR_LOAD_IN_PROGRESS}


DRAFT: dict[str, tuple[int, bytes, Callable[[bytes], int]]] = {
    "join": (raw.JOIN_GROUP, raw.join_group(G, 6_000, ["t"], "", "range"), raw.first_code),
    "heartbeat": (raw.HEARTBEAT, raw.heartbeat(G, 1, "c"), raw.first_code),
    "commit": (raw.OFFSET_COMMIT, raw.offset_commit(1, G, {("t", 0): 1}), raw.last_code),
    "fetch": (raw.OFFSET_FETCH, raw.offset_fetch(G, {"t": [0]}), raw.last_code),
}
"""A request of the draft, and where its error stands."""


async def draft_codes(served: Serving) -> dict[str, int]:
    """The error of each request of the draft."""
    client = await raw.Connection.open(served.draft_address)
    heard = {
        name: code(await client.call(key, body, 1 if key == raw.OFFSET_COMMIT else 0))
        for name, (key, body, code) in DRAFT.items()
    }
    client.close()
    await client.writer.wait_closed()
    return heard


async def test_a_draft_consumer_gets_the_same_errors(
    served: Serving, other: connections.Connection
) -> None:
    """Elsewhere: 16. While the group is loaded nothing is held: the draft has a number for that,
    and its consumers ask again."""
    await create_topic(served.address, "t", 1)
    async with loading(served):
        assert await draft_codes(served) == dict.fromkeys(
            DRAFT, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        )
    await until(lambda: SLOT in served.node.coordinator.epochs)
    await moved(served, other)
    assert await draft_codes(served) == dict.fromkeys(DRAFT, GONE)


async def test_clients_are_not_sent_to_a_node_whose_beat_is_overdue(
    served: Serving, other: connections.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It owns the slot still, by the rows; but a client would wait there for its own time limit."""
    client = await Client.connect(served.address)
    await moved(served, other)

    async def found() -> tuple[int, int]:
        answer = await client.call(FindCoordinatorRequest(coordinator_keys=[G]), 4)
        return answer.coordinators[0].error_code, answer.coordinators[0].node_id

    assert await found() == (ErrorCode.NONE, 9)
    keeper = served.node.keeper
    monkeypatch.setattr(keeper._observer, "is_overdue", lambda node_id, _now: node_id == 9)
    keeper.look_soon()
    await until(lambda: SLOT not in served.node.cluster.owners)
    assert await found() == (AWAY, -1)


async def test_requests_that_waited_for_the_load_are_served_after_it(
    served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HS-06: a member's heartbeat, sent before the group was loaded, is answered from its rows."""
    served.node.settings = replace(served.node.settings, coordinator_load_hold_ms=60_000)
    availability = served.node.availability
    of_slot, asked = availability.of_slot, asyncio.Event()

    def noted(slot: int, hold_ms: int) -> Awaitable[ErrorCode]:
        asked.set()
        return of_slot(slot, hold_ms)

    monkeypatch.setattr(availability, "of_slot", noted)
    client = await Client.connect(served.address)
    beat = await client.settled(G)
    async with loading(served):
        asked.clear()
        client.send(beat, 3)
        await asked.wait()
    assert (await client.receive()).error_code == ErrorCode.NONE


async def test_parked_requests_are_answered_when_the_slot_is_lost(
    served: Serving, other: connections.Connection
) -> None:
    """HS-05: within a second of the node's hearing of it, whatever they were parked for."""
    member, newcomer = [await Client.connect(served.address) for _ in range(2)]
    beat = await member.settled(G)
    newcomer.send(join(G), 3)
    await member.hears_of_a_rebalance(beat)
    await moved(served, other)
    answer = await asyncio.wait_for(newcomer.receive(), 1)
    assert answer.error_code == GONE
    assert await codes_of(member, Api("heartbeat", beat, 3, _top)) == {GONE}


# ---- cases of the wire that need no second node


async def test_an_empty_group_id_is_refused(served: Serving) -> None:
    """CJ-03: INVALID_GROUP_ID, and the member id comes back as it was sent."""
    client = await Client.connect(served.address)
    answer = await client.call(join("", "me"), 3)
    assert (answer.error_code, answer.member_id) == (ErrorCode.INVALID_GROUP_ID, "me")


async def test_several_groups_are_read_in_one_request(served: Serving) -> None:
    """OF-11: an entry each, in the order of the request; an unknown group has no offsets."""
    await create_topic(served.address, "t", 2)
    client = await Client.connect(served.address)
    assert await codes_of(client, TABLE[4]) == {ErrorCode.NONE}
    topics = [OffsetFetchRequestTopics(name="t", partition_indexes=[0])]
    groups = [OffsetFetchRequestGroup(group_id=g, topics=topics) for g in ("nobody", G)]
    answer = await client.call(OffsetFetchRequest(groups=groups), 8)
    read = [
        (g.group_id, g.error_code, g.topics[0].partitions[0].committed_offset)
        for g in answer.groups
    ]
    assert read == [("nobody", 0, -1), (G, 0, 1)]


async def test_errors_of_a_group_are_placed_by_version_in_offset_fetch(
    served: Serving, other: connections.Connection
) -> None:
    """OF-12: with each partition and offset -1 in version 1; once, on top, from version 2."""
    client = await Client.connect(served.address)
    await moved(served, other)
    old = await client.call(FETCH, 1)
    read = [(p.error_code, p.committed_offset) for p in old.topics[0].partitions]
    assert read == [(GONE, -1)] * 2
    for version in range(2, 8):
        answer = await client.call(FETCH, version)
        assert (answer.error_code, list(answer.topics)) == (GONE, [])


async def test_a_group_that_does_not_exist_is_dead(served: Serving) -> None:
    """AD-02: without an error before version 6, with one and a sentence from then on."""
    client = await Client.connect(served.address)
    for version in range(7):
        [group] = (await client.call(DescribeGroupsRequest(groups=["nobody"]), version)).groups
        assert (group.group_state, group.protocol_type, list(group.members)) == ("Dead", "", [])
        said = (group.error_code, group.error_message)
        missing = ErrorCode.GROUP_ID_NOT_FOUND, "Group nobody not found."
        assert said == (missing if version == 6 else (0, None))


async def test_a_group_of_another_kind_is_described_in_kafkas_words(served: Serving) -> None:
    """Consoles ask with the request of each kind, and look for these words."""
    await create_topic(served.address, "t", 1)
    client = await Client.connect(served.address)
    joins = ConsumerGroupHeartbeatRequest(
        group_id="modern", member_id="m", member_epoch=0, rebalance_timeout_ms=10_000,
        subscribed_topic_names=["t"], topic_partitions=[],
    )  # fmt: skip
    assert (await client.call(joins, 1)).error_code == ErrorCode.NONE
    await client.settled(G)
    [modern] = (await client.call(DescribeGroupsRequest(groups=["modern"]), 6)).groups
    request = ConsumerGroupDescribeRequest(group_ids=[G], include_authorized_operations=False)
    [classic] = (await client.call(request, 0)).groups
    missing = ErrorCode.GROUP_ID_NOT_FOUND
    told = [(group.error_code, group.error_message) for group in (modern, classic)]
    assert told == [
        (missing, "Group modern is not a classic group."),
        (missing, f"Group {G} is not a consumer group."),
    ]


async def test_descriptions_of_members_have_their_fields(served: Serving) -> None:
    """AD-03: protocol, metadata and assignment once the group is Stable; before the sync only the
    assignment of the generation before, as with Kafka 4.3."""
    client = await Client.connect(served.address)
    beat = await client.settled(G)
    request = DescribeGroupsRequest(groups=[G])
    [stable] = (await client.call(request, 5)).groups
    [member] = stable.members
    assert (stable.group_state, stable.protocol_data) == ("Stable", "range")
    assert (member.member_assignment, member.client_host) == (b"all", "/127.0.0.1")

    protocols = [JoinGroupRequestProtocol(name="range", metadata=b"more")]
    again = replace(join(G, beat.member_id), protocols=protocols)
    joined = await client.call(again, 3)
    assert joined.error_code == ErrorCode.NONE
    [completing] = (await client.call(request, 5)).groups
    [member] = completing.members
    assert (completing.group_state, completing.protocol_data) == ("CompletingRebalance", "")
    assert (member.member_metadata, member.member_assignment) == (b"", b"all")
