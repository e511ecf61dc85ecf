"""A client that knows nothing but the published draft, against a server of this process."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from groups.core.assignment import partitions_of
from groups.core.draft.group import DraftGroup
from groups.core.rows import SLOTS
from groups.core.subscription import topics_of
from groups.postgres import connections
from rollcall.wire.messages.describe_groups import DescribeGroupsRequest
from rollcall.wire.messages.list_groups import ListGroupsRequest
from tests import rows
from tests.draft.raw import HEARTBEAT, Connection, Consumer, heartbeat
from tests.server.client import join
from tests.server.conftest import _prepared as _prepared
from tests.server.serving import Serving, serving

Make = Callable[..., Consumer]


@pytest.fixture
async def served(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    settings.CONSUMER_MIN_SESSION_TIMEOUT_MS = 100
    async with serving() as started:
        await started.node.catalogue.create_many({"orders": 4, "logs-1": 1, "logs-2": 2})
        yield started


@pytest.fixture
async def consumer(served: Serving) -> AsyncIterator[Make]:
    made: list[Consumer] = []

    def make(**options: Any) -> Consumer:
        said = {"group": "g", "topics": ["orders"], **options}
        made.append(Consumer(served.draft_address, **said))
        return made[-1]

    yield make
    for one in made:
        one.close()


async def pair(make: Make, **options: Any) -> tuple[Consumer, Consumer]:
    """Two consumers in generation 2."""
    a, b = make(**options), make(**options)
    await a.join()
    joining = asyncio.create_task(b.join())
    await a.until_rejoin()
    await a.join()
    await joining
    return a, b


async def test_two_consumers_share_a_topic(consumer: Make) -> None:
    """DR-01, DR-03: at once for the first; together for both."""
    a = consumer()
    first = await a.join()
    assert (first.error, first.generation, first.parts) == (0, 1, {"orders": [0, 1, 2, 3]})
    assert first.consumer_id.startswith("g-")

    b = consumer()
    joining = asyncio.create_task(b.join())
    await a.until_rejoin()
    assert (await a.join()).generation == 2
    assert (await joining).error == 0

    owned = sorted(a.parts["orders"] + b.parts["orders"])
    assert owned == [0, 1, 2, 3] and len(a.parts["orders"]) == 2
    assert [await a.heartbeat(), await b.heartbeat()] == [0, 0]


async def test_refusals_have_the_drafts_error_codes(consumer: Make) -> None:
    """DR-02."""
    a = consumer()
    unknown = await a.join("stranger")
    assert (unknown.error, unknown.generation, unknown.consumer_id) == (25, 0, "stranger")
    assert (await consumer(strategy="sticky").join()).error == 24
    assert (await consumer(session_ms=30_001).join()).error == 26
    assert (await consumer(session_ms=99).join()).error == 26
    await a.join()
    other = await consumer(strategy="roundrobin").join()
    assert (other.error, other.parts) == (23, {})
    assert await a.heartbeat() == 0
    assert (await consumer(group="").join()).error == -1


async def test_commits_are_fenced_and_read_back(consumer: Make) -> None:
    """DR-07, in the versions of the time."""
    a, b = await pair(consumer)
    mine, other = a.parts["orders"][0], b.parts["orders"][0]

    assert await a.commit({("orders", mine): 7}) == {("orders", mine): 0}
    assert await a.commit({("orders", mine): 8}, version=2) == {("orders", mine): 0}
    both = {("orders", mine): 9, ("orders", other): 9}
    assert set((await a.commit(both)).values()) == {27}
    nowhere = {("orders", mine): 8, ("nothing", 0): 1}
    assert await a.commit(nowhere) == {("nothing", 0): 3, ("orders", mine): 0}
    a.generation -= 1
    assert await a.commit({("orders", mine): 10}) == {("orders", mine): 22}

    found = await b.fetch({"orders": [mine, other]})
    assert found == {("orders", mine): (8, "", 0), ("orders", other): (-1, "", 0)}
    found = await b.fetch({"orders": [mine, other]}, version=0)
    assert found == {("orders", mine): (8, "", 0), ("orders", other): (-1, "", 3)}


async def test_simple_offsets_serve_the_groups_first_consumer(consumer: Make) -> None:
    """v0 knows no consumer: such a commit makes a group that only keeps offsets."""
    simple = consumer()
    assert await simple.commit({("orders", 1): 5}, version=0) == {("orders", 1): 0}
    assert (await simple.join()).generation == 1
    assert await simple.fetch({"orders": [1]}) == {("orders", 1): (5, "", 0)}
    # in a group that has consumers, a commit without a consumer is refused
    assert await simple.commit({("orders", 1): 6}, version=0) == {("orders", 1): 25}


async def test_leaving_gives_everything_to_the_other(consumer: Make) -> None:
    a, b = await pair(consumer)
    assert await a.leave() == 0
    assert await a.leave() == 25
    await b.until_rejoin()
    assert (await b.join()).parts == {"orders": [0, 1, 2, 3]}


async def test_a_newcomer_that_hangs_up_before_it_has_its_id_gets_nothing(
    served: Serving, consumer: Make
) -> None:
    """Nobody would work on its partitions until its session had ended."""
    a, b = consumer(), consumer()
    await a.join()
    joining = asyncio.create_task(b.join())
    await a.until_rejoin()
    joining.cancel()
    b.close()
    group = served.node.coordinator.group("g")
    while isinstance(group, DraftGroup) and group.live.newcomers:
        await asyncio.sleep(0)
        group = served.node.coordinator.group("g")
    again = await a.join()
    assert (again.generation, again.parts) == (2, {"orders": [0, 1, 2, 3]})


async def test_a_wildcard_is_resolved_by_the_consumer(served: Serving, consumer: Make) -> None:
    """Wildcard Subscription: an empty Metadata list brings every topic."""
    a = consumer()
    known = await a.metadata()
    assert known.brokers == {0: served.draft_address}
    assert known.topics["logs-2"] == [0, 1]
    a.topics = sorted(topic for topic in known.topics if topic.startswith("logs-"))
    assert (await a.join()).parts == {"logs-1": [0], "logs-2": [0, 1]}
    assert (await a.metadata(["or/ders"])).errors == {"or/ders": 17}


async def test_more_partitions_raise_the_generation(served: Serving, consumer: Make) -> None:
    """Partition changes for subscribed topics."""
    a = consumer()
    await a.join()
    await served.node.catalogue.grow("orders", 6)
    await a.until_rejoin()
    reply = await a.join()
    assert (reply.generation, reply.parts) == (2, {"orders": [0, 1, 2, 3, 4, 5]})


async def test_a_topic_created_later_is_assigned(served: Serving, consumer: Make) -> None:
    a = consumer(topics=["later"])
    assert (await a.join()).parts == {}
    await served.node.catalogue.create("later", 2)
    await a.until_rejoin()
    assert (await a.join()).parts == {"later": [0, 1]}


async def one_disconnected(consumer: Make) -> tuple[Consumer, Consumer]:
    """Two consumers, of which the second sent no heartbeat for a session and was hung up on."""
    a, b = consumer(session_ms=30_000), consumer(session_ms=200)
    await a.join()
    joining = asyncio.create_task(b.join())
    await a.until_rejoin()
    await a.join()
    await joining
    assert b.connection is not None
    assert await b.connection.is_hung_up()
    return a, b


async def test_a_dead_consumer_is_disconnected_and_may_end_the_rebalance(
    served: Serving, consumer: Make
) -> None:
    """Slow consumers, 1 and 3: over a new connection, before the other has got its reply."""
    a, b = await one_disconnected(consumer)
    b.close()
    assert await b.heartbeat() == 0
    assert await a.heartbeat() == 0
    group = served.node.coordinator.group("g")
    assert isinstance(group, DraftGroup) and group.durable.group.generation == 2


async def test_a_dead_consumer_is_told_after_the_others(served: Serving, consumer: Make) -> None:
    """Slow consumers, 4 to 6."""
    a, b = await one_disconnected(consumer)
    await a.until_rejoin()
    b.close()
    assert await b.heartbeat() == 22
    assert (await a.join()).parts == {"orders": [0, 1, 2, 3]}
    again = asyncio.create_task(b.join())
    await a.until_rejoin()
    await a.join()
    assert (await again).generation == 4


async def test_a_loading_coordinator_says_so(served: Serving, consumer: Make) -> None:
    """CoordinatorStartupNotComplete to heartbeats, commits and joins, at once."""
    a = consumer()
    await a.join()
    served.node.keeper.loader.loading.update(range(SLOTS))
    assert await a.heartbeat() == 14
    assert (await a.join()).error == 14
    assert await a.commit({("orders", 0): 1}) == {("orders", 0): 14}
    served.node.keeper.loader.loading.clear()
    assert await a.heartbeat() == 0


async def test_requests_to_a_former_owner_are_refused(served: Serving, consumer: Make) -> None:
    a = consumer()
    await a.join()
    served.node.coordinator.epochs.clear()
    assert await a.heartbeat() == 16
    assert (await a.join()).error == 16
    assert await a.commit({("orders", 0): 1}) == {("orders", 0): 16}
    assert await a.fetch({"orders": [0]}) == {("orders", 0): (-1, "", 16)}


async def test_an_unsupported_request_closes_the_connection(served: Serving) -> None:
    """A client that sends ApiVersions is no client of the draft."""
    for key, version in ((18, 0), (14, 0), (11, 1), (12, 1), (1, 0)):
        connection = await Connection.open(served.draft_address)
        with pytest.raises(asyncio.IncompleteReadError):
            await connection.call(key, b"", version)
        connection.close()


@pytest.mark.usefixtures("_prepared")
async def test_the_group_survives_a_restart_of_its_node() -> None:
    """What the code of 2015 lost: subscriptions, assignments, the generation."""
    async with serving() as first:
        await first.node.catalogue.create("orders", 4)
        a = Consumer(first.draft_address, "g", ["orders"])
        await a.join()
        a.close()
    async with serving() as second:
        connection = await Connection.open(second.draft_address)
        reply = await connection.call(HEARTBEAT, heartbeat("g", a.generation, a.consumer_id))
        assert reply == b"\0\0"
        a.connection = connection
        assert (await a.join()).parts == {"orders": [0, 1, 2, 3]}
        assert a.generation == 1
        a.close()


async def test_rows_have_the_kind_draft(consumer: Make) -> None:
    await consumer().join()
    async with await connections.connect("other", options="") as other:
        found = await (
            await other.execute("SELECT kind, state, protocol_name FROM rollcall_group")
        ).fetchall()
        assert found == [("draft", "Stable", "range")]
        assert await rows.groups(other) == {"g": ("Stable", 1, 1)}


async def test_a_service_moves_to_present_clients_and_keeps_its_offsets(
    served: Serving, consumer: Make
) -> None:
    """The last draft consumer goes, a classic one comes to the other port."""
    a = consumer()
    await a.join()
    await a.commit({("orders", 2): 9})
    stock, _ = await served.connect()
    assert (await stock.call(join("g"), 3)).error_code == 23
    assert await a.leave() == 0
    joined = await stock.call(join("g"), 3)
    assert (joined.error_code, joined.generation_id) == (0, 2)
    assert (await a.join("")).error == 23
    assert await a.fetch({"orders": [2]}) == {("orders", 2): (9, "", 0)}


async def test_kafkas_tools_see_a_group_of_the_draft(served: Serving, consumer: Make) -> None:
    await consumer().join()
    stock, _ = await served.connect()
    listed = (await stock.call(ListGroupsRequest(), 5)).groups
    assert [(g.group_id, g.group_type, g.group_state) for g in listed] == [("g", "draft", "Stable")]
    (group,) = (await stock.call(DescribeGroupsRequest(groups=["g"]), 5)).groups
    assert (group.group_state, group.protocol_data) == ("Stable", "range")
    (member,) = group.members
    assert topics_of(member.member_metadata) == frozenset({"orders"})
    assert partitions_of(member.member_assignment) == frozenset(("orders", p) for p in range(4))


async def test_commit_metadata_is_validated_and_stored_as_in_other_kinds(consumer: Make) -> None:
    """What PostgreSQL's text cannot hold comes back as it was; the limit counts as Java does."""
    a = consumer()
    await a.join()
    assert await a.commit({("orders", 0): 5}, metadata="note \0 \uf8ff") == {("orders", 0): 0}
    assert await a.fetch({"orders": [0]}) == {("orders", 0): (5, "note \0 \uf8ff", 0)}

    limit = 4_096
    assert await a.commit({("orders", 1): 5}, metadata="\U0001f40d" * (limit // 2)) == {
        ("orders", 1): 0
    }
    too_long = await a.commit({("orders", 1): 6}, metadata="\U0001f40d" * (limit // 2) + "x")
    assert too_long == {("orders", 1): 12}
