"""A group's page as it was at a moment, and what differs between two."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.people.staff_roles import OPERATOR, VIEWER
from groups.models import Operation
from tests.admin.test_groups import QUERIES_MAX, page
from tests.admin.visitors import text, visitor
from tests.api.conftest import api as api
from tests.api.conftest import write
from tests.api.test_timeline import entry
from tests.pasts import Past, execute

pytestmark = pytest.mark.django_db

OFFSET = """
INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch, metadata,
    committed_at)
VALUES ('packers', 'orders', %(partition)s, %(offset)s, -1, '', %(at)s)
"""
COMMIT = """
INSERT INTO rollcall_offset_history (at, group_id, topic, partition, committed_offset,
    leader_epoch, metadata, member_id, client_id, client_host)
VALUES (%(at)s, 'packers', 'orders', %(partition)s, %(offset)s, -1, '', 'm', 'c', '')
"""
GONE = """
INSERT INTO rollcall_offset_history (at, group_id, topic, partition, committed_offset,
    leader_epoch, metadata, member_id, client_id, client_host, is_gone)
VALUES (%(at)s, 'packers', 'orders', %(partition)s, -1, -1, '', '', '', '', true)
"""
HOUR = """
INSERT INTO rollcall_progress (at, era, xid, hour, group_id, topic, partitions, commits,
    first_offsets, last_offsets, pauses_ms, lives, end_offsets)
VALUES (%(at)s, 0, 1, %(hour)s, 'packers', 'orders', '{2}', '{1}', '{7}', '{7}', '{1}', '{1}',
    '{9}')
