"""Stopping and starting work over REST, and what it returns about obedience."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from console.people.staff_roles import OPERATOR, VIEWER
from groups.core.rows import slot_of
from groups.models import Operation
from tests.admin.visitors import person
from tests.api.conftest import Api, write
from tests.api.test_verbs import post

pytestmark = pytest.mark.django_db

REASON = {"reason": "the database is moved"}


@pytest.fixture
def operator(api: Api) -> Client:
    return api("view_group", "pause_group")


def paused(group_id: str, number: int, name: str = "") -> None:
    """A pause, as the group's owner writes it."""
    scope = "member" if name else "group"
    values: list[Any] = [group_id, slot_of(group_id), scope, name, number]
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rollcall_pause (group_id, slot, scope, name, pause_id, actor, reason,"
            " since) VALUES (%s, %s, %s, %s, %s, 'olga', 'a move', now())",
            values,
        )


def obeys(group_id: str, member_id: str, number: int) -> None:
    """What a member said, as the group's owner notes it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rollcall_follower (group_id, member_id, obeying, at)"
            " VALUES (%s, %s, %s, now())",
            [group_id, member_id, number],
        )


@pytest.mark.parametrize("verb", ["pause", "resume"])
def test_a_group_or_a_member_is_stopped_by_an_operation(operator: Client, verb: str) -> None:
    write("g")
    group = post(operator, f"/groups/g/{verb}", REASON)
    member = post(operator, f"/groups/g/members/m-1/{verb}", REASON)

    assert (group.status_code, member.status_code) == (202, 202)
    operations = Operation.objects.order_by("id").values_list(
        "group_id", "verb", "member_id", "reason"
    )
    assert list(operations) == [
        ("g", verb, "", "the database is moved"),
        ("g", verb, "m-1", "the database is moved"),
    ]


@pytest.mark.parametrize("tail", ["pause", "resume"])
def test_a_twin_path_has_its_ids_in_the_query(operator: Client, tail: str) -> None:
    write("a/b")
    group = post(operator, f"/group/{tail}?group_id=a/b", REASON)
    member = post(operator, f"/group/members/{tail}?group_id=a/b&member_id=m-1", REASON)

    assert (group.status_code, member.status_code) == (202, 202)
    operations = Operation.objects.order_by("id").values_list("group_id", "member_id")
    assert list(operations) == [("a/b", ""), ("a/b", "m-1")]


def test_a_pause_without_a_reason_or_a_target_is_refused(operator: Client) -> None:
    write("g")

    assert post(operator, "/groups/g/pause", {"reason": " "}).status_code == 400
    assert post(operator, "/groups/h/pause", REASON).status_code == 404
    assert post(operator, "/groups/g/members/nobody/pause", REASON).status_code == 404
    assert not Operation.objects.exists()


def test_the_same_key_creates_one_operation(operator: Client) -> None:
    write("g")
    key = {"Idempotency-Key": "move-1"}
    first, again = [post(operator, "/groups/g/pause", REASON, **key) for _ in range(2)]

    assert first.json()["id"] == again.json()["id"]
    assert again.headers["Idempotency-Replayed"] == "true"
    assert post(operator, "/groups/g/resume", REASON, **key).status_code == 422


def test_a_pause_needs_the_right_of_operators(api: Api) -> None:
    write("g")
    others = api("view_group", "rebalance_group", "evict_member")

    assert post(others, "/groups/g/pause", REASON).status_code == 403
    assert person("vera", VIEWER).has_perm("groups.pause_group") is False
    assert person("olga", OPERATOR).has_perm("groups.pause_group") is True


def test_a_group_returns_who_obeyed_and_who_cannot(operator: Client) -> None:
    write("g", size=5)
    paused("g", 7)
    for member_id, number in (("m-0", 7), ("m-1", 0), ("m-2", 7)):
        obeys("g", member_id, number)

    shown = operator.get("/api/v1/groups/g").json()

    work = shown["work"]
    assert (work["asked"], work["obeyed"], work["not_supported"]) == (3, 2, 2)
    (pause,) = work["pauses"]
    assert (pause["scope"], pause["actor"], pause["reason"]) == ("group", "olga", "a move")
    words = [member["work"] for member in shown["members"]]
    assert words == ["stopped", "stopping", "stopped", "not-supported", "not-supported"]
    assert shown["paused"] is True


def test_a_member_not_yet_informed_of_its_resume_is_starting(operator: Client) -> None:
    write("g")
    obeys("g", "m-0", 7)
    obeys("g", "m-1", 0)

    shown = operator.get("/api/v1/groups/g").json()

    assert [member["work"] for member in shown["members"]] == ["starting", "working"]
    assert shown["work"] == {
        "pauses": [], "asked": 0, "obeyed": 0, "starting": 1, "not_supported": 0,
    }  # fmt: skip


def test_the_list_distinguishes_groups_and_members(operator: Client) -> None:
    write("all", "none", "some")
    paused("all", 7)
    paused("some", 8, "m-1")

    listed = operator.get("/api/v1/groups").json()["data"]

    found: Any = {g["group_id"]: (g["paused"], g["paused_members"]) for g in listed}
    assert found == {"all": (True, 0), "none": (False, 0), "some": (False, 1)}
