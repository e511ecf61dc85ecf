"""The charts of the Overview: each column leads to its time, and to the groups of an hour."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.people.staff_roles import VIEWER
from console.queries import fleet_hours
from groups.models import Mark
from tests.admin.test_groups import QUERIES_MAX
from tests.admin.visitors import text, visitor
from tests.api.conftest import write
from tests.pasts import DAY, Past, execute

pytestmark = pytest.mark.django_db

GROUP = "/admin/groups/group/packers/change/"

ADD = """
INSERT INTO rollcall_fleet_hour VALUES (%(hour)s, 12, 3400, 61000, 43200,
    '{member-joined,session-expired}', '{5,2}', '{packers}', '{7}', '{43200}')
"""


@pytest.fixture
def viewer() -> Client:
    return visitor(VIEWER)


@pytest.fixture
def hour() -> datetime:
    """One hour of yesterday has figures."""
    at = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=5)
    execute(ADD, hour=at)
    write("packers")
    return at


def test_without_hours_there_are_no_charts(viewer: Client) -> None:
    assert 'id="charts"' not in text(viewer.get("/admin/"))


def test_each_column_tells_its_figures_and_leads_to_its_hour(
    viewer: Client, hour: datetime
) -> None:
    told = text(viewer.get("/admin/"))
    when = f"{hour:%Y-%m-%d %H:%M} UTC"
    assert f"{when}: 7 rebalances (5 member joined, 2 session expired)" in told
    assert f"{when}: 43.2 partition-seconds" in told and f"{when}: 12 members" in told
    assert f"{when}: 3,400" in told and f"{when}: 1 min 1 s" in told
    until = hour + timedelta(hours=5)
    assert f"Hours that are over, until {until:%Y-%m-%d %H:%M} UTC." in told, "not this one"
    (link,) = set(re.findall(r'href="\?(hour=[^"#]*)#charts" tabindex="-1"><title>' + when, told))
    groups = text(viewer.get(f"/admin/?{link.replace('&amp;', '&')}"))
    assert "7 rebalances, 43.2 partition-seconds without work" in groups
    (timeline,) = re.findall(r'href="([^"]*packers/timeline/[^"]*)"', groups)
    assert viewer.get(timeline.replace("&amp;", "&")).status_code == 200


def test_days_lead_to_their_hours(viewer: Client, hour: datetime) -> None:
    told = text(viewer.get("/admin/?chart=30d"))
    day = f"{hour:%Y-%m-%d}"
    assert f"{day}: 7 rebalances" in told
    hours = text(viewer.get(f"/admin/?chart=24h&day={day}T00:00:00"))
    assert f"{hour:%Y-%m-%d %H:%M} UTC: 7 rebalances" in hours


@pytest.mark.parametrize("query", ["chart=9y", "hour=x", "hour=0001-01-01", "day=9999-12-31&hour="])
def test_a_wrong_time_in_the_url_is_ignored(viewer: Client, hour: datetime, query: str) -> None:
    assert viewer.get(f"/admin/?{query}").status_code == 200


def test_marks_of_the_last_day_lead_to_what_followed(viewer: Client, hour: datetime) -> None:
    Mark.objects.create(at=hour, text="1.7", group_id="packers", actor="olga")
    told = text(viewer.get("/admin/"))
    (link,) = re.findall(r'href="([^"]*)"><time[^<]*</time><b>packers</b><span>1.7', told)
    assert "tab=timeline" in link and viewer.get(link.replace("&amp;", "&")).status_code == 200


def test_the_overview_takes_few_statements(viewer: Client, hour: datetime) -> None:
    with CaptureQueriesContext(connection) as queries:
        viewer.get(f"/admin/?hour={hour:%Y-%m-%dT%H:00:00}")
    assert len(queries) <= QUERIES_MAX, [each["sql"][:100] for each in queries]


@pytest.fixture
def rebalanced() -> datetime:
    """A group was rebalanced thrice within an hour of yesterday."""
    told, at = Past(), datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    hour = at - timedelta(hours=5)
    for number in range(3):
        minute = (hour - DAY) / timedelta(minutes=1) + 10 * (number + 1)
        told.rebalanced(number + 1, minute, ms=2_000, cost=(4_000, 0, 1_000))
    write("packers")
    return hour


def test_a_group_has_charts_of_its_own(viewer: Client, rebalanced: datetime) -> None:
    """Each column leads to the group's timeline then."""
    told = text(viewer.get(f"{GROUP}?tab=rebalances"))
    when = f"{rebalanced:%Y-%m-%d %H:%M} UTC"
    assert f"{when}: 3 rebalances (3 member joined)" in told
    assert f"{when}: 15.0 partition-seconds" in told and f"{when}: 2.0 s" in told
    assert f"{rebalanced - timedelta(hours=1):%Y-%m-%d %H:%M} UTC: 0 rebalances" in told
    (link,) = set(re.findall(r'href="(\?[^"]*)" tabindex="-1"><title>' + when, told))
    timeline = text(viewer.get(GROUP + link.replace("&amp;", "&")))
    assert "3 rebalances" in timeline
    days = text(viewer.get(f"{GROUP}?tab=rebalances&chart=30d"))
    assert f"{rebalanced:%Y-%m-%d}: 3 rebalances" in days
    assert "?tab=rebalances&amp;chart=24h#charts" in days


def test_the_newest_of_too_many_rebalances_are_counted(
    viewer: Client, rebalanced: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the hour in which they begin, and of those before, nothing is said."""
    monkeypatch.setattr(fleet_hours, "ROUNDS_MAX", 2)
    told = text(viewer.get(f"{GROUP}?tab=rebalances"))
    for hours, said in ((-1, "not known"), (0, "not known"), (1, "0 rebalances")):
        assert f"{rebalanced + timedelta(hours=hours):%Y-%m-%d %H:%M} UTC: {said}<" in told
    monkeypatch.setattr(fleet_hours, "ROUNDS_MAX", 4)
    told = text(viewer.get(f"{GROUP}?tab=rebalances"))
    assert f"{rebalanced:%Y-%m-%d %H:%M} UTC: 3 rebalances" in told
    assert f"{rebalanced - timedelta(hours=1):%Y-%m-%d %H:%M} UTC: 0 rebalances" in told


def test_members_of_a_group_are_those_of_its_last_rebalance(
    viewer: Client, rebalanced: datetime
) -> None:
    """Before the first one that is known nobody knows."""
    told = text(viewer.get(f"{GROUP}?tab=rebalances"))
    for hours, said in ((-1, "not known"), (0, "2 members"), (3, "2 members")):
        assert f"{rebalanced + timedelta(hours=hours):%Y-%m-%d %H:%M} UTC: {said}<" in told
