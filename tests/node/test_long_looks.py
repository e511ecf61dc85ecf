"""Long work in slices: heartbeat times of large groups, and expiring offsets."""

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from random import Random
from typing import Any, TypeVar

import pytest

from groups import event_loop
from groups.core.conversion.step import LONG_STEP_MIN, may_take_long
from groups.core.events import Event, ExpireOffsets, OffsetWrite, ResetOffsets, RestoreOffsets
from groups.core.expiry import Age
from groups.core.group import Rules
from groups.core.rows import Durable, slot_of
from groups.operations import rows_read
from groups.postgres import connections
from groups.reporting.liveness import FEW, ROWS_MAX, SESSIONS_MAX, Notes
from groups.runtime.collaborators import Collaborators
from groups.runtime.runtime import CoordinatorRuntime
from tests.factories import durable, member
from tests.in_process import Other
from tests.loading import adopt
from tests.node.running import Running

PARTS = 10


T = TypeVar("T")


def holding(groups: Mapping[str, Durable]) -> CoordinatorRuntime:
    """A coordinator of these groups alone, for which no time passes."""
    made = CoordinatorRuntime(Rules(), lambda: 1_000_000, Random(1), Collaborators())
    made.lease_until = 2_000_000
    adopt(made, dict.fromkeys(map(slot_of, groups), 1), groups)
    return made


async def turns_beside(work: Coroutine[Any, Any, T]) -> tuple[T, int]:
    """The result, and the turns that another task gets in the meantime."""
    turns, ended = 0, False

    async def count() -> None:
        nonlocal turns
        while not ended:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.ensure_future(count())
    result = await work
    ended = True
    await counting
    return result, turns


async def test_other_tasks_run_while_a_large_group_is_inspected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = [member(f"m-{n}", position=n) for n in range(PARTS * SESSIONS_MAX)]
    notes = Notes(holding({"g": durable("g", many)}))
    monkeypatch.setattr(event_loop, "SLICE_MS", 0)  # each reading of the clock ends a slice
    found, turns = await turns_beside(notes.collect())
    assert len(found) == len(many) and turns >= PARTS


async def test_other_tasks_run_while_many_new_groups_are_planned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    groups = {f"g-{n}": durable(f"g-{n}", [member()]) for n in range(2 * FEW)}
    notes = Notes(holding(groups))
    monkeypatch.setattr(event_loop, "SLICE_MS", 0)
    _, turns = await turns_beside(notes.collect())
    assert turns >= len(groups)


async def test_many_requested_groups_are_recorded_once_each() -> None:
    groups = {
        f"g-{n}": durable(f"g-{n}", [member(f"m-{m}", position=m) for m in range(SESSIONS_MAX)])
        for n in range(PARTS)
    }
    notes = Notes(holding(groups))
    notes.request(groups)
    noted: list[tuple[str, str]] = []
    while part := await notes.collect():
        assert len(part) < ROWS_MAX + SESSIONS_MAX  # not of all groups at once
        noted += [(note.group_id, note.session.member_id) for note in part]
        notes.written(part)
    assert sorted(noted) == sorted(set(noted)) and len(noted) == PARTS * SESSIONS_MAX


async def test_a_group_requested_before_it_is_loaded_is_recorded_once_it_is(
    one: Running,
) -> None:
    notes = Notes(one.node.coordinator)
    notes.request(["g"])
    assert await notes.collect() == []
    adopt(one.node.coordinator, {slot_of("g"): 1}, {"g": durable("g", [member()])})
    assert [note.group_id for note in await notes.collect()] == ["g"]


async def test_a_group_requested_again_is_recorded_again_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not twice in one statement, which PostgreSQL refuses with all of its notes."""
    monkeypatch.setattr(event_loop, "SLICE_MS", 0)
    notes = Notes(holding({"g": durable("g", [member()])}))
    notes.request(["g"])

    async def again() -> None:
        notes.request(["g"])

    for _ in range(2):
        found, _ = await asyncio.gather(notes.collect(), again())
        assert [note.group_id for note in found] == ["g"]
    assert [note.group_id for note in await notes.collect()] == ["g"]
    assert await notes.collect() == []


OLD = """
INSERT INTO rollcall_offset
    (group_id, topic, partition, committed_offset, leader_epoch, metadata, committed_at)
SELECT 'g', 't', n, n, -1, '', clock_timestamp() - interval '100 days'
FROM generate_series(1, %(rows)s) n
"""


async def test_other_tasks_run_while_expiring_offsets_are_read(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    await one.kept("g")
    rows = PARTS * connections.ROWS_AT_ONCE
    await other.execute(OLD.encode(), {"rows": rows})
    monkeypatch.setattr(event_loop, "SLICE_MS", 0)
    asked = ExpireOffsets(operation_id=1, actor="", reason="", state_age_ms=0, ages=())
    found, turns = await turns_beside(rows_read._with_ages(other, "g", asked))
    assert len(found.ages) == rows + 1 and turns >= PARTS


SAID: dict[str, Any] = {"operation_id": 1, "actor": "", "reason": ""}
MANY = tuple(OffsetWrite("t", n, 1, -1, "") for n in range(LONG_STEP_MIN))
AGES = tuple(Age("t", n, 1) for n in range(LONG_STEP_MIN))


@pytest.mark.parametrize(
    "event",
    [
        ExpireOffsets(**SAID, state_age_ms=0, ages=AGES),
        RestoreOffsets(**SAID, to="then", offsets=MANY),
        ResetOffsets(**SAID, how="to 1", offsets=MANY, gone=(), before=()),
    ],
    ids=lambda event: type(event).__name__,
)
async def test_many_offsets_of_an_operation_are_decided_outside_the_event_loop(
    event: Event,
) -> None:
    group = holding({"g": durable("g")}).entries["g"].group
    assert may_take_long(group, [event])
    name = "ages" if isinstance(event, ExpireOffsets) else "offsets"
    assert not may_take_long(group, [replace(event, **{name: getattr(event, name)[1:]})])
