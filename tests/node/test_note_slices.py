"""Times of heartbeats of large groups, and of many groups, are collected in slices."""

import asyncio

import pytest

from groups import event_loop
from groups.coordinator.liveness import FEW, SESSIONS_MAX, Notes
from groups.core.rows import slot_of
from tests.factories import durable, member
from tests.in_process import Running
from tests.loading import adopt

PARTS = 10


async def turns_beside(notes: Notes, found: list[int]) -> int:
    """The turns that another task gets until nothing is to be noted any more."""
    turns, ended = 0, False

    async def count() -> None:
        nonlocal turns
        while not ended:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.ensure_future(count())
    found.append(len(await notes.collect()))
    ended = True
    await counting
    return turns


async def test_other_tasks_run_while_a_large_group_is_looked_at(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [member(f"m-{n}", position=n) for n in range(PARTS * SESSIONS_MAX)]
    adopt(one.node.coordinator, {slot_of("g"): 1}, {"g": durable("g", many)})
    monkeypatch.setattr(event_loop, "SLICE_MS", 0)  # each look at the clock ends a slice
    found: list[int] = []
    assert await turns_beside(Notes(one.node.coordinator), found) >= PARTS
    assert found == [len(many)]


async def test_other_tasks_run_while_many_new_groups_are_planned(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = {f"g-{n}": durable(f"g-{n}", [member()]) for n in range(2 * FEW)}
    adopt(one.node.coordinator, dict.fromkeys(map(slot_of, groups), 1), groups)
    monkeypatch.setattr(event_loop, "SLICE_MS", 0)
    assert await turns_beside(Notes(one.node.coordinator), []) >= len(groups)


async def test_many_groups_that_are_asked_for_are_noted_once_each(one: Running) -> None:
    groups = {
        f"g-{n}": durable(f"g-{n}", [member(f"m-{m}", position=m) for m in range(SESSIONS_MAX)])
        for n in range(PARTS)
    }
    adopt(one.node.coordinator, dict.fromkeys(map(slot_of, groups), 1), groups)
    notes = Notes(one.node.coordinator)
    notes.ask(groups)
    noted: list[tuple[str, str]] = []
    while part := await notes.collect():
        assert len(part) < 2_000 + SESSIONS_MAX  # not of all groups at once
        noted += [(note.group_id, note.session.member_id) for note in part]
        notes.written(part)
    assert sorted(noted) == sorted(set(noted)) and len(noted) == PARTS * SESSIONS_MAX
