"""The list of groups: what a row shows, what is found by which filter, search and order, that its
refresh is small, and views with names."""

import struct
from collections.abc import Mapping
from dataclasses import astuple
from typing import Any, Final

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.admin import group_list
from console.operations import topic_changes as changes
from console.people.staff_roles import OPERATOR, VIEWER
from console.queries import group_rows, group_search
from console.queries.groups import REBALANCED
from console.queries.overview import JOURNAL_READ_MAX, RECENT
from groups.core.assignment import assignment_of
from groups.core.counts import Counts, counts_of
from groups.core.subscription import pack_protocols
from groups.models import Group, SavedView, Topic
from groups.store.sql.group_counts import PUT
from tests import factories
from tests.admin.test_groups import LIST, QUERIES_MAX
from tests.admin.visitors import person, text, visitor
from tests.api.conftest import TAKE_SLOTS, write

pytestmark = pytest.mark.django_db

LIVE = {"x-requested-with": "live"}


@pytest.fixture
def viewer() -> Client:
    return visitor(VIEWER)


def work(group_id: str, topic: str, *owned: int, members: int = 1, protocol: str = "range") -> None:
    """A classic group whose first member owns these partitions of a topic."""
    name = topic.encode()
    subscribed = struct.pack(f">hIh{len(name)}s", 0, 1, len(name), name) + struct.pack(">i", -1)
    made = [
        factories.member(
            f"{group_id}-m{n}",
            position=n,
            client_id=f"client-of-{group_id}-{n}",
            client_host=f"/10.7.{n}.1",
            subscription=pack_protocols(((protocol, subscribed),)),
            assignment=assignment_of([(topic, part) for part in owned] if n == 0 else [], 0),
        )
        for n in range(members)
    ]
    with connection.cursor() as cursor:
        cursor.execute(TAKE_SLOTS)
        factories.apply_with(cursor, factories.batch(factories.birth(group_id, *made)))


def counted(*group_ids: str) -> None:
    """Write what their owner would count of these groups."""
    with connection.cursor() as cursor:
        sizes = dict(Topic.objects.values_list("name", "partitions"))
        for group in Group.objects.filter(group_id__in=group_ids):
            counts = counts_of(group, group.members.all(), sizes.__getitem__)
            columns = (group.group_id, group.revision, group.members.count(), *astuple(counts))
            names = ("group_id", "revision", "members", "topics", "partitions", "unowned")
            cursor.execute(PUT, {name: [value] for name, value in zip(names, columns, strict=True)})


def execute(statement: str) -> None:
    """One statement."""
    with connection.cursor() as cursor:
        cursor.execute(statement)


def found(client: Client, query: str) -> list[str]:
    """The groups of a list, in its order."""
    answer = client.get(f"{LIST}?{query}")
    return [group.group_id for group in answer.context["cl"].result_list]


def row(client: Client, group_id: str) -> Any:
    listed = client.get(LIST).context["cl"].result_list
    return next(group for group in listed if group.group_id == group_id)


def test_a_row_shows_a_groups_partitions_and_those_without_owner(viewer: Client) -> None:
    changes.create("boxes", 8)
    work("packers", "boxes", 0, 1, 2)
    shown = row(viewer, "packers")
    assert shown.work == Counts(topics=1, partitions=8, unowned=5)
    assert '<b class="rc-nobody">5</b>' in text(viewer.get(LIST))


def test_rebalances_of_the_last_hour_are_counted(viewer: Client) -> None:
    write("orders")
    assert row(viewer, "orders").rebalances_1h == 1
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_journal SET at = now() - interval '61 minutes'")
    assert row(viewer, "orders").rebalances_1h == 0


def test_the_order_by_rebalances_counts_as_far_back_as_a_row_does() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_viewdef('rollcall_last_hour'::regclass)")
        definition = cursor.fetchone()[0]
    assert f"- {JOURNAL_READ_MAX})" in definition
    assert f"'0{RECENT}'" in definition and f"'{REBALANCED}'" in definition


FEWER_AND_MORE = """
UPDATE rollcall_journal SET at = now() - interval '61 minutes' WHERE group_id = 'a';
INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason, client_reason,
    generation_before, generation_after, waited_for, joined, "left", details)
SELECT at, group_id, revision, node_id, kind, trigger, reason, client_reason, 2, 3, '{}', '[]',
    '[]', '{}'
FROM rollcall_journal WHERE group_id = 'b'
"""


