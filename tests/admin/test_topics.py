"""Topics in the admin: created and grown by the catalogue's rules, refused beside the field."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from console.operations import topic_changes as changes
from console.people.staff_roles import OPERATOR, VIEWER
from groups.core.errors import ErrorCode, Refuse
from groups.models import Journal, Topic
from tests.admin.visitors import text, visitor
from tests.api.conftest import write

pytestmark = pytest.mark.django_db

LIST = "/admin/groups/topic/"
ADD = f"{LIST}add/"


def page(name: str) -> str:
    """Where a topic is changed."""
    return f"{LIST}{name.replace('_', '_5F')}/change/"


@pytest.fixture
def operator() -> Client:
    return visitor(OPERATOR)


def test_a_topic_is_created(operator: Client) -> None:
    answer = operator.post(ADD, {"name": "orders.eu-1", "partitions": 12})

    assert answer.status_code == 302
    topic = Topic.objects.get(name="orders.eu-1")
    assert topic.partitions == 12
    listed = text(operator.get(LIST))
    assert "orders.eu-1" in listed
    assert str(topic.topic_id) in listed


def test_a_topic_grows_and_keeps_its_name(operator: Client) -> None:
    changes.create("a_b", 3)

    answer = operator.post(page("a_b"), {"name": "other", "partitions": 5})

    assert answer.status_code == 302
    assert list(Topic.objects.values_list("name", "partitions")) == [("a_b", 5)]


def test_the_page_shows_who_created_and_grew_it(operator: Client) -> None:
    operator.post(ADD, {"name": "orders", "partitions": 3})
    operator.post(page("orders"), {"partitions": 5})

    made, grown = Journal.objects.filter(details__author__user="vera").order_by("id")
    assert (made.kind, made.details["author"]) == ("topic-created", {"user": "vera"})
    assert (grown.details["before"], grown.details["after"]) == (
        {"partitions": 3},
        {"partitions": 5},
    )
    shown = text(operator.get(page("orders")))
    assert "vera created the topic orders (3 partitions)." in shown
    assert "vera added partitions to the topic orders (3 to 5 partitions)." in shown


def test_nodes_are_not_notified_when_nothing_changed(operator: Client) -> None:
    changes.create("orders", 3)

    answer = operator.post(page("orders"), {"partitions": 3})

    assert answer.status_code == 302
    assert Topic.objects.get(name="orders").partitions == 3


@pytest.mark.parametrize(
    ("name", "partitions", "why"),
    [
        ("no spaces", 1, "ASCII letters"),
        ("..", 1, "cannot be called"),
        ("x" * 250, 1, "at most 249"),
        ("fine", 0, "at least one partition"),
        ("fine", 10_001, "at most 10000"),
        ("taken", 1, "already exists"),
    ],
)
def test_an_invalid_topic_is_refused_with_a_reason(
    operator: Client, name: str, partitions: int, why: str
) -> None:
    changes.create("taken", 1)

    answer = operator.post(ADD, {"name": name, "partitions": partitions})

    assert answer.status_code == 200
    assert why in text(answer)
    assert list(Topic.objects.values_list("name", flat=True)) == ["taken"]


def test_partitions_cannot_be_removed(operator: Client) -> None:
    changes.create("orders", 5)

    answer = operator.post(page("orders"), {"partitions": 4})

    assert "no increase" in text(answer)
    assert Topic.objects.get(name="orders").partitions == 5


def test_a_concurrent_creation_is_reported(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the form's look and the catalogue's own statement another may create it."""

    def beaten(name: str, *_: Any) -> Topic:
        raise Refuse(ErrorCode.TOPIC_ALREADY_EXISTS, f"The topic {name} exists already.")

    monkeypatch.setattr(changes, "create", beaten)

    answer = operator.post(ADD, {"name": "orders", "partitions": 1}, follow=True)

    assert "The topic orders exists already." in text(answer)


def test_a_viewer_sees_topics_but_changes_nothing() -> None:
    changes.create("orders", 2)
    viewer = visitor(VIEWER)

    assert "orders" in text(viewer.get(LIST))
    assert viewer.get(page("orders")).status_code == 200
    assert viewer.post(page("orders"), {"partitions": 4}).status_code == 403
    assert viewer.post(ADD, {"name": "bills", "partitions": 1}).status_code == 403
    assert list(Topic.objects.values_list("name", "partitions")) == [("orders", 2)]


def test_an_operator_cannot_delete_topics(operator: Client) -> None:
    changes.create("orders", 2)

    assert operator.post(f"{LIST}orders/delete/", {"post": "yes"}).status_code == 403


def test_a_topic_names_the_groups_that_committed_to_it(operator: Client) -> None:
    changes.create("orders", 2)
    write(*(f"g-{n}" for n in range(10, 41)), size=0)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset,"
            " leader_epoch, metadata, committed_at)"
            " SELECT 'g-' || n, 'orders', 0, 1, -1, '', now() FROM generate_series(10, 40) n"
        )

    shown = text(operator.get(page("orders")))

    assert "g-10" in shown
    assert "g-29" in shown
    assert "g-30" not in shown
    assert "There are more groups" in shown
