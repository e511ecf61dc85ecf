"""How long a slot was served, across owners, and what their members' rows say of it."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

import pytest

from groups.cluster import slot_rows
from groups.cluster.beats import SlotRow
from groups.cluster.handover import NoNotes
from groups.cluster.slot_rows import Service
from groups.core.rows import slot_of
from groups.event_loop import monotonic_ms
from groups.store import load
from groups.store.sql import slots as sql
from tests.in_process import Other
from tests.node.running import Running, running
from tests.sweeps.conftest import until, value

SESSION_MS = 300_000
SILENT_MS = 120_000

HEARD = "SELECT heard_at FROM rollcall_liveness"
SINCE = "SELECT since_ms FROM rollcall_liveness"
SLOT = "SELECT served_ms, shift_ms, is_noted, ended_at IS NULL FROM rollcall_slot WHERE slot = 1"


async def silent(one: Running, other: Other) -> None:
    """A group of one member that was heard two minutes ago."""
    joined = await one.settled("g", session_timeout_ms=SESSION_MS)
    coordinator = one.node.coordinator
    live = coordinator.entries["g"].group.live
    live.beats[joined.member_id].at -= SILENT_MS
    live.floor -= SILENT_MS
    coordinator.shifts[slot_of("g")] += 2 * SILENT_MS  # it has been served for so long
    await one.node.notes.rung(("g",))
    await until(lambda: value(other, f"SELECT count(*) = 1 FROM ({HEARD}) h"))


READ_MS = 1_000
"""A test reads the clock a moment after the node did."""


def left_ms(one: Running) -> int:
    [session] = one.node.coordinator.entries["g"].group.sessions(one.node.coordinator.clock())
    return session.heard_at + session.timeout_ms - one.node.coordinator.clock()


def another_clock() -> int:
    """A process's clock, that of another host."""
    return monotonic_ms() + 10_000_000_000


async def test_silence_goes_on_when_a_node_stops_and_another_follows(other: Other) -> None:
    async with running(node_id=3) as one:
        await silent(one, other)
        heard = await value(other, HEARD)

        assert left_ms(one) <= SESSION_MS - SILENT_MS + READ_MS
    assert await value(other, "SELECT bool_and(is_noted) FROM rollcall_slot")
    since = await value(other, SINCE)

    async with running(node_id=4, clock=another_clock) as two:
        assert left_ms(two) <= SESSION_MS - SILENT_MS + READ_MS
        await other.execute("UPDATE rollcall_liveness SET deadline_at = now() - interval '1 hour'")
        two.node.notes._noted.clear()  # as right after the load
        await until(lambda: value(other, "SELECT deadline_at > now() FROM rollcall_liveness"))
        assert (await value(other, HEARD), await value(other, SINCE)) == (heard, since)
        [member_id] = two.node.coordinator.entries["g"].group.durable.members
        assert two.node.coordinator.heartbeat_views["g"].heartbeat(
            member_id, None, 1, two.node.coordinator.clock()
        ) == 0  # fmt: skip
        await two.node.notes.rung(("g",))  # by itself it would write that half a minute later
        await until(
            lambda: value(other, f"SELECT count(*) FROM ({HEARD}) h WHERE heard_at > %s", heard)
        )


async def test_what_was_not_written_may_have_been_heard(other: Other) -> None:
    """The owner could not write the last heartbeats, and older ones are not true any more: a whole
    session, also from the second such owner."""
    async with running(node_id=3) as one:
        await silent(one, other)
        one.node.keeper.handover.notes = NoNotes()
    assert not await value(other, "SELECT bool_or(is_noted) FROM rollcall_slot")

    async with running(node_id=4) as two:
        assert left_ms(two) > SESSION_MS - 30_000
        two.node.keeper.handover.notes = NoNotes()
        two.node.coordinator.shifts[slot_of("g")] += 60_000  # a minute later
    assert not await value(other, f"SELECT count(*) FROM ({HEARD}) h")
    async with running(node_id=5) as three:
        assert left_ms(three) > SESSION_MS - 30_000


async def test_the_time_to_reconnect_comes_after_a_long_outage(other: Other, settings: Any) -> None:
    settings.COORDINATOR_RESTART_GRACE_MS = 2 * SESSION_MS
    async with running(node_id=3) as one:
        await silent(one, other)
    async with running(node_id=3) as two:
        assert left_ms(two) <= SESSION_MS - SILENT_MS + READ_MS
    await other.execute("UPDATE rollcall_slot SET ended_at = ended_at - interval '1 hour'")
    async with running(node_id=3) as three:
        assert left_ms(three) > SESSION_MS


