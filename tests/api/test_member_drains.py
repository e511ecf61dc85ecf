"""Draining members over REST and in the admin."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from groups.core import drains
from groups.core.drains import Drain
from groups.models import Operation
from tests.api.conftest import Api, write
from tests.api.test_verbs import post

pytestmark = pytest.mark.django_db

REASON = {"reason": "an upgrade"}
DRAIN = "/groups/g/members/m-1/drain"


@pytest.fixture
def operator(api: Api) -> Client:
    return api("view_group", "evict_member")


def consumers() -> None:
    """The group that ``write`` made, of the kind whose members the coordinator assigns to."""
    write("g")
    change("UPDATE rollcall_group SET kind = 'consumer'")


def change(statement: str, *values: str) -> None:
    """As the group's owner writes."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


DRAINED = "UPDATE rollcall_member SET details = details || %s::jsonb WHERE member_id = %s"


def drained(member_id: str) -> None:
    details = {drains.DRAINED: list(Drain(5, "olga", "an upgrade", True))}
    change(DRAINED, json.dumps(details), member_id)


@pytest.mark.parametrize("verb", ["drain", "undrain"])
def test_it_is_an_operation(operator: Client, verb: str) -> None:
    consumers()
    answer = post(operator, f"/groups/g/members/m-1/{verb}", REASON)
    assert answer.status_code == 202
    one = Operation.objects.get()
    assert (one.verb, one.member_id, one.reason) == (verb, "m-1", "an upgrade")
    again = post(operator, f"/groups/g/members/nobody/{verb}", REASON)
    assert (again.status_code, Operation.objects.count()) == (404, 1)


def test_a_dry_run_says_what_would_happen(operator: Client) -> None:
    consumers()
    plan = post(operator, f"{DRAIN}?dry_run=true", REASON).json()
    assert (plan["would"], plan["verb"]) == ("change", "drain")
    drained("m-1")
    plan = post(operator, f"{DRAIN}?dry_run=true", REASON).json()
    assert (plan["would"], "olga" in plan["detail"]) == ("leave", True)
    change("UPDATE rollcall_group SET kind = 'classic'")
    plan = post(operator, f"{DRAIN}?dry_run=true", REASON).json()
    assert (plan["would"], "leader" in plan["detail"]) == ("fail", True)
    assert not Operation.objects.exists()


def test_a_member_shows_its_drain(operator: Client) -> None:
    consumers()
    drained("m-1")
    rows: Any = operator.get("/api/v1/groups/g/members").json()["data"]
    shown = {row["member_id"]: row["drain"] for row in rows}
    assert shown["m-1"] == {
        "operation_id": 5,
        "actor": "olga",
        "reason": "an upgrade",
        "is_over": True,
    }
    assert shown["m-0"] is None


def test_a_static_member_that_is_away_is_undrained_by_its_instance_id(operator: Client) -> None:
    consumers()
    kept = {drains.DRAINED: {"i-9": list(Drain(5, "olga", "an upgrade", True))}}
    change("UPDATE rollcall_group SET details = %s::jsonb", json.dumps(kept))
    assert post(operator, "/groups/g/members/i-9/undrain", REASON).status_code == 202
    assert post(operator, "/groups/g/members/i-8/undrain", REASON).status_code == 404
