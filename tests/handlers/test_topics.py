"""Topics over the wire: made, grown, described and deleted."""

import asyncio
from uuid import UUID, uuid4

import pytest
from psycopg_pool import AsyncConnectionPool

from groups.catalogue.cache import Catalogue
from groups.core.errors import ErrorCode
from groups.postgres.connections import Connection
from protocol.handlers import (
    create_partitions,
    create_topics,
    delete_topics,
    describe_topic_partitions,
    metadata,
)
from protocol.handlers.support.wire_codes import WireCode
from rollcall.wire.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from rollcall.wire.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreatableTopicResult,
    CreateTopicsRequest,
)
from rollcall.wire.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicState,
)
from rollcall.wire.messages.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    TopicRequest,
)
from rollcall.wire.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseTopic,
)
from tests.handlers.world import BROKERS, World, settings

pytestmark = pytest.mark.asyncio

CREATE_VERSIONS = range(2, 8)
METADATA_VERSIONS = range(14)


async def create(
    world: World, *topics: CreatableTopic, version: int = 7, validate_only: bool = False
) -> list[CreatableTopicResult]:
    request = CreateTopicsRequest(topics=list(topics), validate_only=validate_only)
    return list((await world.ask(create_topics.handle, version, request)).topics)


def topic(name: str, partitions: int = 1) -> CreatableTopic:
    return CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)


async def ask_metadata(
    world: World, version: int, *names: str, may_create: bool = False
) -> MetadataResponse:
    topics = [MetadataRequestTopic(name=name) for name in names]
    request = MetadataRequest(topics=topics, allow_auto_topic_creation=may_create)
    return await world.ask(metadata.handle, version, request)


async def described(world: World, name: str, version: int = 12) -> MetadataResponseTopic:
    return (await ask_metadata(world, version, name)).topics[0]


# ---- create


async def test_a_topic_is_created_once(world: World) -> None:
    for version in CREATE_VERSIONS:
        name = f"orders-{version}"
        first, second = [(await create(world, topic(name, 4), version=version))[0] for _ in "ab"]
        assert (first.name, first.error_code, first.error_message) == (name, 0, None)
        assert second.error_code == ErrorCode.TOPIC_ALREADY_EXISTS
        assert second.error_message == f"Topic '{name}' already exists.", "tools look for this"
        if version >= 5:
            assert (first.num_partitions, first.replication_factor) == (4, 1)
            assert ("cleanup.policy", "delete") in {(c.name, c.value) for c in first.configs or []}
        if version >= 7:
            assert first.topic_id == (await described(world, name)).topic_id != UUID(int=0)


@pytest.mark.parametrize(
    "asked",
    [
        [topic("big", 10_001)],
        [topic("a b", 10_001), topic("fine")],
        [*(topic(f"t{i}", 10_000) for i in range(10)), topic("more", 1)],
        [
            *(topic(f"t{i}", 10_000) for i in range(9)),
            topic("one", 9_998),
            CreatableTopic(name="default", num_partitions=-1),
        ],
        [topic("big", 10_001), topic("twice"), topic("twice")],
    ],
)
async def test_a_request_for_too_many_partitions_is_refused_as_a_whole(
    world: World, asked: list[CreatableTopic]
) -> None:
    results = await create(world, *asked)
    assert [r.name for r in results] == [t.name for t in asked]
    assert {r.error_code for r in results} == {ErrorCode.POLICY_VIOLATION}
    assert {r.error_message for r in results} == {
        "A request creates at most 100000 partitions, and at most 10000 of one topic."
    }


async def test_topics_named_twice_are_refused_and_the_others_created(world: World) -> None:
    results = await create(world, topic("twice", 10_000), topic("twice", 10_000), topic("one"))
    assert {r.name: r.error_code for r in results} == {
        "twice": ErrorCode.INVALID_REQUEST,
        "one": 0,
    }


