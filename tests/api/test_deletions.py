"""Topics and offsets that are deleted over REST, and what becomes of who used them."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from console.operations import topic_changes as topics
from console.queries.journal_text import sentence
from groups.core.authors import user
from groups.core.errors import ErrorCode, Refuse
from groups.models import Journal, Offset, Operation, Topic
from tests.api.conftest import Api, write

pytestmark = pytest.mark.django_db

COMMITTED = """
INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch, metadata,
                             committed_at)
SELECT %s, %s, n, 7, -1, '', now() FROM generate_series(0, %s) AS n
"""
PENDING = """
INSERT INTO rollcall_pending_offset (producer_id, group_id, topic, partition, committed_offset,
                                     leader_epoch, metadata, committed_at, superseded)
VALUES (1, 'g', 'orders', 0, 9, -1, '', now(), false)
"""


def commit(group_id: str, topic: str, last: int = 2) -> None:
    with connection.cursor() as cursor:
        cursor.execute(COMMITTED, [group_id, topic, last])


@pytest.fixture
def administrator(api: Api) -> Client:
    return api("view_topic", "view_group", "delete_topic", "restore_offsets", "view_operation")


@pytest.fixture
def used(db: None) -> Topic:
    """A topic that two groups have committed to, one of which has members; beside another one."""
    write("g")
    write("other", size=0)
    topic = topics.create("orders", 3)
    topics.create("bills", 3)
    for group_id in ("g", "other"):
        commit(group_id, "orders")
    commit("g", "bills")
    return topic


def delete(client: Client, path: str, **headers: str) -> Any:
    return client.delete(f"/api/v1/{path}", headers=headers or None)


def test_deleting_a_topic_deletes_its_offsets(administrator: Client, used: Topic) -> None:
    tried = delete(administrator, "topics/orders?dry_run=true").json()
    assert (tried["dry_run"], tried["topic"], tried["partitions_before"]) == (True, None, 3)
    assert (tried["groups"], tried["offsets_deleted"]) == (2, 6)
    assert [use["group_id"] for use in tried["used_by"]] == ["g", "other"]
    assert Topic.objects.count() == 2 and Offset.objects.count() == 9

    answer = delete(administrator, "topics/orders")
    assert answer.status_code == 200
    assert answer.json()["topic_id"] == str(used.topic_id)
    assert list(Topic.objects.values_list("name", flat=True)) == ["bills"]
    assert set(Offset.objects.values_list("topic", flat=True)) == {"bills"}
    assert delete(administrator, "topics/orders").status_code == 404


def test_the_journal_names_who_deleted_it_and_each_groups_losses(
    administrator: Client, used: Topic
) -> None:
    delete(administrator, "topics/orders")
    (gone,) = Journal.objects.filter(kind="topic-deleted")
    assert gone.details["before"]["topic_id"] == str(used.topic_id)
    assert gone.details["author"]["user"] in sentence(gone)
    entries = {entry.group_id: entry for entry in Journal.objects.filter(kind="offsets-deleted")}
    assert entries.keys() == {"g", "other"}
    assert entries["g"].details["before"] == {"orders": {"0": 7, "1": 7, "2": 7}}
    assert entries["g"].trigger == "topic-deleted"


def test_offsets_pending_in_a_transaction_are_deleted_too(
    administrator: Client, used: Topic
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # without the producer's row
        cursor.execute(PENDING)
        cursor.execute("SET session_replication_role = DEFAULT")
        delete(administrator, "topics/orders")
        cursor.execute("SELECT count(*) FROM rollcall_pending_offset")
        assert cursor.fetchone() == (0,)


def test_a_topic_that_changed_is_not_deleted(administrator: Client, used: Topic) -> None:
    seen = administrator.get("/api/v1/topics/orders").headers["ETag"]
    topics.grow("orders", 4, user("olga"))
    refused = delete(administrator, "topics/orders", **{"if-match": seen})
    assert (refused.status_code, Topic.objects.count()) == (412, 2)
    now = administrator.get("/api/v1/topics/orders").headers["ETag"]
    assert delete(administrator, "topics/orders", **{"if-match": now}).status_code == 200


def test_a_recreated_topic_of_the_same_name_is_not_deleted(used: Topic) -> None:
    topics.delete(used)
    topics.create("orders", 5)
    with pytest.raises(Refuse) as refused:
        topics.delete(used)
    assert refused.value.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert Topic.objects.get(name="orders").partitions == 5


def test_an_operator_may_not_delete_topics(api: Api, used: Topic) -> None:
    operator = api("view_topic", "add_topic", "change_topic")
    assert delete(operator, "topics/orders").status_code == 403
    assert delete(operator, "topics/orders?dry_run=true").status_code == 403


def test_offsets_of_a_topic_or_a_partition_can_be_deleted(
    administrator: Client, used: Topic
) -> None:
    path = "groups/other/offsets?topic=orders&reason=unused"
    tried = delete(administrator, f"{path}&partition=1&dry_run=true").json()
    assert tried["changes"] == [{"topic": "orders", "partition": 1, "before": 7, "after": None}]
    answer = delete(administrator, path)
    assert (answer.status_code, answer.json()["verb"]) == (202, "reset-offsets")
    operation: Any = Operation.objects.get()
    assert operation.offsets["to"] == [["orders", n, None] for n in range(3)]
    assert operation.offsets["before"] == [["orders", n, 7] for n in range(3)]
    assert operation.reason == "unused"


def test_a_deletion_of_offsets_is_idempotent_by_key(administrator: Client, used: Topic) -> None:
    path = "groups/other/offsets?topic=orders&reason=unused"
    first = delete(administrator, path, **{"idempotency-key": "k"}).json()
    Offset.objects.all()._raw_delete("default")
    again = delete(administrator, path, **{"idempotency-key": "k"})
    assert (again.status_code, again.json()["id"]) == (202, first["id"])
    other = delete(administrator, f"{path}&partition=1", **{"idempotency-key": "k"})
    assert other.status_code == 422


def test_a_deletion_of_offsets_requires_a_selection(administrator: Client, used: Topic) -> None:
    refused = delete(administrator, "groups/other/offsets?reason=unused")
    assert refused.status_code == 400
    assert refused.json()["errors"] == [{"parameter": "topic", "detail": "This is required."}]
    assert delete(administrator, "groups/none/offsets?topic=a&reason=b").status_code == 404
    assert not Operation.objects.exists()


def undo(client: Client, operation: int, query: str = "") -> Any:
    return client.post(
        f"/api/v1/operations/{operation}/undo{query}",
        {"reason": "the wrong group"},
        content_type="application/json",
    )


def test_a_reset_is_undone_unless_offsets_were_set_since(
    administrator: Client, used: Topic
) -> None:
    asked = delete(administrator, "groups/other/offsets?topic=orders&reason=unused").json()["id"]
    early = undo(administrator, asked)
    assert (early.status_code, early.json()["code"]) == (409, "not_undoable")

    Operation.objects.update(state="succeeded")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM rollcall_offset WHERE group_id = 'other'")
    tried = undo(administrator, asked, "?dry_run=true").json()
    assert [change["after"] for change in tried["changes"]] == [7, 7, 7]
    answer = undo(administrator, asked)
    assert answer.status_code == 202, answer.content
    back: Any = Operation.objects.get(pk=answer.json()["id"])
    assert back.offsets["to"] == [["orders", n, 7] for n in range(3)]
    assert back.reason == "the wrong group"

    commit("other", "orders", 0)
    late = undo(administrator, asked)
    assert (late.status_code, late.json()["code"]) == (409, "not_undoable")
    assert undo(administrator, 10**9).status_code == 404
