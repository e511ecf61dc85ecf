"""Days of facts that are over are packed: every reader finds the same as before."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest
from django.db import DataError, connection

from benchmarks.fact_rows import PARTITIONS, TOPIC, Group, fleet, write
from console.queries import facts, moments, timeline
from console.queries.sql.packed_facts import packed
from groups.sweeps import session

DAY = datetime(2001, 1, 1, tzinfo=UTC)
NAMES = ("life", "ownership", "round", "silence", "progress")
OVER = "INSERT INTO rollcall_fleet_hour VALUES (%s, 0, 0, 0, 0, '{}', '{}', '{}', '{}', '{}')"
PARTITION = """
CREATE TABLE rollcall_{0}_20010101 PARTITION OF rollcall_{0}
FOR VALUES FROM ('2001-01-01 00:00+00') TO ('2001-01-02 00:00+00')
"""
FIRST = Group("orders-0", "sticky", DAY, iter(range(1, 10_000))).name

pytestmark = pytest.mark.django_db


def execute(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        return list(cursor.fetchall()) if cursor.description else []


def a_day(kind: str, groups: int = 2) -> None:
    """Groups with a day of facts, of which the summaries have been made."""
    for name in NAMES:
        execute(PARTITION.format(name))
    with connection.cursor() as cursor:
        write(cursor.connection.cursor(), [*fleet(kind, groups, DAY)])
    execute(OVER, DAY + timedelta(hours=23))


def rows(table: str, source: str) -> list[tuple[Any, ...]]:
    """What is there, whole, in order."""
    return execute(f"SELECT r.id, r::{table}::text FROM {source} ORDER BY 1")


def seen(moment: datetime) -> Mapping[str, Any]:
    """What screens and REST say of a group at a moment, and around it."""
    since, until = moment - timedelta(minutes=20), moment + timedelta(minutes=20)
    drawn = timeline.read(FIRST, timeline.Window(since, until))
    return {
        "lives": facts.lives(FIRST, since, until),
        "owners": facts.owners(FIRST, since, until),
        "partition": facts.owners(FIRST, moment, moment, TOPIC, 7),
        "assignment": facts.assignment(FIRST, moment),
        "rounds": facts.rounds(FIRST, since, until),
        "progress": facts.progress(FIRST, since, until),
        "offsets": moments.offsets(FIRST, moment),
        "timeline": replace(drawn, known=until),
        "known": facts.is_known(FIRST),
    }


@pytest.mark.parametrize("kind", ["sticky", "consumer"])
def test_every_reader_finds_the_same(kind: str) -> None:
    a_day(kind)
    at_random = random.Random(kind)
    asked = [DAY + timedelta(seconds=at_random.randrange(100_000)) for _ in range(6)]
    asked += [execute("SELECT min(ended_at) FROM rollcall_round")[0][0], DAY]
    before = {moment: seen(moment) for moment in asked}
    assert any(all(found.values()) for found in before.values()), "the story has everything"
    assert session._pack_facts() == 6
    assert execute("SELECT count(*) FROM rollcall_round") == [(0,)]
    for moment in asked:
        assert seen(moment) == before[moment], moment


def test_pages_of_an_assignment_are_the_whole() -> None:
    """Whatever the page, also with members that own single partitions far apart."""
    a_day("sticky", groups=1)
    for moment in (DAY + timedelta(hours=hour) for hour in (1, 9, 23)):
        whole = facts.assignment(FIRST, moment)
        assert len(whole) == PARTITIONS
        for most in (1, 7, 199, 200, 201):
            paged: dict[tuple[str, int], facts.Assigned] = {}
            while page := facts.assignment(
                FIRST, moment, after=max(paged, default=None), most=most
            ):
                assert len(page) <= most
                paged |= page
                if most == 1 and len(paged) == 20:
                    break
            assert paged == dict([*whole.items()][: len(paged)])
            assert len(paged) == (20 if most == 1 else PARTITIONS)


def test_nothing_is_lost() -> None:
    a_day("cooperative-sticky")
    table = {name: f"rollcall_{name}" for name in NAMES}
    before = {name: rows(table[name], f"{table[name]} AS r") for name in NAMES}
    session._pack_facts()
    for name in NAMES:
        left = rows(table[name], f"{table[name]} AS r")
        assert sorted(left + rows(table[name], packed(table[name]))) == before[name]
        assert len(left) < len(before[name]) / 10


@pytest.mark.parametrize(
    "numbers",
    [
        [], [0], [None], [None, None], [1, None, 3], [5, 5, 5], [0, 65_535], [0, 65_536], [-1, -7],
        [0, 2**32 - 1], [0, 2**32], [-(2**63), 2**63 - 1], [2**63 - 1], [None, -(2**63)],
        [*range(10_000)],
    ],
    ids=lambda each: str(each)[:20],
)  # fmt: skip
def test_numbers_are_packed_without_loss(numbers: Sequence[int | None]) -> None:
    round_trip = "SELECT rollcall_unpacked_numbers(rollcall_packed_numbers(%s::bigint[]))"
    assert execute(round_trip, numbers) == [(numbers,)]


def test_an_hour_with_odd_offsets_is_packed_without_loss() -> None:
    """Offsets that went back, no member, no end, and partitions with gaps between them."""
    hour = (
        "INSERT INTO rollcall_progress (at, era, xid, hour, group_id, topic, partitions, commits,"
        " first_offsets, last_offsets, pauses_ms, lives, end_offsets)"
        " SELECT '2001-01-01 05:02Z', 0, 1, '2001-01-01 04:00Z', 'g', 't', '{0,3,4,90}',"
        " '{1,2,3,4}', '{9000000000000000000,5,0,1}', '{0,5,9000000000000000000,1}', '{1,2,3,4}',"
        " '{NULL,1,NULL,5000000000}', '{NULL,NULL,9000000000000000001,0}' RETURNING 1"
    )
    execute(PARTITION.format("progress"))
    execute(hour)
    before = rows("rollcall_progress", "rollcall_progress AS r")
    execute(OVER, DAY + timedelta(hours=23))
    assert session._pack_facts() == 2
    assert rows("rollcall_progress", packed("rollcall_progress")) == before


FAR_APART = (-(2**63), -(2**62) - 1, -1, 0, 2**62, 2**63 - 1)


def test_an_hour_with_offsets_far_apart_is_packed_without_loss() -> None:
    """A client may commit any number, and one that did ended each clean-up from then on."""
    every = [*product(FAR_APART, FAR_APART, (None, *FAR_APART))]
    ones = [1] * len(every)
    values = ([*range(len(every))], ones, *map(list, zip(*every, strict=True)), ones, ones)
    execute(PARTITION.format("progress"))
    execute(
        "INSERT INTO rollcall_progress (at, era, xid, hour, group_id, topic, partitions, commits,"
        " first_offsets, last_offsets, end_offsets, pauses_ms, lives)"
        " SELECT '2001-01-01 05:02Z', 0, 1, '2001-01-01 04:00Z', 'g', 't',"
        " %s, %s, %s::bigint[], %s::bigint[], %s::bigint[], %s, %s",
        *values,
    )
    before = rows("rollcall_progress", "rollcall_progress AS r")
    execute(OVER, DAY + timedelta(hours=23))
    assert session._pack_facts() == 2
    assert rows("rollcall_progress", packed("rollcall_progress")) == before


def test_a_day_waits_for_the_hours_that_are_made_of_it() -> None:
    a_day("consumer", groups=1)
    execute("UPDATE rollcall_fleet_hour SET hour = hour - interval '1 hour'")
    assert session._pack_facts() == 0
    execute("TRUNCATE rollcall_fleet_hour")
    assert session._pack_facts() == 0


def test_days_that_cannot_be_packed_keep_nothing_else_from_being_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only its own part of the clean-up fails, and is told."""
    execute(
        "INSERT INTO rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at)"
        " SELECT 7, gen_random_uuid(), 1, 'h', 1, now(), now() - interval '10 years'"
    )
    monkeypatch.setattr(session, "PACK", "SELECT 1 / 0, %(late)s")
    with pytest.raises(DataError, match="division by zero"):
        session.clean_up()
    assert not execute("SELECT node_id FROM rollcall_node")


def test_what_is_dropped_is_told_by_table() -> None:
    """Readers of single tables learn that rows have moved, those of all that they are gone."""
    a_day("consumer", groups=1)
    floors = "SELECT table_name FROM rollcall_facts_floor WHERE table_name LIKE %s ORDER BY 1"
    tables = [(f"rollcall_{name}",) for name in sorted(NAMES)]
    session._pack_facts()
    assert execute(floors, "rollcall%") == tables
    bytes_then = execute("SELECT rollcall_facts_bytes()")[0][0]
    ever = 1_000_000
    assert execute("SELECT rollcall_turn_packed(%s, 1000)", ever) == [(0,)]
    assert execute("SELECT rollcall_turn_packed(24, 1000)") == [(1,)]
    assert execute(floors, "%packed") == [(f"{name} packed",) for (name,) in tables]
    assert execute("SELECT rollcall_facts_bytes() < %s", bytes_then) == [(True,)]
    assert execute(f"SELECT count(*) FROM {packed('rollcall_life')}") == [(0,)]
