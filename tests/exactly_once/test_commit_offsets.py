"""Offsets in the same SQL transaction as the application's own rows: both, or neither."""

import asyncio
from typing import Any

import psycopg
import pytest

from groups.core.errors import ErrorCode
from groups.core.replies import Committed, Joined
from groups.postgres.connections import Connection
from tests import rows
from tests.exactly_once.conftest import Application
from tests.node.running import Running

COMMIT = "SELECT rollcall_commit_offsets(%s, %s, %s, %s, %s, %s)"


async def work(application: Application, joined: Joined, at: int = 7, **over: object) -> None:
    """One unit of work: a row, and how far the member came. Not yet committed."""
    said: dict[str, object] = {
        "group": "g",
        "generation": joined.generation_id,
        "member": joined.member_id,
        "topics": ["t", "t"],
        "partitions": [0, 1],
        "offsets": [at, at + 1],
        **over,
    }
    await application.execute("INSERT INTO ledger VALUES ('done')")
    await application.execute(COMMIT, list(said.values()))


async def entries(other: Connection) -> int:
    """What the application has written for good."""
    row = await (await other.execute("SELECT count(*) FROM ledger")).fetchone()
    assert row is not None
    return int(row[0])


async def test_rows_and_offsets_commit_together(
    one: Running, application: Application, other: Connection
) -> None:
    joined = await one.settled("g")
    await work(application, joined)
    assert await rows.offsets(other) == {}

    await application.commit()

    assert await rows.offsets(other) == {("g", "t", 0): 7, ("g", "t", 1): 8}
    assert await entries(other) == 1
    cursor = await application.execute("SELECT * FROM rollcall_committed_offsets('g')")
    assert await cursor.fetchall() == [("t", 0, 7, ""), ("t", 1, 8, "")]


REFUSED: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({"generation": 2}, "RK022", "ILLEGAL_GENERATION: the group is in generation 1, not 2"),
    ({"member": "nobody"}, "RK025", "UNKNOWN_MEMBER_ID"),
    ({"group": "none"}, "RK069", "GROUP_ID_NOT_FOUND"),
)


async def test_a_refused_commit_rolls_back_the_rows_too(
    one: Running, application: Application, other: Connection
) -> None:
    joined = await one.settled("g")
    for wrong, state, says in REFUSED:
        await work(application, joined, **wrong)

        with pytest.raises(psycopg.Error, match=says) as caught:
            await application.commit()

        assert caught.value.sqlstate == state
        assert (await entries(other), await rows.offsets(other)) == (0, {}), wrong


NONSENSE: tuple[tuple[dict[str, Any], str], ...] = (
    ({"topics": ["t"]}, "RK042"),
    ({"offsets": [1, -1]}, "RK042"),
    ({"offsets": [1, None]}, "RK042"),
    ({"topics": [], "partitions": [], "offsets": []}, "RK042"),
    ({"generation": None}, "RK042"),
    ({"topics": ["t", "missing"]}, "RK003"),
    ({"partitions": [0, 2]}, "RK003"),
)


async def test_invalid_arguments_are_refused_at_once(
    one: Running, application: Application
) -> None:
    joined = await one.settled("g")
    for wrong, state in NONSENSE:
        with pytest.raises(psycopg.Error) as caught:
            await work(application, joined, **wrong)
        assert caught.value.sqlstate == state, wrong
        await application.rollback()


async def test_constraints_checked_at_commit_cannot_be_made_immediate(
    one: Running, application: Application, other: Connection
) -> None:
    """SET CONSTRAINTS before the call changes nothing: no rebalance and no commit waits."""
    joined = await one.settled("g")
    await application.execute("SET CONSTRAINTS ALL IMMEDIATE")
    await work(application, joined)

    assert await one.commit("g", 3, joined) == Committed()
    again = await one.join("g", joined.member_id)
    assert isinstance(again, Joined) and again.generation_id == joined.generation_id + 1
    with pytest.raises(psycopg.Error, match="ILLEGAL_GENERATION"):
        await application.commit()


async def test_making_them_immediate_and_then_idling_loses_the_transaction(
    one: Running, application: Application, other: Connection
) -> None:
    """The group is held for the second that PostgreSQL lets it be, and not for longer."""
    joined = await one.settled("g")
    await work(application, joined)
    await application.execute("SET CONSTRAINTS ALL IMMEDIATE")

    assert await one.commit("g", 3, joined) == Committed()
    assert (await one.join("g", joined.member_id)).error is ErrorCode.NONE
    with pytest.raises(psycopg.Error):
        await application.commit()
    assert await entries(other) == 0


async def test_a_rebalance_does_not_wait_for_an_application(
    one: Running, application: Application, other: Connection
) -> None:
    """The application's transaction stays open; the generation rises; the COMMIT is refused."""
    joined = await one.settled("g")
    await work(application, joined)

    again = await one.join("g", joined.member_id)
    assert isinstance(again, Joined) and again.generation_id == joined.generation_id + 1

    with pytest.raises(psycopg.Error, match="ILLEGAL_GENERATION"):
        await application.commit()
    assert (await entries(other), await rows.offsets(other)) == (0, {})


async def test_a_generation_without_its_assignment_commits_nothing(
    one: Running, application: Application
) -> None:
    first = await one.settled("g")
    joining = one.join("g")
    await one.join("g", first.member_id)
    joined = await joining
    assert isinstance(joined, Joined)
    await work(application, joined)
    with pytest.raises(psycopg.Error):
        await application.commit()


async def test_a_change_of_generation_waits_for_a_commit_in_progress(
    one: Running, application: Application, other: Connection
) -> None:
    """The application has been judged and is about to commit: the next generation comes after."""
    joined = await one.settled("g")
    await work(application, joined)
    await application.execute("SET CONSTRAINTS ALL IMMEDIATE")

    rejoining = one.join("g", joined.member_id)
    waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    while (await (await other.execute(waits)).fetchone()) == (0,):
        await asyncio.sleep(0.005)
    assert not rejoining.done()
    await application.commit()

    again = await rejoining
    assert isinstance(again, Joined) and again.generation_id == joined.generation_id + 1
    assert await rows.offsets(other) == {("g", "t", 0): 7, ("g", "t", 1): 8}


async def test_an_old_snapshot_is_refused(
    one: Running, application: Application, other: Connection
) -> None:
    """In REPEATABLE READ the application still sees the generation of before."""
    joined = await one.settled("g")
    await application.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
    await work(application, joined)
    assert isinstance(await one.join("g", joined.member_id), Joined)

    with pytest.raises(psycopg.errors.SerializationFailure):
        await application.commit()
    assert await rows.offsets(other) == {}


async def test_an_application_has_no_other_rights(application: Application) -> None:
    for statement in (
        "SELECT * FROM rollcall_group",
        "INSERT INTO rollcall_offset DEFAULT VALUES",
        "SELECT * FROM rollcall_noted_offsets",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await application.execute(statement.encode())
        await application.rollback()