NODE = """
INSERT INTO rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at, clock_ms)
VALUES (7, %s, 1, 'h', 1, now(), now(), %s)
"""
SERVED = """
UPDATE rollcall_slot SET node_id = 7, incarnation = %s, served_ms = 500, shift_ms = %s,
       is_noted = true, ended_at = NULL
WHERE slot = 1
"""


async def claimed(other: Other) -> tuple[Any, ...]:
    """The slot's row after another node has claimed it."""
    epoch = await value(other, "SELECT epoch FROM rollcall_slot WHERE slot = 1")
    await slot_rows.claim(other, 8, uuid4(), [SlotRow(1, 7, None, epoch)])
    return await row(other)


async def row(other: Other) -> tuple[Any, ...]:
    found = await (await other.execute(SLOT.encode())).fetchone()
    assert found is not None
    return tuple(found)


@pytest.mark.parametrize(
    ("shift_ms", "clock_ms", "after"),
    [
        (100, 2_000, (2_100, None, False, False)),
        (100, 50, (500, None, False, False)),
        (100, None, (500 + sql.UNKNOWN_MS, None, False, False)),
        (None, 2_000, (500, None, True, True)),
    ],
    ids=["until its last beat", "never backwards", "an older version", "before it served"],
)
async def test_the_service_of_a_dead_node_ends_with_its_last_beat(
    other: Other, shift_ms: int | None, clock_ms: int | None, after: tuple[Any, ...]
) -> None:
    incarnation = uuid4()
    await other.execute(NODE, [incarnation, clock_ms])
    await other.execute(SERVED, [incarnation, shift_ms])
    assert await claimed(other) == after


async def test_the_service_of_a_node_that_gives_slots_back_never_ends_before_it_began(
    other: Other,
) -> None:
    """It has not listened since it loaded them."""
    incarnation = uuid4()
    await other.execute(NODE, [incarnation, 2_000])
    await other.execute(SERVED, [incarnation, 100])
    await slot_rows.release(other, 7, incarnation, [1], Service({1: 450}, {1}))
    assert await value(other, "SELECT served_ms FROM rollcall_slot WHERE slot = 1") == 500


async def test_a_start_keeps_what_it_overwrites(other: Other) -> None:
    incarnation = uuid4()
    await other.execute(NODE, [incarnation, 2_000])
    await other.execute(SERVED, [incarnation, 100])
    ids: Mapping[str, int | UUID] = {"node_id": 7, "incarnation": uuid4()}
    await other.execute(sql.END_SERVICE.encode(), {**ids, "incarnation": incarnation})
    assert (await row(other))[1] == 100, "its own"
    await other.execute(sql.END_SERVICE.encode(), ids)
    assert await row(other) == (2_100, None, False, False)
    await other.execute("DELETE FROM rollcall_node")
    assert (await claimed(other))[0] == 2_100


async def test_a_claim_from_a_node_that_is_not_registered_forgets_what_was_noted(
    other: Other,
) -> None:
    await other.execute(SERVED, [uuid4(), 100])
    assert await claimed(other) == (500 + sql.UNKNOWN_MS, None, False, True)


async def test_a_release_says_until_when_slots_were_served(other: Other) -> None:
    incarnation = uuid4()
    await other.execute(SERVED, [incarnation, 100])
    await slot_rows.release(other, 7, incarnation, [1], Service({1: 900}, [1]))
    assert await row(other) == (900, None, True, False)


async def test_a_slot_that_was_not_served_is_released_as_it_was(other: Other) -> None:
    incarnation = uuid4()
    await other.execute(SERVED, [incarnation, None])
    await slot_rows.release(other, 7, incarnation, [1])
    assert await row(other) == (500, None, True, True)


async def test_a_row_of_a_member_that_was_removed_and_came_again_does_not_count(
    one: Running, other: Other
) -> None:
    joined = await one.settled("g", session_timeout_ms=SESSION_MS)
    slots = [slot_of("g")]
    await until(lambda: value(other, f"SELECT count(*) = 1 FROM ({HEARD}) h"))
    assert (await load.silences_of_slots(other, slots))["g"].keys() == {joined.member_id}
    await other.execute(
        "UPDATE rollcall_liveness SET heard_at = joined_at - %s * interval '1 millisecond'"
        " FROM rollcall_member",
        [SESSION_MS],
    )
    assert await load.silences_of_slots(other, slots) == {}


async def test_a_reconnected_writer_writes_all_rows_anew(one: Running, other: Other) -> None:
    """A crash of PostgreSQL empties the table."""
    await silent(one, other)
    connection = one.node.notes._connection
    assert connection is not None
    await connection.close()
    await other.execute("TRUNCATE rollcall_liveness")
    one.node.notes.request(["g"])
    await until(lambda: value(other, f"SELECT count(*) = 1 FROM ({HEARD}) h"))
