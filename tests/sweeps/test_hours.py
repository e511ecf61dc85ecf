"""Hours of the offset history are summarised once each, whatever ends a run in between."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby, pairwise
from random import Random
from typing import Any, NamedTuple

import pytest
from django.db import OperationalError

from groups.store.sql import hours as sql
from groups.sweeps import hours
from groups.sweeps.hours import HOUR, ProgressHours
from tests.sweeps.conftest import Other, swept, value


def three_hours_ago() -> datetime:
    """The beginning of that hour."""
    return datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - 3 * HOUR


BEGUN = three_hours_ago()

POSITION = "INSERT INTO rollcall_progress_done VALUES ('progress', %s, '')"
COMMIT = """
INSERT INTO rollcall_offset_history (at, group_id, topic, partition, committed_offset, leader_epoch,
    metadata, member_id, client_id, client_host, more_partitions, more_offsets)
VALUES (%s, %s, %s, %s, %s, -1, '', %s, '', '', %s, %s)
"""
LIFE = """
INSERT INTO rollcall_life (at, era, xid, life, group_id, member_id, client_id, client_host,
    principal, software_name, software_version, kind, session_timeout_ms, rebalance_timeout_ms,
    pattern, protocols, revision, joined_generation, joined_at, origin, left_at, departure)
VALUES (%s, 0, 0, %s, 'g-1', %s, '', '', '', '', '', 'classic', 1, 1, '', '{}', 1, 1, %s, 'joined',
        %s, 'left')
"""
TOPIC = """
INSERT INTO rollcall_topic (topic_id, name, partitions, end_offsets, created_at)
VALUES (gen_random_uuid(), 't', 3, '{100,NULL,300}', now())
"""
FOUND = """
SELECT hour, group_id, topic, n, commits[i], first_offsets[i], last_offsets[i], pauses_ms[i],
       lives[i], end_offsets[i]
FROM rollcall_progress, unnest(partitions) WITH ORDINALITY AS each(n, i) ORDER BY 1, 2, 3, 4
"""
LIVES = {"m-1": 11, "m-2": 12}
ENDS = {("t", 0): 100, ("t", 2): 300}


@pytest.fixture(autouse=True)
def _of_this_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of all tests may have begun in another one."""
    monkeypatch.setattr(sys.modules[__name__], "BEGUN", three_hours_ago())


class Commit(NamedTuple):
    """Some partitions of a topic that a member committed at once."""

    at: datetime
    group_id: str
    topic: str
    offsets: dict[int, int]
    member_id: str


def commits(rng: Random, count: int) -> list[Commit]:
    """Of two hours; one group of three commits in each."""
    found = []
    for number in range(count):
        at = BEGUN + timedelta(seconds=rng.randrange(7_200), microseconds=number)
        some = rng.sample(range(3), rng.randrange(1, 4))
        offsets = {partition: rng.randrange(1_000) for partition in some}
        who = rng.choice(("m-1", "m-2", "gone", ""))
        found.append(Commit(at, f"g-{rng.randrange(5)}", rng.choice("tu"), offsets, who))
    return sorted(found)


async def write(other: Other, found: Sequence[Commit]) -> None:
    for at, group_id, topic, offsets, member_id in found:
        (first, offset), *more = offsets.items()
        rest = ([p for p, _ in more], [o for _, o in more]) if more else (None, None)
        values = (at, group_id, topic, first, offset, member_id, *rest)
        await other.execute(COMMIT.encode(), values)


def expected(found: Sequence[Commit]) -> Iterator[tuple[Any, ...]]:
    """The same in plain Python."""
    each = sorted(
        (one.at.replace(minute=0, second=0, microsecond=0), one.group_id, one.topic, p, one.at, one)
        for one in found
        for p in one.offsets
    )
    for (hour, group_id, topic, p), some in groupby(each, lambda row: row[:4]):
        mine = [one for *_, one in some]
        times = [hour, *(one.at for one in mine), hour + HOUR]
        pause = max(later - earlier for earlier, later in pairwise(times))
        life = LIVES.get(mine[-1].member_id) if group_id == "g-1" else None
        offsets = [one.offsets[p] for one in mine]
        ms = round(pause.total_seconds() * 1_000)
        end = ENDS.get((topic, p))
        yield hour, group_id, topic, p, len(mine), offsets[0], offsets[-1], ms, life, end


