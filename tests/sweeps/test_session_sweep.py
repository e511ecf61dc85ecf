"""The session sweep probes owners. It evicts no member, and takes slots from the dead."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from benchmarks.wire import form_group
from groups.core.replies import Joined
from groups.core.rows import slot_of
from groups.postgres import schema_version
from groups.store.sql import slots
from groups.sweeps.session import BELL_BYTES_MAX, SLOTS_A_SWEEP, SessionSweep, _payload
from tests.node.running import Running, running
from tests.node.test_slots import child
from tests.sweeps.conftest import Other, swept, until, value

LEASE_MS = 1_000
SESSION_MS = 1_000
A_WHILE_S = 0.25
"""Between two sweeps here: a quarter of what beat makes it, since the lease is shorter too."""

NOTED = "SELECT count(*) FROM rollcall_liveness"
OVERDUE = "UPDATE rollcall_liveness SET deadline_at = deadline_at - interval '1 hour' RETURNING 1"
ANSWERED = "SELECT count(*) = 0 FROM rollcall_watch WHERE echo < probe"
MEMBERS = "SELECT count(*) FROM rollcall_member"
OWNER = "SELECT node_id FROM rollcall_slot WHERE slot = %s"
EPOCH = "SELECT epoch FROM rollcall_slot WHERE slot = %s"
ANOTHER = """
INSERT INTO rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at)
VALUES (1, gen_random_uuid(), 1, 'h', 1, now(), 'infinity')
"""
"""Another node that lives."""

OWNED = "SELECT count(*) FROM rollcall_slot WHERE node_id IS NOT NULL"


async def join(one: Running, group_id: str, session_timeout_ms: int = 30_000) -> Joined:
    """A group of one member, Stable."""
    joined = await one.join(group_id, session_timeout_ms=session_timeout_ms)
    assert isinstance(joined, Joined)
    await one.sync(group_id, joined, {joined.member_id: b""})
    return joined


async def test_signs_of_life_are_recorded_and_again_on_request(one: Running, other: Other) -> None:
    joined = await join(one, "g")
    await until(lambda: value(other, NOTED))
    left = "SELECT extract(epoch FROM deadline_at - clock_timestamp()) FROM rollcall_liveness"
    assert 0 < await value(other, left) <= 30

    heard = await value(other, "SELECT heard_at FROM rollcall_liveness")
    later = one.node.coordinator.clock() + 5
    assert (
        one.node.coordinator.heartbeat_views["g"].heartbeat(joined.member_id, None, 1, later) == 0
    )
    await other.execute("NOTIFY rollcall_look, 'g'")

    newer = "SELECT count(*) FROM rollcall_liveness WHERE heard_at > %s"
    await until(lambda: value(other, newer, heard))


async def test_a_live_owner_answers_and_nobody_is_evicted(one: Running, other: Other) -> None:
    """After a jump of the host clock by an hour all members look overdue; none is evicted."""
    for number in range(20):
        await join(one, f"g-{number}")
    await until(lambda: value(other, "SELECT count(*) = 20 FROM rollcall_liveness"))
    await other.execute(OVERDUE)
    sweep = SessionSweep(LEASE_MS)

    begun = time.monotonic()
    assert "slots asked" in await swept(sweep.run)
    while time.monotonic() - begun < 3 * LEASE_MS / 1000:
        await asyncio.sleep(A_WHILE_S)
        assert "released" not in await swept(sweep.run)

    await until(lambda: value(other, ANSWERED))
    assert await value(other, MEMBERS) == 20
    assert await value(other, OWNED) == 64


async def test_the_sweep_alone_makes_the_owner_expire_a_silent_member(other: Other) -> None:
    """The owner's own timers are switched off."""
    sweep = SessionSweep(LEASE_MS)
    async with running(has_timers=False) as one:
        begun = time.monotonic()
        await join(one, "g", SESSION_MS)
        while await value(other, MEMBERS):
            await swept(sweep.run)
            await asyncio.sleep(A_WHILE_S)

        assert time.monotonic() - begun >= SESSION_MS / 1000
        reason = "SELECT trigger FROM rollcall_journal WHERE kind = 'emptied'"
        assert await value(other, reason) == "session-expired"


@pytest.mark.timeout(60)
async def test_a_stopped_owner_loses_its_slot_and_no_member(
    database_url: str, tmp_path: Path, other: Other
) -> None:
    sweep = SessionSweep(LEASE_MS)
    async with child(database_url, tmp_path, 0) as owner:
        (member,) = await form_group(await owner.serves(), "g", 1)
        await until(lambda: value(other, NOTED))
        slot = slot_of("g")
        epoch = await value(other, EPOCH, slot)

        os.kill(owner.process.pid, signal.SIGSTOP)
        await other.execute(OVERDUE)
        until_s = time.monotonic() + 3 * LEASE_MS / 1000
        while time.monotonic() < until_s:
            assert "released" not in await swept(sweep.run), "nobody else could take it"
            await asyncio.sleep(A_WHILE_S)
        await other.execute(ANOTHER)
        while await value(other, OWNER, slot) is not None:
            await swept(sweep.run)
            await asyncio.sleep(A_WHILE_S)
        await other.execute("DELETE FROM rollcall_node WHERE node_id = 1")
        os.kill(owner.process.pid, signal.SIGCONT)

        await until(lambda: value(other, f"SELECT count(*) FROM ({OWNER} AND node_id = 0) o", slot))
        member.peer.close()
        assert await value(other, EPOCH, slot) == epoch + 2
        assert await value(other, MEMBERS) == 1
        said = "SELECT reason FROM rollcall_journal WHERE kind = 'slots-released'"
        assert await value(other, said) == "node 0 did not answer for a whole lease"


