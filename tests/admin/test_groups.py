"""Groups in the admin: found, read, and never saved."""

import struct
from typing import Any

import pytest
from django.contrib.admin.utils import quote
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from console.operations import topic_changes as changes
from console.people.staff_roles import OPERATOR, VIEWER
from groups.core.subscription import pack_protocols
from tests import factories
from tests.admin.test_attention import FREEZE, MINUTE
from tests.admin.test_dashboard import sql
from tests.admin.test_topic_groups import COMMIT
from tests.admin.visitors import superuser, text, visitor
from tests.api.conftest import TAKE_SLOTS, write

pytestmark = pytest.mark.django_db

LIST = "/admin/groups/group/"
QUERIES_MAX = 15
NO_USER_DATA = struct.pack(">i", -1)


def page(group_id: str, tail: str = "change") -> str:
    """A page of a group."""
    return f"{LIST}{quote(group_id)}/{tail}/"


@pytest.fixture
def viewer() -> Client:
    return visitor(VIEWER)


def test_the_list_shows_who_caused_a_rebalance(viewer: Client) -> None:
    write("orders")
    listed = text(viewer.get(LIST))
    assert "orders" in listed and "member worker-9 left: &#x27;consumer closed&#x27;" in listed


def test_groups_are_found_by_id_state_and_type(viewer: Client) -> None:
    write("orders")
    write("bills", size=0)

    def found(query: str) -> list[str]:
        listed = viewer.get(f"{LIST}?{query}").context["cl"].result_list
        return [group.group_id for group in listed]

    assert found("q=ORD") == ["orders"]
    assert found("state=Empty") == ["bills"]
    assert found("type=classic") == ["bills", "orders"]
    assert found("type=consumer") == []


LEFT = """
INSERT INTO rollcall_life (at, era, xid, life, group_id, member_id, client_id, client_host,
    principal, software_name, software_version, kind, session_timeout_ms, rebalance_timeout_ms,
    pattern, protocols, revision, joined_generation, joined_at, origin, left_at, departure)
SELECT left_at, 0, 1, 1, 'orders', 'm', 'Ärger-1', '/10.0.0.9', '', '', '', 'classic', 1, 1, '',
       '{}', 1, 1, left_at, 'joined', left_at, 'expired'
FROM (SELECT now() - %s * interval '1 hour' AS left_at) AS moment
"""


@pytest.mark.parametrize(("hours", "groups"), [(1, ["orders"]), (30, [])])
def test_a_group_is_found_by_a_member_that_left_within_a_day(
    viewer: Client, hours: int, groups: list[str]
) -> None:
    write("orders")
    with connection.cursor() as cursor:
        cursor.execute(LEFT, [hours])
    for words in ("ärger", "10.0.0.9", "ord arger"):
        listed = viewer.get(LIST, {"q": words}).context["cl"].result_list
        assert [group.group_id for group in listed] == groups, words


def test_the_page_shows_the_cause_in_plain_words(viewer: Client) -> None:
    write("orders")
    newest = text(viewer.get(page("orders")))
    assert "Member worker-9 left: &#x27;consumer closed&#x27;. Generation 2 after 1.2 s" in newest

    every = text(viewer.get(f"{page('orders')}?tab=rebalances&unfolded"))
    assert "Rebalanced to generation 2 in 1.2 s because member worker-9 left" in every
    assert "waited 1.2 s for a-client" in every
    assert "The group was created." in every
    assert text(viewer.get(f"{page('orders')}?tab=members")).count("a-client") >= 2


@pytest.mark.parametrize("group_id", ["a/b c%.ü", "add", "a/live", "<b>&", "_5F"])
def test_ids_may_hold_any_character(viewer: Client, group_id: str) -> None:
    write(group_id)
    for tail in ("change", "live"):
        answer = viewer.get(page(group_id, tail))
        assert answer.status_code == 200
    link = reverse("admin:groups_group_change", args=[quote(group_id)])
    assert f'href="{link}"' in text(viewer.get(LIST))


def test_pages_take_few_statements(viewer: Client) -> None:
    write(*(f"g-{n:02}" for n in range(40)), size=5)
    for path in (LIST, f"{LIST}?q=g-0&state=Stable", page("g-01"), page("g-01", "live")):
        with CaptureQueriesContext(connection) as queries:
            viewer.get(path)
        assert len(queries) <= QUERIES_MAX, (path, len(queries))


@pytest.mark.parametrize(
    "path",
    ["?state=%00", "?type=nobody", "a%00b/change/", "g/change/?before=%C2%B2", "g/live/?before=99"],
)
def test_an_invalid_url_parameter_is_ignored(viewer: Client, path: str) -> None:
    write("g")
    assert viewer.get(LIST + path).status_code in (200, 404)


def test_a_deep_page_of_the_list_keeps_the_order() -> None:
    write(*(f"g-{n:02}" for n in range(60)))
    operator = visitor(OPERATOR, name="olga")
    shown = operator.get(f"{LIST}?p=2&o=-1").context["cl"].result_list
    assert [group.group_id for group in shown] == [f"g-{n:02}" for n in range(9, -1, -1)]


