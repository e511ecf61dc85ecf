"""A backup is restored, or a standby promoted that lacks the last of what was acknowledged: what
was assigned on the lost timeline is not assigned again, and who has it is refused."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from groups.core.errors import ErrorCode
from groups.core.replies import Committed, Joined
from groups.postgres import doorbell
from groups.postgres.timeline import MEMORIES
from launcher import ports
from launcher.cluster import DATABASE, SUPERUSER
from tests.node.running import Running, running
from tests.node.servers import Address, Server, address, folder, migrated

LEASE_MS = 1_000
TOLD = "SELECT count(*) FROM rollcall_journal WHERE kind = 'time-went-back'"
REASON = "SELECT reason FROM rollcall_journal WHERE kind = 'time-went-back' ORDER BY id DESC"
JUMP = 1_000_000

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("time goes back")]


@pytest.fixture(scope="module")
def template() -> Iterator[Server]:
    """A stopped server with Rollcall's tables, to be copied."""
    with folder() as path, migrated(path) as server:
        server.stop()
        yield server


@pytest.fixture
def place() -> Iterator[Path]:
    """Where the test's servers lie."""
    with folder() as path:
        yield path


@pytest.fixture
def primary(template: Server, place: Path) -> Iterator[Server]:
    """A server that runs."""
    server = template.copy(place / "primary")
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def here(
    primary: Server, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Address]:
    """The database URL of the node: the primary, until it is changed."""
    settings.NODE_LEASE_MS = LEASE_MS
    settings.GROUP_INITIAL_REBALANCE_DELAY_MS = 0
    settings.GROUP_QUIET_WINDOW_MS = 0
    async with address() as found:
        found.leads_to = primary.cluster.port
        entry = {"HOST": ports.LOOPBACK, "PORT": found.port, "NAME": DATABASE, "USER": SUPERUSER}
        for name, value in {**entry, "PASSWORD": primary.cluster.password}.items():
            monkeypatch.setitem(settings.DATABASES["default"], name, value)
        yield found


async def until(claim: Callable[[], object]) -> None:
    """Look again until it is so; pytest's own time limit ends what never comes."""
    while not claim():
        await asyncio.sleep(0.02)


async def serves(node: Running) -> None:
    """All slots are held and the lease too."""
    coordinator = node.node.coordinator
    await until(lambda: len(coordinator.epochs) == 64 and coordinator.holds_lease)


async def next_beat() -> None:
    """A beat has been written, and so is all that was acknowledged before it."""
    (memory,) = MEMORIES
    before = memory.beat
    await until(lambda: memory.beat > before)


async def again(node: Running, group_id: str, ask: Callable[[], Any]) -> Any:
    """What is answered once the node serves: a client asks again while it does not."""
    retried = {
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    }
    while True:
        if node.node.coordinator.owns(group_id):
            reply = await ask()
            if reply.error not in retried:
                return reply
        await asyncio.sleep(0.02)


async def rebalanced(node: Running, group_id: str, leader: Joined) -> Joined:
    """Two generations of its leader alone, and one with a new member, who is returned."""
    for _ in range(2):
        again = await node.join(group_id, leader.member_id)
        assert isinstance(again, Joined) and again.error == 0, again
        await node.sync(group_id, again, {leader.member_id: b"all"})
    joins = [node.join(group_id), node.join(group_id, leader.member_id)]
    newcomer, led = [await join for join in joins]
    assert isinstance(newcomer, Joined) and isinstance(led, Joined) and newcomer.error == 0
    share = {leader.member_id: b"one", newcomer.member_id: b"other"}
    await asyncio.gather(node.sync(group_id, led, share), node.sync(group_id, newcomer))
    return newcomer


def beat(node: Running, group_id: str, joined: Joined) -> ErrorCode:
    """The response to a heartbeat from memory."""
    coordinator = node.node.coordinator
    view = coordinator.heartbeat_views[group_id]
    return view.heartbeat(joined.member_id, None, joined.generation_id, coordinator.clock())