class Clock:
    """A clock that a test sets. ``between``: what happens between the question to the database
    and the look at its answer, which a sweep times."""

    def __init__(self) -> None:
        self.now = 0
        self.between: Callable[[], None] = lambda: None
        self._asked = False

    def __call__(self) -> int:
        """Milliseconds."""
        self._asked = not self._asked
        if not self._asked:
            self.between()
        return self.now


SILENT = """
WITH owned AS (
    UPDATE rollcall_slot SET node_id = 0, incarnation = gen_random_uuid()
    WHERE slot < %s RETURNING slot
) UPDATE rollcall_watch SET probe = 1 WHERE slot IN (SELECT slot FROM owned)
"""
"""So many slots have an owner who gives no echo."""

ECHO = "UPDATE rollcall_watch SET echo = probe WHERE slot = 1"
CLAIM = "UPDATE rollcall_slot SET epoch = epoch + 1 WHERE slot = 1"


async def test_few_slots_are_released_per_sweep(other: Other) -> None:
    """Whoever claims them has to load them."""
    await other.execute(SILENT, [2 * SLOTS_A_SWEEP + 1])
    clock = Clock()
    sweep = SessionSweep(LEASE_MS, clock)
    left = []
    for _ in range(5):
        await swept(sweep.run)
        left.append(await value(other, OWNED))
        clock.now += LEASE_MS

    assert left == [2 * SLOTS_A_SWEEP + 1, SLOTS_A_SWEEP + 1, 1, 0, 0]


async def test_a_silence_is_a_full_lease_without_a_failed_sweep(other: Other) -> None:
    """The database was down for a moment: it is unknown who would have answered."""
    await other.execute(SILENT, [1])
    clock = Clock()
    sweep = SessionSweep(LEASE_MS, clock)
    await swept(sweep.run)

    def broken() -> None:
        raise RuntimeError("no answer")

    clock.now += LEASE_MS // 2
    clock.between = broken
    with pytest.raises(RuntimeError, match="no answer"):
        await swept(sweep.run)
    clock.between = lambda: None
    clock.now += LEASE_MS // 2
    await swept(sweep.run)
    assert await value(other, OWNED) == 1

    clock.now += LEASE_MS
    await swept(sweep.run)
    assert await value(other, OWNED) == 0


@pytest.mark.parametrize("happens", [ECHO, CLAIM], ids=["an echo", "another owner"])
async def test_an_answer_at_the_last_moment_keeps_the_slot(
    other: Other, database_url: str, happens: str
) -> None:
    await other.execute(SILENT, [2])
    clock = Clock()
    sweep = SessionSweep(LEASE_MS, clock)
    await swept(sweep.run)
    clock.now += LEASE_MS

    def meanwhile() -> None:
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute(happens.encode())

    clock.between = meanwhile
    assert "slots [0] released" in await swept(sweep.run)
    assert await value(other, OWNER, 1) == 0


async def test_a_node_with_a_longer_lease_has_longer_to_answer(other: Other) -> None:
    """It answers from memory for as long as its own lease says."""
    longer = {"node_id": 0, "incarnation": uuid4(), "host": "h", "port": 1, "draft_port": 0}
    await other.execute(
        slots.REGISTER.encode(),
        {
            **longer,
            "lease_ms": 3 * LEASE_MS,
            "schema": schema_version.OURS,
            "endpoints": [],
            "clock_ms": None,
            "calm_ms": 0,
        },
    )
    await other.execute(SILENT, [1])
    clock = Clock()
    sweep = SessionSweep(LEASE_MS, clock)
    for clock.now in (0, LEASE_MS, 2 * LEASE_MS, 3 * LEASE_MS - 1):
        await swept(sweep.run)
        assert await value(other, OWNED) == 1
    clock.now += 1
    await swept(sweep.run)
    assert await value(other, OWNED) == 0


async def test_an_owner_is_notified_of_its_overdue_groups(one: Running, other: Other) -> None:
    for group_id in ("late", "early"):
        await join(one, group_id)
    await until(lambda: value(other, "SELECT count(*) = 2 FROM rollcall_liveness"))
    await other.execute(
        "UPDATE rollcall_liveness SET deadline_at = deadline_at - interval '1 hour'"
        " WHERE group_id = 'late'"
    )
    await other.execute("LISTEN rollcall_watch")

    await swept(SessionSweep(LEASE_MS).run)

    [rung] = [note async for note in other.notifies(timeout=60, stop_after=1)]
    assert json.loads(rung.payload) == {"slot": slot_of("late"), "groups": ["late"]}


def test_a_notification_names_as_many_groups_as_fit() -> None:
    names = [f"{number:04}-{'ß' * 100}" for number in range(100)]
    payload = _payload(7, names)
    said = json.loads(payload)
    more = json.dumps(names[len(said["groups"])])

    assert said["slot"] == 7 and said["groups"] == names[: len(said["groups"])]
    assert len(payload.encode()) < 8_000, "PostgreSQL refuses it"
    assert len(payload) + len(more) + 2 > BELL_BYTES_MAX, "there was room for one more"
    assert json.loads(_payload(7, ["a", "b"]))["groups"] == ["a", "b"]