def test_groups_are_ordered_by_their_rebalances(viewer: Client) -> None:
    """The last hour's number, and the newest one; a group that never rebalanced comes last."""
    for name in ("a", "b", "c"):
        write(name)
    execute(FEWER_AND_MORE)
    work("empty", "boxes", members=0)
    counted("a", "b", "c", "empty")
    assert found(viewer, "o=-often") == ["b", "c", "a", "empty"]
    assert found(viewer, "o=-last") == ["b", "c", "a", "empty"]
    assert found(viewer, "o=last") == ["empty", "a", "c", "b"]


def test_a_group_too_large_for_a_list_does_not_block_the_others(
    viewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_rows, "MEMBERS_READ_MAX", 4)
    changes.create("boxes", 8)
    work("large", "boxes", members=5)
    work("small", "boxes", 0, members=4)
    assert row(viewer, "large").work is None  # not counted yet
    counted("large")
    assert row(viewer, "large").work.unowned == 8
    assert row(viewer, "small").work.unowned == 7


FOUND: Final[Mapping[str, list[str]]] = {
    "q=pack": ["packers"],
    "q=client-of-pickers": ["pickers"],
    "q=pickers-m0": ["pickers"],
    "q=10.7.1": ["pickers"],
    "q=crate": ["pickers"],
    "q=BOXES": ["packers"],
    "q=box+crate": [],
    "topic=boxes": ["packers"],
    "topic=box": [],
    "topic=letters": ["mailers"],
    "assignor=range": ["packers", "pickers"],
    "assignor=nothing": [],
    "node=nobody": ["mailers", "packers", "pickers"],
    "node=7": [],
    "node=x": [],
    "node=99999999999": [],
    "state=Empty": ["mailers"],
    "o=-size": ["pickers", "packers", "mailers"],
    "o=size": ["mailers", "packers", "pickers"],
    "o=-often": ["mailers", "packers", "pickers"],
    "o=-last": ["mailers", "packers", "pickers"],
    "o=-topics": ["packers", "pickers", "mailers"],
    "o=-partitions": ["packers", "pickers", "mailers"],
    "o=partitions": ["mailers", "pickers", "packers"],
    "o=-unowned": ["packers", "pickers", "mailers"],
    "o=unowned&q=pickers": ["pickers"],
    "o=-unowned.group_id&all=": ["packers", "pickers", "mailers"],
    "o=99": ["mailers", "packers", "pickers"],
    "o=-x.--2.é": ["mailers", "packers", "pickers"],
}

OFFSET = """
INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch, metadata,
    committed_at)
VALUES ('mailers', 'letters', 0, 1, -1, '', now())
"""
FREEZE = """
INSERT INTO rollcall_group_config (group_id, slot, name, value, updated_at)
VALUES ('cold', 0, 'rollcall.freeze', 'true', now() - interval '1 day')
"""
MOVES = """
UPDATE rollcall_group SET state = 'PreparingRebalance', state_since = now() - interval '1 hour'
WHERE group_id = 'calm'
"""


def test_groups_are_found_by_topic_member_and_client(viewer: Client) -> None:
    for topic, partitions in (("boxes", 4), ("crates", 3), ("letters", 3)):
        changes.create(topic, partitions)
    work("packers", "boxes", 0)
    work("pickers", "crates", 0, members=2)
    write("mailers", size=0)
    execute(OFFSET)
    counted("packers", "pickers", "mailers")
    assert {query: found(viewer, query) for query in FOUND} == FOUND


def test_groups_are_found_by_the_rule_that_fires(viewer: Client) -> None:
    write("calm", "cold")
    execute(FREEZE)
    assert found(viewer, "attention=frozen") == ["cold"]
    assert found(viewer, "attention=any") == ["cold"]
    assert found(viewer, "attention=storm") == []
    assert found(viewer, "attention=unsettled") == []
    execute(MOVES)
    assert found(viewer, "attention=unsettled") == ["calm"]
    assert found(viewer, "attention=any") == ["calm", "cold"]


SORTED: Final = ("o=-unowned", "o=topics&q=boxes+packers", "o=-unowned&topic=boxes")


