"""Facts of a real node over PostgreSQL: who owned a partition when, also through the end of a node,
and an order of rows in which nothing is skipped."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import pytest

from console.queries.sql import fact_reads
from groups.core.assignment import assignment_of
from groups.core.events import (
    AcknowledgeCommand,
    ConsumerHeartbeat,
    DraftJoin,
    LeaveGroup,
    Leaver,
    RegisterConsumer,
)
from groups.core.replies import ConsumerBeaten, DraftJoined, Joined, Registered, Synced
from groups.postgres import connections
from groups.store.sql import facts as sql
from launcher.installation import CHECKOUT
from proof.fact_tables import NOT_A_ROUND_EACH, NOT_OPENED_ONCE, NOT_OWNED_ONCE, OWNED_BY_TWO
from tests.core.consumer.wire_bytes import subscription
from tests.in_process import Other
from tests.node.running import Running, running
from tests.sweeps.conftest import value

PAGE = (CHECKOUT / "docs" / "facts.md").read_text()
WAITS, QUESTION, READ = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
"""The statements of the page, which readers copy."""

TOPIC = "01234567-89ab-cdef-0123-456789abcdef"
CREATE = "INSERT INTO rollcall_topic VALUES ('orders', %s, 8, '{}', now())"


async def now(other: Other) -> datetime:
    found = await value(other, "SELECT clock_timestamp()")
    assert isinstance(found, datetime)
    return found


async def owner(other: Other, at: datetime, partition: int = 7) -> list[str]:
    """Who owned the partition then: by the page's statement, and by those with which REST answers,
    which the command line asks."""
    asked = QUESTION.replace("'2026-11-28 03:12'", f"'{at.isoformat()}'").replace("packers", "g")
    rows = await (await other.execute(asked.replace("@> 7", f"@> {partition}").encode())).fetchall()
    by_page = {member_id for member_id, *_ in rows}
    wanted = {"group_id": "g", "topic": "orders", "partition": partition, "most": 100}
    times = {"first": at, "last": at}
    answered = await other.execute(fact_reads.OWNERS.encode(), {**wanted, **times})
    lives = [life for *_, life in await answered.fetchall()]
    named = await other.execute(fact_reads.NAMES.encode(), {**wanted, **times, "lives": lives})
    by_life = {life: member_id for life, member_id, *_ in await named.fetchall()}
    by_rest = [by_life[life] for life in lives]
    assert by_page == {*by_rest} and len(rows) == len(by_rest)
    return by_rest


async def check(other: Other) -> None:
    """Everything opened once and closed once; lives are those of the members."""
    for wrong in (NOT_OPENED_ONCE, NOT_OWNED_ONCE, OWNED_BY_TWO, NOT_A_ROUND_EACH):
        assert await (await other.execute(wrong.encode())).fetchall() == []
    members = "SELECT group_id, member_id FROM rollcall_member"
    lives = "SELECT group_id, member_id FROM rollcall_life_open"
    differ = f"({members} EXCEPT {lives}) UNION ALL ({lives} EXCEPT {members})"
    assert await (await other.execute(differ.encode())).fetchall() == []


def given(*partitions: int) -> bytes:
    return assignment_of([("orders", p) for p in partitions], 1)


def protocols(name: str, *owned: int) -> tuple[tuple[str, bytes], ...]:
    return ((name, subscription(["orders"], [("orders", p) for p in owned], 1)),)


async def joined(future: "asyncio.Future[Any]") -> Joined:
    reply = await future
    assert isinstance(reply, Joined) and not reply.error
    return reply


async def synced(future: "asyncio.Future[Any]") -> None:
    reply = await future
    assert isinstance(reply, Synced) and not reply.error


async def two(
    one: Running, name: str, keeps: Sequence[int], first: Joined, shares: Mapping[str, bytes]
) -> tuple[Joined, Joined]:
    """A second member joins, and the first again; both receive what the leader says."""
    newcomer = one.join("g", protocols=protocols(name), client_id="ben")
    again = one.join("g", first.member_id, protocols=protocols(name, *keeps), client_id="anna")
    first, second = await joined(again), await joined(newcomer)
    by_id = {first.member_id: shares["anna"], second.member_id: shares["ben"]}
    await synced(one.sync("g", first, by_id))
    await synced(one.sync("g", second))
    return first, second


async def test_an_eager_member_owns_until_it_joins_again(one: Running, other: Other) -> None:
    first = await joined(one.join("g", protocols=protocols("range"), client_id="anna"))
    await synced(one.sync("g", first, {first.member_id: given(*range(8))}))
    alone = await now(other)
    shares = {"anna": given(0, 1, 2, 3), "ben": given(4, 5, 6, 7)}
    first, second = await two(one, "range", (), first, shares)
    together = await now(other)
    assert await owner(other, alone) == [first.member_id]
    assert await owner(other, together) == [second.member_id]
    assert await owner(other, together, 3) == [first.member_id]
    await check(other)


async def test_a_cooperative_member_owns_until_it_says_that_it_does_not(
    one: Running, other: Other
) -> None:
    name = "cooperative-sticky"
    first = await joined(one.join("g", protocols=protocols(name), client_id="anna"))
    await synced(one.sync("g", first, {first.member_id: given(*range(8))}))
    shares = {"anna": given(*range(4)), "ben": given()}
    first, second = await two(one, name, range(8), first, shares)
    withheld = await now(other)
    assert await owner(other, withheld) == [first.member_id]
    again = one.join("g", first.member_id, protocols=protocols(name, *range(4)), client_id="anna")
    other_again = one.join("g", second.member_id, protocols=protocols(name), client_id="ben")
    first, second = await joined(again), await joined(other_again)
    by_id = {first.member_id: given(*range(4)), second.member_id: given(4, 5, 6, 7)}
    await synced(one.sync("g", first, by_id))
    late = await now(other)
    assert await owner(other, late) == [], "it has not synced yet"
    await synced(one.sync("g", second))
    assert await owner(other, await now(other)) == [second.member_id]
    await check(other)


def beat(one: Running, member_id: str, epoch: int, owned: Any = None) -> "asyncio.Future[Any]":
    event = ConsumerHeartbeat(
        ticket=one.counter.ticket(),
        member_id=member_id,
        member_epoch=epoch,
        instance_id=None,
        rack_id=None,
        client_id=member_id,
        client_host="/h",
        rebalance_timeout_ms=60_000 if epoch == 0 else -1,
        subscribed_topic_names=("orders",) if epoch == 0 else None,
        server_assignor=None,
        owned={} if epoch == 0 else owned,
        topics={"orders": (TOPIC.replace("-", ""), 8)},
    )
    return one.ask("g", event)


async def test_a_consumer_owns_until_it_acknowledges(one: Running, other: Other) -> None:
    await other.execute(CREATE.encode(), [TOPIC])
    first: ConsumerBeaten = await beat(one, "anna", 0)
    alone = await now(other)
    second: ConsumerBeaten = await beat(one, "ben", 0)
    asked: ConsumerBeaten = await beat(one, "anna", first.member_epoch)
    while asked.assignment is None:  # the target may be put off
        asked = await beat(one, "anna", asked.member_epoch)
    waits = await now(other)
    assert await owner(other, waits) == ["anna"], "it has not acknowledged yet"
    kept = asked.assignment[TOPIC.replace("-", "")]
    moved = next(p for p in range(8) if p not in kept)
    await beat(one, "anna", asked.member_epoch, asked.assignment)
    free = await now(other)
    ben: ConsumerBeaten = await beat(one, "ben", second.member_epoch)
    assert ben.assignment is not None
    assert await owner(other, alone, moved) == ["anna"]
    assert await owner(other, free, moved) == []
    assert await owner(other, await now(other), moved) == ["ben"]
    named = "SELECT DISTINCT topic_id::text FROM rollcall_ownership"
    assert await value(other, named) == TOPIC
    await check(other)


async def test_a_consumer_of_the_draft_owns_from_its_generation(one: Running, other: Other) -> None:
    def join(consumer_id: str = "") -> "asyncio.Future[Any]":
        event = DraftJoin(
            ticket=one.counter.ticket(),
            consumer_id=consumer_id,
            client_id="anna",
            client_host="/h",
            session_timeout_ms=30_000,
            topics=("orders",),
            strategy="range",
            counts={"orders": 8},
        )
        return one.ask("g", event)

    first: DraftJoined = await join()
    alone = await now(other)
    second = join()
    again: DraftJoined = await join(first.consumer_id)
    ben: DraftJoined = await second
    (moved, *_) = ben.partitions["orders"]
    assert await owner(other, alone, moved) == [first.consumer_id]
    assert await owner(other, await now(other), moved) == [ben.consumer_id]
    assert not again.error
    await check(other)


async def test_a_commanded_consumer_owns_from_the_start_command(one: Running, other: Other) -> None:
    event = RegisterConsumer(
        ticket=one.counter.ticket(),
        consumer_id="",
        generation_id=-1,
        client_id="anna",
        client_host="/h",
        session_timeout_ms=30_000,
        threads={"orders": 1},
        counts={"orders": 8},
    )
    registered: Registered = await one.ask("g", event)  # type: ignore[assignment]
    group = one.node.coordinator.group("g")
    assert group is not None
    (command,) = group.durable.members[registered.consumer_id].commands
    before = await now(other)
    acknowledge = AcknowledgeCommand(
        ticket=one.counter.ticket(),
        member_id=registered.consumer_id,
        command_id=command.command_id,
    )
    assert not (await one.ask("g", acknowledge)).error
    assert await owner(other, before) == []
    assert await owner(other, await now(other)) == [registered.consumer_id]
    await check(other)


def leave(one: Running, member_id: str) -> "asyncio.Future[Any]":
    leaver = Leaver(member_id, None)
    return one.ask("g", LeaveGroup(ticket=one.counter.ticket(), members=(leaver,)))


@pytest.mark.parametrize("point", ["membership:before", "membership:after"])
@pytest.mark.parametrize("what", ["join", "sync", "leave"])
async def test_facts_are_whole_when_a_node_ends_around_a_commit(
    other: Other, point: str, what: str
) -> None:
    """What was committed is told once, what was not is not told."""
    async with running() as first:
        anna = await joined(first.join("g", protocols=protocols("range"), client_id="anna"))
        if what != "sync":
            await synced(first.sync("g", anna, {anna.member_id: given(*range(8))}))
        first.points.hold(point)
        requests: Mapping[str, Callable[[], asyncio.Future[Any]]] = {
            "join": lambda: first.join("g", anna.member_id, protocols=protocols("range")),
            "sync": lambda: first.sync("g", anna, {anna.member_id: given(*range(8))}),
            "leave": lambda: leave(first, anna.member_id),
        }
        lost = requests[what]()
        await first.points.reached[point].wait()
    assert (await lost).error
    await check(other)
    async with running(1) as second:
        ben = second.join("g", protocols=protocols("range"), client_id="ben")
        again = await second.join("g", anna.member_id, protocols=protocols("range"))
        new = await joined(ben)
        shares = {anna.member_id: given(0, 1, 2, 3), new.member_id: given(4, 5, 6, 7)}
        assert isinstance(again, Joined)
        leader = new if again.error or new.leader == new.member_id else again
        await synced(second.sync("g", leader, shares))
        await synced(second.sync("g", new))
        assert await owner(other, await now(other)) == [new.member_id]
    await check(other)


async def test_a_member_that_was_waited_for_is_named_by_its_life(
    one: Running, other: Other
) -> None:
    first = await joined(one.join("g", protocols=protocols("range"), client_id="anna"))
    await synced(one.sync("g", first, {first.member_id: given(*range(8))}))
    newcomer = one.join("g", protocols=protocols("range"), client_id="ben")
    await asyncio.wait([newcomer], timeout=0.05)  # anna is awaited meanwhile
    again = one.join("g", first.member_id, protocols=protocols("range"), client_id="anna")
    first, second = await joined(again), await joined(newcomer)
    await synced(one.sync("g", first, {first.member_id: given(), second.member_id: given(7)}))
    rows = await (await other.execute(WAITS.replace("packers", "g").encode())).fetchall()
    longest_last = reversed(rows)
    waits = {(generation, life): (cost, ms) for generation, _, cost, life, ms in longest_last}
    named = f"SELECT life FROM rollcall_life_open WHERE member_id = '{first.member_id}'"
    cost, ms = waits[2, await value(other, named)]
    assert ms >= 50 and cost >= 0
    await check(other)


# -- the order of rows


async def begin(writer: Other, member_id: str) -> None:
    """A life, in the writer's transaction."""
    texts = ("group_id", "member_id", "client_id", "client_host", "principal", "software_name",
             "software_version", "kind", "pattern", "protocols", "origin")  # fmt: skip
    values: dict[str, Any] = dict.fromkeys(texts, "{x}")
    values |= dict.fromkeys(("instance_id", "rack_id", "subscription", "departure"), "{NULL}")
    numbers = ("session_timeout_ms", "rebalance_timeout_ms", "revision", "generation", "age_ms")
    values |= {**dict.fromkeys(numbers, "{1}"), "api_version": "{1}", "silent_ms": "{NULL}"}
    values |= {"member_id": f"{{{member_id}}}", "protocols": '{"{}"}'}
    await writer.execute(sql.BEGIN_LIVES.encode(), values)


