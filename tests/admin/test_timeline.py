"""The timeline of a group on its page, alone, and as a picture."""

import re
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.people.staff_roles import VIEWER
from groups.models import Mark
from tests.admin.test_groups import QUERIES_MAX, page
from tests.admin.visitors import text, visitor
from tests.api.conftest import write
from tests.pasts import Past

pytestmark = pytest.mark.django_db

HOUR = "since=2026-11-27T00:00:00&until=2026-11-27T01:00:00"


@pytest.fixture
def viewer() -> Client:
    return visitor(VIEWER)


@pytest.fixture
def past() -> Past:
    """Anna alone, then with Ben, who is lost."""
    write("packers")
    told = Past()
    anna, ben = told.life("anna", 10), told.life("ben", 20, 50, "expired", silent=5)
    told.owned(anna, "{[0,2)}", 10)
    told.owned(ben, "{[2,4)}", 20, 50)
    told.rebalanced(
        3,
        51,
        ms=60_000,
        trigger="session-expired",
        who="ben",
        waits={"rejoin:silent": [(ben, 59_000)]},
        cost=(0, 10_000, 2_000),
        moved=2,
    )
    return told


def shown(client: Client, query: str = HOUR, tail: str = "change") -> str:
    return text(client.get(f"{page('packers', tail)}?tab=timeline&{query}"))


@pytest.mark.parametrize("tail", ["change", "live", "timeline"])
def test_the_page_draws_lanes_rebalances_and_their_cost(
    viewer: Client, past: Past, tail: str
) -> None:
    told = shown(viewer, tail=tail)
    assert "12.0 partition-seconds without work" in told and "longest for ben: 59.0 s" in told
    assert told.count('class="rc-tl-owned" d="M') == 2 and "rc-trigger-session-expired" in told
    assert "member ben was silent for its session timeout" in told
    (link,) = re.findall(r'<a href="#(r-3-\d+)"', told)
    assert f'id="{link}"' in told


def test_a_mark_leads_to_what_it_cost(viewer: Client, past: Past) -> None:
    Mark.objects.create(at=past.time(45), text="1.7 <b>", group_id="packers", actor="olga")
    told = shown(viewer)
    assert "1.7 &lt;b&gt; (marked by olga)" in told
    (query,) = re.findall(r'href="\?(tab=timeline[^"]*)">What it cost', told)
    cost = text(viewer.get(f"{page('packers')}?{query.replace('&amp;', '&')}"))
    assert "1 rebalance; 2 partitions moved; 12.0 partition-seconds" in cost


def test_the_picture_needs_no_style_sheet(viewer: Client, past: Past) -> None:
    answer = viewer.get(f"{page('packers', 'picture')}?{HOUR}")
    assert (
        answer["Content-Type"] == "image/svg+xml" and "attachment" in answer["Content-Disposition"]
    )
    root = ElementTree.fromstring(text(answer))
    names = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "anna" in names and "ben" in names


@pytest.mark.parametrize(
    "query",
    [
        "since=x",
        "since=2999-01-01T00:00:00",
        "since=0001-01-01T00:00:00",
        "since=9999-12-31T23:59:59&until=0001-01-01T00:00:00",
        "since=2026-11-27T00:00:00&until=2026-11-26T00:00:00",
        "since=2026-11-27T00:00:00%2B99:00",
        "last=9y",
        "last=30d&host=%00",
        "host=" + "x" * 3_000,
    ],
)
def test_a_wrong_time_in_the_url_is_ignored(viewer: Client, past: Past, query: str) -> None:
    assert "timeline-cost" in shown(viewer, query)


def test_neighbouring_times_are_links(viewer: Client, past: Past) -> None:
    told = shown(viewer)
    found = re.findall(r'href="\?([^"]*)" data-tl="(\w+)"', told)
    links = {name: link for link, name in found}
    assert "since=2026-11-26T23%3A30%3A00" in links["earlier"]
    assert "since=2026-11-27T00%3A15%3A00&amp;until=2026-11-27T00%3A45%3A00" in links["in"]
    assert "until=2026-11-27T01%3A30%3A00" in links["out"]


def test_a_timeline_that_ends_now_stays_as_it_is_for_a_while(viewer: Client, past: Past) -> None:
    """A refresh of an unchanged group transfers nothing."""
    url = f"{page('packers', 'live')}?tab=timeline&last=30d"
    first = viewer.get(url)
    again = viewer.get(url, headers={"if-none-match": first["ETag"]})
    assert again.status_code == 304


def test_the_tab_takes_few_statements(viewer: Client, past: Past) -> None:
    for tail in ("change", "live", "timeline", "picture"):
        with CaptureQueriesContext(connection) as queries:
            viewer.get(f"{page('packers', tail)}?tab=timeline&{HOUR}")
        assert len(queries) <= QUERIES_MAX, (tail, len(queries), [q["sql"][:90] for q in queries])


def test_a_deleted_group_has_its_timeline(viewer: Client) -> None:
    past = Past("gone")
    past.life("anna", 10, 20)
    answer = viewer.get(f"{page('gone', 'timeline')}?{HOUR}")
    assert "anna" in text(answer)
    assert viewer.get(page("nobody", "timeline")).status_code == 404
    assert viewer.get(page("a%00b", "timeline")).status_code == 404
