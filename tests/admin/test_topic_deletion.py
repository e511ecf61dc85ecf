"""A topic deleted in the admin: its name typed, and what goes with it listed."""

from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from console.operations import topic_changes as changes
from console.people.staff_roles import ADMINISTRATOR, OPERATOR, VIEWER
from groups.models import AuditEntry, Journal, Offset, Topic
from tests.admin.test_topic_groups import group
from tests.admin.test_topics import LIST, page
from tests.admin.visitors import person, text, visitor
from tests.api.test_deletions import commit

pytestmark = pytest.mark.django_db

PAGE = f"{LIST}orders/delete/"


@pytest.fixture
def administrator() -> Client:
    return visitor(ADMINISTRATOR, name="ada")


@pytest.fixture
def topic(db: None) -> Topic:
    """Two members own it, and two groups have committed to it."""
    made = changes.create("orders", 3)
    group("packers", "orders", [0, 1], [2])
    group("auditors", "bills")
    for group_id in ("packers", "auditors"):
        commit(group_id, "orders")
    return made


def delete(client: Client, typed: str, topic: Topic) -> Any:
    return client.post(PAGE, {"typed": typed, "topic_id": str(topic.topic_id)})


def test_the_preview_lists_everything_that_is_deleted_with_it(
    administrator: Client, topic: Topic
) -> None:
    shown = unescape(text(administrator.get(PAGE)))
    for sentence in (
        "The topic is deleted with its 3 partitions.",
        "Committed offsets of it that are deleted, of all groups: 6.",
        "packers: 2 members subscribe, so the group rebalances; 2 members lose work;"
        " its committed offsets of the topic are deleted.",
        "auditors: its committed offsets of the topic are deleted.",
    ):
        assert sentence in shown
    assert "-X DELETE" in shown and "/api/v1/topics/orders" in shown
    assert "rollcall topic delete orders" in shown
    assert PAGE in text(administrator.get(page("orders")))


def test_typing_the_name_deletes_it_with_its_offsets(administrator: Client, topic: Topic) -> None:
    changes.create("bills", 1)
    commit("packers", "bills", last=0)
    for typed in ("", "order", "Orders"):
        assert "Type orders to continue." in text(delete(administrator, typed, topic))
    assert Topic.objects.count() == 2 and Offset.objects.count() == 7

    answer = delete(administrator, "orders", topic)
    assert answer.url == LIST
    assert list(Topic.objects.values_list("name", flat=True)) == ["bills"]
    assert set(Offset.objects.values_list("topic", flat=True)) == {"bills"}
    entry = Journal.objects.get(kind="topic-deleted")
    assert entry.details["author"] == {"user": "ada"}
    recorded = AuditEntry.objects.filter(kind="write").latest("id")
    assert (recorded.who, recorded.target) == ("ada", f"POST {PAGE}")
    assert administrator.get(PAGE).status_code == 404


def test_a_recreated_topic_of_the_same_name_is_not_deleted(
    administrator: Client, topic: Topic
) -> None:
    changes.delete(topic)
    changes.create("orders", 5)
    shown = text(delete(administrator, "orders", topic))
    assert "another one created with its name" in shown
    assert "with its 5 partitions" in shown and Topic.objects.get().partitions == 5


def test_an_unused_topic_is_marked(administrator: Client) -> None:
    changes.create("orders", 1)
    assert "No group uses it." in text(administrator.get(PAGE))


def test_a_user_without_the_right_to_groups_sees_no_group_names(topic: Topic) -> None:
    who = person("cleo")
    for codename in ("view_topic", "delete_topic"):
        who.user_permissions.add(Permission.objects.get(codename=codename))
    client = Client()
    client.force_login(who)
    shown = text(client.get(PAGE))
    assert "of all groups: 6." in shown and "packers" not in shown
    assert "No group uses it." not in shown


@pytest.mark.parametrize("role", [VIEWER, OPERATOR])
def test_a_user_without_the_right_is_refused(topic: Topic, role: str) -> None:
    client = visitor(role)
    assert PAGE not in text(client.get(page("orders")))
    assert client.get(PAGE).status_code == 403
    assert delete(client, "orders", topic).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": ["orders"], "post": "yes"}
    client.post(LIST, chosen)
    assert Topic.objects.filter(name="orders").exists()


def test_topics_are_deleted_one_at_a_time(administrator: Client, topic: Topic) -> None:
    assert "delete_selected" not in text(administrator.get(LIST))
    chosen = {"action": "delete_selected", "_selected_action": ["orders"], "post": "yes"}
    administrator.post(LIST, chosen)
    assert Topic.objects.filter(name="orders").exists()


def test_its_settings_are_shown_as_kafkas_defaults(topic: Topic) -> None:
    shown = text(visitor(VIEWER).get(page("orders")))
    assert "cleanup.policy" in shown and "cannot be changed" in shown
