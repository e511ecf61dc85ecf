"""Reads of the facts: an assignment as it was, members' lives, who owned what."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client

from groups.core.authors import Client as Software
from groups.core.facts import Began, Departure, Ended, Fact, Owned, Owns
from groups.store.apply import Write
from tests import factories
from tests.api.conftest import TAKE_SLOTS

pytestmark = pytest.mark.django_db

ANNA, BEN = (factories.member(name, client_id=name) for name in ("anna", "ben"))
JAVA = Software("apache-kafka-java", "4.3.1", "User:anna", 9)


def parts(*numbers: int) -> Owned:
    return {"orders": numbers}


def write(*steps: tuple[Fact, ...], group_id: str = "packers") -> list[datetime]:
    """Each step's facts in a transaction of its own; the times after each."""
    times, before = [], factories.nothing(group_id)
    with connection.cursor() as cursor:
        cursor.execute(TAKE_SLOTS)
        for step in steps:
            there = factories.durable(group_id, (ANNA, BEN))
            made = Write(before, factories.decision(there, facts=step))
            factories.apply_with(cursor, factories.batch(made))
            before = factories.written(made)
            cursor.execute("SELECT clock_timestamp()")
            times.append(cursor.fetchone()[0])
    return times


@pytest.fixture
def times(db: None) -> list[datetime]:
    """Anna owns all, then Ben has the last two, then Anna is gone."""
    joins = Began(ANNA, "classic", 1, client=JAVA, topics=("orders",), protocols=("range",))
    return write(
        (joins, Owns("anna", 1, parts(0, 1, 2, 3))),
        (Began(BEN, "classic", 2), Owns("anna", 2, parts(0, 1)), Owns("ben", 2, parts(2, 3))),
        (Ended("anna", Departure.EXPIRED, 3, 6_000), Owns("ben", 3, parts(0, 1, 2, 3))),
    )


def at(moment: datetime) -> str:
    return quote(moment.isoformat())


def test_an_assignment_is_shown_as_it_was(viewer: Client, times: list[datetime]) -> None:
    def assigned(moment: datetime) -> list[str | None]:
        rows: list[Any] = []
        url = f"/api/v1/groups/packers/assignment?at={at(moment)}&page_size=3"
        while url:
            body = viewer.get(url).json()
            rows += body["data"]
            url = body["next"]
        assert [row["partition"] for row in rows] == list(range(len(rows)))
        return [row["member_id"] for row in rows]

    assert assigned(times[0]) == ["anna"] * 4
    assert assigned(times[1]) == ["anna", "anna", "ben", "ben"]
    assert assigned(times[2]) == ["ben"] * 4
    assert assigned(datetime(2001, 1, 1, tzinfo=UTC)) == []


def test_owners_of_a_partition_follow_each_other(viewer: Client, times: list[datetime]) -> None:
    url = "/api/v1/groups/packers/owners?topic=orders"
    rows = viewer.get(f"{url}&partition=3").json()["data"]
    assert [row["member_id"] for row in rows] == ["anna", "ben"]
    assert rows[0]["until_at"] == rows[1]["from_at"] and rows[1]["until_at"] is None
    assert (rows[0]["from_generation"], rows[0]["until_generation"]) == (1, 2)
    one = viewer.get(f"{url}&partition=3&since={at(times[0])}&until={at(times[0])}").json()
    assert [row["member_id"] for row in one["data"]] == ["anna"]
    assert one["data"][0]["partitions"] == [2, 3]
    assert viewer.get("/api/v1/groups/none/owners").status_code == 404


def test_lives_show_how_each_began_and_ended(viewer: Client, times: list[datetime]) -> None:
    anna, ben = viewer.get("/api/v1/groups/packers/lives").json()["data"]
    assert (anna["departure"], ben["departure"], ben["left_at"]) == ("expired", None, None)
    assert (anna["software_name"], anna["software_version"]) == ("apache-kafka-java", "4.3.1")
    assert (anna["subscription"], ben["subscription"]) == (["orders"], [])
    silent = datetime.fromisoformat(anna["left_at"]) - datetime.fromisoformat(anna["heard_at"])
    assert silent <= timedelta(seconds=6)
    later = viewer.get(f"/api/v1/groups/packers/lives?since={at(times[2])}").json()["data"]
    assert [life["member_id"] for life in later] == ["ben"]
    assert viewer.get("/api/v1/groups/none/lives").status_code == 404


