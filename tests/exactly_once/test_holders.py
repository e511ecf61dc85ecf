"""Whoever holds a group's lock, or its row, outside of a COMMIT: the group is served."""

import asyncio

import psycopg
import pytest

from groups.core.replies import Joined
from groups.postgres.connections import Connection
from tests import rows
from tests.exactly_once.conftest import Application
from tests.exactly_once.test_commit_offsets import work
from tests.node.running import Running
from tests.node.test_notifications import value

LOCK = "SELECT pg_advisory_lock(5401703, hashtext('g'))"

WAITS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted"

EARLY = "SET CONSTRAINTS ALL IMMEDIATE"
LIFTS = "SET LOCAL idle_in_transaction_session_timeout = 0", "SET LOCAL transaction_timeout = 0"


async def test_a_group_is_served_without_its_lock(one: Running, other: Connection) -> None:
    """As where the set-up could not keep any login from taking it."""
    joined = await one.settled("g")
    await other.execute(LOCK)

    again = await one.join("g", joined.member_id)

    assert isinstance(again, Joined) and again.generation_id == joined.generation_id + 1


HELD = {
    "by standing still": (EARLY, *LIFTS),
    "with limits lifted before": (*LIFTS, EARLY, *LIFTS),
    "in a savepoint": ("SAVEPOINT s", EARLY, "RELEASE s", *LIFTS),
    "in one message": ("; ".join((EARLY, *LIFTS)),),
}


@pytest.mark.parametrize("how", HELD)
async def test_an_application_does_not_hold_its_group(
    one: Running, application: Application, other: Connection, how: str
) -> None:
    """The check at the COMMIT was called for early, and the limits of that were lifted: the session
    ends, and nothing of it is committed."""
    joined = await one.settled("g")
    await work(application, joined)
    for statement in HELD[how]:
        await application.execute(statement.encode())

    again = await one.join("g", joined.member_id)

    assert isinstance(again, Joined) and again.generation_id == joined.generation_id + 1
    with pytest.raises(psycopg.OperationalError):
        await application.commit()
    assert await rows.offsets(other) == {}


async def test_a_commit_that_takes_its_time_is_not_ended(
    one: Running, application: Application, other: Connection
) -> None:
    """It is at work; the owner waits longer than it would for a session that is not."""
    joined = await one.settled("g")
    await other.execute(
        "CREATE TABLE IF NOT EXISTS slow (n int); GRANT ALL ON slow TO rollcall_application;"
        " CREATE OR REPLACE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS"
        " 'BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN NULL; END';"
        " CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED"
        " FOR EACH ROW EXECUTE FUNCTION slow()"
    )
    try:
        await other.execute("SELECT pg_advisory_lock(42)")
        await work(application, joined)
        await application.execute("INSERT INTO slow VALUES (1)")
        commit = asyncio.create_task(application.commit())
        while not await value(other, WAITS):  # else the rejoin comes first, and it is refused
            assert not commit.done(), commit
            await asyncio.sleep(0.01)
        counts = one.node.coordinator.tallies.queues["membership"].failures
        rejoining = one.join("g", joined.member_id)
        while not counts["Contended"] and not counts["Busy"]:
            assert not commit.done(), commit
            await asyncio.sleep(0.01)
        ended = await other.execute("SELECT rollcall_end_holders('g')")
        assert await ended.fetchone() == (0,)
        await other.execute("SELECT pg_advisory_unlock(42)")
        await commit
        assert isinstance(await rejoining, Joined)
        assert await rows.offsets(other) == {("g", "t", 0): 7, ("g", "t", 1): 8}
    finally:
        await other.execute("SELECT pg_advisory_unlock_all()")  # else the commit keeps the table
        await other.execute("DROP TABLE slow; DROP FUNCTION slow()")
