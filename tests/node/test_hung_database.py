"""A database that hangs, holds locks or takes too long: whoever waits is told to try again, nobody
else pays for it, and nothing that comes late overwrites what was acknowledged meanwhile."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from groups.core.errors import ErrorCode
from groups.core.replies import Committed
from groups.postgres import connections, doorbell
from groups.runtime.fail_points import no_fail
from groups.store.sql.slots import BELL as SLOTS_BELL
from tests import rows
from tests.node.running import Running, running
from tests.rows import backends

Other = connections.Connection
TIMEOUT_MS = 2_500


@pytest.fixture
async def one(_prepared: None, settings: Any) -> AsyncIterator[Running]:
    """A node with the shortest timeouts towards its database."""
    settings.OFFSETS_COMMIT_TIMEOUT_MS = TIMEOUT_MS
    async with running() as node:
        for committer in node.node.committers:
            committer.writer.fail = (
                no_fail  # as in production: a batch is one message, COMMIT included
            )
        yield node


@asynccontextmanager
async def stopped(other: Other, name: str) -> AsyncIterator[None]:
    """Suspend the backends of that name, as on a storage that hangs; then resume them."""
    pids = await backends(other, name)
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


async def until_ended(other: Other, pids: list[int], name: str) -> None:
    """Return once these backends have ended."""
    while set(pids) & set(await backends(other, name)):
        await asyncio.sleep(0.01)


async def test_a_late_commit_of_a_hung_backend_overwrites_nothing(
    one: Running, other: Other
) -> None:
    """It is answered with an error that may be tried again; the commits that are acknowledged by
    a new connection stay, whatever the old one does when it resumes."""
    joined = await one.settled("g")
    assert await one.commit("g", 50, joined) == Committed()
    name = "rollcall node offsets"
    before = await backends(other, name)
    async with stopped(other, name):
        late = await one.commit("g", 100, joined)
        assert late.error is ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert await one.commit("g", 110, joined) == Committed()
        assert await one.commit("g", 90, joined) == Committed()

    await until_ended(other, before, name)
    assert (await rows.offsets(other))["g", "t", 0] == 90


async def test_a_late_batch_of_memberships_changes_nothing(one: Running, other: Other) -> None:
    """The same of the membership queue: the group continues from what its rows said when they were
    read again."""
    joined = await one.settled("g")
    name = "rollcall node membership"
    before = await backends(other, name)
    async with stopped(other, name):
        late = await one.join("g", client_id="late")
        assert late.error is ErrorCode.COORDINATOR_NOT_AVAILABLE
        found = (await rows.groups(other))["g"]

    await until_ended(other, before, name)
    (state, generation, revision), after = found, (await rows.groups(other))["g"]
    assert after[:2] == (state, generation)
    assert after[2] >= revision, "raised before the rows are read again, sooner or later"
    assert await one.commit("g", 1, joined) == Committed()


async def test_a_locked_row_times_out_its_own_group_only(one: Running, other: Other) -> None:
    """Requests that wait for a permanent lock get retriable errors; other groups are served."""
    held, stranger = await one.settled("held"), await one.settled("stranger")
    async with other.transaction():
        await other.execute("SELECT FROM rollcall_group WHERE group_id = 'held' FOR UPDATE")
        for _ in range(2):
            late = await one.commit("held", 1, held)
            assert late.error is ErrorCode.COORDINATOR_NOT_AVAILABLE
            assert await one.commit("stranger", 1, stranger) == Committed()

    assert await one.commit("held", 2, held) == Committed()


async def test_a_locked_table_times_out_every_request(one: Running, other: Other) -> None:
    """A lock that blocks all batches belongs to no single group: all requests time out."""
    ids = [f"g{n}" for n in range(9)]
    for group_id in ids:
        await one.kept(group_id)
    async with other.transaction():
        await other.execute("LOCK TABLE rollcall_offset IN ACCESS EXCLUSIVE MODE")
        late = await asyncio.gather(*(one.commit(group_id, 1) for group_id in ids))
        assert {reply.error for reply in late} == {ErrorCode.COORDINATOR_NOT_AVAILABLE}

    assert await asyncio.gather(*(one.commit(g, 2) for g in ids)) == [Committed()] * len(ids)


async def test_a_group_in_doubt_that_cannot_be_read_times_out(one: Running, other: Other) -> None:
    """What was sent for it is past its guard and holds its row: it may commit yet, so nobody can
    know how the group stands; but whoever asks is told so."""
    joined = await one.settled("g")
    coordinator = one.node.coordinator
    async with other.transaction():
        await other.execute("SELECT FROM rollcall_group WHERE group_id = 'g' FOR UPDATE")
        entry = coordinator.entries["g"]
        coordinator.doubt(entry)
        one.node.reloader.add_unsure([entry])
        late = await one.commit("g", 1, joined)
        assert late.error is ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert entry.suspended

    assert await one.commit("g", 2, joined) == Committed()


async def test_a_hung_reader_is_replaced(one: Running, other: Other) -> None:
    """Its query ends with an error in time, and the next one is answered."""
    name = "rollcall node"
    async with stopped(other, name):
        with pytest.raises(psycopg.OperationalError):
            async with one.node.readers.connection() as connection:
                await connection.execute("SELECT 1")
        async with one.node.readers.connection() as connection:
            await connection.execute("SELECT 1")


async def test_a_hung_doorbell_is_replaced(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Silence may mean that there are no notifications: so it is probed now and then."""
    monkeypatch.setattr(doorbell, "LOOK_AGAIN_S", 0.1)
    name = "rollcall node doorbell"
    before = await backends(other, name)
    await other.execute("SELECT pg_notify(%s, 'wake')", [SLOTS_BELL])
    async with stopped(other, name):
        while set(await backends(other, name)) <= set(before):
            await asyncio.sleep(0.05)


async def test_listening_is_not_mistaken_for_hanging(settings: Any) -> None:
    """A doorbell without notifications is not mistaken for a hung one."""
    settings.OFFSETS_COMMIT_TIMEOUT_MS = 50
    async with await connections.connect("listener") as listener:
        await listener.execute("LISTEN nothing")
        assert [ring async for ring in listener.notifies(timeout=0.5)] == []
        await listener.execute("SELECT 1")
