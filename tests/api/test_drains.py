"""Nodes that are drained over REST, and what is refused."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from console.operations import sql
from console.queries import drains as queries
from console.queries.journal_text import sentence
from groups.models import AuditEntry, Drain, Journal
from groups.sweeps import session
from tests.api.conftest import Api, write
from tests.api.test_verbs import post

pytestmark = pytest.mark.django_db

NODE = """
INSERT INTO rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at)
VALUES (%s, gen_random_uuid(), 1, 'localhost', 9092, now(), now())
"""
OWN = "UPDATE rollcall_slot SET node_id = slot %% %s, incarnation = gen_random_uuid()"
REASON = {"reason": "a new disk"}


def execute(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)


def nodes(*node_ids: int) -> None:
    for node_id in node_ids:
        execute(NODE, node_id)


@pytest.fixture
def operator(api: Api) -> Client:
    return api("view_node", "drain_node")


@pytest.fixture
def three(db: None) -> None:
    """Three nodes that share the slots, and a group in slot 51, node 0's."""
    nodes(0, 1, 2)
    execute(OWN, 3)


@pytest.mark.usefixtures("three")
def test_a_drain_reports_what_moves_and_is_journalled_with_its_author(operator: Client) -> None:
    write("g")
    tried = post(operator, "/nodes/0/drain?dry_run=true", REASON).json()
    assert not Drain.objects.exists() and not Journal.objects.filter(kind="node-drained").exists()
    answer = post(operator, "/nodes/0/drain", REASON)
    assert answer.status_code == 200
    assert answer.json() == {**tried, "dry_run": False}
    assert (tried["slots"], tried["drained"], tried["changed"]) == (22, True, True)
    assert tried["nodes"] == [{"node_id": 1, "slots": 11}, {"node_id": 2, "slots": 11}]

    entry = Journal.objects.get(kind="node-drained")
    who = entry.details["author"]["user"]
    assert sentence(entry) == f"{who} drained node 0: a new disk."
    assert AuditEntry.objects.filter(kind="node-drained", who=who).exists()
    shown = operator.get("/api/v1/nodes").json()["data"]
    assert [node["drain"] and node["drain"]["reason"] for node in shown] == [
        "a new disk",
        None,
        None,
    ]
    assert operator.get("/api/v1/nodes/drains").json()["data"][0]["actor"] == who


@pytest.mark.usefixtures("three")
def test_a_second_drain_of_a_node_changes_nothing(operator: Client) -> None:
    post(operator, "/nodes/0/drain", REASON)
    again = post(operator, "/nodes/0/drain", {"reason": "another"}).json()
    assert (again["drained"], again["changed"]) == (True, False)
    assert Drain.objects.get().reason == "a new disk"
    assert Journal.objects.filter(kind="node-drained").count() == 1


@pytest.mark.usefixtures("three")
def test_of_two_concurrent_drains_one_takes_effect(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    post(operator, "/nodes/0/drain", REASON)
    before, known = [None], queries.of
    monkeypatch.setattr(queries, "of", lambda node: before.pop() if before else known(node))
    answer = post(operator, "/nodes/0/drain", REASON).json()
    assert (before, answer["changed"]) == ([], False)


@pytest.mark.usefixtures("three")
def test_the_last_available_node_is_not_drained(operator: Client) -> None:
    for node_id in (0, 1):
        assert post(operator, f"/nodes/{node_id}/drain", REASON).status_code == 200
    for path in ("/nodes/2/drain", "/nodes/2/drain?dry_run=true"):
        answer = post(operator, path, REASON)
        assert (answer.status_code, answer.json()["code"]) == (409, "no_taker")
        detail = "No other live node could take the slots of node 2."
        assert answer.json()["detail"] == detail
    assert Drain.objects.count() == 2


UNABLE = {
    "silent": "UPDATE rollcall_node SET beat_at = now() - interval '16 seconds' WHERE node_id = 1",
    "cannot load": "UPDATE rollcall_node SET takes_slots = false WHERE node_id = 1",
    "gone": "DELETE FROM rollcall_node WHERE node_id = 1",
}


@pytest.mark.parametrize("how", UNABLE)
def test_a_node_that_cannot_take_slots_does_not_count(how: str, operator: Client) -> None:
    nodes(0, 1)
    execute(UNABLE[how])
    assert post(operator, "/nodes/0/drain", REASON).status_code == 409


@pytest.mark.usefixtures("three")
def test_a_drain_can_be_withdrawn_from_a_node_that_is_down(operator: Client) -> None:
    post(operator, "/nodes/0/drain", REASON)
    execute("UPDATE rollcall_slot SET node_id = 1 + slot % 2")
    tried = post(operator, "/nodes/0/undrain?dry_run=true", REASON).json()
    assert (tried["slots"], tried["drained"], tried["changed"]) == (21, False, True)
    assert tried["nodes"] == [{"node_id": 1, "slots": 10}, {"node_id": 2, "slots": 11}]
    execute("DELETE FROM rollcall_node WHERE node_id = 0")
    away = post(operator, "/nodes/0/undrain", REASON).json()
    assert (away["slots"], away["changed"], away["detail"]) == (
        0,
        True,
        "No slot changes its owner.",
    )
    assert post(operator, "/nodes/0/undrain", REASON).status_code == 404
    assert post(operator, "/nodes/1/undrain", REASON).json()["changed"] is False
    kinds = Journal.objects.filter(kind__startswith="node-").values_list("kind", flat=True)
    assert list(kinds.order_by("id")) == ["node-drained", "node-undrained"]


@pytest.mark.parametrize("path", ["/nodes/9/drain", "/nodes/99999999999999999999/drain"])
@pytest.mark.parametrize("verb", ["drain", "undrain"])
def test_an_unknown_node_is_not_found(path: str, verb: str, operator: Client) -> None:
    assert post(operator, path.replace("drain", verb), REASON).status_code == 404


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("body", [{}, {"reason": " "}, {"reason": "a\nb"}, {**REASON, "odd": 1}])
def test_an_invalid_request_drains_nothing(body: Any, operator: Client) -> None:
    assert post(operator, "/nodes/0/drain", body).status_code == 400
    assert not Drain.objects.exists()


@pytest.mark.usefixtures("three")
def test_the_drain_of_a_node_that_does_not_return_is_removed(operator: Client) -> None:
    """Not while it lives, and not when the rows have not been read for a while."""
    for node_id in (0, 1):
        post(operator, f"/nodes/{node_id}/drain", REASON)
    execute("UPDATE rollcall_drain SET seen_at = now() - interval '30 days'")
    execute("DELETE FROM rollcall_node WHERE node_id = 0")

    session.clean_up()
    assert Drain.objects.count() == 2, "nobody has looked"
    execute(
        "INSERT INTO rollcall_sweep (name, started_at, took_ms, outcome, failed, runs, failures)"
        " VALUES ('clean-up', now() - interval '1 minute', 1, '', false, 1, 0)"
    )
    session.clean_up()
    assert Drain.objects.count() == 2, "its absence began a moment ago"
    execute("UPDATE rollcall_drain SET seen_at = now() - interval '8 days'")
    assert "1 drains of nodes that left" in session.clean_up()
    assert [drain.node_id for drain in Drain.objects.all()] == [1]
    entry = Journal.objects.get(kind="node-undrained")
    told = "The clean-up withdrew the drain of node 0: the node has been away for 168 hours."
    assert sentence(entry) == told


def test_a_drain_notifies_the_nodes() -> None:
    assert "pg_notify('rollcall_slots', '')" in sql.DRAIN and "pg_notify" in sql.UNDRAIN
