"""Reads beside the lists: partitions with their members, one rebalance, slots, rules, the audit."""

import pytest
from django.test import Client

from console.people import audit
from console.queries.attention_table import RULES
from groups.models import Operation, Slot
from tests.api.conftest import Api, write
from tests.model_factories import OperationFactory

pytestmark = pytest.mark.django_db


def test_a_rebalance_is_returned_with_its_cause(viewer: Client) -> None:
    write("g")
    asked = OperationFactory.create(
        group_id="g",
        generation=2,
        state=Operation.State.SUCCEEDED,
        outcome=Operation.Outcome.CHANGED,
    )
    OperationFactory.create(group_id="g", generation=2, outcome=Operation.Outcome.UNCHANGED)
    OperationFactory.create(group_id="other", generation=2, outcome=Operation.Outcome.CHANGED)
    body = viewer.get("/api/v1/groups/g/rebalances/2").json()
    assert body["rebalance"]["generation_after"] == 2
    assert [operation["id"] for operation in body["operations"]] == [asked.pk]
    twin = viewer.get("/api/v1/group/rebalances/2?group_id=g")
    assert twin.json() == body
    assert viewer.get("/api/v1/groups/g/rebalances/7").status_code == 404
    assert viewer.get("/api/v1/groups/none/rebalances/2").status_code == 404


def test_a_group_returns_what_it_waits_for(viewer: Client) -> None:
    write("g")
    body = viewer.get("/api/v1/groups/g/waiting").json()
    assert body["group_id"] == "g" and body["situation"]
    assert viewer.get("/api/v1/groups/none/waiting").status_code == 404


def test_partitions_of_a_group_are_paginated(viewer: Client) -> None:
    write("g")
    rows, url = [], "/api/v1/groups/g/assignment?page_size=1"
    while url:
        body = viewer.get(url).json()
        rows += body["data"]
        url = body["next"]
    assert rows == viewer.get("/api/v1/groups/g/assignment").json()["data"]
    assert viewer.get("/api/v1/groups/none/assignment").status_code == 404


def test_a_history_is_of_one_partition(viewer: Client) -> None:
    write("g")
    for query, missing in (("", 2), ("topic=orders", 1), ("partition=0", 1)):
        response = viewer.get(f"/api/v1/groups/g/offsets/history?{query}")
        assert (response.status_code, len(response.json()["errors"])) == (400, missing)
    response = viewer.get("/api/v1/groups/g/offsets/history?topic=orders&partition=0")
    assert response.json() == {"data": []}


def test_every_slot_and_every_rule_is_returned(viewer: Client) -> None:
    assert len(viewer.get("/api/v1/slots").json()["data"]) == Slot.objects.count()
    rules = {row["rule"]: row for row in viewer.get("/api/v1/rules").json()["data"]}
    assert list(rules) == [rule.name for rule in RULES]
    assert rules["storm"]["value"] == 60


def test_the_audit_log_needs_its_own_right(api: Api, viewer: Client) -> None:
    audit.note(None, "token", "olga", "failed")
    assert viewer.get("/api/v1/audit").status_code == 403
    auditor = api("view_auditentry")
    entries = auditor.get("/api/v1/audit?kind=token&who=olga").json()["data"]
    assert [(row["who"], row["outcome"]) for row in entries] == [("olga", "failed")]
    assert auditor.get("/api/v1/audit?who=nobody").json()["data"] == []
