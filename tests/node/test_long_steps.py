"""Steps of large groups, and foreign code: outside the event loop, and nobody waits for them."""

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import pytest

from groups.core.assignors.types import Parts, Racks, Subscriber
from groups.core.consumer import target_schedule
from groups.core.conversion import step
from groups.core.errors import ErrorCode
from groups.core.events import DraftJoin, Event, InstallAssignment, Tick
from groups.core.group import Decision, Group, Millis, Rules
from groups.core.kinds import KINDS
from groups.core.replies import Committed, DraftJoined, ErrorReply, Joined, Reply
from groups.core.rows import Durable, GroupRow, MemberRow, slot_of
from groups.core.strategy import Counts, Topics
from groups.postgres import connections
from groups.runtime import committer, loading
from groups.runtime.loading import rejoined, revived, takes_long
from tests.node.running import Running
from tests.node.test_assigning import beat, configure, uniform_of_one


class Gate:
    """Work that blocks until it is released."""

    def __init__(self) -> None:
        self.reached, self._open = threading.Event(), threading.Event()

    def pass_through(self) -> None:
        """In its own thread, or the loop is blocked for ever."""
        assert threading.current_thread() is not threading.main_thread()
        self.reached.set()
        self._open.wait()

    def open(self) -> None:
        """Release all."""
        self._open.set()


@pytest.fixture
def gate() -> Iterator[Gate]:
    """Opened at the end, so that no thread stays."""
    made = Gate()
    yield made
    made.open()


async def reached(gate: Gate) -> None:
    """Somebody waits at it."""
    await asyncio.to_thread(gate.reached.wait)


def is_large(group: Group) -> bool:
    """The one that is taken for such a group here."""
    return group.durable.group.group_id == "large"


