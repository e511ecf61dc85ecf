"""Draining a node in the admin: look first, say why, and what the list says then."""

from collections import Counter

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.people.staff_roles import OPERATOR, VIEWER
from groups.core.rows import slot_of
from groups.models import Drain
from tests.admin.visitors import text, visitor
from tests.api.conftest import write
from tests.api.test_drains import execute, nodes

pytestmark = pytest.mark.django_db

LIST = "/admin/groups/node/"
PAGE = "/admin/groups/node/0/drain/"


@pytest.fixture
def operator() -> Client:
    return visitor(OPERATOR)


@pytest.fixture
def two(db: None) -> None:
    nodes(0, 1)
    execute("UPDATE rollcall_slot SET node_id = slot % 2, incarnation = gen_random_uuid()")


@pytest.mark.usefixtures("two")
def test_a_drain_is_previewed_requested_and_shown(operator: Client) -> None:
    looked = text(operator.get(PAGE))
    assert "32 slots with 0 groups change the owner." in looked
    assert "Node 1 takes 32 slots." in looked and "/api/v1/nodes/0/drain" in looked

    asked = operator.post(PAGE, {"verb": "drain", "reason": "a new disk"}, follow=True)
    assert "Node 0 is drained." in text(asked)
    listed = text(operator.get(LIST))
    assert ">draining</span>" in listed and "by vera: a new disk" in listed
    assert "Withdraw the drain of node 0" in listed and "vera drained node 0: a new disk." in listed
    execute("UPDATE rollcall_slot SET node_id = 1")
    assert ">drained</span>" in text(operator.get(LIST))

    assert "Node 1 gives 32 slots." in text(operator.get(PAGE))
    done = operator.post(PAGE, {"verb": "undrain", "reason": "it is in"}, follow=True)
    assert "Node 0 takes slots again." in text(done) and not Drain.objects.exists()


@pytest.mark.usefixtures("two")
def test_an_outdated_form_requests_nothing(operator: Client) -> None:
    shown = operator.post(PAGE, {"verb": "undrain", "reason": "it is in"})
    assert "nothing was changed" in text(shown) and not Drain.objects.exists()
    assert "needed" in text(operator.post(PAGE, {"verb": "drain"})) or not Drain.objects.exists()
    operator.post(PAGE, {"verb": "drain", "reason": "\u202eodd"})
    assert not Drain.objects.exists()


@pytest.mark.usefixtures("two")
def test_draining_the_last_node_is_refused_with_a_reason(operator: Client) -> None:
    operator.post(PAGE, {"verb": "drain", "reason": "a new disk"})
    other = PAGE.replace("0", "1")
    for answer in (operator.get(other), operator.post(other, {"verb": "drain", "reason": "x"})):
        assert "No other live node could take the slots of node 1." in text(answer)
    assert Drain.objects.count() == 1


@pytest.mark.usefixtures("two")
def test_a_drained_node_that_is_down_is_listed(operator: Client) -> None:
    operator.post(PAGE, {"verb": "drain", "reason": "a new disk"})
    execute("DELETE FROM rollcall_node WHERE node_id = 0")
    assert "Node 0 is away and drained" in text(operator.get(LIST))
    assert "The node is away." in text(operator.get(PAGE))
    operator.post(PAGE, {"verb": "undrain", "reason": "it was scrapped"})
    assert not Drain.objects.exists() and operator.get(PAGE).status_code == 404


@pytest.mark.usefixtures("two")
def test_a_viewer_gets_no_buttons() -> None:
    viewer = visitor(VIEWER)
    assert viewer.get(PAGE).status_code == 403
    assert viewer.post(PAGE, {"verb": "drain", "reason": "x"}).status_code == 403
    assert "/drain/" not in text(viewer.get(LIST))


@pytest.mark.usefixtures("two")
def test_the_list_counts_groups_and_marks_unknown_counts(operator: Client) -> None:
    write("a", "b", "c")
    shown = operator.get(LIST)
    groups = {node.node_id: node.group_count for node in shown.context["cl"].result_list}
    expected = Counter(slot_of(name) % 2 for name in "abc")
    assert groups == {0: expected[0], 1: expected[1]}


@pytest.mark.usefixtures("two")
def test_the_list_takes_few_statements(operator: Client) -> None:
    operator.get(LIST)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        operator.get(LIST)
    assert len(queries) <= 15