async def prepared(other: Other, seed: int, count: int) -> list[Commit]:
    await other.execute(POSITION.encode(), [BEGUN])
    await other.execute(TOPIC.encode())
    for member_id, life in LIVES.items():
        left = BEGUN + 2 * HOUR
        await other.execute(LIFE.encode(), (left, life, member_id, BEGUN, left))
    found = commits(Random(seed), count)
    await write(other, found)
    return found


async def summary(other: Other) -> list[tuple[Any, ...]]:
    rows = await (await other.execute(FOUND.encode())).fetchall()
    return [(hour.astimezone(UTC), *rest) for hour, *rest in rows]


@pytest.mark.parametrize(("seed", "count"), [(1, 1), (2, 30), (3, 300)])
async def test_each_hour_says_what_was_committed(other: Other, seed: int, count: int) -> None:
    found = await prepared(other, seed, count)
    await swept(ProgressHours().run)
    assert await summary(other) == list(expected(found))
    assert await swept(ProgressHours().run) == "0 hours of groups summarised"
    assert await summary(other) == list(expected(found))
    assert (await value(other, "SELECT hour FROM rollcall_progress_done")) == BEGUN + 3 * HOUR


async def test_the_present_hour_is_left_until_it_is_over(other: Other) -> None:
    await other.execute(POSITION.encode(), [BEGUN + 3 * HOUR])
    await write(other, [Commit(datetime.now(UTC), "g", "t", {0: 1}, "m")])
    assert await swept(ProgressHours().run) == "0 hours of groups summarised"


async def test_the_first_run_begins_with_the_present_hour(other: Other) -> None:
    await write(other, [Commit(BEGUN, "g", "t", {0: 1}, "m")])
    assert await swept(ProgressHours().run) == "0 hours of groups summarised"
    assert await value(other, "SELECT group_id FROM rollcall_progress_done") == ""


async def test_runs_that_end_after_each_group_leave_nothing_out(
    other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = await prepared(other, 4, 60)
    monkeypatch.setattr(hours, "GROUPS_AT_ONCE", 1)
    monkeypatch.setattr(hours, "SWEEP_S_MAX", 0.0)
    work = ProgressHours()
    for _ in range(20):
        await swept(lambda: str(work._turn()))
    assert await summary(other) == list(expected(found))


async def test_a_group_whose_hour_takes_too_long_is_left_out_and_the_others_are_not(
    other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = await prepared(other, 5, 60)
    slow = sql.SUMMARISE.replace(
        "SELECT group_id, topic, partition, at,",
        "SELECT CASE WHEN group_id = 'g-2' THEN group_id || pg_sleep(9) ELSE group_id END"
        " AS group_id, topic, partition, at,",
    )
    assert slow != sql.SUMMARISE
    monkeypatch.setattr(sql, "SUMMARISE", slow)
    monkeypatch.setattr(hours, "STATEMENT_MS_MAX", 1_000)
    assert "2 left out" in await swept(ProgressHours().run)
    others = [one for one in found if one.group_id != "g-2"]
    assert await summary(other) == list(expected(others))


async def test_an_hour_that_waits_for_a_lock_is_summarised_later(
    other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = await prepared(other, 3, 40)
    with monkeypatch.context() as patch:
        refused = "DO $$ BEGIN RAISE 'a lock' USING ERRCODE = '55P03'; END $$"
        patch.setattr(sql, "SUMMARISE", refused)
        with pytest.raises(OperationalError, match="a lock"):
            await swept(ProgressHours().run)
    await swept(ProgressHours().run)
    assert await summary(other) == list(expected(found))


async def test_two_workers_summarise_an_hour_once(other: Other) -> None:
    found = await prepared(other, 6, 200)
    await asyncio.gather(*(swept(ProgressHours().run) for _ in range(3)))
    assert await summary(other) == list(expected(found))
