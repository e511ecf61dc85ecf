"""The command palette, the list that is kept up to date, and the pause button, in a browser."""

import re

import pytest
from playwright.sync_api import expect

from console.people.staff_roles import OPERATOR, VIEWER
from tests.browser.conftest import LogIn, World
from tests.browser.test_steering import ALL, group_page
from tests.clients.conftest import Start

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.long, pytest.mark.timeout(240)]


def test_the_palette_opens_by_keys_and_leads_to_an_action(
    world: World, log_in: LogIn, start: Start, topic: str
) -> None:
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "the first has all six")
    page = log_in(OPERATOR)
    page.wait_for_load_state()  # before that no key is handled
    field = page.get_by_role("searchbox", name="Find or do")
    expect(field).to_be_hidden()
    page.keyboard.press("Control+k")
    expect(field).to_be_focused()
    page.keyboard.type("nothing has this name")
    expect(page.get_by_text("Nothing found")).to_be_visible()
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()

    page.get_by_role("button", name=re.compile("Find or do")).click()
    expect(field).to_be_focused()
    page.keyboard.type(f"freeze {topic}")
    expect(page.get_by_role("link", name=re.compile(f"Freeze or thaw {topic}"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Freeze the group")).to_be_visible()


def test_the_list_refreshes_unless_paused_or_rows_are_selected(
    world: World, log_in: LogIn, start: Start, topic: str
) -> None:
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "the first has all six")
    page = log_in(OPERATOR, f"/admin/groups/group/?q={topic}")
    row = page.locator("#live tbody tr", has_text=topic)
    expect(row).to_contain_text("Settled: 1 member")

    page.get_by_role("button", name="Pause updates").click()
    expect(page.locator("[data-live-state]")).to_have_text("paused")
    two = start("kafka-python", world.kafka, topic)
    two.until(lambda: len(two.owned) == 3, "three and three")
    look = "() => fetch(location.href, {headers: {'X-Requested-With': 'live'}}).then(a => a.text())"
    assert "Settled: 2 members" in page.evaluate(look)
    expect(row).to_contain_text("Settled: 1 member.")
    page.get_by_role("button", name="Continue updates").click()
    expect(row).to_contain_text("Settled: 2 members")

    row.locator("input.action-select").check()
    two.close()
    one.until(lambda: one.owned == ALL, "the first has all six again")
    assert "Settled: 1 member" in page.evaluate(look)
    with page.expect_response(lambda answer: f"q={topic}" in answer.url):
        pass  # it looked, and showed nothing of that
    expect(row).to_contain_text("Settled: 2 members")
    row.locator("input.action-select").uncheck()
    row.locator("input.action-select").blur()
    expect(row).to_contain_text("Settled: 1 member")


def test_operations_on_many_groups_are_followed_to_their_ends(
    world: World, log_in: LogIn, start: Start, topic: str
) -> None:
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "the first has all six")
    page = log_in(OPERATOR, f"/admin/groups/group/?state=Stable&q={topic}")
    page.locator("#live tbody tr", has_text=topic).locator("input.action-select").check()
    page.locator("select[name=action]").select_option("force_rebalances")
    page.get_by_role("button", name="Run").click()
    page.get_by_label("Reason").fill("maintenance")
    page.get_by_role("button", name="Force the rebalances").click()
    expect(page.get_by_role("status").get_by_text("1 of 1 done")).to_be_visible()
    expect(page.locator("#live")).to_contain_text("succeeded")

    viewer = log_in(VIEWER, group_page(topic))
    expect(viewer.locator("#live")).to_contain_text("maintenance")
    viewer.goto("/admin/groups/group/")
    expect(viewer.locator("select[name=action]")).to_have_count(0)