class Reader:
    """Somebody who reads by the statements of the page, from a cursor on."""

    def __init__(self, connection: Other) -> None:
        self.connection = connection
        self.cursor = (0, 0, 0)
        self.read: list[str] = []

    async def look(self) -> list[str]:
        horizon, rows = READ.strip().split(";")[:2]
        era, xid = await (await self.connection.execute(horizon.encode())).fetchone() or (0, 0)
        names = ("era", "xid", "id", "horizon_era", "horizon_xid")
        for name in sorted(names, key=len, reverse=True):
            rows = rows.replace(f":{name}", f"%({name})s")
        values = dict(zip(names, (*self.cursor, era, xid), strict=True))
        found = await self.connection.execute(
            rows.replace("*", "era, xid, id, member_id").encode(), values
        )
        new = await found.fetchall()
        if new:
            self.cursor = new[-1][:3]
        self.read += [member_id for *_, member_id in new]
        return [member_id for *_, member_id in new]

    async def until(self, count: int) -> list[str]:
        """All that was read, once it is so many: transactions of other databases delay it too."""
        while len(self.read) < count:
            await self.look()
        return self.read


async def test_nothing_is_skipped_or_repeated_whoever_commits_first(other: Other) -> None:
    reader = Reader(other)
    async with await connections.connect("writer", options="") as slow:
        async with slow.transaction():
            await begin(slow, "slow")
            async with await connections.connect("writer", options="") as quick:
                for number in range(3):
                    await begin(quick, f"quick-{number}")
            assert await reader.look() == [], "one below them is not decided yet"
        assert await reader.until(4) == ["slow", "quick-0", "quick-1", "quick-2"]
    assert await reader.look() == []


