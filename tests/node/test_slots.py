"""Who owns the slots: claims, hand-overs, takeovers, and a database that goes away."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from benchmarks.wire import form_group
from groups.cluster.beats import BeatObserver, NodeRow, SlotRow
from groups.cluster.failure_detector import FailureDetector, nobody_listens
from groups.cluster.lease import NodeIdTaken
from groups.cluster.slot_rows import taken
from groups.core.errors import ErrorCode
from groups.core.replies import Committed, Joined
from groups.core.rows import SLOTS, slot_of
from groups.postgres import connections
from groups.store.sql import slots as sql
from tests import rows
from tests.node.running import Running, running

Other = connections.Connection

LEASE_MS = 1_000
SESSION_MS = 300
ROOT = Path(__file__).parents[2]

END_NODES = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE application_name LIKE 'rollcall node%' AND datname = current_database()
  AND pid <> pg_backend_pid()
"""


async def until(claim: Callable[[], object]) -> None:
    """Look again until it is so; pytest's own time limit ends what never comes."""
    while not claim():
        await asyncio.sleep(0.01)


async def owners(other: Other) -> dict[int, tuple[int | None, int]]:
    """Node and epoch of every slot."""
    cursor = await other.execute("SELECT slot, node_id, epoch FROM rollcall_slot")
    return {slot: (node_id, epoch) for slot, node_id, epoch in await cursor.fetchall()}


@dataclass
class Child:
    """``manage.py runcoordinator`` as a process of its own."""

    process: asyncio.subprocess.Process
    ready: Path

    async def serves(self) -> str:
        """HOST:PORT, once it has claimed what it can."""
        await until(lambda: self.ready.exists() or self.process.returncode is not None)
        return self._ready_line()

    def _ready_line(self) -> str:
        return self.ready.read_text().strip()


@asynccontextmanager
async def child(url: str, folder: Path, node_id: int) -> AsyncIterator[Child]:
    """One that has started; killed at the end, if it still runs."""
    ready = folder / f"ready-{node_id}"
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "coordinator_site.settings",
        "ROLLCALL_DATABASE_URL": url,
        "ROLLCALL_READY_FILE": str(ready),
        "ROLLCALL_NODE_LEASE_MS": str(LEASE_MS),
        "ROLLCALL_GROUP_INITIAL_REBALANCE_DELAY_MS": "0",
        "ROLLCALL_GROUP_QUIET_WINDOW_MS": "0",
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "manage.py", "runcoordinator", "--port", "0"),
        *("--node-id", str(node_id)),
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        yield Child(process, ready)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.fixture(autouse=True)
def _short_lease(_prepared: None, settings: object) -> None:
    """Takeovers are waited for here."""
    settings.NODE_LEASE_MS = LEASE_MS  # type: ignore[attr-defined]


@pytest.fixture
async def outside(_prepared: None) -> AsyncIterator[Other]:
    """A connection to another database of the same server."""
    async with await connections.connect(
        "outside", is_checked=False, options="", dbname="postgres"
    ) as made:
        yield made


async def test_one_node_claims_every_slot_and_releases_all(other: Other) -> None:
    async with running(node_id=3) as one:
        assert await owners(other) == dict.fromkeys(range(SLOTS), (3, 2))
        assert one.node.coordinator.epochs == dict.fromkeys(range(SLOTS), 2)
    assert await owners(other) == dict.fromkeys(range(SLOTS), (None, 3))