"""


@pytest.fixture
def viewer() -> Client:
    return visitor(VIEWER)


@pytest.fixture
def past() -> Past:
    """Anna alone until 00:20; then Ben, who is gone at 00:50."""
    write("packers")
    told = Past()
    anna, ben = told.life("anna", 10), told.life("ben", 20, 50, "expired", silent=5)
    told.owned(anna, "{[0,8)}", 10, 20)
    told.owned(anna, "{[0,4)}", 20)
    told.owned(ben, "{[4,8)}", 20, 50)
    told.owned(anna, "{[4,8)}", 51)
    return told


def at(minute: int) -> str:
    return f"at=2026-11-27T00:{minute:02}:00"


def shown(client: Client, query: str, tail: str = "change") -> str:
    return text(client.get(f"{page('packers', tail)}?{query}"))


def test_owners_are_those_of_the_moment(viewer: Client, past: Past) -> None:
    told = shown(viewer, f"tab=owners&{at(30)}&partition=orders-7")
    assert "At 2026-11-27 00:30:00 UTC 2 members owned 8 partitions." in told
    assert (
        "orders-7 was owned by ben at /10.0.0.1 from 2026-11-27 00:20:00 UTC until 2026-11-27"
        " 00:50:00 UTC." in told
    )
    assert 'title="ben"' in told
    assert 'title="ben"' not in shown(viewer, f"tab=owners&{at(15)}")
    assert "still does" in shown(viewer, f"{at(55)}&partition=7")
    assert "orders:7 had no owner" in shown(viewer, f"{at(50)}&partition=orders:7")
    assert "no member was there" in shown(viewer, at(5))


def test_what_acts_on_the_present_is_not_offered(past: Past) -> None:
    operator = visitor(OPERATOR, name="olga")
    assert 'id="act-rebalance"' in shown(operator, "tab=owners")
    for tab in ("owners", "members", "offsets", "configuration"):
        told = shown(operator, f"tab={tab}&{at(30)}")
        assert "act-rebalance" not in told and "Evict" not in told and "Change …" not in told, tab


def test_members_are_those_of_the_moment(viewer: Client, past: Past) -> None:
    told = shown(viewer, f"tab=members&{at(30)}")
    assert "orders: 4–7" in told or "orders: 4-7" in told
    assert "expired" in told and "kafka-python 2.2" in told
    assert "<code>ben</code>" not in shown(viewer, f"tab=members&{at(30)}&members=ann")


def test_offsets_are_those_of_the_moment(viewer: Client, past: Past) -> None:
    """Partition 0 has stood still since, 1 has advanced, 2 is known from an hour before, and of 3
    nothing is known."""
    for partition, minute in ((0, 1), (1, 59), (3, 59)):
        execute(OFFSET, partition=partition, offset=100 + partition, at=past.time(minute))
    execute(COMMIT, partition=1, offset=40, at=past.time(20))
    execute(COMMIT, partition=1, offset=50, at=past.time(29))
    execute(COMMIT, partition=1, offset=60, at=past.time(31))
    execute(HOUR, at=past.time(-58), hour=past.time(-120))
    rows = viewer.get(f"{page('packers')}?tab=offsets&{at(30)}").context["rows"]
    assert [(row["partition"], row["committed_offset"], row["now"]) for row in rows] == [
        (0, 100, 100),
        (1, 50, 101),
        (2, 7, None),
    ]


def test_an_offset_that_was_deleted_within_an_hour_is_gone(viewer: Client, past: Past) -> None:
    """The hour tells its last commit, whose deletion came after it; 1 was committed again."""
    execute(HOUR, at=past.time(2), hour=past.time(-60))
    for partition in (2, 1):
        execute(GONE, partition=partition, at=past.time(-10))
    execute(COMMIT, partition=1, offset=40, at=past.time(20))
    rows = viewer.get(f"{page('packers')}?tab=offsets&{at(30)}").context["rows"]
    assert [(row["partition"], row["committed_offset"]) for row in rows] == [(1, 40)]


def test_settings_are_those_of_the_moment(viewer: Client, past: Past) -> None:
    name = "rollcall.max.members"
    execute(
        "INSERT INTO rollcall_group_config (group_id, slot, name, value, updated_at)"
        " VALUES ('packers', 0, %(name)s, '30', now())",
        name=name,
    )

    def changed(minute: int, before: str, after: str) -> None:
        entry(minute, "config-changed", f'{{"before": {before}, "after": {after}}}')

    changed(20, f'{{"{name}": null}}', f'{{"{name}": "10"}}')
    changed(40, f'{{"{name}": "10"}}', f'{{"{name}": "30"}}')

    def value(minute: int) -> tuple[str, bool]:
        found = viewer.get(f"{page('packers')}?tab=configuration&{at(minute)}")
        row = next(r for r in found.context["settings"] if r["entry"].name == name)
        return row["entry"].value, row["is_own"]

    assert value(50) == ("30", True) and value(30) == ("10", True) and not value(10)[1]


def test_two_moments_are_compared(viewer: Client, past: Past) -> None:
    execute(OFFSET, partition=0, offset=100, at=past.time(1))
    execute(OFFSET, partition=1, offset=60, at=past.time(31))
    execute(COMMIT, partition=1, offset=40, at=past.time(11))
    times = "since=2026-11-27T00:15:00&until=2026-11-27T00:45:00"
    told = shown(viewer, f"tab=compare&{times}")
    assert (
        "1 member came, 0 members went, 1 stayed. 4 of 8 partitions have another owner. Offsets"
        " advanced by 20 in all; 1 partition stood still. No setting differs." in told
    )
    moves = viewer.get(f"{page('packers')}?tab=compare&{times}").context["moves"]
    assert [(m.partition, m.before, m.after) for m in moves] == [
        (n, "anna", "ben") for n in range(4, 8)
    ]


def test_a_reset_in_between_is_two_clicks_from_its_undo(past: Past) -> None:
    operation = Operation.objects.create(
        group_id="packers",
        slot=0,
        verb=Operation.Verb.RESET_OFFSETS,
        member_id="",
        reason="it was wrong",
        actor="olga",
        state=Operation.State.SUCCEEDED,
        detail="3 offsets were set",
        outcome=Operation.Outcome.CHANGED,
        finished_at=past.time(30),
    )
    operator = visitor(OPERATOR, name="olga")
    told = shown(operator, "tab=compare&since=2026-11-27T00:15:00&until=2026-11-27T00:45:00")
    assert f"/admin/groups/operation/{operation.pk}/change/" in told
    later = shown(operator, "tab=compare&since=2026-11-27T00:31:00&until=2026-11-27T00:45:00")
    assert f"/admin/groups/operation/{operation.pk}/" not in later


@pytest.mark.parametrize("moment", ["", "x", "2999-01-01T00:00:00", "0001-01-01", "2026-13-01"])
def test_a_wrong_moment_is_now(viewer: Client, past: Past, moment: str) -> None:
    assert "as it was</span>" not in shown(viewer, f"tab=owners&at={moment}")
    assert "stayed" in shown(viewer, f"tab=compare&since={moment}&until={moment}")


@pytest.mark.parametrize("partition", ["-", "a:b", "orders-99999999999", "%00", "orders-٣"])
def test_a_wrong_partition_has_no_answer(viewer: Client, past: Past, partition: str) -> None:
    assert "data-answer" not in shown(viewer, f"{at(30)}&partition={partition}")


def test_pages_of_the_past_take_few_statements(viewer: Client, past: Past) -> None:
    queries: Any
    tabs = ("owners", "members", "offsets", "configuration")
    paths = [f"tab={tab}&{at(30)}" for tab in tabs] + ["tab=compare"]
    often = {}
    for path in paths:
        with CaptureQueriesContext(connection) as queries:
            shown(viewer, path)
        often[path] = len(queries)
    assert all(number <= QUERIES_MAX for number in often.values()), often


def test_a_deleted_group_has_its_past(viewer: Client) -> None:
    told = Past("gone")
    told.owned(told.life("anna", 10, 20), "{[0,2)}", 10, 20)
    answer = viewer.get(f"{page('gone')}?tab=owners&{at(15)}")
    assert "1 member owned 2 partitions" in text(answer)
    assert viewer.get(f"{page('nobody')}?{at(15)}").status_code == 404


def test_moments_are_compared_over_rest(past: Past, api: Any) -> None:
    client = api("view_group")
    url = "/api/v1/groups/packers/comparison"
    body = client.get(
        url, {"since": past.time(15).isoformat(), "until": past.time(55).isoformat()}
    ).json()
    assert (body["stayed"], body["came"], body["moves"]) == (1, [], [])
    went = client.get(url, {"since": past.time(30).isoformat()}).json()
    assert [life["departure"] for life in went["went"]] == ["expired"]
    assert "1 member went" in went["text"] and len(went["moves"]) == 4
    assert client.get(url).status_code == 400
    ahead = datetime.now(UTC) + timedelta(days=1)
    assert client.get(url, {"since": ahead.isoformat()}).status_code == 200