def test_partitions_without_owner_are_highlighted(viewer: Client) -> None:
    changes.create("work", 4)
    work = struct.pack(">hIh4s", 0, 1, 4, b"work")  # version 0, one topic, its name
    first = factories.member(
        subscription=pack_protocols((("range", work + NO_USER_DATA),)),
        assignment=work + struct.pack(">Iii", 2, 0, 2) + NO_USER_DATA,
    )
    with connection.cursor() as cursor:
        cursor.execute(TAKE_SLOTS)
        factories.apply_with(cursor, factories.batch(factories.birth("g", first)))
    shown = viewer.get(page("g"))
    assert "2 partitions without owner" in text(shown)
    assert shown.context["matrix"]["free"] == [False, True, False, True]


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"assignor": "uniform"}, "uniform"),
        ({"assignor": "mine", "assigned_by": "w-3"}, "mine, run by member w-3"),
        (
            {"assignor": "range", "assigned_by": None, "fell_back": "mine: no member reads it"},
            "range, by the coordinator instead of mine: no member reads it",
        ),
    ],
)
def test_the_page_shows_who_assigned_and_why(
    facts: dict[str, Any], said: str, viewer: Client
) -> None:
    write("g", size=0, kind="consumer", details={"target_epoch": 1, "topics": {}, **facts})
    shown = dict(viewer.get(page("g")).context["facts"])
    assert shown["Assignor"] == said


def test_a_missing_group_is_not_found(viewer: Client) -> None:
    assert viewer.get(page("missing")).status_code == 404


def test_a_user_without_the_right_sees_nothing() -> None:
    write("orders")
    stranger = visitor(name="nobody")
    assert stranger.get(page("orders")).status_code == 403
    assert stranger.get(page("orders", "live")).status_code == 403


@pytest.mark.parametrize("path", ["add/", "orders/change/", "orders/delete/"])
def test_reading_pages_writes_nothing(path: str) -> None:
    """Not even by a user with every right: there is one way to write, and it is not this."""
    write("orders")
    before = rows()
    answer = superuser().post(LIST + path, {"group_id": "x", "state": "Stable", "post": "yes"})
    assert answer.status_code in (403, 405)
    assert rows() == before


def rows() -> list[Any]:
    """All groups, whole."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM rollcall_group ORDER BY group_id")
        return list(cursor.fetchall())


def test_older_entries_are_a_page_away(viewer: Client) -> None:
    write("orders")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason,"
            " client_reason, generation_before, generation_after, waited_for, joined,"
            ' "left", details)'
            " SELECT now(), 'orders', 1, 0, 'emptied', 'member-left', '', 'entry ' || n, 0, 0,"
            " '{}', '[]', '[]', '{}' FROM generate_series(1, 60) n"
        )
    first = viewer.get(f"{page('orders')}?tab=rebalances")
    assert "entry 60" in text(first) and "entry 30&#x27;" not in text(first)
    older = viewer.get(f"{page('orders')}?before={first.context['older']}")
    assert "entry 30" in text(older) and "entry 60" not in text(older)


def test_entries_before_a_time(viewer: Client) -> None:
    write("orders")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_journal SET at = '2026-01-31T03:10:00Z'")
    lines = [
        viewer.get(f"{page('orders')}?tab=rebalances&until={until}").context["journal"]
        for until in ("2026-01-31T03:10", "2026-01-31T03:11", "2026-01-31T03:10%2B01:00", "x", "")
    ]
    assert [len(some) for some in lines] == [0, *[len(lines[1])] * 4] and lines[1]


def test_an_operator_sees_the_button_but_a_viewer_does_not(viewer: Client) -> None:
    write("orders")
    assert "Force a rebalance" not in text(viewer.get(page("orders")))
    assert "Force a rebalance" in text(visitor(OPERATOR, name="olga").get(page("orders")))


def test_the_group_with_the_empty_id_has_pages_too(viewer: Client) -> None:
    """Any client may commit for it; the list, and the pages of its topics, ended in an error."""
    write("", size=0)
    changes.create("t", 1)
    with connection.cursor() as cursor:
        cursor.execute(COMMIT, ["", "t"])

    assert f'href="{LIST}_/change/"' in text(viewer.get(LIST))
    assert f'href="{LIST}_/change/">-</a>' in text(viewer.get("/admin/groups/topic/t/change/"))
    for tab in ("overview", "rebalances", "timeline", "offsets", "journal", "configuration"):
        assert viewer.get(f"{LIST}_/change/?tab={tab}").status_code == 200
    assert "no such group" not in text(viewer.get(f"{LIST}_/live/"))
    assert viewer.get(f"{LIST}_5F/change/").status_code == 404  # the id "_"


def test_a_line_of_the_overview_leads_to_the_group_with_the_empty_id() -> None:
    write("", size=0)
    sql(FREEZE, "", 16 * MINUTE)

    overview = text(visitor(OPERATOR).get("/admin/"))
    assert f'href="{LIST}_/change/"' in overview and f'href="{LIST}_/freeze/"' in overview
