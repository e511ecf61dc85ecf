"""On a topic's page: the groups that use it, and who owns its partitions in each."""

from collections.abc import Iterable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.operations import topic_changes as changes
from console.people.staff_roles import VIEWER
from console.queries import topic_groups
from groups.core.row_packing import pack_parts, pack_topics
from groups.models import Topic
from tests import factories
from tests.admin.test_topics import page
from tests.admin.visitors import person, text, visitor
from tests.api.conftest import TAKE_SLOTS

pytestmark = pytest.mark.django_db

COMMIT = """
INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch, metadata,
                             committed_at)
VALUES (%s, %s, 0, 1, -1, '', now())
"""


def execute(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def group(group_id: str, topic: str, *shares: Iterable[int], **over: Any) -> None:
    """A classic group whose members own these partitions of a topic."""
    members = [
        factories.member(
            f"m-{n}",
            position=n,
            subscription=pack_topics("range", [topic]),
            assignment=pack_parts((topic, number) for number in share),
            **over,
        )
        for n, share in enumerate(shares)
    ]
    write(group_id, *members)


def write(group_id: str, *members: Any, **columns: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(TAKE_SLOTS)
        factories.apply_with(
            cursor, factories.batch(factories.birth(group_id, *members, **columns))
        )


def uses(name: str) -> dict[str, topic_groups.Use]:
    found = topic_groups.of(Topic.objects.get(name=name))
    return {use.group.group_id: use for use in found.uses}


def test_owners_and_partitions_without_owner_are_shown_for_each_group() -> None:
    changes.create("orders", 4)
    group("packers", "orders", (0, 1), (3,))
    group("others", "orders-eu", (0,))
    write("idle")
    execute(COMMIT, "idle", "orders")

    found = uses("orders")
    assert list(found) == ["idle", "packers"]
    packers, idle = found["packers"], found["idle"]
    assert (packers.subscribers, packers.unowned, packers.has_committed) == (2, [2], False)
    assert packers.owners == [("a-client (m-0)", [0, 1]), ("a-client (m-1)", [3])]
    assert (idle.subscribers, idle.owners, idle.unowned, idle.has_committed) == (0, [], [], True)

    shown = text(visitor(VIEWER).get(page("orders")))
    assert "packers" in shown and "a-client (m-0): 0-1" in shown and "orders-eu" not in shown


def test_a_group_of_the_consumer_protocol_is_found_by_the_topics_id() -> None:
    changes.create("orders", 3)
    topic_id = Topic.objects.get(name="orders").topic_id.hex
    details = {"topics": ["orders"], "assigned": {topic_id: [2]}, "epoch": 1, "state": "stable"}
    member = factories.member("m-0", client_id="ben", subscription=b"", details=details)
    write("packers", member, kind="consumer")
    (use,) = uses("orders").values()
    assert (use.owners, use.unowned, use.subscribers) == ([("ben", [2])], [0, 1], 1)


def test_long_lists_of_groups_and_members_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topic_groups, "MEMBERS_MAX", 30)
    changes.create("orders", 2)
    for number in range(topic_groups.GROUPS_MAX + 3):
        group(f"g-{number:02}", "orders", (0,), (1,))
    with CaptureQueriesContext(connection) as queries:
        found = topic_groups.of(Topic.objects.get(name="orders"))
    assert len(found.uses) == topic_groups.GROUPS_MAX and found.is_more
    assert [use.unread for use in found.uses] == [False] * 15 + [True] * 5
    assert not any(use.unowned for use in found.uses)
    assert len(queries) <= 5


def test_groups_are_hidden_without_the_right_to_groups() -> None:
    changes.create("orders", 2)
    group("packers", "orders", (0,), (1,))
    somebody, client = person("topical"), Client()
    somebody.user_permissions.set(Permission.objects.filter(codename="view_topic"))
    client.force_login(somebody)
    shown = text(client.get(page("orders")))
    assert "orders" in shown and "packers" not in shown


def test_html_in_a_name_is_escaped() -> None:
    changes.create("orders", 1)
    group("<b>bold</b>", "orders", (0,), client_id="<i>odd</i>")
    shown = text(visitor(VIEWER).get(page("orders")))
    assert "<b>bold" not in shown and "<i>odd" not in shown and "&lt;b&gt;bold" in shown


def test_long_lists_of_partitions_are_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(topic_groups, "PARTITIONS_READ_MAX", 200)
    changes.create("orders", 100)
    group("first", "orders", range(0, 100, 2))
    group("second", "orders", range(50), range(50, 100))
    group("third", "orders", range(100))

    found = uses("orders")
    assert [use.unread for use in found.values()] == [False, False, True]
    assert found["third"].unowned == [] and found["third"].owners == []
    shown = text(visitor(VIEWER).get(page("orders")))
    assert "36, 38 and 30 more" in shown and "37, 39 and 30 more" in shown
    assert "too many members or partitions to read here" in shown


def test_the_page_reads_its_groups_once() -> None:
    """A form's template reads a field's value five times."""
    changes.create("orders", 2)
    group("packers", "orders", (0,), (1,))
    viewer = visitor(VIEWER)
    viewer.get(page("orders"))
    with CaptureQueriesContext(connection) as queries:
        shown = text(viewer.get(page("orders")))
    assert len(queries) <= 15 and "created the topic orders" in shown


def test_a_topic_without_journal_entries_has_no_changes() -> None:
    changes.create("orders", 2)
    execute("DELETE FROM rollcall_journal")
    assert "There are no changes." in text(visitor(VIEWER).get(page("orders")))