async def test_an_invalid_topic_does_not_affect_the_others(world: World) -> None:
    await create(world, topic("old"))
    twice = topic("twice")
    odd = topic("odd")
    odd.configs = [CreatableTopicConfig(name="no.such.setting", value="1")]
    unreadable = topic("unreadable")
    unreadable.configs = [CreatableTopicConfig(name="retention.ms", value="a day")]
    old = CreatableTopic(name="old", num_partitions=0, replication_factor=3)
    assigned = CreatableTopic(
        name="assigned",
        num_partitions=-1,
        replication_factor=-1,
        assignments=[CreatableReplicaAssignment(partition_index=i, broker_ids=[i]) for i in (0, 1)],
    )
    default = CreatableTopic(name="default", num_partitions=-1, replication_factor=-1)
    results = await create(
        world,
        old,
        topic("new", 2),
        topic("a b"),
        topic("", 1),
        topic("none", 0),
        twice,
        twice,
        odd,
        unreadable,
        assigned,
        default,
        CreatableTopic(name="copies", num_partitions=1, replication_factor=3),
    )
    assert {result.name: result.error_code for result in results} == {
        "old": ErrorCode.TOPIC_ALREADY_EXISTS,
        "new": 0,
        "a b": ErrorCode.INVALID_TOPIC_EXCEPTION,
        "": ErrorCode.INVALID_TOPIC_EXCEPTION,
        "none": ErrorCode.INVALID_PARTITIONS,
        "twice": ErrorCode.INVALID_REQUEST,
        "odd": ErrorCode.INVALID_CONFIG,
        "unreadable": ErrorCode.INVALID_CONFIG,
        "assigned": 0,
        "default": 0,
        "copies": ErrorCode.INVALID_REPLICATION_FACTOR,
    }
    counts = {entry.name: entry.partitions for entry in world.catalogue.all()}
    assert counts == {"assigned": 2, "default": 3, "new": 2, "old": 1}


async def test_validate_only_creates_no_topic(world: World) -> None:
    await create(world, topic("old"))
    old, new = await create(world, topic("old"), topic("new"), validate_only=True)
    assert (old.error_code, new.error_code) == (ErrorCode.TOPIC_ALREADY_EXISTS, 0)
    assert (await described(world, "new")).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


async def test_a_request_of_too_many_topics_creates_none(world: World) -> None:
    results = await create(world, *(topic(f"t{i}") for i in range(1_001)))
    assert {result.error_code for result in results} == {ErrorCode.POLICY_VIOLATION}
    assert world.catalogue.all() == ()


async def test_two_nodes_that_create_the_same_topics_create_each_once(
    world: World, pool: AsyncConnectionPool[Connection]
) -> None:
    other = World(Catalogue(pool))
    topics = [topic(f"t{i}") for i in range(50)]
    answers = await asyncio.gather(create(world, *topics), create(other, *reversed(topics)))
    by_name = [{result.name: result.error_code for result in answer} for answer in answers]
    for name in by_name[0]:
        assert sorted(codes[name] for codes in by_name) == [0, ErrorCode.TOPIC_ALREADY_EXISTS]
    assert world.catalogue.all() == other.catalogue.all()


# ---- grow


async def test_partitions_are_added_and_never_removed(world: World) -> None:
    await create(world, topic("orders", 3))

    async def grow(name: str, count: int, *, validate_only: bool = False) -> int:
        request = CreatePartitionsRequest(
            topics=[CreatePartitionsTopic(name=name, count=count, assignments=None)],
            validate_only=validate_only,
        )
        answer = await world.ask(create_partitions.handle, 3, request)
        return answer.results[0].error_code

    assert await grow("orders", 2) == ErrorCode.INVALID_PARTITIONS
    assert await grow("orders", 3) == ErrorCode.INVALID_PARTITIONS
    assert await grow("nothing", 2) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert await grow("orders", 9, validate_only=True) == 0
    assert len((await described(world, "orders")).partitions) == 3
    assert await grow("orders", 4) == 0
    assert len((await described(world, "orders")).partitions) == 4


# ---- delete


async def delete(
    world: World, version: int, *topics: DeleteTopicState
) -> list[DeletableTopicResult]:
    request = DeleteTopicsRequest(topics=list(topics), topic_names=[t.name or "" for t in topics])
    return list((await world.ask(delete_topics.handle, version, request)).responses)


async def test_topics_are_deleted_by_name_in_every_version(world: World) -> None:
    for version in range(1, 7):
        await create(world, topic("orders"))
        there, missing = await delete(
            world, version, DeleteTopicState(name="orders"), DeleteTopicState(name="nothing")
        )
        assert (there.name, there.error_code) == ("orders", 0)
        assert missing.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert world.catalogue.get("orders") is None


async def test_topics_are_deleted_by_id(world: World) -> None:
    made = (await create(world, topic("orders")))[0]
    unknown = uuid4()
    results = await delete(
        world,
        6,
        DeleteTopicState(topic_id=made.topic_id),
        DeleteTopicState(topic_id=unknown),
        DeleteTopicState(name="orders", topic_id=made.topic_id),
        DeleteTopicState(),
    )
    assert [(r.name, r.topic_id, r.error_code) for r in results] == [
        ("orders", made.topic_id, 0),
        (None, unknown, ErrorCode.UNKNOWN_TOPIC_ID),
        ("orders", made.topic_id, ErrorCode.INVALID_REQUEST),
        (None, UUID(int=0), ErrorCode.INVALID_REQUEST),
    ]


