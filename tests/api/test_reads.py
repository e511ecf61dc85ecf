"""Reads of REST beside the groups themselves: members in pages, settings, the fleet's journal, what
needs attention, and where a topic's work ends."""

from typing import Any

from django.db import connection
from django.test import Client

from console.operations import topic_changes as changes
from groups.models import Journal, Operation
from tests import factories
from tests.api.conftest import Api, write
from tests.api.test_pages import walked

API = "/api/v1"


def test_members_are_paginated_in_order_of_arrival(viewer: Client) -> None:
    write("g", size=5)
    whole = viewer.get(f"{API}/groups/g").json()["members"]
    pages = walked(viewer, f"{API}/groups/g/members?page_size=2")

    assert [len(page) for page in pages] == [2, 2, 1]
    ages = ("heartbeat_age_ms", "last_heartbeat_at")
    found: list[Any] = [member for page in pages for member in page]
    assert [_without(member, ages) for member in found] == [_without(m, ages) for m in whole]


def _without(member: Any, names: tuple[str, ...]) -> Any:
    return {name: value for name, value in member.items() if name not in names}


def test_members_and_one_member_share_a_twin_path(viewer: Client) -> None:
    write("a/b")
    found = viewer.get(f"{API}/group/members?group_id=a%2Fb").json()["data"]
    assert [member["member_id"] for member in found] == ["m-0", "m-1"]
    assert viewer.get(f"{API}/groups/nobodys/members").status_code == 404


def test_settings_have_their_source(viewer: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rollcall_group_config (group_id, name, slot, value, updated_at)"
            " VALUES ('g', 'rollcall.freeze', 0, 'true', now())"
        )
    found = {row["name"]: row for row in viewer.get(f"{API}/groups/g/config").json()["data"]}
    assert (found["rollcall.freeze"]["value"], found["rollcall.freeze"]["is_own"]) == ("true", True)
    session = found["consumer.session.timeout.ms"]
    assert (session["value"], session["is_own"]) == ("45000", False)
    write("g")
    group = viewer.get(f"{API}/groups/g").json()
    assert group["frozen"] is True
    assert group["frozen_since"]


def test_the_journal_of_all_groups_is_followed_from_an_id(viewer: Client) -> None:
    write("a", "b")
    newest = viewer.get(f"{API}/journal").json()["data"]
    numbers = [entry["seq"] for entry in newest]
    assert numbers == sorted(numbers, reverse=True)
    assert {entry["group_id"] for entry in newest} == {"a", "b"}

    behind = viewer.get(f"{API}/journal?after={numbers[-1]}").json()["data"]
    assert [entry["seq"] for entry in behind] == numbers[:-1][::-1]
    assert walked(viewer, f"{API}/journal?after=0&page_size=1") == [[e] for e in newest[::-1]]
    only = viewer.get(f"{API}/journal?group_id=a&kind=rebalance-completed").json()["data"]
    assert {entry["group_id"] for entry in only} == {"a"}
    assert viewer.get(f"{API}/journal?after=-1").status_code == 400
    assert viewer.get(f"{API}/journal?after={10**18}").status_code == 400


def test_attention_equals_the_overview(viewer: Client) -> None:
    """Nobody has taken a slot in this database."""
    lines = {line["rule"]: line for line in viewer.get(f"{API}/attention").json()["data"]}
    assert lines["slot-without-owner"]["sentence"] == "64 slots have no owner"
    assert lines["slot-without-owner"]["tone"] == "bad"


def test_lag_and_progress_use_the_ends_that_clients_are_told(viewer: Client) -> None:
    """At the catalogue's end, or after the greatest commit, whichever is greater."""
    changes.create("t", 3)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_slot SET epoch = 1")
        cursor.execute("UPDATE rollcall_topic SET end_offsets = '{5,9}' WHERE name = 't'")
        birth = factories.birth("g")
        factories.apply_with(cursor, factories.batch(birth))
        offsets = [
            factories.offset(topic="t", partition=number)._replace(offset=7) for number in (0, 1)
        ]
        after = factories.commit(factories.written(birth), *offsets)
        factories.apply_with(cursor, factories.batch(after))

    found = viewer.get(f"{API}/topics/t/partitions").json()["data"]
    assert [row["log_end_offset"] for row in found] == [7, 9, 0]
    assert viewer.get(f"{API}/topics/u/partitions").status_code == 404


def test_reads_write_nothing(viewer: Client) -> None:
    write("g")
    before = Journal.objects.count()
    for path in ("groups/g/members", "groups/g/config", "journal", "attention"):
        assert viewer.get(f"{API}/{path}").status_code == 200
        assert viewer.post(f"{API}/{path}").status_code == 405
    assert Journal.objects.count() == before


def test_a_dry_run_of_a_reset_reports_the_effect_and_requests_nothing(api: Api) -> None:
    client = api("view_group", "restore_offsets")
    changes.create("t", 2)
    write("g", size=0)
    path = f"{API}/groups/g/offsets/resets"
    body = {"reason": "try", "to": "offset", "offset": 5, "topics": ["t"]}

    response = client.post(f"{path}?dry_run=true", body, content_type="application/json")
    assert response.status_code == 200
    assert response.json() == {
        "dry_run": True,
        "would": "change",
        "detail": "",
        "how": "to 5",
        "changes": [
            {"topic": "t", "partition": number, "before": None, "after": 5} for number in (0, 1)
        ],
        "unchanged": 0,
    }
    assert not Operation.objects.exists()
    wrong = {**body, "topics": ["u"]}
    assert (
        client.post(f"{path}?dry_run=true", wrong, content_type="application/json").status_code
        == 400
    )
    assert (
        client.post(f"{path}?dry_run=yes", body, content_type="application/json").status_code == 400
    )
    two = {"reason": "try", "to": "csv", "csv": "t,0,1\r\nt,1,2\n", "topics": ["t"]}
    response = client.post(f"{path}?dry_run=true", two, content_type="application/json")
    assert [change["after"] for change in response.json()["changes"]] == [1, 2]
    two["csv"] = "t,0,1\n\x1b[31m"
    response = client.post(f"{path}?dry_run=true", two, content_type="application/json")
    assert response.json()["errors"][0]["pointer"] == "#/csv"
    unknown = {"reason": "try", "to": "latest", "topics": ["t"]}
    response = client.post(f"{path}?dry_run=true", unknown, content_type="application/json")
    assert [error["pointer"] for error in response.json()["errors"]] == ["#/to"]
    missing = path.replace("/g/", "/nobodys/")
    response = client.post(f"{missing}?dry_run=true", body, content_type="application/json")
    assert response.status_code == 404