async def test_slots_of_a_killed_process_are_taken_over(
    database_url: str, tmp_path: Path, other: Other
) -> None:
    """Generations stay, epochs rise, and the members continue undisturbed."""
    async with child(database_url, tmp_path, 7) as dead:
        (member,) = await form_group(await dead.serves(), "g", 1)
        before = await owners(other)
        async with running(node_id=8) as two:
            os.kill(dead.process.pid, signal.SIGKILL)
            await dead.process.wait()
            member.peer.close()
            await until(lambda: len(two.node.coordinator.epochs) == SLOTS)

            held = Joined(member_id=member.member_id, generation_id=member.generation)
            assert await two.commit("g", 5, held) == Committed()
            view = two.node.coordinator.heartbeat_views["g"]
            now = two.node.coordinator.clock()
            assert view.heartbeat(held.member_id, None, held.generation_id, now) == 0
            after = await owners(other)
    assert before == dict.fromkeys(range(SLOTS), (7, before[0][1]))
    assert {node_id for node_id, _ in after.values()} == {8}
    assert all(before[slot][1] < epoch for slot, (_, epoch) in after.items())


async def test_a_claim_notifies_all_nodes(other: Other) -> None:
    """The others send clients there from now on, not from their next look on."""
    await other.execute("LISTEN rollcall_slots")
    async with running(node_id=3):
        async for ring in other.notifies(stop_after=1):
            assert ring.channel == "rollcall_slots"
    assert (await owners(other))[0] == (None, 3)


async def test_slots_of_a_living_node_stay_when_another_dies(
    database_url: str, tmp_path: Path, other: Other
) -> None:
    """The dead node's row stays, and without slots it looks as one that has just started; also to a
    node that has just begun to observe it, after a stall or an outage of PostgreSQL."""
    async with child(database_url, tmp_path, 7) as dead, running(node_id=8) as survivor:
        await dead.serves()
        keeper, clock = survivor.node.keeper, survivor.node.coordinator.monotonic
        before = await owners(other)
        while sorted(node or 0 for node, _ in before.values()) != [7] * 32 + [8] * 32:
            before = await owners(other)
        os.kill(dead.process.pid, signal.SIGKILL)
        await dead.process.wait()
        while 7 in dict((await owners(other)).values()):
            await asyncio.sleep(0.01)
        keeper._observer.forget()
        await keeper._look()
        await until(lambda: keeper._observer.lease_is_over(7, clock()))
        await keeper._look()

        after = await owners(other)
    moved = {slot: after[slot][1] - epoch for slot, (_, epoch) in before.items()}
    assert moved == {slot: int(node == 7) for slot, (node, _) in before.items()}


def test_only_a_node_that_was_seen_to_beat_is_beating() -> None:
    """Not one that beat once, before it was observed; nor its successor, for its beat."""
    seen, node = BeatObserver(LEASE_MS), NodeRow(7, uuid4(), 1, "h", 1, lease_ms=LEASE_MS)

    def beats(at: int, beat: int, incarnation: UUID = node.incarnation) -> bool:
        row = node._replace(beat=beat, incarnation=incarnation)
        seen.look([row], [], sent_at=at, received_at=at)
        return seen.is_beating(7, at)

    assert [beats(0, 1), beats(100, 1), beats(200, 2), beats(300, 2)] == [False, False, True, True]
    assert not beats(700, 2), "it is overdue"
    assert beats(800, 3)
    assert not beats(900, 4, uuid4())
    assert not seen.is_beating(8, 900)
    seen.forget()
    assert not beats(1_000, 4)


def test_a_beat_is_overdue_before_its_lease_is_over() -> None:
    """And observations from before its own suspension are no evidence."""
    seen, node = BeatObserver(LEASE_MS), NodeRow(7, uuid4(), 1, "h", 1, lease_ms=LEASE_MS)
    seen.look([node], [], sent_at=0, received_at=0)
    judged = [(seen.is_overdue(7, at), seen.lease_is_over(7, at)) for at in (499, 500, 1_000)]
    assert judged == [(False, False), (True, False), (True, True)]
    seen.look([node._replace(beat=2)], [], sent_at=600, received_at=600)
    assert not seen.is_overdue(7, 1_000)
    seen.forget()
    assert not seen.is_overdue(7, 9_000)


