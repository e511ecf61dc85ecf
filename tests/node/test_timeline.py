"""When time has gone back and when not: what the server says, its rows, and a node's memory."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

import psycopg
import pytest

from groups.cluster.returns import Returns
from groups.postgres import connections, timeline
from groups.postgres.timeline import Memory, ReadResult, Row, Server, has_gone_back
from tests.node.running import Running, running

Other = connections.Connection

BEGAN, AGAIN = (datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2))
FIRST, SECOND, THIRD = (UUID(int=number) for number in (1, 2, 3))


def found(
    system: int = 7,
    line: int = 1,
    flushed: int = 100,
    *,
    started: datetime = BEGAN,
    row: tuple[int, int] = (7, 1),
    jump: UUID = FIRST,
    jumped_on: datetime | None = None,
    beat: int | None = 10,
    database: int = 5,
    row_database: int = 5,
) -> ReadResult:
    """What a look finds; unless said otherwise it is as it was."""
    server = Server(system, line, started, flushed, database)
    return ReadResult(server, Row(*row, jump, jumped_on, 0, row_database), beat)


def memory(jump: UUID = FIRST) -> Memory:
    """What a node has seen that was at beat 10, at place 100 of timeline 1."""
    seen = Memory(0, Server(7, 1, BEGAN, 100, 5), 10, Row(7, 1, FIRST, None, 0, 5))
    seen.jumps.add(jump)
    return seen


@pytest.mark.parametrize(
    ("what", "saw", "verdict"),
    [
        ("as it was", found(), False),
        ("a restart", found(started=AGAIN, flushed=150), False),
        ("a promoted standby", found(line=2, flushed=90, beat=8), True),
        ("one that lacks nothing, as far as can be seen", found(line=2, flushed=150), True),
        ("a dump in another system", found(system=8, beat=9), True),
        ("a dump in the same system", found(database=6, beat=9), True),
        (
            "a dump in the same system that another node has seen to",
            found(database=6, row_database=6, jump=SECOND, jumped_on=BEGAN, beat=None),
            False,
        ),
        ("a copy of the files", found(flushed=80, started=AGAIN, beat=8), True),
        ("a copy whose log is longer by now", found(flushed=120, started=AGAIN, beat=8), True),
        ("a copy of before the node was there", found(flushed=120, started=AGAIN, beat=None), True),
        ("the node's row was deleted since it had left", found(flushed=120, beat=None), False),
        (
            "the same, when another node has seen to it",
            found(flushed=80, started=AGAIN, jump=SECOND, jumped_on=AGAIN, beat=None),
            False,
        ),
        (
            "a promoted standby that another node has seen to",
            found(line=2, row=(7, 2), jump=SECOND, jumped_on=BEGAN, started=AGAIN, beat=None),
            False,
        ),
        (
            "a copy from before a jump that this node has seen",
            found(flushed=80, started=AGAIN, jump=FIRST, jumped_on=BEGAN, beat=8),
            True,
        ),
        (
            "a copy from before a jump that this node has not seen",
            found(flushed=80, started=AGAIN, jump=THIRD, jumped_on=BEGAN, beat=8),
            True,
        ),
    ],
)
def test_a_running_node_detects_a_change_of_timeline(
    what: str, saw: ReadResult, verdict: bool
) -> None:
    assert has_gone_back(saw, memory()) is verdict, what


@pytest.mark.parametrize(
    ("saw", "verdict"),
    [
        (found(beat=None), False),
        (found(line=2, beat=None), True),
        (found(system=8, beat=None), True),
        (found(line=2, row=(7, 2), beat=None), False),
    ],
)
def test_a_starting_node_detects_a_change_of_timeline_from_the_row(
    saw: ReadResult, verdict: bool
) -> None:
    assert has_gone_back(saw, None) is verdict


def test_the_change_is_described_in_a_sentence() -> None:
    promoted = timeline.sentence(found(line=2, flushed=0x3000028), memory())
    assert "on timeline 2, and was on 1: a standby was promoted" in promoted
    assert "stands at 0/3000028, and was seen at 0/64" in promoted
    assert "is system 8, and was 7" in timeline.sentence(found(system=8), None)


@pytest.fixture
def _elsewhere(_prepared: None, database_url: str) -> Iterator[None]:
    """The rows come from another system: a dump was restored."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("UPDATE rollcall_timeline SET system_identifier = 1")
        yield
        connection.execute("UPDATE rollcall_timeline SET generations_after = 0")


@pytest.mark.usefixtures("_elsewhere")
async def test_a_restored_dump_is_detected_at_the_start(other: Other) -> None:
    async with running() as node:
        assert min(node.node.coordinator.epochs.values()) > 1_000_000
        assert (await node.settled("g")).generation_id == 1_000_001
        cursor = await other.execute(
            "SELECT reason FROM rollcall_journal WHERE kind = 'time-went-back'"
        )
        ((reason,),) = await cursor.fetchall()
        assert "a dump was restored" in reason


async def test_no_connection_is_used_before_the_lease_checked_the_timeline(
    one: Running, other: Other
) -> None:
    """A committer that connects first would use memory of the lost timeline."""
    await other.execute("UPDATE rollcall_timeline SET jump = gen_random_uuid()")
    with pytest.raises(psycopg.OperationalError, match="another history"):
        await connections.connect("a committer")


