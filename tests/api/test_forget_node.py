"""Nodes that have left are forgotten over REST, in the admin and by the clean-up."""

import pytest
from django.db import connection
from django.test import Client

from console.people.staff_roles import OPERATOR, VIEWER
from console.queries import attention, overview
from console.queries.journal_text import sentence
from groups.models import AuditEntry, Journal, Node
from groups.store.sql.slots import LOCK_CLASS
from groups.sweeps import session
from tests.admin.visitors import text, visitor
from tests.api.conftest import Api
from tests.api.test_drains import execute, nodes
from tests.api.test_verbs import post
from tests.as_roles import role

pytestmark = pytest.mark.django_db

REASON = {"reason": "it was scrapped"}
SILENT = "UPDATE rollcall_node SET beat_at = now() - %s * interval '1 second' WHERE node_id = %s"
LIST, PAGE = "/admin/groups/node/", "/admin/groups/node/7/forget/"


@pytest.fixture
def operator(api: Api) -> Client:
    return api("view_node", "drain_node")


@pytest.fixture
def left(db: None) -> None:
    """Node 0 serves; nodes 7 and 8 were killed."""
    nodes(0, 7, 8)
    execute("UPDATE rollcall_slot SET node_id = 0, incarnation = gen_random_uuid()")
    for node_id in (7, 8):
        execute(SILENT, 16, node_id)


def silent() -> list[str]:
    return [line.subject or "" for line in attention.fired(overview.look())]


@pytest.mark.usefixtures("left")
def test_a_node_that_left_is_forgotten_and_the_journal_says_by_whom(operator: Client) -> None:
    assert silent() == ["7", "8"]
    tried = post(operator, "/nodes/7/forget?dry_run=true", REASON)
    assert (tried.status_code, tried.json()) == (200, {"node_id": 7, "dry_run": True})
    assert silent() == ["7", "8"] and not Journal.objects.exists()

    assert post(operator, "/nodes/7/forget", REASON).json() == {"node_id": 7, "dry_run": False}

    assert silent() == ["8"]
    entry = Journal.objects.get(kind="node-forgotten")
    who = entry.details["author"]["user"]
    assert sentence(entry) == f"{who} forgot node 7: it was scrapped."
    assert AuditEntry.objects.filter(kind="node-forgotten", who=who).exists()
    assert post(operator, "/nodes/7/forget", REASON).status_code == 404


HERE = {
    "it beats": "UPDATE rollcall_node SET beat_at = now() WHERE node_id = 7",
    "it owns a slot": "UPDATE rollcall_slot SET node_id = 7 WHERE slot = 63",
    "its process lives": f"SELECT pg_advisory_lock({LOCK_CLASS}, 7)",
}


@pytest.mark.parametrize("why", HERE)
@pytest.mark.usefixtures("left")
def test_a_node_that_is_still_here_is_not_forgotten(why: str, operator: Client) -> None:
    execute(HERE[why])
    try:
        for query in ("", "?dry_run=true"):
            answer = post(operator, f"/nodes/7/forget{query}", REASON)
            assert (answer.status_code, answer.json()["code"]) == (409, "not_gone")
        assert "cannot be forgotten" in text(visitor(OPERATOR).post(PAGE, REASON))
        execute(SILENT.replace("WHERE", "WHERE true OR"), 90_000, 7)
        if why != "it beats":
            session.clean_up()
            assert Node.objects.filter(node_id=7).exists()
    finally:
        execute("SELECT pg_advisory_unlock_all()")
    assert not Journal.objects.filter(reason="it was scrapped").exists()


@pytest.mark.usefixtures("left")
def test_a_node_that_left_is_forgotten_on_its_page() -> None:
    operator = visitor(OPERATOR)
    listed = text(operator.get(LIST))
    assert "Forget node 7" in listed and "Drain node 0" in listed
    assert "/api/v1/nodes/7/forget" in text(operator.get(PAGE))
    operator.post(PAGE, {})
    assert Node.objects.filter(node_id=7).exists(), "no reason was given"
    assert "Node 7 is forgotten." in text(operator.post(PAGE, REASON, follow=True))
    assert operator.get(PAGE).status_code == 404
    assert visitor(VIEWER, name="vic").get(PAGE.replace("7", "8")).status_code == 403


@pytest.mark.usefixtures("left")
def test_the_clean_up_forgets_nodes_that_were_silent_for_a_day() -> None:
    """As the worker's role."""
    execute(SILENT, 86_401, 7)
    execute(SILENT, 86_390, 8)
    with role("rollcall_worker"):
        done = session.clean_up()
    assert "1 nodes that left" in done and silent() == ["8"]
    entry = Journal.objects.get(kind="node-forgotten")
    assert sentence(entry) == "The clean-up forgot node 7: it was silent for 24 hours."
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM rollcall_node")
        assert cursor.fetchone() == (2,)
