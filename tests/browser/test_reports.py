"""Reports as a person reads them: from what a night has cost to whom it was, and why."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from console.people.staff_roles import OPERATOR
from tests.analyses import described
from tests.browser.conftest import LogIn, World
from tests.browser.test_steering import ALL
from tests.clients.conftest import Start

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.timeout(300)]

RUN = """
INSERT INTO rollcall_report_run
    (state, requested_by, started_at, finished_at, as_of, reports, events, detail)
VALUES ('succeeded', 'browser', now(), now(), now(), %s, 1, '') RETURNING id
"""

ROW = """
INSERT INTO rollcall_report_row (run_id, report, period, keys, figures)
SELECT %s, %s, period, %s, %s FROM unnest(ARRAY['24h', '7d']) AS period
"""

ENTRY = """
SELECT id FROM rollcall_journal WHERE group_id = %s AND kind = 'rebalance-completed'
ORDER BY id DESC LIMIT 1
"""

MEMBER = "SELECT client_id FROM rollcall_member WHERE group_id = %s"

FIGURES = {
    "rebalances": 1,
    "duration_ms": 4_000,
    "longest_ms": 4_000,
    "without_owner_ms": 4_000,
    "partitions_moved": 6,
}

ADVICE = {
    "finding": "expired 6 times",
    "change": "session.timeout.ms=22000",
    "evidence": 6,
    "confidence": "medium",
    "cost_ms": 1_500,
    "saves_partition_ms": 9_000,
}


@pytest.fixture
def run(world: World) -> Iterator[int]:
    """A run of the pipeline without rows. The other tests have none."""
    ((run_id,),) = world.execute(RUN, json.dumps(described()))
    yield run_id
    world.execute("DELETE FROM rollcall_advice_decision")
    world.execute("DELETE FROM rollcall_report_row WHERE run_id = %s", run_id)
    world.execute("DELETE FROM rollcall_report_run WHERE id = %s", run_id)


def add(world: World, run_id: int, report: str, keys: object, figures: object) -> None:
    """A row of a report."""
    world.execute(ROW, run_id, report, json.dumps(keys), json.dumps(figures))


def test_three_clicks_lead_from_what_a_night_cost_to_the_member_and_its_entry(
    world: World, log_in: LogIn, start: Start, topic: str, run: int
) -> None:
    worker = start("kafka-python", world.kafka, topic)
    worker.until(lambda: worker.owned == ALL, "it has all six")
    ((entry,),) = world.execute(ENTRY, topic)
    ((client_id,),) = world.execute(MEMBER, topic)
    keys = {"group_id": topic, "trigger": "member-joined"}
    add(world, run, "cost", keys, {**FIGURES, "worst_journal_id": entry})
    page = log_in(OPERATOR)

    page.locator("#nav-sidebar-apps").get_by_role("link", name="Reports").click()
    page.get_by_role("link", name="24 hours").click()
    expect(page.get_by_text(re.compile("4.0 s")).first).to_be_visible()
    page.get_by_role("link", name=str(entry), exact=True).click()

    expect(page.get_by_role("heading", name=topic)).to_be_visible()
    expect(page.locator(".rc-journal li").first).to_contain_text(client_id)


def test_what_sql_tells_is_there_before_any_run(
    world: World, log_in: LogIn, start: Start, topic: str
) -> None:
    worker = start("kafka-python", world.kafka, topic)
    worker.until(lambda: worker.owned == ALL, "it has all six")
    page = log_in(OPERATOR, "/admin/groups/reportrun/now/?period=1h")

    expect(page.get_by_text("SQL computed these figures just now")).to_be_visible()
    page.get_by_label("Search").fill(topic)
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name=topic, exact=True).click()
    expect(page.get_by_role("heading", name=topic)).to_be_visible()


def test_an_advice_is_muted_and_comes_back(world: World, log_in: LogIn, run: int) -> None:
    keys = {"group_id": "orders", "rule": "session-timeout", "subject": "w at 10.0.0.1"}
    add(world, run, "advice", keys, ADVICE)
    page = log_in(OPERATOR, "/admin/groups/reportrun/newest/?report=advice")

    card = page.get_by_role("article", name="session-timeout of orders")
    expect(card).to_contain_text("9.0 partition-seconds")
    card.get_by_role("link", name="Mute").click()
    page.get_by_label("Reason").fill("a new host comes")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(card).to_have_count(0)
    page.get_by_text("1 muted").click()
    expect(page.get_by_text("a new host comes")).to_be_visible()
    page.get_by_role("link", name="Withdraw").click()
    page.get_by_role("button", name="Yes, I’m sure").click()
    expect(card).to_be_visible()