async def lives_on(node: Running, survivor: Joined) -> tuple[Joined, Joined]:
    """Generations and members of a future that will be lost: of "g", and of a group that only that
    future knows."""
    await again(node, "g", lambda: node.commit("g", 7, survivor))
    lost = await rebalanced(node, "g", survivor)
    assert lost.generation_id == survivor.generation_id + 3
    settled = await node.settled("new")
    await next_beat()
    return lost, settled


async def nobody_is_confirmed(
    node: Running, survivor: Joined, lost: Joined, lost_group: Joined
) -> None:
    """Whoever is of the lost future, or of the time before, must join again, above all of it."""
    for member in (lost, survivor):
        refused = await again(node, "g", partial(node.commit, "g", 99, member))
        assert refused.error in (ErrorCode.ILLEGAL_GENERATION, ErrorCode.UNKNOWN_MEMBER_ID)
        assert beat(node, "g", member) in (
            ErrorCode.ILLEGAL_GENERATION,
            ErrorCode.UNKNOWN_MEMBER_ID,
        )
    zombie = await again(node, "new", lambda: node.commit("new", 99, lost_group))
    assert zombie.error in (ErrorCode.ILLEGAL_GENERATION, ErrorCode.UNKNOWN_MEMBER_ID)
    back = await again(node, "g", lambda: node.join("g", survivor.member_id))
    assert isinstance(back, Joined) and back.generation_id >= JUMP + survivor.generation_id
    await node.sync("g", back, {back.member_id: b"all"})
    assert await node.commit("g", 8, back) == Committed()
    anew = await node.settled("new")
    assert anew.generation_id > JUMP >= lost_group.generation_id
    assert (await node.commit("new", 99, lost_group)).error is ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize("has_beaten", [True, False])
async def test_a_restored_copy_of_the_files_repeats_no_generation(
    primary: Server, here: Address, place: Path, has_beaten: bool
) -> None:
    """Same system, same timeline, an earlier place in the log: the node remembers a later one. Or
    it has not next_beat since, and remembers later groups."""
    async with running() as node:
        survivor = await node.settled("g", session_timeout_ms=300_000)
        (memory,) = MEMORIES
        seen = memory.beat, memory.server
        await asyncio.to_thread(primary.stop)
        backup = await asyncio.to_thread(primary.copy, place / "backup")
        await asyncio.to_thread(primary.start)
        await serves(node)
        lost, lost_group = await lives_on(node, survivor)

        await asyncio.to_thread(primary.stop)
        if not has_beaten:
            memory.beat, memory.server = seen
        await asyncio.to_thread(backup.start)
        try:
            here.leads_to = backup.cluster.port
            await until(lambda: min(node.node.coordinator.epochs.values(), default=0) > JUMP)
            await nobody_is_confirmed(node, survivor, lost, lost_group)
            assert backup.ask(TOLD) == 1
            assert "was restored from an earlier copy of timeline 1" in backup.ask(REASON)
        finally:
            await asyncio.to_thread(backup.stop)


async def test_a_promoted_standby_repeats_no_generation(
    primary: Server, here: Address, place: Path
) -> None:
    """It lacks the latest writes and is promoted. Two nodes see it, one acts."""
    standby = await asyncio.to_thread(primary.standby, place / "standby")
    await asyncio.to_thread(standby.start)
    async with running() as node, running(1) as second:
        both = (node.node.coordinator, second.node.coordinator)
        await until(lambda: [len(each.epochs) for each in both] == [32, 32])
        owner = await owner_of("g", node, second)
        survivor = await owner.settled("g", session_timeout_ms=300_000)
        written = primary.ask("SELECT pg_current_wal_flush_lsn()")
        caught_up = f"SELECT pg_last_wal_replay_lsn() >= '{written}'"
        await until(lambda: standby.ask(caught_up))
        await asyncio.to_thread(standby.stop)
        lost, lost_group = await lives_on_at(owner, survivor, node, second)

        await asyncio.to_thread(primary.stop)
        await asyncio.to_thread(standby.start)
        try:
            await asyncio.to_thread(standby.promote)
            here.leads_to = standby.cluster.port
            await until(lambda: all_above(node, second))
            await serves_between(node, second)
            owner = await owner_of("g", node, second)
            refused = await again(owner, "g", lambda: owner.commit("g", 99, lost))
            assert refused.error is ErrorCode.UNKNOWN_MEMBER_ID
            back = await again(owner, "g", lambda: owner.join("g", survivor.member_id))
            assert isinstance(back, Joined) and back.generation_id >= JUMP
            other = await owner_of("new", node, second)
            anew = await again(other, "new", lambda: other.join("new"))
            assert isinstance(anew, Joined) and anew.generation_id > JUMP
            assert lost_group.generation_id < JUMP
            assert standby.ask(TOLD) == 1
            assert "it is on timeline 2, and was on 1" in standby.ask(REASON)
        finally:
            await asyncio.to_thread(standby.stop)