def test_a_deleted_group_has_its_past(viewer: Client, times: list[datetime]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM rollcall_member")
        cursor.execute("DELETE FROM rollcall_group")
    assert viewer.get(f"/api/v1/groups/packers/assignment?at={at(times[0])}").status_code == 200


HOUR = datetime(2026, 11, 28, 3, tzinfo=UTC)
HOURS = """
INSERT INTO rollcall_progress (at, era, xid, hour, group_id, topic, partitions, commits,
    first_offsets, last_offsets, pauses_ms, lives, end_offsets)
SELECT h + interval '62 minutes', 0, 0, h, 'packers', 'orders', '{0,7}', '{3,1}', '{10,5}',
       '{40,5}', '{700,3600000}', ARRAY[(SELECT life FROM rollcall_life_open LIMIT 1), NULL],
       '{50,NULL}'
FROM unnest(%s::timestamptz[]) AS h
"""


def test_progress_is_listed_by_hours(viewer: Client, times: list[datetime]) -> None:
    now = times[-1].replace(minute=0, second=0, microsecond=0)
    with connection.cursor() as cursor:
        cursor.execute(HOURS, [[HOUR, now]])
    url = "/api/v1/groups/packers/progress"
    first = f"{url}?page_size=3"
    body = viewer.get(first).json()
    rows = body["data"] + viewer.get(body["next"]).json()["data"]
    assert [(row["hour"][:13], row["partition"]) for row in rows] == [
        (f"{hour:%Y-%m-%dT%H}", p) for hour in (HOUR, now) for p in (0, 7)
    ]
    (one,) = viewer.get(f"{url}?topic=orders&partition=0&since={at(times[0])}").json()["data"]
    assert (one["commits"], one["first_offset"], one["last_offset"]) == (3, 10, 40)
    assert (one["pause_ms"], one["end_offset"], one["member_id"]) == (700, 50, "ben")
    (other,) = viewer.get(f"{url}?partition=7&until={at(HOUR)}").json()["data"]
    assert other["member_id"] is None and other["end_offset"] is None
    assert not viewer.get(f"{url}?topic=other").json()["data"]
    assert viewer.get("/api/v1/groups/unknown/progress").status_code == 404


ROUND = """
INSERT INTO rollcall_round (at, era, xid, group_id, generation, kind, outcome, started_at, ended_at,
    is_partial, members, moved, stopped_ms, silent_ms, unowned_ms, triggers, cause_members,
    cause_ids, cause_at_ms, cause_ms, acts, ends, counts, lives, waited_ms)
SELECT clock_timestamp(), 0, 0, 'packers', %s, 'classic', %s, clock_timestamp() - interval '1 s',
       clock_timestamp(), false, 2, 3, 4, 5, 6, %s::text[], %s::int[], %s::text[], %s::bigint[],
       %s::bigint[], %s::text[], %s::text[], %s::int[], (
           SELECT coalesce(array_agg(life ORDER BY n), '{}')
           FROM unnest(%s::text[]) WITH ORDINALITY AS w(member_id, n)
           LEFT JOIN (SELECT DISTINCT life, member_id FROM rollcall_life) AS l USING (member_id)),
       %s::int[]
"""


def test_rounds_tell_whom_they_waited_for(viewer: Client, times: list[datetime]) -> None:
    rows = [
        (4, "interrupted", [], [], [], [], [], [], [], [], [], []),
        (
            5, "assigned", ["member-joined", "session-expired"], [1, 2], ["ben", None], [0, 40],
            [60, 40], ["join", "sync"], ["joined", "expired"], [1, 2], ["ben", "anna", None],
            [700, 9_000, 20],
        ),
    ]  # fmt: skip
    with connection.cursor() as cursor:
        for row in rows:
            cursor.execute(ROUND, row)
    url = "/api/v1/groups/packers/rounds"
    first = viewer.get(f"{url}?page_size=1").json()
    (interrupted,) = first["data"]
    assert (interrupted["outcome"], interrupted["waits"]) == ("interrupted", [])
    second = viewer.get(first["next"]).json()
    (one,), following = second["data"], second["next"]
    assert following is None and one["generation"] == 5
    assert [(c["trigger"], c["member_id"], c["ms"]) for c in one["causes"]] == [
        ("member-joined", "ben", 60),
        ("session-expired", None, 40),
    ]
    assert [(w["member_id"], w["act"], w["end"], w["ms"]) for w in one["waits"]] == [
        ("ben", "join", "joined", 700),
        ("anna", "sync", "expired", 9_000),
        (None, "sync", "expired", 20),
    ]
    assert viewer.get(f"{url}?until={at(HOUR - timedelta(days=9_000))}").json()["data"] == []
    assert viewer.get("/api/v1/groups/unknown/rounds").status_code == 404
