"""An operator's verb is a row: it outlives the owner that dies over it."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from benchmarks.wire import form_group
from groups.core.errors import ErrorCode
from groups.core.replies import Joined
from groups.core.rows import SLOTS, slot_of
from tests.node.running import Running, running
from tests.node.test_slots import Other, child, until

ASK = """
INSERT INTO rollcall_operation
    (group_id, slot, verb, member_id, reason, actor, state, detail, created_at)
VALUES (%s, %s, %s, %s, 'a reason', 'alice', 'pending', '', now()) RETURNING id
"""


async def ask(other: Other, group_id: str, verb: str = "rebalance", member_id: str = "") -> int:
    """What the admin and REST do, but for the bell: the owner looks by itself."""
    values = [group_id, slot_of(group_id), verb, member_id]
    row = await (await other.execute(ASK, values)).fetchone()
    assert row is not None
    return int(row[0])


async def outcome(other: Other, operation_id: int) -> tuple[str, str, int | None]:
    """State, detail and the generation reached."""
    row = await (
        await other.execute(
            "SELECT state, detail, generation FROM rollcall_operation WHERE id = %s", [operation_id]
        )
    ).fetchone()
    assert row is not None
    state, detail, generation = row
    return state, detail, generation


async def came_of(other: Other, operation_id: int) -> str | None:
    """Whether anything came of it; None: it has not succeeded."""
    query = "SELECT outcome FROM rollcall_operation WHERE id = %s"
    row = await (await other.execute(query, [operation_id])).fetchone()
    assert row is not None
    found: str | None = row[0]
    return found


async def reached(other: Other, operation_id: int, *states: str) -> tuple[str, str, int | None]:
    """Look again until it is in one of these states."""
    while (found := await outcome(other, operation_id))[0] not in states:
        await asyncio.sleep(0.01)
    return found


async def test_a_forced_rebalance_ends_with_the_generation_it_reached(
    one: Running, other: Other
) -> None:
    joined = await one.settled("g")
    operation = await ask(other, "g")

    running_on = await reached(other, operation, "running")
    assert "waiting for the members of generation 1" in running_on[1]
    again = await one.join("g", joined.member_id)

    assert isinstance(again, Joined) and again.generation_id == 2
    assert await reached(other, operation, "succeeded", "failed") == (
        "succeeded",
        "the group reached generation 2",
        2,
    )


async def test_forcing_an_empty_group_is_refused_with_the_reason(
    one: Running, other: Other
) -> None:
    await one.kept("g")
    operation = await ask(other, "g")
    assert (await reached(other, operation, "succeeded", "failed"))[:2] == (
        "failed",
        "the group has no members",
    )
    assert await came_of(other, operation) is None


async def test_a_group_already_rebalancing_is_skipped(one: Running, other: Other) -> None:
    joined = await one.settled("g")
    first = await ask(other, "g")
    await reached(other, first, "running")
    second = await ask(other, "g")

    found = await reached(other, second, "succeeded", "failed")
    assert found[:2] == ("succeeded", "the group was already rebalancing")
    assert await came_of(other, second) == "unchanged"
    assert (await one.join("g", joined.member_id)).error == 0
    assert (await reached(other, first, "succeeded"))[2] == 2
    assert await came_of(other, first) == "changed"


async def test_an_operation_of_a_later_version_is_left_to_a_node_that_knows_it(
    one: Running, other: Other
) -> None:
    joined = await one.settled("g")
    unknown = await ask(other, "g", "of-a-later-version")
    known = await ask(other, "g", "evict", joined.member_id)
    assert (await reached(other, known, "succeeded", "failed"))[0] == "succeeded"
    assert (await outcome(other, unknown))[0] == "pending"


async def test_an_evicted_member_gets_unknown_member(one: Running, other: Other) -> None:
    joined = await one.settled("g")
    operation = await ask(other, "g", "evict", joined.member_id)
    assert (await reached(other, operation, "succeeded", "failed"))[0] == "succeeded"
    assert (await one.commit("g", 1, joined)).error is ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.long
async def test_an_operation_whose_owner_is_killed_is_still_carried_out(
    database_url: str, tmp_path: Path, other: Other
) -> None:
    """The owner is suspended, so that it never sees the row; then it is killed."""
    async with child(database_url, tmp_path, 7) as dead:
        (member,) = await form_group(await dead.serves(), "g", 1)
        os.kill(dead.process.pid, signal.SIGSTOP)
        operation = await ask(other, "g")
        os.kill(dead.process.pid, signal.SIGKILL)
        await dead.process.wait()
        member.peer.close()
        async with running(node_id=8) as two:
            await until(lambda: len(two.node.coordinator.epochs) == SLOTS)
            await reached(other, operation, "running")
            again = await two.join("g", member.member_id)

            assert isinstance(again, Joined) and again.generation_id == member.generation + 1
            assert (await reached(other, operation, "succeeded", "failed"))[
                2
            ] == again.generation_id
