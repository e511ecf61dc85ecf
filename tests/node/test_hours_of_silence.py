"""How silent members were: sampled where their groups are checked, and a row an hour."""

from collections.abc import Mapping
from typing import Any

from groups.core.group import Session
from groups.reporting import silences
from groups.reporting.silences import EIGHTHS, Silences
from tests.in_process import Other
from tests.node.running import Running, running
from tests.node.test_facts import joined, leave

ROWS = """
SELECT group_id, member_id, longest, seen FROM rollcall_silence
CROSS JOIN LATERAL unnest(lives, longest_ms) WITH ORDINALITY AS each(life, longest, i)
CROSS JOIN LATERAL (
    SELECT array_agg(n::int ORDER BY at) AS seen
    FROM unnest(looks) WITH ORDINALITY AS all_looks(n, at)
    WHERE (at - 1) / 8 + 1 = i) AS of_member
LEFT JOIN (SELECT DISTINCT life, member_id FROM rollcall_life) AS l USING (life) ORDER BY 1, 2
"""


def columns(found: Silences, now: int) -> list[Mapping[str, Any]]:
    return list(found.turn(now))


def test_each_look_counts_in_its_eighth() -> None:
    found = Silences(0, lambda: 7)
    for silent in (0, 999, 1_000, 7_999, 8_000, 90_000):
        found.look("g", [Session("m", 100_000 - silent, 8_000)], 100_000)
    (row,) = columns(found, 200_000)
    assert row["group_id"] == ["g"] and row["members"] == ['{"m"}'] and row["age_ms"] == 200_000
    assert row["longest_ms"] == ["{90000}"]
    assert row["looks"] == ["{{2,1,0,0,0,0,0,3}}"]
    assert columns(found, 300_000) == [], "it is another hour"


def test_an_hour_is_over_when_the_clock_says_so() -> None:
    hours = iter((7, 7, 8, 8, 8))
    found = Silences(0, lambda: next(hours))
    assert [found.is_over, found.is_over] == [False, True]
    columns(found, 10)
    assert found.is_over is False


def test_odd_sessions_and_values_fit_the_columns() -> None:
    found = Silences(0)
    for _ in range(silences.LOOKS_MAX + 5):
        found.look("g", [Session("m", 0, 0)], 2**40)
    found.look("empty", [], 5)
    (row,) = columns(found, 1)
    assert row["group_id"] == ["g"] and row["longest_ms"] == [f"{{{2**31 - 1}}}"]
    counts = ",".join(["0"] * (EIGHTHS - 1) + [str(silences.LOOKS_MAX)])
    assert row["looks"] == [f"{{{{{counts}}}}}"]


def test_many_members_are_written_in_parts() -> None:
    found = Silences(0)
    for group in range(50):
        sessions = [Session(f"m-{n}", 0, 1_000) for n in range(100)]
        found.look(f"g-{group}", sessions, 10)
    parts = columns(found, 20)
    assert len(parts) == 5 and sum(len(part["group_id"]) for part in parts) == 50


async def test_the_row_names_members_by_their_lives_those_that_left_too(
    one: Running, other: Other
) -> None:
    first = await joined(one.join("g"))
    newcomer, again = one.join("g"), one.join("g", first.member_id)
    await joined(again)
    second = await joined(newcomer)
    ids = sorted({first.member_id, second.member_id})
    notes, now = one.node.notes, one.node.coordinator.clock()
    found = [Session(member_id, now - 5_000, 10_000) for member_id in ids]
    notes.silences = Silences(now)
    notes.silences.look("g", [*found, Session("stranger", now, 10_000)], now)
    await leave(one, ids[0])
    await notes.add_silences()
    rows = await (await other.execute(ROWS.encode())).fetchall()
    halves = [0, 0, 0, 0, 1, 0, 0, 0]
    assert sorted(rows, key=str) == sorted(
        [*(("g", m, 5_000, halves) for m in ids), ("g", None, 0, [1, *halves[1:4], 0, 0, 0, 0])],
        key=str,
    )


async def test_a_node_that_ends_writes_what_it_has_seen(other: Other) -> None:
    async with running() as first:
        now = first.node.coordinator.clock()
        first.node.notes.silences.look("g", [Session("m", now, 10_000)], now)
    (row,) = await (await other.execute(ROWS.encode())).fetchall()
    assert row[:2] == ("g", None)
