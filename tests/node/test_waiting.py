"""Records of groups that do not settle: written soon, kept while they wait, then deleted."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from groups.core.classic.group import ClassicGroup
from groups.core.configs.entries import Change, ConfigOperation
from groups.core.errors import ErrorCode
from groups.core.replies import Committed, Joined
from groups.core.rows import slot_of
from groups.core.waiting import Waiting
from groups.postgres import connections
from groups.reporting import waiting as telling
from tests.node.running import Running, running
from tests.node.test_long_steps import Gate, reached
from tests.node.test_memory import StoppedClock

Details = dict[str, Any] | None


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "LOOK_S", 0.05)


async def until(holds: Callable[[Details], bool], group_id: str = "g") -> Details:
    """Wait for a record of the group; the test's time limit ends a failed wait."""
    async with await connections.connect("test") as connection:
        while True:
            cursor = await connection.execute(
                "SELECT details FROM rollcall_waiting WHERE group_id = %s", [group_id]
            )
            row = await cursor.fetchone()
            told: Details = None if row is None else row[0]
            if holds(told):
                return told
            await asyncio.sleep(0.02)


async def test_members_waited_for_are_recorded_until_the_group_settles(one: Running) -> None:
    joined = await one.settled("g", client_id="ben")
    newcomer = one.join("g", client_id="dan")

    told = await until(lambda told: told is not None and told["newcomers"] == ["dan"])
    assert told is not None and told["phase"] == "join"
    ((awaited,), count) = told["awaited"], told["awaited_count"]
    assert (awaited["name"], awaited["act"], count) == ("ben", "rejoin", 1)
    assert 0 <= awaited["left_ms"] <= 10_000 and awaited["silent_ms"] >= 0

    again = one.join("g", joined.member_id, client_id="ben")
    leader, follower = await again, await newcomer
    assert isinstance(leader, Joined) and isinstance(follower, Joined)
    await until(lambda told: told is not None and told["phase"] == "sync")
    shares = {leader.member_id: b"x", follower.member_id: b"y"}
    await asyncio.gather(one.sync("g", leader, shares), one.sync("g", follower))
    await until(lambda told: told is None)


async def test_a_new_member_of_a_frozen_group_is_recorded(one: Running) -> None:
    """No row changes when it comes, and it waits until the thaw."""
    await one.settled("g", client_id="ben")
    change = Change("rollcall.freeze", ConfigOperation.SET, "true")
    await one.node.configs.alter({"g": [change]})
    one.join("g", client_id="dan")

    told = await until(lambda told: told is not None and told["phase"] == "put-off")
    assert told is not None and told["newcomers"] == ["dan"]


async def test_a_group_that_settles_at_once_is_not_recorded_repeatedly(one: Running) -> None:
    await one.settled("g")
    await until(lambda told: told is None)
    known = one.node.waiting_groups
    async with asyncio.timeout(10):
        while known._last_writes:  # the node's own look may not have ended
            await asyncio.sleep(0.01)
    assert await known.collect() == ({}, []) and not known._last_writes


async def test_unchanged_state_is_recorded_again_before_it_expires(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "RENEW_MS", 100)
    joined = await one.settled("g")
    one.join("g", client_id="dan")
    first = await until(lambda told: told is not None)
    assert first is not None
    await until(lambda told: told is not None and told["since_ms"] > first["since_ms"] + 100)
    assert joined.error is ErrorCode.NONE


async def test_a_new_owner_records_and_the_old_one_removes_nothing(
    one: Running, other: Callable[..., Any]
) -> None:
    await one.settled("g", client_id="ben")
    one.join("g", client_id="dan")
    await until(lambda told: told is not None)
    one.node.coordinator.drop([slot_of("g")], ErrorCode.NOT_COORDINATOR)
    await one.node.waiting_groups.collect()
    assert await until(lambda told: told is not None)


async def test_inspecting_a_large_group_blocks_nobody(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, look = Gate(), ClassicGroup.waiting

    def slowly(group: ClassicGroup, now: int) -> Waiting | None:
        if group.durable.group.group_id == "large":
            gate.pass_through()
        return look(group, now)

    monkeypatch.setattr(ClassicGroup, "waiting", slowly)
    monkeypatch.setattr(telling, "LONG_STEP_MIN", 1)
    await one.settled("large")
    await reached(gate)
    assert await one.commit("small", 1) == Committed()
    gate.open()


@pytest.mark.usefixtures("_prepared")
async def test_a_large_group_is_inspected_less_often_however_often_it_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(telling, "MEMBERS_PER_LOOK", 1)
    async with running(clock=StoppedClock()) as one:
        await one.settled("g")
        one.join("g", client_id="dan")
        await until(lambda told: told is not None)
        looks: list[str] = []
        monkeypatch.setattr(ClassicGroup, "waiting", lambda *_: looks.append("g"))
        one.node.coordinator.changes.note("g", 9)
        await one.node.waiting_groups.collect()
        assert not looks
