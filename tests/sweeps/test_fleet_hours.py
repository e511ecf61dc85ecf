"""Hours of the installation are summarised once each, late ones too."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from console.queries import fleet_hours as read
from console.queries.fleet_hours import GroupHour
from groups.sweeps import fleet_hours
from tests.pasts import Past, execute

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
PROGRESS = """
INSERT INTO rollcall_progress (at, era, xid, hour, group_id, topic, partitions, commits,
    first_offsets, last_offsets, pauses_ms, lives, end_offsets)
VALUES (%(hour)s + interval '62 minutes', 0, 1, %(hour)s, 'a', 'orders', '{0,1}', '{5,7}',
    '{1,1}', '{1,1}', '{1,1}', '{1,1}', '{1,1}')
"""
POSITION = "INSERT INTO rollcall_progress_done VALUES ('progress', %(hour)s, '')"


@pytest.fixture
def begun() -> datetime:
    """The beginning of the hour before the last."""
    this = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    return this - 2 * HOUR


@pytest.fixture
def story(begun: datetime) -> datetime:
    """Two groups in that hour, one in the next; the summaries of progress are there."""
    first, second = Past("a", begun), Past("b", begun, first=100)
    first.life("anna", -30, 30)
    first.life("ben", -20, 90)
    first.life("carl", 10)
    second.life("dora", 70)
    first.rebalanced(1, 10, ms=4_000, cost=(1_000, 200, 30))
    first.rebalanced(2, 30, ms=9_000, trigger="session-expired", cost=(0, 700, 0))
    first.rebalanced(3, 70, cost=(50, 0, 0))
    second.rebalanced(1, 59, ms=61_000, cost=(5_000, 0, 0))
    execute(PROGRESS, hour=begun)
    execute(POSITION, hour=begun + 2 * HOUR)
    return begun


def hours(begun: datetime) -> Sequence[read.FleetHour]:
    return read.read(begun, begun + 3 * HOUR)


def rows() -> Any:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM rollcall_fleet_hour")
        return cursor.fetchone()[0]


def test_an_hour_has_what_happened_in_it(story: datetime) -> None:
    execute(
        "INSERT INTO rollcall_fleet_hour VALUES (%(hour)s, 0, 0, 0, 0, '{}', '{}', '{}', '{}',"
        " '{}')",
        hour=story - HOUR,
    )
    assert fleet_hours.run() == "2 hours of the installation summarised"
    first, second = hours(story)
    assert (first.members, first.commits, first.longest_ms) == (2, 12, 61_000)
    assert first.idle_ms == 6_930
    assert first.rebalances == {"member-joined": 2, "session-expired": 1}
    assert first.groups == [GroupHour("b", 1, 5_000), GroupHour("a", 2, 1_930)]
    assert (second.members, second.commits, second.idle_ms) == (2, 0, 50)
    assert fleet_hours.run() == "0 hours of the installation summarised" and rows() == 3


def test_the_first_hour_is_the_last_one_that_is_over(story: datetime) -> None:
    fleet_hours.run()
    assert [hour.hour for hour in hours(story)] == [story + HOUR]


def test_an_hour_waits_for_its_progress_but_not_for_long(
    story: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute("UPDATE rollcall_progress_done SET hour = %(hour)s", hour=story)
    monkeypatch.setattr(fleet_hours, "LATE", HOUR)
    assert fleet_hours.run().startswith("0 hours")
    monkeypatch.setattr(fleet_hours, "LATE", timedelta())
    assert fleet_hours.run().startswith("1 hours")


def test_hours_that_were_missed_are_made_up_for_and_old_ones_dropped(story: datetime) -> None:
    old = (
        "INSERT INTO rollcall_fleet_hour VALUES (%(at)s, 0, 0, 0, 0, '{}', '{}', '{}', '{}', '{}')"
    )
    execute(old, at=story - 100 * timedelta(days=1))
    execute("UPDATE rollcall_progress_done SET hour = now()")
    assert fleet_hours.run() == f"{fleet_hours.AT_ONCE} hours of the installation summarised"
    assert rows() == fleet_hours.AT_ONCE
