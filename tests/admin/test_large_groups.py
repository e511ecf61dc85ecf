"""A group's page at any size: members searched, sorted and paged; refreshes that send nothing; and
what is left of a group that was deleted."""

import struct
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.admin.group_tabs import TABS
from console.admin.member_table import PAGE_SIZE, shortened
from console.operations import topic_changes as changes
from console.people.staff_roles import OPERATOR, VIEWER
from groups.core.assignment import assignment_of
from groups.core.subscription import pack_protocols
from groups.models import Liveness
from tests import factories
from tests.admin.test_groups import QUERIES_MAX, page
from tests.admin.test_situations import owned, tells
from tests.admin.visitors import text, visitor
from tests.api.conftest import TAKE_SLOTS, write

pytestmark = pytest.mark.django_db

MEMBERS = 300
REFRESH_BYTES_MAX = 30_000


@pytest.fixture
def viewer() -> Client:
    return visitor(VIEWER)


@pytest.fixture
def large() -> None:
    """Three hundred members with names that begin alike, one partition each, and two without."""
    changes.create("work", MEMBERS + 2)
    work = struct.pack(">hIh4s", 0, 1, 4, b"work") + struct.pack(">i", -1)
    members = [
        factories.member(
            f"a-very-long-client-name-of-the-pickers-{n:04}-5a1f2c3d",
            position=n,
            client_id=f"a-very-long-client-name-of-the-pickers-{n:04}",
            client_host=f"/10.0.0.{n % 7}",
            subscription=pack_protocols((("range", work),)),
            assignment=assignment_of([("work", n)], 0),
        )
        for n in range(MEMBERS)
    ]
    with connection.cursor() as cursor:
        cursor.execute(TAKE_SLOTS)
        factories.apply_with(cursor, factories.batch(factories.birth("g", *members)))
    owned()


def listed(client: Client, query: str = "") -> list[str]:
    """The numbers of the members that a page lists."""
    table = client.get(f"{page('g')}?tab=members&{query}").context["table"]
    return [m.client_id[-4:] for m in table.rows]


@pytest.mark.usefixtures("large")
def test_every_member_is_reachable_by_pages(viewer: Client) -> None:
    found = [number for n in range(1, 10) for number in listed(viewer, f"page={n}")]
    assert sorted(found[:MEMBERS]) == [f"{n:04}" for n in range(MEMBERS)]
    assert listed(viewer, "members=PICKERS-0123") == ["0123"]
    assert listed(viewer, "members=nobody") == []
    found_by_host = viewer.get(f"{page('g')}?members=10.0.0.3").context["table"]
    assert found_by_host.match_count == 43
    assert listed(viewer, "sort=client&page=2")[0] == f"{PAGE_SIZE:04}"


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("query", ["page=99", "page=-1", "page=²", "page=" + "9" * 99, "sort=x"])
def test_an_invalid_page_number_shows_a_page(viewer: Client, query: str) -> None:
    assert 0 < len(listed(viewer, query)) <= PAGE_SIZE