async def test_a_long_step_blocks_only_its_own_group(
    one: Running, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await one.settled("large")

    def slow(group: Group, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
        if is_large(group):
            gate.pass_through()
        return step.decide(group, events, now, rng)

    monkeypatch.setattr(committer, "decide", slow)
    monkeypatch.setattr(committer, "may_take_long", lambda group, _: is_large(group))
    second = one.join("large", "")
    await reached(gate)
    third = one.join("large", "")
    assert (await one.settled("small")).generation_id == 1
    assert not second.done() and not third.done()
    gate.open()
    again = await one.join("large", first.member_id)
    replies = await asyncio.gather(second, third)
    assert all(isinstance(reply, Joined) for reply in replies)
    assert {reply.generation_id for reply in (again, *replies)} >= {2}  # type: ignore[union-attr]


async def test_a_long_step_that_fails_fails_only_its_own_requests(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await one.settled("large")

    def broken(group: Group, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
        raise RuntimeError("a defect")

    monkeypatch.setattr(committer, "may_take_long", lambda group, events: True)
    monkeypatch.setattr(committer, "decide", broken)
    assert await one.join("large", "") == ErrorReply(ErrorCode.UNKNOWN_SERVER_ERROR)
    monkeypatch.setattr(committer, "decide", step.decide)
    assert isinstance(await one.join("large", first.member_id), Joined)


async def test_slots_may_be_lost_during_a_long_step(
    one: Running, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Waiting requests are answered once, at once; the decision is dropped."""
    await one.settled("large")

    def slow(group: Group, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
        gate.pass_through()
        return step.decide(group, events, now, rng)

    monkeypatch.setattr(committer, "decide", slow)
    monkeypatch.setattr(committer, "may_take_long", lambda group, events: True)
    waiting = one.join("large", "")
    await reached(gate)
    coordinator = one.node.coordinator
    coordinator.drop(list(coordinator.epochs), ErrorCode.NOT_COORDINATOR)
    assert await waiting == ErrorReply(ErrorCode.NOT_COORDINATOR)
    gate.open()


async def test_the_loop_runs_between_many_replies(one: Running) -> None:
    """Counted, not timed: other tasks run between any two parts of them."""
    members = 10 * committer.ANSWERS_AT_ONCE
    answered, seen = 0, set()

    def count(_reply: "asyncio.Future[Reply]") -> None:
        nonlocal answered
        answered += 1

    async def others() -> None:
        while answered < members:
            seen.add(answered)
            await asyncio.sleep(0)

    configure(one, group_initial_rebalance_delay_ms=200)
    joins = [one.join("crowd") for _ in range(members)]
    for join in joins:
        join.add_done_callback(count)
    looking = asyncio.create_task(others())
    assert {reply.error for reply in await asyncio.gather(*joins)} == {ErrorCode.NONE}
    await looking
    assert len(seen) >= members // committer.ANSWERS_AT_ONCE


class Stuck:
    """An installation's own code that does not end before it is let."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def assign(
        self, members: Sequence[Subscriber], counts: Mapping[str, int], _racks: Racks
    ) -> Mapping[str, Parts]:
        """As an assignor: the first member gets all."""
        self._gate.pass_through()
        return {members[0].member_id: frozenset((t, p) for t in counts for p in range(counts[t]))}

    def deal(self, topics: Topics, counts: Counts) -> Mapping[str, Any]:
        """As a strategy of the 0.9 draft: the same."""
        self._gate.pass_through()
        return {min(topics): [(t, p) for t in counts for p in range(counts[t])]}


async def test_an_endless_assignor_blocks_no_other_group(
    one: Running, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by its size, nor those that wait for our own thread."""
    stuck = Stuck(gate)
    configure(
        one, group_consumer_assignors=("uniform", "stuck"), plugged_in={"stuck": stuck.assign}
    )
    await beat(one, "a", server_assignor="stuck")
    await reached(gate)
    monkeypatch.setattr(target_schedule, "INLINE_MAX", 0)
    assert await uniform_of_one(one, "other") == {"f" * 32: (0, 1, 2, 3)}
    gate.open()
    assert await uniform_of_one(one, "g", joins=False) == {"f" * 32: (0, 1, 2, 3)}


def drafted(one: Running, group_id: str, strategy: str) -> "asyncio.Future[Reply]":
    """A consumer of the 0.9 draft joins."""
    join = DraftJoin(
        ticket=one.counter.ticket(),
        consumer_id="",
        client_id="c",
        client_host="/h",
        session_timeout_ms=10_000,
        topics=("t",),
        strategy=strategy,
        counts={"t": 2},
    )
    return one.ask(group_id, join)


async def test_an_endless_strategy_blocks_no_other_group(one: Running, gate: Gate) -> None:
    configure(one, strategies=(("stuck", Stuck(gate).deal),))
    waiting = drafted(one, "d", "stuck")
    await reached(gate)
    other = await drafted(one, "e", "range")
    assert isinstance(other, DraftJoined) and other.error is ErrorCode.NONE
    assert (await one.settled("classic")).generation_id == 1
    gate.open()
    assert (await waiting).error is ErrorCode.NONE


def absent(kind: str, **rules: Any) -> Group:
    """A group of that kind without a row."""
    return KINDS[kind].absent("g", Rules(**rules), 0)


@pytest.mark.parametrize(("partitions", "is_long"), [(10, False), (50_000, True)])
def test_elements_of_an_event_count_too(partitions: int, is_long: bool) -> None:
    """The first consumer of a group brings all of its partitions."""
    draft = DraftJoin(
        consumer_id="", client_id="", client_host="", session_timeout_ms=1, topics=("t",),
        strategy="range", counts={"t": partitions},
    )  # fmt: skip
    assert step.may_take_long(absent("draft"), [draft]) is is_long
    parts = frozenset(("t", p) for p in range(partitions))
    install = InstallAssignment(
        member_id="m", member_epoch=1, group_epoch=1, targets={"m": parts, "n": frozenset()}
    )
    assert step.may_take_long(absent("consumer"), [install]) is is_long
    assert not step.may_take_long(absent("classic"), [Tick()])


@pytest.fixture
async def held(one: Running, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> Running:
    """A large group and a small one; the large one is put together only when the gate opens."""
    for group_id in ("large", "small"):
        await one.kept(group_id)

    def slowly_rejoined(durable: Durable, *told: Any) -> Group:
        if durable.group.group_id == "large":
            gate.pass_through()
        return rejoined(durable, *told)

    def slowly_revived(durable: Durable, *told: Any) -> Group:
        if durable.group.group_id == "large":
            gate.pass_through()
        return revived(durable, *told)

    monkeypatch.setattr(loading, "rejoined", slowly_rejoined)
    monkeypatch.setattr(loading, "revived", slowly_revived)
    monkeypatch.setattr(loading, "takes_long", lambda durable: durable.group.group_id == "large")
    return one


def doubt(one: Running, group_id: str) -> None:
    """The group's rows may be others than the node remembers."""
    entry = one.node.coordinator.entries[group_id]
    one.node.coordinator.doubt(entry)
    one.node.reloader.add([entry])


async def test_reloading_a_large_group_blocks_nobody(held: Running, gate: Gate) -> None:
    doubt(held, "large")
    await reached(gate)
    waiting = held.commit("large", 1)
    assert await held.commit("small", 1) == Committed()
    assert not waiting.done()
    gate.open()
    assert await waiting == Committed()


async def test_rows_in_doubt_again_during_a_reload_are_read_again(
    held: Running, gate: Gate, other: connections.Connection
) -> None:
    """Or the group would continue with outdated facts."""
    doubt(held, "large")
    await reached(gate)
    await other.execute("UPDATE rollcall_group SET revision = 50 WHERE group_id = 'large'")
    doubt(held, "large")
    gate.open()
    assert await held.commit("large", 1) == Committed()
    assert held.node.coordinator.entries["large"].group.durable.revision >= 50


async def test_adopting_a_large_group_blocks_nobody(held: Running, gate: Gate) -> None:
    coordinator = held.node.coordinator
    coordinator.drop([slot_of("large")], ErrorCode.NOT_COORDINATOR)
    await reached(gate)
    assert await held.commit("small", 1) == Committed()
    assert not coordinator.owns("large")
    gate.open()
    while not coordinator.owns("large"):
        await asyncio.sleep(0.001)
    assert await held.commit("large", 1) == Committed()


async def test_a_slot_lost_while_it_was_loaded_is_not_served(
    held: Running, gate: Gate, other: connections.Connection
) -> None:
    """The node slept past its lease: it asks whose slots it has, and this one it had not yet."""
    coordinator, keeper, slot = held.node.coordinator, held.node.keeper, slot_of("large")
    served: list[bool] = []
    keeper.loader.loaded = lambda: served.append(coordinator.owns("large"))
    await other.execute(
        "INSERT INTO rollcall_group_config (group_id, name, slot, value, updated_at)"
        " VALUES ('large', 'rollcall.freeze', %s, 'true', now())",
        [slot],
    )
    coordinator.drop([slot], ErrorCode.NOT_COORDINATOR)
    await reached(gate)
    await other.execute(
        "UPDATE rollcall_slot SET epoch = epoch + 1, node_id = 9, incarnation = gen_random_uuid()"
        " WHERE slot = %s",
        [slot],
    )
    await keeper.lease_loop.recovered(coordinator.lease_until)
    gate.open()
    while slot in keeper.loader.loading:
        await asyncio.sleep(0.001)
    assert not served and not coordinator.owns("large")
    assert not coordinator.own.of_slots([slot]), "nor what its groups have of their own"


@pytest.mark.parametrize(
    ("members", "details", "is_long"),
    [
        (999, {}, False),
        (1_000, {}, True),
        (10, {"topics": ["t"] * 99}, True),
        (10, {"since": [["t", 0, 1]] * 99}, True),
        (10, {"topics": ["t"] * 49, "since": [["t", 0, 1]] * 49}, False),
    ],
)
def test_rows_are_counted_by_members_topics_and_partitions(
    members: int, details: dict[str, Any], is_long: bool
) -> None:
    row = MemberRow("m", None, "c", "/h", 10_000, 10_000, 0, details=details)
    rows = {str(number): row for number in range(members)}
    assert takes_long(Durable(GroupRow("g", "consumer", "Stable"), rows)) is is_long