async def test_a_topic_that_is_named_by_name_and_by_id_is_not_deleted(world: World) -> None:
    """As in Kafka: it is not clear what was meant."""
    made = (await create(world, topic("orders")))[0]
    by_id, by_name = DeleteTopicState(topic_id=made.topic_id), DeleteTopicState(name="orders")
    results = await delete(world, 6, by_id, by_name)
    assert {r.error_code for r in results} == {ErrorCode.INVALID_REQUEST}
    assert world.catalogue.get("orders") is not None


# ---- metadata


async def test_metadata_describes_a_topic_in_every_version(world: World) -> None:
    made = (await create(world, topic("orders", 3)))[0]
    for version in METADATA_VERSIONS:
        answer = await ask_metadata(world, version, "orders")
        described_topic = answer.topics[0]
        assert (described_topic.error_code, described_topic.name) == (0, "orders")
        assert [p.partition_index for p in described_topic.partitions] == [0, 1, 2]
        assert [(b.node_id, b.host, b.port) for b in answer.brokers] == [b[:3] for b in BROKERS]
        for part in described_topic.partitions:
            leader = world.cluster.leader(made.topic_id, part.partition_index)
            assert (part.leader_id, part.leader_epoch) == (leader, -1)
            assert list(part.replica_nodes) == list(part.isr_nodes) == [leader]
        assert answer.controller_id == (0 if version >= 1 else -1)
        assert answer.cluster_id == ("cluster-of-tests" if version >= 2 else None)
        assert described_topic.topic_id == (made.topic_id if version >= 10 else UUID(int=0))


async def test_metadata_of_no_names_means_all_topics_or_none(world: World) -> None:
    await create(world, topic("a"), topic("b"))
    for version in METADATA_VERSIONS:
        every = MetadataRequest(topics=None if version else [])
        answer = await world.ask(metadata.handle, version, every)
        assert [t.name for t in answer.topics] == ["a", "b"]
        if version:
            none = await world.ask(metadata.handle, version, MetadataRequest(topics=[]))
            assert list(none.topics) == []


async def test_metadata_by_id_is_served_from_version_twelve(world: World) -> None:
    made = (await create(world, topic("orders")))[0]
    unknown = uuid4()
    request = MetadataRequest(
        topics=[
            MetadataRequestTopic(topic_id=made.topic_id, name=None),
            MetadataRequestTopic(topic_id=unknown, name=None),
        ]
    )
    for version in (12, 13):
        answer = await world.ask(metadata.handle, version, request)
        assert [(t.name, t.topic_id, t.error_code) for t in answer.topics] == [
            ("orders", made.topic_id, 0),
            (None, unknown, ErrorCode.UNKNOWN_TOPIC_ID),
        ]
    for version in (10, 11):
        answer = await world.ask(metadata.handle, version, request)
        assert {t.error_code for t in answer.topics} == {ErrorCode.INVALID_REQUEST}
        assert [t.topic_id for t in answer.topics] == [made.topic_id, unknown], "it is repeated"


async def test_metadata_requested_by_id_ignores_names(world: World) -> None:
    made = (await create(world, topic("orders"), topic("other")))[0]
    topics = [
        MetadataRequestTopic(name="orders"),
        MetadataRequestTopic(name="other"),
        MetadataRequestTopic(topic_id=made.topic_id, name=None),
        MetadataRequestTopic(topic_id=made.topic_id, name="zzz"),
    ]
    answer = await world.ask(metadata.handle, 12, MetadataRequest(topics=topics))
    assert [t.name for t in answer.topics] == ["orders"]


async def test_a_missing_topic_is_created_when_client_and_settings_allow_it(world: World) -> None:
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert (await described(world, "orders")).error_code == unknown

    world.settings = settings(auto_create_topics_enable=False)
    answer = await ask_metadata(world, 12, "orders", may_create=True)
    assert answer.topics[0].error_code == unknown

    world.settings = settings(auto_create_topics_enable=True, num_partitions=5)
    answer = await ask_metadata(world, 12, "orders", "a b", may_create=True)
    assert [(t.error_code, len(t.partitions)) for t in answer.topics] == [
        (0, 5),
        (ErrorCode.INVALID_TOPIC_EXCEPTION, 0),
    ]


