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


def write(*steps: tuple[Fact, ...]) -> list[datetime]:
    """Each step's facts in a transaction of its own; the times after each."""
    times, before = [], factories.nothing("packers")
    with connection.cursor() as cursor:
        cursor.execute(TAKE_SLOTS)
        for step in steps:
            there = factories.durable("packers", (ANNA, BEN))
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
