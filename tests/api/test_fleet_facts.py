"""Reads of the facts of all groups: whose members were on a host, which groups had a partition."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from console.api.pages import Cursor
from console.queries.sql.packed_facts import PACKED
from groups.core.facts import Began, Departure, Ended, Owns
from tests import factories
from tests.api.test_facts import at, write

pytestmark = pytest.mark.django_db

ANNA = factories.member("anna", client_host="/10.0.0.7", client_id="orders")
BEN = factories.member("ben", client_host="/10.0.0.8", client_id="orders")
HAS = {"orders": (6, 7)}


@pytest.fixture
def times(db: None) -> list[datetime]:
    """In each group anna has partition 7, then is gone, and ben has it."""
    both = [
        write(
            (Began(ANNA, "classic", 1), Owns("anna", 1, HAS)),
            (Ended("anna", Departure.LEFT, 2), Began(BEN, "classic", 2), Owns("ben", 2, HAS)),
            group_id=group_id,
        )
        for group_id in ("packers", "shippers")
    ]
    return both[0]


def rows(viewer: Client, url: str) -> list[Any]:
    """All pages."""
    found: list[Any] = []
    following: str | None = f"/api/v1/{url}"
    while following:
        body = viewer.get(following).json()
        found += body["data"]
        following = body["next"]
    return found


def test_members_of_all_groups_on_a_host(viewer: Client, times: list[datetime]) -> None:
    for host in ("10.0.0.7", "/10.0.0.7"):
        found = rows(viewer, f"lives?host={host}&page_size=1")
        assert [(row["group_id"], row["departure"]) for row in found] == [
            ("packers", "left"),
            ("shippers", "left"),
        ]
    everyone = rows(viewer, "lives?client_id=orders&page_size=3")
    assert [row["member_id"] for row in everyone] == ["anna", "ben", "anna", "ben"]
    assert rows(viewer, "lives?host=10.0.0.9") == []
    long_ago = times[0] - timedelta(days=2)
    assert rows(viewer, f"lives?until={at(long_ago)}") == []


def test_which_groups_had_a_partition(viewer: Client, times: list[datetime]) -> None:
    url = "owners?topic=orders&partition=7"
    found = rows(viewer, f"{url}&page_size=1")
    assert [(row["group_id"], row["member_id"]) for row in found] == [
        ("packers", "anna"),
        ("packers", "ben"),
        ("shippers", "anna"),
        ("shippers", "ben"),
    ]
    assert [row["until_at"] is None for row in found] == [False, True] * 2
    assert found[0]["partitions"] == [6, 7]
    then = at(times[0])
    (one,) = rows(viewer, f"{url}&since={then}&until={then}")
    assert (one["group_id"], one["member_id"]) == ("packers", "anna")
    assert rows(viewer, "owners?topic=orders&partition=5") == []
    assert viewer.get("/api/v1/owners?topic=orders").status_code == 400


def test_what_is_packed_is_found_too(viewer: Client, times: list[datetime]) -> None:
    urls = ("lives?host=10.0.0.7", "owners?topic=orders&partition=7")
    before = [rows(viewer, url) for url in urls]
    with connection.cursor() as cursor:
        for table, place in (("life", "life_rows"), ("ownership", "ownership_rows")):
            began = "joined_at" if table == "life" else "from_at"
            cursor.execute(
                f"INSERT INTO {PACKED} (table_name, of_group, began, last_at, last_era, last_xid,"
                f" {place}) SELECT 'rollcall_{table}', group_id, min({began}), max(at), max(era),"
                f" max(xid), array_agg(r) FROM rollcall_{table} AS r GROUP BY group_id"
            )
            cursor.execute(f"DELETE FROM rollcall_{table}")
    assert [rows(viewer, url) for url in urls] == before


@pytest.mark.parametrize("key", [["yesterday", 1], [7, 1], ["2026-01-01", "x"], ["2026-01-01"]])
def test_a_cursor_of_another_list_is_refused(viewer: Client, db: None, key: list[Any]) -> None:
    assert viewer.get(f"/api/v1/lives?cursor={Cursor(key).text()}").status_code == 400


COMMITTED = """
INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch, metadata,
                             committed_at)
SELECT group_id, 'orders', 7, 10, -1, '', now() - interval '2 days' FROM rollcall_group
"""
HOURS = """
INSERT INTO rollcall_progress (at, era, xid, hour, group_id, topic, partitions, commits,
    first_offsets, last_offsets, pauses_ms, lives, end_offsets)
SELECT %(hour)s + interval '61 minutes', 0, 1, %(hour)s, 'packers', topic, '{0,7}', '{3,1}',
       '{10,5}', '{40,5}', '{700,3600000}', '{NULL,NULL}', '{50,NULL}'
FROM unnest(ARRAY['orders', 'bills']) AS topic
"""


@pytest.fixture
def hour(times: list[datetime]) -> datetime:
    """Packers committed in this hour, four hours ago; shippers long before."""
    at = times[-1].replace(minute=0, second=0, microsecond=0) - timedelta(hours=4)
    with connection.cursor() as cursor:
        cursor.execute(COMMITTED)
        cursor.execute(HOURS, {"hour": at})
    return at


def test_which_groups_committed_and_which_did_not(viewer: Client, hour: datetime) -> None:
    every = rows(viewer, "progress?page_size=1")
    assert [(row["group_id"], row["commits"]) for row in every] == [("packers", 8), ("shippers", 0)]
    assert datetime.fromisoformat(every[0]["last_hour"]) == hour
    assert rows(viewer, "progress?idle=false&page_size=1") == every
    assert viewer.get("/api/v1/progress?idle=AAA").status_code == 400
    (idle,) = rows(viewer, "progress?idle=true")
    assert (idle["group_id"], idle["last_hour"]) == ("shippers", None)
    assert datetime.fromisoformat(idle["committed_at"]) < hour - timedelta(days=1)


@pytest.mark.parametrize(("minutes", "idle"), [(59, ["shippers"]), (61, ["packers", "shippers"])])
def test_an_hour_counts_until_it_is_over(
    viewer: Client, hour: datetime, minutes: int, idle: list[str]
) -> None:
    since = at(hour + timedelta(minutes=minutes))
    found = rows(viewer, f"progress?idle=true&since={since}&page_size=1")
    assert [row["group_id"] for row in found] == idle
    early = rows(viewer, f"progress?until={at(hour - timedelta(minutes=1))}")
    assert [row["commits"] for row in early] == [0, 0]


def test_groups_without_a_committed_offset_made_no_promise(viewer: Client, hour: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM rollcall_offset WHERE group_id = 'shippers'")
    assert [row["group_id"] for row in rows(viewer, "progress")] == ["packers"]