async def test_an_invalid_topic_name_gets_an_error_without_a_look_up(cut_off: World) -> None:
    for name in ("a b", "nul\0", ""):
        description = await described(cut_off, name)
        assert description.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION


async def test_authorized_operations_are_returned_on_request(world: World) -> None:
    await create(world, topic("orders"))
    for asked in (True, False):
        request = MetadataRequest(
            topics=[MetadataRequestTopic(name="orders"), MetadataRequestTopic(name="absent")],
            include_cluster_authorized_operations=asked,
            include_topic_authorized_operations=asked,
        )
        answer = await world.ask(metadata.handle, 9, request)
        known, absent = (topic.topic_authorized_operations for topic in answer.topics)
        operations = (known, answer.cluster_authorized_operations)
        assert absent == known
        # Kafka's own sums for a superuser: READ to ALTER_CONFIGS, and CREATE to IDEMPOTENT_WRITE.
        assert operations == ((0b1101_1111_1000, 0b1_1111_1010_0000) if asked else (-(2**31),) * 2)


async def test_a_topic_created_by_another_node_is_found(
    world: World, pool: AsyncConnectionPool[Connection]
) -> None:
    entry = await Catalogue(pool).create("orders", 2)
    assert world.catalogue.get("orders") is None
    assert (await described(world, "orders")).topic_id == entry.topic_id
    assert world.catalogue.by_id(entry.topic_id) == entry


async def test_without_a_database_clients_get_a_retriable_error(cut_off: World) -> None:
    assert (await described(cut_off, "orders")).error_code == WireCode.LEADER_NOT_AVAILABLE
    assert (await create(cut_off, topic("orders")))[0].error_code == WireCode.REQUEST_TIMED_OUT


# ---- describe, page by page


async def page(
    world: World, *names: str, limit: int = 2_000, cursor: Cursor | None = None
) -> DescribeTopicPartitionsResponse:
    request = DescribeTopicPartitionsRequest(
        topics=[TopicRequest(name=name) for name in names],
        response_partition_limit=limit,
        cursor=cursor,
    )
    return await world.ask(describe_topic_partitions.handle, 0, request)


async def test_pages_of_topics_add_up_to_all_of_them(world: World) -> None:
    await create(world, topic("a", 3), topic("b", 1), topic("c", 4))
    told: list[tuple[str | None, list[int]]] = []
    cursor: Cursor | None = None
    while True:
        answer = await page(world, limit=2, cursor=cursor)
        told += [(t.name, [p.partition_index for p in t.partitions]) for t in answer.topics]
        cursor = answer.next_cursor
        if cursor is None:
            break
    assert told == [("a", [0, 1]), ("a", [2]), ("b", [0]), ("c", [0, 1]), ("c", [2, 3])]


async def test_described_topics_come_by_name_with_their_errors(world: World) -> None:
    await create(world, topic("b"))
    answer = await page(world, "c", "b", "a b")
    assert [(t.name, t.error_code) for t in answer.topics] == [
        ("a b", ErrorCode.INVALID_TOPIC_EXCEPTION),
        ("b", 0),
        ("c", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]
    assert answer.next_cursor is None


async def test_a_page_has_at_least_one_partition(world: World) -> None:
    await create(world, topic("a", 2))
    for limit in (0, -1):
        answer = await page(world, "a", limit=limit)
        assert [len(t.partitions) for t in answer.topics] == [1]
        assert answer.next_cursor == Cursor(topic_name="a", partition_index=1)


@pytest.mark.parametrize(("name", "at"), [("a", -1), ("b", 0), ("Z", 0)])
async def test_a_page_begins_within_a_topic_that_is_asked_for(
    world: World, name: str, at: int
) -> None:
    await create(world, topic("a", 2))
    answer = await page(world, "c", "a", "c", cursor=Cursor(topic_name=name, partition_index=at))
    assert [(t.name, t.error_code) for t in answer.topics] == [
        (each, ErrorCode.INVALID_REQUEST) for each in ("c", "a", "c")
    ]
    # a refused client gets no authorized operations
    assert {t.topic_authorized_operations for t in answer.topics} == {-(2**31)}


async def test_a_page_of_all_topics_may_begin_at_a_deleted_one(world: World) -> None:
    await create(world, topic("a"), topic("c"))
    answer = await page(world, cursor=Cursor(topic_name="b", partition_index=3))
    assert [(t.name, t.error_code) for t in answer.topics] == [("c", 0)]