async def test_a_promoted_standby_is_served_with_its_own_topics(
    primary: Server, here: Address, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notifications come late. A commit to a topic that only the lost future has would be
    acknowledged, and erased when somebody creates the topic."""
    monkeypatch.setattr(doorbell, "RECONNECT_S", 600.0)
    standby = await asyncio.to_thread(primary.standby, place / "standby")
    async with running() as node:
        await node.node.catalogue.create("lost", 1)
        await asyncio.to_thread(primary.stop)
        await asyncio.to_thread(standby.start)
        try:
            await asyncio.to_thread(standby.promote)
            here.leads_to = standby.cluster.port
            await until(lambda: all_above(node))
            assert node.node.catalogue.get("lost") is None
        finally:
            await asyncio.to_thread(standby.stop)


async def test_a_drained_node_reads_the_topics_of_a_promoted_standby_too(
    primary: Server, here: Address, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It serves no group, for which it would read them first, and is not told of them either."""
    monkeypatch.setattr(doorbell, "RECONNECT_S", 600.0)
    async with running() as node, running(1) as drained:
        primary.ask("SELECT rollcall_drain_node(1, 'a new disk', '{}')")
        await serves(node)
        standby = await asyncio.to_thread(primary.standby, place / "standby")
        await node.node.catalogue.create("lost", 1)
        await until(lambda: drained.node.catalogue.get("lost"))
        await asyncio.to_thread(primary.stop)
        await asyncio.to_thread(standby.start)
        try:
            await asyncio.to_thread(standby.promote)
            here.leads_to = standby.cluster.port
            await until(lambda: not drained.node.catalogue.get("lost"))
            await serves(node)
            assert not drained.node.coordinator.epochs
        finally:
            await asyncio.to_thread(standby.stop)


async def owner_of(group_id: str, *nodes: Running) -> Running:
    """Whichever node serves the group."""
    while True:
        for node in nodes:
            if node.node.coordinator.owns(group_id) and node.node.coordinator.holds_lease:
                return node
        await asyncio.sleep(0.02)


async def lives_on_at(owner: Running, survivor: Joined, *nodes: Running) -> tuple[Joined, Joined]:
    """The same where two nodes share the slots."""
    lost = await rebalanced(owner, "g", survivor)
    return lost, await (await owner_of("new", *nodes)).settled("new")


def all_above(*nodes: Running) -> bool:
    """Whether every slot is held, under an epoch that was raised."""
    epochs = [epoch for node in nodes for epoch in node.node.coordinator.epochs.values()]
    return len(epochs) == 64 and min(epochs) > JUMP


async def serves_between(*nodes: Running) -> None:
    """Every node holds its lease."""
    await until(lambda: all(node.node.coordinator.holds_lease for node in nodes))


@pytest.mark.parametrize("how", ["SIGINT", "SIGQUIT"])
async def test_a_restart_and_a_crash_raise_nothing(
    primary: Server, here: Address, how: str
) -> None:
    """PostgreSQL's own recovery loses no acknowledged write: members continue."""
    async with running() as node:
        joined = await node.settled("g", session_timeout_ms=300_000)
        await node.commit("g", 7, joined)
        await asyncio.to_thread(primary.stop, signal.Signals[how])
        await until(lambda: not node.node.coordinator.holds_lease)
        await asyncio.to_thread(primary.start)
        await serves(node)
        assert await again(node, "g", lambda: node.commit("g", 8, joined)) == Committed()
        assert beat(node, "g", joined) is ErrorCode.NONE
        assert primary.ask(TOLD) == 0
