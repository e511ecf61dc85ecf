"""What an operator asks in the morning, each answered from the Overview in at most four clicks by
a sentence whose figures SQL confirms."""

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Locator, Page, expect

from console.people.staff_roles import VIEWER
from tests.browser.conftest import LogIn, World
from tests.browser.test_accessibility import THEMES, troubles
from tests.browser.test_plain import TOO_WIDE
from tests.browser.test_steering import ALL
from tests.clients.conftest import Start
from tests.pasts import Past

pytestmark = pytest.mark.xdist_group("browser")

CLICKS_MAX = 4
FIRST_LIFE = 10**12
"""Far from those of the installation's own members."""

OWNER = """
SELECT l.client_id, o.from_at, o.until_at
FROM rollcall_ownership o JOIN rollcall_life l USING (life, group_id)
WHERE o.group_id = %s AND o.topic = 'orders' AND o.partitions @> 7 AND o.until_at > %s
  AND o.from_at <= %s AND l.left_at IS NULL
"""
COST = """
SELECT count(*), sum(stopped_ms + silent_ms + unowned_ms) FROM rollcall_round
WHERE group_id = %s AND started_at <= %s AND ended_at >= %s
"""
SLOWEST = """
SELECT l.client_id, sum(w.ms), count(DISTINCT r.generation)
FROM rollcall_round r CROSS JOIN unnest(lives, waited_ms) AS w(life, ms)
JOIN rollcall_life l ON l.life = w.life AND l.group_id = r.group_id AND l.left_at IS NULL
WHERE r.group_id = %s AND r.ended_at > now() - interval '1 day'
GROUP BY 1 ORDER BY 2 DESC LIMIT 1
"""


class Clicks:
    """Counts what an operator clicks."""

    def __init__(self, page: Page, group: str) -> None:
        self.page, self.group, self.count = page, group, 0
        expect(page.get_by_role("heading", name="Overview")).to_be_visible()

    def click(self, what: Locator) -> None:
        """One click."""
        self.count += 1
        assert self.count <= CLICKS_MAX
        what.first.click()

    def open_group(self) -> None:
        """The group's page, by the list of groups."""
        self.click(self.page.locator("a.rc-tile", has_text="Groups"))
        self.click(self.page.get_by_role("link", name=self.group, exact=True))

    def tab(self, name: str) -> None:
        """A tab of the group's page."""
        self.click(self.page.locator("#tabs").get_by_text(name, exact=True))


@pytest.fixture
def night(world: World, start: Start, topic: str) -> Past:
    """A group at work whose last night is told: Anna, whom each rebalance waits for, gives four
    partitions to Ben for twenty minutes; then a deploy, which somebody marks."""
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "it has all six")

    def run(statement: str, **values: Any) -> None:
        with psycopg.connect(world.url, autocommit=True) as connection:
            connection.execute(statement.encode(), values)

    begin = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(hours=10)
    past = Past(topic, begin, run, FIRST_LIFE)
    anna, ben = past.life("anna", 0, 300), past.life("ben", 60, 120)
    past.owned(anna, "{[0,8)}", 0, 100)
    past.owned(ben, "{[4,8)}", 100, 120)
    past.owned(anna, "{[0,8)}", 120, 300)
    waits = {"rejoin:rejoined": [(anna, 21_000), (ben, 400)]}
    past.rebalanced(41, 100, ms=22_000, waits=waits, cost=(30_000, 0, 1_500), moved=4)
    past.rebalanced(42, 120, ms=9_000, waits={"rejoin:rejoined": [(anna, 8_000)]}, moved=4)
    past.rebalanced(43, 245, ms=60_000, trigger="member-left", cost=(0, 0, 48_000), moved=8)
    run(
        "INSERT INTO rollcall_mark (at, text, group_id, actor, noted_at)"
        " VALUES (%(at)s, 'orders 1.7', %(group_id)s, 'olga', now())",
        at=past.time(240),
        group_id=topic,
    )
    return past


def told(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


def test_who_owned_partition_7_at_a_time(log_in: LogIn, world: World, night: Past) -> None:
    at = night.time(110)
    page = log_in(VIEWER)
    clicks = Clicks(page, night.group_id)
    clicks.open_group()
    page.get_by_label("As it was at, in UTC").fill(f"{at:%Y-%m-%dT%H:%M:%S}")
    page.get_by_role("textbox", name="Partition").fill("orders-7")
    clicks.click(page.locator("#moment").get_by_role("button", name="Show"))
    ((owner, since, until),) = world.execute(OWNER, night.group_id, at, at)
    expect(page.locator("[data-answer]")).to_have_text(
        f"orders-7 was owned by {owner} at /10.0.0.1 from {told(since.astimezone(UTC))} until"
        f" {told(until.astimezone(UTC))}."
    )
    assert owner == "ben"
    expect(page.locator("#situation")).to_contain_text("2 members owned")


def test_what_the_deploy_cost(log_in: LogIn, world: World, night: Past) -> None:
    page = log_in(VIEWER)
    clicks = Clicks(page, night.group_id)
    clicks.click(page.locator("#marks a", has_text=night.group_id))
    at = night.time(240)
    ((rebalances, cost),) = world.execute(COST, night.group_id, at + timedelta(minutes=15), at)
    assert (rebalances, cost) == (1, 48_000)
    expect(page.locator("#timeline-cost")).to_contain_text(
        f"1 rebalance; 8 partitions moved; {cost / 1_000:.1f} partition-seconds without work"
    )


def test_which_member_slowed_us_down(log_in: LogIn, world: World, night: Past) -> None:
    page = log_in(VIEWER)
    clicks = Clicks(page, night.group_id)
    clicks.open_group()
    clicks.tab("Timeline")
    clicks.click(page.get_by_role("link", name="24h", exact=True))
    ((name, ms, rebalances),) = world.execute(SLOWEST, night.group_id)
    assert (name, ms, rebalances) == ("anna", 29_000, 2)
    expect(page.locator("#timeline-cost")).to_contain_text(
        f"They waited longest for {name}: {ms / 1_000:.1f} s in {rebalances} rebalances."
    )


def test_the_charts_are_for_everybody(log_in: LogIn, world: World, night: Past) -> None:
    hour = night.start.replace(minute=0)
    world.execute(
        "INSERT INTO rollcall_fleet_hour VALUES (%s, 9, 8, 7000, 600, '{member-joined}', '{5}',"
        " ARRAY[%s], '{5}', '{600}') ON CONFLICT DO NOTHING",
        hour,
        night.group_id,
    )
    page = log_in(VIEWER, "/admin/")
    expect(page.locator("#charts svg").first).to_be_visible()
    assert [told for theme in THEMES for told in troubles(page, theme)] == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate(TOO_WIDE) <= 0
    page.locator("#charts-table summary").click()
    page.locator("#charts-table").get_by_text(f"{hour:%Y-%m-%d %H:%M} UTC").click()
    page.locator("#charts .rc-troubles a").click()
    expect(page.locator("#timeline-cost")).to_be_visible()