async def test_a_free_lock_is_no_death_while_the_port_is_served(other: Other) -> None:
    """A node that is cut off from PostgreSQL has lost its lock, and answers from memory yet."""
    now = [5_000]
    observer = BeatObserver(LEASE_MS)
    deaths = FailureDetector(8, observer, lambda: now[0])
    async with await asyncio.start_server(lambda _in, out: out.close(), "127.0.0.1") as alive:
        port = alive.sockets[0].getsockname()[1]
        node = NodeRow(7, uuid4(), 1, "127.0.0.1", port, lease_ms=LEASE_MS)
        slots = [SlotRow(0, 7, node.incarnation, 1)]
        observer.look([node], slots, sent_at=now[0], received_at=now[0])
        for now[0] in (5_300, 5_850):  # the lock is free, and is still free; the beat is overdue
            assert await deaths.look(other, [node]) == set()
    assert await deaths.look(other, [node]) == {7}


async def test_a_death_already_acted_on_is_not_confirmed_again(other: Other) -> None:
    """Not even of a survivor that has just forgotten all beats; but the lock has to be free, and
    the port closed, as it sees itself."""
    observer = BeatObserver(LEASE_MS)
    deaths = FailureDetector(8, observer, lambda: 5_000)
    deaths.connected()
    async with await asyncio.start_server(lambda _in, out: out.close(), "127.0.0.1") as alive:
        port = alive.sockets[0].getsockname()[1]
        node = NodeRow(7, uuid4(), 1, "127.0.0.1", port, lease_ms=LEASE_MS)
        mine = SlotRow(0, 7, node.incarnation, 1)
        taken = [mine, SlotRow(1, 9, uuid4(), 2)]
        observer.look([node], [mine, mine._replace(slot=1)], sent_at=4_000, received_at=4_000)
        observer.forget()
        observer.look([node], taken, sent_at=5_000, received_at=5_000)
        assert await deaths.look(other, [node]) == set(), "somebody is at the port"
    lock = {"class": sql.LOCK_CLASS, "node_id": 7}
    await other.execute(sql.LOCK_NODE.encode(), lock)
    assert await deaths.look(other, [node]) == set(), "the lock is held"
    await other.execute(b"SELECT pg_advisory_unlock(%(class)s, %(node_id)s)", lock)
    assert await deaths.look(other, [node]) == {7}


@pytest.mark.parametrize(
    ("then", "has_lost"),
    [
        ([SlotRow(1, 9, UUID(int=9), 2)], True),
        ([SlotRow(1, 9, UUID(int=9), 3)], False),  # given away before
        ([SlotRow(1, None, None, 2)], False),
        ([SlotRow(1, None, None, 2), SlotRow(1, 9, UUID(int=9), 3)], False),
        ([SlotRow(1, 9, UUID(int=9), 1_000_001)], False),  # epochs were raised
    ],
)
def test_only_a_claimed_slot_reports_a_death(then: list[SlotRow], has_lost: bool) -> None:
    observer, node = BeatObserver(LEASE_MS), NodeRow(7, UUID(int=7), 1, "h", 1)
    mine = SlotRow(0, 7, node.incarnation, 1)
    observer.look([node], [mine, mine._replace(slot=1)], sent_at=0, received_at=0)
    for row in then:
        observer.look([node], [mine, row], sent_at=0, received_at=0)
    assert observer.has_lost_slots(node.incarnation) is has_lost
    # Nor when it owns nothing any more: a node that counts it as alive plans for it.
    given = [SlotRow(0, None, None, 2), row]
    observer.look([node], given, sent_at=0, received_at=0)
    assert observer.has_lost_slots(node.incarnation) is has_lost
    observer.look([], given, sent_at=0, received_at=0)
    assert not observer.has_lost_slots(node.incarnation)


