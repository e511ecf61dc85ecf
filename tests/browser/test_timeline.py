"""A group along time, in a browser: by mouse and keys, without scripts, on a phone, and for those
who do not see it."""

import re

import pytest
from playwright.sync_api import expect

from console.people.staff_roles import VIEWER
from tests.browser.conftest import LogIn, World
from tests.browser.test_accessibility import THEMES, troubles
from tests.browser.test_plain import TOO_WIDE
from tests.browser.test_steering import ALL, group_page
from tests.clients.conftest import Start

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture
def group(world: World, start: Start, topic: str) -> str:
    """A group with a member at work, and a mark."""
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "it has all six")
    world.execute(
        "INSERT INTO rollcall_mark (at, text, group_id, actor, noted_at)"
        " VALUES (now(), 'orders 1.7', %s, 'olga', now())",
        topic,
    )
    return topic


SINCE = "document.getElementById('timeline').dataset.since"
LENGTH = f"document.getElementById('timeline').dataset.until - {SINCE}"


def test_a_timeline_is_moved_and_zoomed_and_tells_what_it_shows(log_in: LogIn, group: str) -> None:
    page = log_in(VIEWER, f"{group_page(group)}?tab=timeline")
    chart = page.locator("#timeline-chart")
    expect(page.locator("#timeline-cost")).to_contain_text("rebalance")
    expect(page.locator("#timeline-lines")).to_contain_text("orders 1.7 (marked by")
    page.locator(".rc-tl-band").last.dispatch_event("click")
    expect(page.locator("#timeline-said")).to_contain_text("Rebalanced to generation")

    chart.focus()
    assert page.evaluate(LENGTH) == 3_600
    page.keyboard.press("+")
    expect(page).to_have_url(re.compile("since="))
    page.wait_for_function(f"{LENGTH} <= 1801")
    before = page.locator("#timeline").get_attribute("data-since")
    plot = page.locator(".rc-tl-plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 8, steps=4)
    page.mouse.up()
    page.wait_for_function(f"{SINCE} < {before}")


def test_a_timeline_is_read_without_scripts(log_in: LogIn, group: str) -> None:
    page = log_in(VIEWER, f"{group_page(group)}?tab=timeline", script=False)
    expect(page.locator("#timeline-cost")).to_contain_text("rebalance")
    page.get_by_role("link", name="Zoom in").click()
    expect(page).to_have_url(re.compile("since="))
    expect(page.locator("#timeline-cost")).to_be_visible()


def test_a_timeline_is_for_everybody(log_in: LogIn, group: str) -> None:
    page = log_in(VIEWER, f"{group_page(group)}?tab=timeline")
    assert [told for theme in THEMES for told in troubles(page, theme)] == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate(TOO_WIDE) <= 0
    page.goto(f"{group_page(group)}?tab=compare")
    assert page.evaluate(TOO_WIDE) <= 0
    page.goto(f"{group_page(group)}?tab=timeline")
    expect(page.locator(".rc-tl-plot")).to_be_visible()