async def test_writers_in_any_order_are_read_once_each(other: Other) -> None:
    reader, ended = Reader(other), asyncio.Event()

    async def write(number: int) -> None:
        async with await connections.connect("writer", options="") as writer:
            for nth in range(20):
                async with writer.transaction(force_rollback=(number + nth) % 7 == 0):
                    await begin(writer, f"{number}-{nth}")
                    await writer.execute("SELECT pg_sleep(random() / 200)")

    async def read() -> None:
        while not ended.is_set():
            await reader.look()

    reading = asyncio.create_task(read())
    await asyncio.gather(*map(write, range(6)))
    ended.set()
    await reading
    rows = await (await other.execute("SELECT member_id FROM rollcall_life")).fetchall()
    await reader.until(len(rows))
    assert sorted(reader.read) == sorted(member_id for (member_id,) in rows)
    assert len(reader.read) == sum((n + nth) % 7 != 0 for n in range(6) for nth in range(20))


async def test_rows_of_another_history_come_after_those_of_before(other: Other) -> None:
    """A restored backup's transactions count from lower ids."""
    reader = Reader(other)
    await begin(other, "before")
    assert await reader.until(1) == ["before"]
    async with other.transaction(force_rollback=True):
        await other.execute("UPDATE rollcall_timeline SET jump = gen_random_uuid()")
        await begin(other, "after")
        await other.execute("UPDATE rollcall_life SET xid = 3 WHERE member_id = 'after'")
        assert await reader.look() == ["after"]