@pytest.mark.usefixtures("large")
def test_silent_members_come_first_on_request(viewer: Client) -> None:
    name = "a-very-long-client-name-of-the-pickers-0250-5a1f2c3d"
    heard_at = datetime.now(UTC) - timedelta(seconds=9)
    Liveness.objects.create(group_id="g", member_id=name, heard_at=heard_at, deadline_at=heard_at)
    assert listed(viewer, "sort=silent")[0] == "0250"


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("tab", TABS)
def test_each_tab_is_small_and_takes_few_statements(viewer: Client, tab: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        shown = text(viewer.get(f"{page('g', 'live')}?tab={tab}"))
    assert len(queries) <= QUERIES_MAX and len(shown) < REFRESH_BYTES_MAX
    assert "2 partitions have no owner." in shown


@pytest.mark.usefixtures("large")
def test_names_are_distinguished_and_partitions_without_owner_highlighted(viewer: Client) -> None:
    shown = text(viewer.get(f"{page('g')}?tab=members"))
    assert f"{shortened('a-very-long-client-name-of-the-pickers-0007')}" in shown
    context = viewer.get(page("g")).context
    (row,) = context["by_topic"]
    heat = context["heat"]
    assert (heat.members, heat.partitions, heat.free_count) == (300, 302, 2)
    assert len(heat.cells) == (1 + len(heat.rows)) * heat.columns
    assert heat.cells[: heat.columns] == "." * (heat.columns - 1) + "9"
    assert (row["partitions"], row["owners"], row["free"]) == (302, 300, 2)
    assert row["which"] == "300-301"


@pytest.mark.usefixtures("large")
def test_counts_have_thousands_separators(viewer: Client) -> None:
    changes.grow("work", MEMBERS + 1_234)
    shown = text(viewer.get(f"{page('g')}?tab=owners"))
    assert "1,234 partitions without owner" in shown
    assert '<td class="rc-n">1,534</td>' in shown
    assert 'data-partitions="1534"' in shown, "a script reads it"


def test_long_names_keep_both_ends() -> None:
    assert shortened("x" * 36) == "x" * 36
    cut = shortened("client-of-a-very-long-name-that-goes-on-0042")
    assert len(cut) <= 36 and cut.startswith("client-of-a") and cut.endswith("on-0042")


@pytest.mark.usefixtures("large")
def test_a_refresh_of_an_unchanged_group_sends_nothing(viewer: Client) -> None:
    name = "a-very-long-client-name-of-the-pickers-0000-5a1f2c3d"
    heard_at = datetime.now(UTC) - timedelta(seconds=1)
    Liveness.objects.create(group_id="g", member_id=name, heard_at=heard_at, deadline_at=heard_at)
    first = viewer.get(page("g", "live"))
    Liveness.objects.filter(group_id="g").update(heard_at=datetime.now(UTC))
    again = viewer.get(page("g", "live"), headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")

    tells("g")
    news = viewer.get(page("g", "live"), headers={"if-none-match": first["ETag"]})
    assert news.status_code == 200 and "Waiting for ben" in text(news)


MOMENT = "2026-11-20T00:30:00"
UNCHANGED = (
    *(f"tab={tab}" for tab in TABS),
    "tab=compare",
    *(f"tab={tab}&at={MOMENT}" for tab in ("owners", "members", "offsets", "configuration")),
    "tab=offsets&partition=work:0",
    "tab=what-if&more=2",
)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("query", UNCHANGED)
def test_a_refresh_of_an_unchanged_tab_sends_nothing(
    viewer: Client, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two seconds later, as a page that stays open asks again. (It is the middle of an hour: some
    texts change with it.)"""
    middle = (timezone.now() + timedelta(hours=1)).replace(minute=30, second=20, microsecond=0)
    monkeypatch.setattr(timezone, "now", lambda: middle)
    first = viewer.get(f"{page('g', 'live')}?{query}")
    assert first.status_code == 200 and len(first.content) > 1_000
    monkeypatch.setattr(timezone, "now", lambda: middle + timedelta(seconds=2))
    again = viewer.get(f"{page('g', 'live')}?{query}", headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


CONFIGURED = """
INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason, client_reason,
    generation_before, generation_after, waited_for, joined, "left", details)
VALUES (now(), 'to-come', 0, 0, 'config-changed', 'request', '', '', 0, 0, '{}', '[]', '[]',
        '{"author": {"user": "olga"}, "before": {}, "after": {"rollcall.freeze": "true"}}')
"""


def bury(group_id: str) -> None:
    """Delete a group as its owner would."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM rollcall_member WHERE group_id = %s", [group_id])
        cursor.execute("DELETE FROM rollcall_group WHERE group_id = %s", [group_id])
        cursor.execute(
            "UPDATE rollcall_journal SET kind = %s, reason = %s, details = %s WHERE id ="
            " (SELECT max(id) FROM rollcall_journal WHERE group_id = %s)",
            ["group-deleted", "not needed", '{"author": {"user": "olga"}}', group_id],
        )


@pytest.mark.parametrize("tail", ["change", "live"])
def test_the_page_of_a_deleted_group_is_its_tombstone_with_its_journal(tail: str) -> None:
    write("orders")
    bury("orders")
    shown = text(visitor(OPERATOR, name="olga").get(page("orders", tail)))
    assert "Deleted by olga at" in shown and "not needed. Its journal is kept." in shown
    assert "The group was created." in shown
    assert "Members" not in shown and "Force a rebalance" not in shown


def test_a_group_that_was_only_configured_was_not_deleted(viewer: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute(CONFIGURED)
    shown = text(viewer.get(page("to-come")))
    assert "There is no such group: no member has joined it yet." in shown
    assert "eleted" not in shown


def test_an_unknown_group_shows_nothing(viewer: Client) -> None:
    for path in (page("missing"), page("missing", "live"), page("a\0b")):
        assert viewer.get(path).status_code == 404
