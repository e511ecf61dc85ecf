"""Offsets that an operator sets, against the rows: only those that were previewed, and only where
they have room."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from groups.core.rows import slot_of
from groups.operations.rows_read import SET_SINCE
from groups.postgres.connections import Connection
from tests.server.client import Client
from tests.server.serving import Serving, serving, until
from tests.server.test_offset_totals import commit_many
from tests.server.totals import make

GROUP, ROOM = "rewound", 20

ASK = """
INSERT INTO rollcall_operation
    (group_id, slot, verb, member_id, reason, actor, state, detail, created_at, offsets, restore_to)
VALUES (%s, %s, %s, '', 'a mistake', 'olga', 'pending', '', now(), %s, %s) RETURNING id
"""
ENDED = "SELECT state, detail FROM rollcall_operation WHERE id = %s"
OFFSETS = "SELECT partition, committed_offset FROM rollcall_offset ORDER BY partition"
ALTERED = "SELECT count(*) FROM rollcall_journal WHERE reason LIKE '%a mistake'"

Lines = Sequence[tuple[int, int | None]]
"""Partitions of the topic, each with an offset or none."""


@pytest.fixture
async def small(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    """A server whose groups have room for ``ROOM`` offsets; one has 7 for partitions 0, 1 and 2."""
    settings.GROUP_OFFSETS_MAX = ROOM
    async with serving() as started:
        client, _ = await started.connect()
        assert await make(client, 1_000, "wide") == [0]
        assert await commit_many(client, GROUP, range(3)) == [0, 0, 0]
        yield started


async def fill(served: Serving) -> Client:
    """The group has no room any more, and that is known."""
    client, _ = await served.connect()
    await commit_many(client, GROUP, range(ROOM))
    await until(lambda: GROUP in served.node.coordinator.full)
    return client


async def ended(served: Serving, other: Connection, *ids: int) -> list[tuple[str, str]]:
    """State and detail of operations that the node has processed."""
    await served.node.operator.look()
    while True:
        found = [await (await other.execute(ENDED, [one])).fetchone() for one in ids]
        if all(row is not None and row[0] in ("succeeded", "failed") for row in found):
            return [(row[0], row[1]) for row in found if row is not None]


async def reset(other: Connection, before: Lines, to: Lines) -> int:
    """The operation of a reset that was worked out so."""
    parameters = {
        "how": "so",
        "before": [["wide", *line] for line in before],
        "to": [["wide", *line] for line in to],
    }
    return await request(other, "reset-offsets", json.dumps(parameters), None)


async def request(other: Connection, verb: str, offsets: str | None, to: str | None) -> int:
    """What the admin and REST write."""
    values = [GROUP, slot_of(GROUP), verb, offsets, to]
    row = await (await other.execute(ASK, values)).fetchone()
    assert row is not None
    return int(row[0])


async def committed(other: Connection) -> dict[int, int]:
    """Of the group, by partition."""
    return dict(await (await other.execute(OFFSETS)).fetchall())


async def entries(other: Connection) -> int:
    """Of the journal, about what an operator did."""
    row = await (await other.execute(ALTERED)).fetchone()
    assert row is not None
    return int(row[0])


async def test_the_previewed_offsets_are_set_and_restored(
    small: Serving, other: Connection
) -> None:
    done = await reset(other, [(0, 7), (1, 7), (3, None)], [(0, 2), (1, None), (3, 2)])
    assert await ended(small, other, done) == [("succeeded", "3 offsets were set so")]
    assert await committed(other) == {0: 2, 2: 7, 3: 2}
    undone = await reset(other, [(0, 2), (1, None), (3, 2)], [(0, 7), (1, 7), (3, None)])
    assert await ended(small, other, undone) == [("succeeded", "3 offsets were set so")]
    assert await committed(other) == {0: 7, 1: 7, 2: 7}
    assert await entries(other) == 2


@pytest.mark.parametrize("before", [[(0, 7), (1, 6)], [(0, 7), (1, None)], [(0, 7), (9, 7)]])
async def test_offsets_set_since_are_not_restored(
    small: Serving, other: Connection, before: Lines
) -> None:
    """Another offset, one where there was none, and none where there was one."""
    late = await reset(other, before, [(partition, 0) for partition, _ in before])
    assert await ended(small, other, late) == [("failed", SET_SINCE)]
    assert await committed(other) == {0: 7, 1: 7, 2: 7}
    assert await entries(other) == 0


async def test_of_two_concurrent_undos_one_takes_effect(small: Serving, other: Connection) -> None:
    """Both looked before either was stepped."""
    two = [await reset(other, [(0, 7)], [(0, 2)]) for _ in range(2)]
    found = await ended(small, other, *two)
    assert found == [("succeeded", "1 offset was set so"), ("failed", SET_SINCE)]
    assert await committed(other) == {0: 2, 1: 7, 2: 7}
    assert await entries(other) == 1


async def test_offsets_above_the_limit_are_not_set(small: Serving, other: Connection) -> None:
    """All or none; where all of them have an offset already, there is room."""
    await fill(small)
    too_many = await reset(other, [(0, 7), (50, None), (51, None)], [(0, 1), (50, 1), (51, 1)])
    fits = await reset(other, [(0, 7), (1, 7)], [(0, 1), (1, None)])
    assert await ended(small, other, too_many, fits) == [
        ("failed", "the limit of offsets does not allow 2 more"),
        ("succeeded", "2 offsets were set so"),
    ]
    rest = dict.fromkeys(range(2, ROOM), 7)
    assert await committed(other) == {0: 1, **rest}


async def test_offsets_of_a_past_time_respect_the_limit_too(
    small: Serving, other: Connection
) -> None:
    await fill(small)
    moved = "UPDATE rollcall_offset SET partition = partition + 100 WHERE partition < 3"
    await other.execute(moved.encode())
    again = await request(other, "restore-offsets", None, "infinity")
    assert await ended(small, other, again) == [
        ("failed", "the limit of offsets does not allow 3 more")
    ]
    assert set(await committed(other)) == {*range(3, ROOM), 100, 101, 102}
    assert await entries(other) == 0
