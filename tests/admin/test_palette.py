"""The command palette finds pages, groups, actions, topics, nodes and members, and nothing that the
person may not see or do."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.admin.palette import WORD_CHARS_MAX
from console.operations import topic_changes as changes
from console.people.staff_roles import ADMINISTRATOR, OPERATOR, VIEWER
from groups.models import Node
from tests.admin.test_groups import page
from tests.admin.visitors import person, text, visitor
from tests.api.conftest import write

pytestmark = pytest.mark.django_db


def hits(client: Client, typed: str) -> dict[str, str]:
    """Links by title."""
    answer = client.get("/admin/search/", {"s": typed})
    return {hit.title: hit.link for hit in (answer.context or {}).get("results", ())}


@pytest.fixture
def operator() -> Client:
    return visitor(OPERATOR, name="olga")


def test_a_group_is_found_with_its_actions_and_tabs(operator: Client) -> None:
    write("orders", "orders-two")
    whole = list(hits(operator, "orders"))
    assert whole[:3] == ["orders", "orders-two", "Force a rebalance of orders"]
    found = hits(operator, "ders-t")
    assert found["orders-two"] == page("orders-two")
    assert found["Reset the offsets of orders-two"] == page("orders-two", "reset")
    assert found["Members of orders-two"] == f"{page('orders-two')}?tab=members"


def test_an_operation_and_a_group_name_find_the_action(operator: Client) -> None:
    write("orders", "bills")
    found = hits(operator, "freeze ord")
    assert found == {"Freeze or thaw orders": page("orders", "freeze")}
    assert list(hits(operator, "reb ")) == []
    assert hits(operator, "delete orders") == {}  # an Operator may not
    assert "Delete orders" in hits(visitor(ADMINISTRATOR, name="ada"), "delete orders")


def test_topics_nodes_members_and_pages_are_found(operator: Client) -> None:
    write("orders")
    changes.create("boxes", 6)
    now = datetime.now(UTC)
    there = {"host": "h", "port": 9092, "started_at": now, "beat_at": now, "beat": 1}
    Node.objects.create(node_id=4, incarnation=uuid4(), endpoints=[], **there)
    assert hits(operator, "box") == {"boxes": "/admin/groups/topic/boxes/change/"}
    assert "Node 4" in hits(operator, "node 4") and "Node 4" in hits(operator, "4")
    found = hits(operator, "a-client")
    assert found["a-client"] == f"{page('orders')}?tab=members&members=a-client"
    assert hits(operator, "sched") == {"Schedule": "/admin/django_celery_beat/periodictask/"}
    assert "Create a topic" in hits(operator, "topic create")


def test_results_respect_the_users_rights() -> None:
    write("orders")
    changes.create("orders", 6)
    viewer, nobody = visitor(VIEWER), Client()
    assert set(hits(viewer, "orders")) == {
        "orders",
        *(f"{tab} of orders" for tab in ("Members", "Rebalances", "Offsets", "Configuration")),
    }
    assert hits(viewer, "audit") == {}
    nobody.force_login(person("nora"))
    assert hits(nobody, "orders") == {}
    assert Client().get("/admin/search/?s=orders").status_code == 302


@pytest.mark.parametrize("typed", ["", " ", "a\0b", "\u202e", "x" * (WORD_CHARS_MAX + 1), "²"])
def test_an_unparsable_query_finds_nothing(operator: Client, typed: str) -> None:
    write("a")
    answer = operator.get("/admin/search/", {"s": typed})
    assert answer.status_code == 200
    assert not hits(operator, typed)


def test_new_objects_are_found_at_once_with_few_statements(operator: Client) -> None:
    write("orders")
    assert "orders-new" not in hits(operator, "orders")
    write("orders-new")
    with CaptureQueriesContext(connection) as queries:
        assert "orders-new" in hits(operator, "orders")
    assert len(queries) <= 10


def test_the_button_that_opens_it_is_on_every_page(operator: Client) -> None:
    assert "Find or do" in text(operator.get("/admin/"))