def test_a_process_that_beats_after_it_lost_its_slots_has_not_died() -> None:
    """Its lease was over. Else a free lock, as after a restart of PostgreSQL, and an address that
    nobody can connect to would be its death for as long as it lives."""
    observer, node = BeatObserver(LEASE_MS), NodeRow(7, UUID(int=7), 1, "h", 1)
    mine = SlotRow(0, 7, node.incarnation, 1)
    taken = [mine, SlotRow(1, 9, UUID(int=9), 2)]
    observer.look([node], [mine, mine._replace(slot=1)], sent_at=0, received_at=0)
    for _ in range(2):
        observer.look([node], taken, sent_at=0, received_at=0)
        assert observer.has_lost_slots(node.incarnation)
    observer.look([node._replace(beat=2)], taken, sent_at=0, received_at=0)
    assert not observer.has_lost_slots(node.incarnation)


async def test_an_unreachable_host_is_not_presumed_dead() -> None:
    """A name that does not resolve is no answer either: its lease has to end first."""
    assert not await nobody_listens("nowhere.invalid", 9092)


async def test_a_node_id_in_use_is_refused_with_a_reason(
    database_url: str, tmp_path: Path, other: Other, settings: Any
) -> None:
    """A second process is refused, and ends; the first does not notice."""
    settings.NODE_LEASE_MS = 10_000  # a beat that is late on a busy machine would free the id
    async with running(node_id=0) as one:
        joined = await one.settled("g", session_timeout_ms=300_000)  # a start may take long
        async with child(database_url, tmp_path, 0) as second:
            _out, said = await second.process.communicate()
        assert second.process.returncode == 1
        assert b"another process serves as node 0" in said
        assert await one.commit("g", 1, joined) == Committed()
        settings.NODE_LEASE_MS = LEASE_MS
        with pytest.raises(NodeIdTaken, match="another process serves as node 0"):
            async with running(node_id=0):
                pass
        assert {node_id for node_id, _ in (await owners(other)).values()} == {0}


async def test_a_node_releases_slots_claimed_by_others(one: Running, other: Other) -> None:
    """FO-03: a late write is fenced; parked and new requests hear NOT_COORDINATOR."""
    joined = await one.settled("g")
    slot = slot_of("g")
    parked = one.join("g")
    let_go = one.points.hold("offsets:before")
    writing = one.commit("g", 9, joined)
    await one.points.reached["offsets:before"].wait()
    await other.execute(
        "INSERT INTO rollcall_node VALUES (9, gen_random_uuid(), 1, 'h', 1, now(), now())"
    )
    await other.execute(
        "UPDATE rollcall_slot SET epoch = epoch + 1, node_id = 9,"
        " incarnation = (SELECT incarnation FROM rollcall_node WHERE node_id = 9) WHERE slot = %s",
        [slot],
    )
    let_go()

    assert (await writing).error is ErrorCode.NOT_COORDINATOR
    assert (await parked).error is ErrorCode.NOT_COORDINATOR
    assert (await one.join("g")).error is ErrorCode.NOT_COORDINATOR
    assert (
        slot not in one.node.coordinator.epochs and "g" not in one.node.coordinator.heartbeat_views
    )
    assert await rows.offsets(other) == {}
    # Or it would be given more of them, the neighbour's perhaps.
    await other.execute("DELETE FROM rollcall_node WHERE node_id = 9")
    kept = one.node.coordinator.epochs
    neighbour = next(f"n{n}" for n in range(999) if slot_of(f"n{n}") in kept)
    await one.settled(neighbour)


async def test_lost_connections_cost_no_session(one: Running, other: Other) -> None:
    """Every connection of the node is ended, again and again: requests are repeated, no more."""
    joined = await one.settled("g")
    written = 0
    for at in range(20):
        await other.execute(END_NODES)
        written += await one.commit("g", at, joined) == Committed()

    while (last := await one.commit("g", 99, joined)).error is ErrorCode.COORDINATOR_NOT_AVAILABLE:
        await asyncio.sleep(0.01)
    assert last == Committed()
    assert (await rows.offsets(other))["g", "t", 0] == 99
    assert (await rows.groups(other))["g"][:2] == ("Stable", joined.generation_id)