def test_ordering_by_work_works_for_groups_of_any_size(
    viewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what their owners counted: members that are too many for a page are not read."""
    monkeypatch.setattr(group_rows, "MEMBERS_READ_MAX", 3)
    changes.create("boxes", 8)
    for name, owned in (("a", (0,)), ("b", (0, 1)), ("c", ())):
        work(f"packers-{name}", "boxes", *owned, members=4)
    write("uncounted")
    counted("packers-a", "packers-b", "packers-c")
    order = ["uncounted", "packers-b", "packers-a", "packers-c"]
    assert found(viewer, "o=unowned") == order
    assert found(viewer, "o=-unowned") == order[::-1]
    assert found(viewer, "o=unowned&q=packers") == order[1:]
    assert [row(viewer, name).work.unowned for name in order[1:]] == [6, 7, 8]


def test_pages_of_an_order_by_work_follow_each_other(viewer: Client) -> None:
    changes.create("boxes", 8)
    names = [f"g-{number:02}" for number in range(60)]
    for number, name in enumerate(names):
        work(name, "boxes", *range(number % 8))
    counted(*names)
    pages = found(viewer, "o=unowned&p=1") + found(viewer, "o=unowned&p=2")
    assert pages == sorted(names, key=lambda name: (-(int(name[2:]) % 8), name))
    assert len(found(viewer, "o=-unowned&all=")) == len(names)


def test_large_search_results_are_not_read_by_their_ids(
    viewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("calm-1", "calm-2", "other")
    monkeypatch.setattr(group_search, "RESOLVED_MAX", 1)
    assert found(viewer, "q=calm&o=-group_id") == ["calm-2", "calm-1"]
    assert viewer.get(f"{LIST}?q=calm").context["cl"].result_count == 2
    assert found(viewer, "q=calm-1") == ["calm-1"]


def test_the_list_takes_few_statements(viewer: Client) -> None:
    changes.create("boxes", 8)
    for number in range(12):
        work(f"packers-{number}", "boxes", number % 8, members=2)
    for query in (
        "",
        "q=boxes+packers",
        "attention=any&node=nobody",
        "o=-often",
        "topic=boxes",
        *SORTED,
    ):
        with CaptureQueriesContext(connection) as queries:
            viewer.get(f"{LIST}?{query}")
        assert len(queries) <= QUERIES_MAX, (query, len(queries))


def test_the_order_does_not_depend_on_rights(viewer: Client) -> None:
    """Django numbers columns, and a Viewer has no boxes before the rows."""
    write("small", size=1)
    write("large", size=3)
    for client in (viewer, visitor(OPERATOR, name="olga")):
        answer = client.get(f"{LIST}?o=-size")
        assert [group.group_id for group in answer.context["cl"].result_list] == ["large", "small"]
        (chosen,) = [view.title for view in answer.context["views"] if view.is_shown]
        assert chosen == "Largest"


def test_a_refresh_sends_only_changed_rows(viewer: Client) -> None:
    write(*(f"g-{n:02}" for n in range(40)))
    with connection.cursor() as cursor:  # the waiting state does not change within the test
        cursor.execute("UPDATE rollcall_journal SET at = now() - interval '3 days'")
    first = viewer.get(LIST, headers={**LIVE, "accept-encoding": "gzip"})
    assert first["Content-Encoding"] == "gzip" and len(first.content) < 30_000
    shown = text(viewer.get(LIST, headers=LIVE))
    assert 'id="live"' in shown and "g-39" in shown
    assert "csrfmiddlewaretoken" not in shown and "<nav" not in shown

    known = {**LIVE, "if-none-match": first["ETag"]}
    again = viewer.get(LIST, headers=known)
    assert (again.status_code, again.content) == (304, b"")
    write("g-40")
    assert "g-40" in text(viewer.get(LIST, headers=known))


def test_a_view_has_a_name_and_is_shared(viewer: Client) -> None:
    write("calm")
    add = "/admin/groups/savedview/add/"
    offered = viewer.get(f"{LIST}?state=Stable&q=ca&p=1").context["save_url"]
    assert offered == f"{add}?query=q%3Dca%26state%3DStable"
    assert 'value="q=ca&amp;state=Stable"' in text(viewer.get(offered))

    made = viewer.post(add, {"name": "Calm ones", "query": "?state=Stable&q=ca"})
    assert made["Location"] == f"{LIST}?q=ca&state=Stable"
    assert "Calm ones" in text(viewer.get(LIST))
    assert viewer.get(made["Location"]).context["save_url"] == ""

    other = visitor(OPERATOR, name="olga")
    assert "Calm ones" not in text(other.get(LIST))
    SavedView.objects.update(is_shared=True)
    assert "Calm ones <i>vera</i>" in text(other.get(LIST))


def test_views_are_per_user(viewer: Client) -> None:
    other = visitor(OPERATOR, name="olga")
    viewer.post("/admin/groups/savedview/add/", {"name": "Mine", "query": "q=a", "is_shared": "on"})
    (view,) = SavedView.objects.all()
    row = f"/admin/groups/savedview/{view.pk}"
    other.post(f"{row}/delete/", {"post": "yes"})
    other.post(f"{row}/change/", {"name": "Taken", "query": "q=b"})
    assert SavedView.objects.get().name == "Mine"

    again = viewer.post("/admin/groups/savedview/add/", {"name": "Mine", "query": "q=c"})
    assert "You have a view with this name already." in text(again)
    empty = viewer.post("/admin/groups/savedview/add/", {"name": "All", "query": "of mine"})
    assert "This has no filter, search or order" in text(empty)
    odd = viewer.post("/admin/groups/savedview/add/", {"name": "a\u202eb", "query": "q=c"})
    assert odd.status_code == 200 and SavedView.objects.count() == 1
    viewer.post(f"{row}/delete/", {"post": "yes"})
    assert SavedView.objects.count() == 0


def test_own_views_are_listed_before_shared_ones(viewer: Client) -> None:
    other = person("otto")
    SavedView.objects.bulk_create(
        SavedView(user=other, name=f"!{number:02}", query="state=Stable", is_shared=True)
        for number in range(group_list.SAVED_MAX + 5)
    )
    viewer.post("/admin/groups/savedview/add/", {"name": "zebra", "query": "state=Empty"})
    assert "zebra" in [view.title for view in viewer.get(LIST).context["views"]]


def test_the_number_of_views_per_user_is_limited(viewer: Client) -> None:
    add = "/admin/groups/savedview/add/"
    for number in range(group_list.SAVED_MAX):
        viewer.post(add, {"name": f"view {number}", "query": "state=Empty"})
    refused = viewer.post(add, {"name": "one more", "query": "state=Empty"})
    assert "delete one first" in text(refused)
    assert SavedView.objects.count() == group_list.SAVED_MAX
    own = SavedView.objects.get(name="view 0")
    viewer.post(f"/admin/groups/savedview/{own.pk}/change/", {"name": "first", "query": "o=-size"})
    assert SavedView.objects.filter(name="first").exists()


@pytest.mark.parametrize("title", group_list.VIEWS)
def test_the_built_in_views_resolve(viewer: Client, title: str) -> None:
    write("calm")
    answer = viewer.get(f"{LIST}?{group_list.VIEWS[title]}")
    assert answer.status_code == 200
    shown = [view.title for view in answer.context["views"] if view.is_shown]
    assert shown == [title]


ROUND: Final = """
INSERT INTO rollcall_round (at, era, xid, group_id, generation, kind, outcome, started_at, ended_at,
    is_partial, members, moved, stopped_ms, silent_ms, unowned_ms, triggers, cause_members,
    cause_ids, cause_at_ms, cause_ms, acts, ends, counts, lives, waited_ms)
SELECT ended, 0, 1, %s, 1, 'classic', 'assigned', ended - interval '2 s', ended, false, 2, 1, %s, 0,
       0, ARRAY[%s], '{1}', '{m}', '{0}', '{0}', '{}', '{}', '{}', '{}', '{}'
FROM (SELECT now() - %s * interval '1 hour' AS ended) AS moment
"""


def test_a_row_has_the_last_day_in_hours(viewer: Client) -> None:
    write("orders", "bills")
    with connection.cursor() as cursor:
        cursor.execute(ROUND, ["orders", 0, "member-joined", 1])
        cursor.execute(ROUND, ["orders", 3_000, "member-left", 2])
        cursor.execute(ROUND, ["orders", 1_500, "session-expired", 3])
        cursor.execute(ROUND, ["orders", 9_000, "session-expired", 40])
    listed = viewer.get(LIST)
    strips = {group.group_id: group.day for group in listed.context["cl"].result_list}
    assert [hour.tone for hour in strips["orders"][-4:]] == ["bad", "warn", "good", ""]
    assert not any(hour.tone for hour in [*strips["orders"][:-4], *strips["bills"]])
    shown = text(listed)
    assert (
        "Last 24 h: 3 rebalances in 6.0 s, 4.5 partition-seconds without work, members lost in"
        " 1 hour"
    ) in shown
    assert "Last 24 h: no rebalance" in shown
