"""The session sweep asks owners for an echo. It evicts nobody, and takes slots from the dead."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from benchmarks.wire import form_group
from groups.core.replies import Joined
from groups.slot import slot_of
from groups.sweeps import SessionSweep
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
OWNED = "SELECT count(*) FROM rollcall_slot WHERE node_id IS NOT NULL"


async def join(one: Running, group_id: str, session_timeout_ms: int = 30_000) -> Joined:
    """A group of one member, Stable."""
    joined = await one.join(group_id, session_timeout_ms=session_timeout_ms)
    assert isinstance(joined, Joined)
    await one.sync(group_id, joined, {joined.member_id: b""})
    return joined


async def test_who_was_heard_of_is_noted_and_noted_again_when_somebody_looks(
    one: Running, other: Other
) -> None:
    joined = await join(one, "g")
    await until(lambda: value(other, NOTED))
    left = "SELECT extract(epoch FROM deadline_at - clock_timestamp()) FROM rollcall_liveness"
    assert 0 < await value(other, left) <= 30

    heard = await value(other, "SELECT heard_at FROM rollcall_liveness")
    later = one.node.coordinator.clock() + 5
    assert one.node.coordinator.faces["g"].heartbeat(joined.member_id, None, 1, later) == 0
    await other.execute("NOTIFY rollcall_look, 'g'")

    newer = "SELECT count(*) FROM rollcall_liveness WHERE heard_at > %s"
    await until(lambda: value(other, newer, heard))


async def test_a_living_owner_answers_and_nobody_is_evicted(one: Running, other: Other) -> None:
    """A host clock that jumped an hour makes everybody look overdue; nothing comes of it."""
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


async def test_the_sweep_alone_brings_the_owner_to_expire_a_silent_member(other: Other) -> None:
    """The owner's own timers are switched off."""
    sweep = SessionSweep(LEASE_MS)
    async with running(has_timers=False) as one:
        begun = time.monotonic()
        await join(one, "g", SESSION_MS)
        while await value(other, MEMBERS):
            await swept(sweep.run)
            await asyncio.sleep(A_WHILE_S)

        assert SESSION_MS / 1000 <= time.monotonic() - begun < SESSION_MS / 1000 + 3
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
        while await value(other, OWNER, slot) is not None:
            await swept(sweep.run)
            await asyncio.sleep(A_WHILE_S)
        os.kill(owner.process.pid, signal.SIGCONT)

        await until(lambda: value(other, f"SELECT count(*) FROM ({OWNER} AND node_id = 0) o", slot))
        member.peer.close()
        assert await value(other, EPOCH, slot) == epoch + 2
        assert await value(other, MEMBERS) == 1
        said = "SELECT reason FROM rollcall_journal WHERE kind = 'slots-released'"
        assert await value(other, said) == "node 0 gave no sign of life for a whole lease"