async def test_parked_requests_are_answered_within_a_second_after_the_lease_ended(
    one: Running, other: Other, outside: Other
) -> None:
    """Nobody can say by then whether another node serves the group. The join was as good as not
    sent: once the database is back the member, and the new member, join again and are served."""
    joined = await one.settled("g")
    coordinator = one.node.coordinator
    parked = one.join("g")
    while (
        coordinator.heartbeat_views["g"].heartbeat(joined.member_id, None, 1, coordinator.clock())
        == 0
    ):
        await asyncio.sleep(0.001)
    name = other.info.dbname
    await outside.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false'.encode())
    try:
        await other.execute(END_NODES)
        assert (await parked).error is ErrorCode.NOT_COORDINATOR
        late_ms = coordinator.monotonic() - coordinator.lease_until
        assert 0 <= late_ms < 1_000
    finally:
        await outside.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true'.encode())
    await until(lambda: coordinator.holds_lease and "g" in coordinator.heartbeat_views)
    again, newcomer = one.join("g", joined.member_id), one.join("g")
    assert (await again).error is ErrorCode.NONE
    newcomer.cancel()


async def test_an_outage_of_the_database_evicts_nobody(
    one: Running, other: Other, outside: Other
) -> None:
    """Retriable errors while it is away, longer than any session; then on, as it was."""
    joined = await one.join("g", session_timeout_ms=SESSION_MS)
    assert isinstance(joined, Joined)
    assert (await one.sync("g", joined, {joined.member_id: b"all"})).error == 0
    availability, clock = one.node.availability, one.node.coordinator.clock
    name = other.info.dbname
    await outside.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false'.encode())
    try:
        gone_at = clock()
        await other.execute(END_NODES)
        commit = await one.commit("g", 1, joined)
        assert commit.error is ErrorCode.COORDINATOR_NOT_AVAILABLE
        await until(lambda: availability.away)
        code = await availability.of_slot(slot_of("g"), 10_000)
        assert code is ErrorCode.COORDINATOR_NOT_AVAILABLE
        await until(lambda: clock() - gone_at > 3 * SESSION_MS)
    finally:
        await outside.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true'.encode())

    await until(lambda: not availability.away and "g" in one.node.coordinator.heartbeat_views)
    assert await one.commit("g", 2, joined) == Committed()
    assert (await rows.groups(other))["g"][:2] == ("Stable", joined.generation_id)
    assert not one.stopped
    trigger, told = await _outage(other)
    assert trigger == "database-away" and min(told["ms"], told["extended_ms"]) > SESSION_MS
    assert told["slots"] == SLOTS


async def _outage(other: Other) -> tuple[str, dict[str, Any]]:
    """The journal's entry, a moment after the outage."""
    found = "SELECT trigger, details FROM rollcall_journal WHERE trigger = 'database-away'"
    while (row := await (await other.execute(found.encode())).fetchone()) is None:
        await asyncio.sleep(0.01)
    return row[0], row[1]


def test_former_owners_count_the_slots_that_they_lost() -> None:
    assert taken([None]) == "1 free slot"
    assert taken([None, 3, 1, 3, None]) == "1 slot of node 1, 2 slots of node 3, 2 free slots"


async def test_the_journal_tells_which_slots_a_node_took_and_whose_they_were(other: Other) -> None:
    async with running():
        cursor = await other.execute(
            "SELECT reason, details FROM rollcall_journal WHERE kind = 'slots-claimed'"
        )
        found = await cursor.fetchall()
    assert {reason for reason, _ in found} == {f"{SLOTS} free slots"}
    assert [details["slots"] for _, details in found] == [list(range(SLOTS))]