RAISED = "SELECT rollcall_raise_epochs((SELECT jump FROM rollcall_timeline), 0, -1, 'a test')"


async def served_again(node: Running) -> None:
    """The node has registered and serves in the new history."""
    coordinator = node.node.coordinator
    while len(coordinator.epochs) < 64 or min(coordinator.epochs.values()) < 1_000_000:
        await asyncio.sleep(0.02)


async def test_reports_of_obeyed_pauses_are_recorded_again_on_another_timeline(
    one: Running, other: Other
) -> None:
    """A restored table lacks what was noted since; each says the same as before, and is heard."""
    noted = "SELECT obeying FROM rollcall_follower WHERE group_id = 'g'"

    async def heard() -> list[tuple[int]]:
        """What is noted once something is; the test's time limit ends what never comes."""
        one.node.followers.note_report("g", "m", 5)
        while not (found := await (await other.execute(noted)).fetchall()):
            await asyncio.sleep(0.02)
        return found

    assert await heard() == [(5,)]
    await other.execute("DELETE FROM rollcall_follower")
    await other.execute(RAISED)
    await served_again(one)
    assert await heard() == [(5,)]


async def test_a_restarted_server_waits_for_the_check_of_the_lease(
    one: Running, other: Other
) -> None:
    """It checks at once, and finds every observed state."""
    await one.settled("g")
    (memory,) = timeline.MEMORIES
    memory.server = memory.server._replace(started_at=BEGAN)
    with pytest.raises(psycopg.OperationalError, match="another history"):
        await connections.connect("a committer")
    await other.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'rollcall node lease' AND datname = current_database()"
    )
    while memory.server.started_at == BEGAN:
        await asyncio.sleep(0.02)
    assert memory is timeline.MEMORIES[0] and min(one.node.coordinator.epochs.values()) < 100


async def test_a_beat_during_a_check_is_not_a_check(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read is older than what the node remembers by the time it is judged."""
    read, asking = timeline.read, asyncio.current_task()

    async def late(connection: Other, node_id: int) -> ReadResult:
        found = await read(connection, node_id)
        (memory,) = timeline.MEMORIES
        if asyncio.current_task() is asking:  # and not the node's own, which connects meanwhile
            memory.has_beaten(memory.beat + 1, memory.server.flushed + 1)
        return found

    monkeypatch.setattr(timeline, "read", late)
    async with await connections.connect("a committer") as connection:
        cursor = await connection.execute("SELECT 1")
        assert await cursor.fetchone() == (1,), "the connection is given, not refused"


LOST = {
    "an older revision": "UPDATE rollcall_group SET revision = revision - 1",
    "no such group": "DELETE FROM rollcall_group",
    "an older epoch of a slot": "UPDATE rollcall_slot SET epoch = epoch - 1 WHERE slot = 63",
}


@pytest.mark.parametrize("what", LOST)
async def test_the_loss_of_an_observed_state_is_detected(
    one: Running, other: Other, what: str
) -> None:
    """Within one beat, so that there is no other sign."""
    await one.settled("g")
    seen = list(one.node.coordinator.seen())
    for part in seen:
        assert not await timeline.is_lost(other, part)
    async with other.transaction(force_rollback=True):
        await other.execute(f"DELETE FROM rollcall_member; {LOST[what]}")
        assert [await timeline.is_lost(other, part) for part in seen].count(True) == 1


async def test_progress_of_another_owner_is_not_a_loss(one: Running, other: Other) -> None:
    """It may have deleted and recreated the group."""
    await one.settled("g")
    seen = list(one.node.coordinator.seen())
    async with other.transaction(force_rollback=True):
        await other.execute("UPDATE rollcall_slot SET epoch = epoch + 1")
        await other.execute("UPDATE rollcall_group SET revision = 1")
        assert not any([await timeline.is_lost(other, part) for part in seen])


async def test_epochs_raised_by_an_operator_end_only_memberships(
    one: Running, other: Other
) -> None:
    """``manage.py raise_epochs`` beside nodes that run: they register again and serve."""
    joined = await one.settled("g")
    await other.execute(RAISED)
    await served_again(one)
    assert (await one.commit("g", 1, joined)).error != 0
    again = await one.join("g", joined.member_id)
    assert again.error == 0


def test_a_node_takes_back_what_it_had_for_a_while() -> None:
    returns = Returns(1_000)
    returns.lost([], 0)
    assert not returns.own(1)
    returns.lost([1, 2], 5_000)
    returns.lost([], 6_500)  # the epochs were raised by now
    assert returns.own(7_499) == {1, 2}
    assert not returns.own(7_500)


async def test_what_every_group_needs_is_read_again_after_a_failure(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new history's topics could not be read at the first try: no group is served without."""
    reads: list[str] = []

    async def load(_connection: Other) -> None:
        reads.append("topics")
        if len(reads) == 1:
            raise psycopg.OperationalError("the server closed the connection")

    monkeypatch.setattr(one.node.catalogue, "load", load)
    keeper = one.node.keeper
    keeper.lease_loop.begun_anew()
    with pytest.raises(psycopg.OperationalError):
        await keeper.loader.prepare(other)
    await keeper.loader.prepare(other)
    await keeper.loader.prepare(other)
    assert reads == ["topics", "topics"], "twice, and not before each load"
