"""Pages without scripts, and on a phone."""

import re

import pytest
from playwright.sync_api import Browser, expect

from console.people.staff_roles import OPERATOR, VIEWER
from tests.browser.conftest import PASSWORD, LogIn, World
from tests.browser.test_accessibility import MAKE, TABS, too_wide
from tests.browser.test_steering import ALL, group_page
from tests.clients.conftest import Start

pytestmark = pytest.mark.xdist_group("browser")

TOO_WIDE = "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"


def test_pages_are_shown_without_scripts(world: World, browser: Browser) -> None:
    """Each page was blank, the login too."""
    with browser.new_context(base_url=world.web, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto("/admin/groups/topic/")
        page.get_by_label("Username").fill(VIEWER.lower())
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("main").or_(page.locator("#content")).first).to_be_visible()
        expect(page).to_have_url(f"{world.web}/admin/groups/topic/")


def test_what_is_printed_is_dark_on_white(log_in: LogIn) -> None:
    """In the dark theme, too: it was light on white."""
    page = log_in(VIEWER)
    page.emulate_media(color_scheme="dark")
    page.reload()
    root, dark = page.locator("html"), re.compile(r"\bdark\b")
    expect(root).to_have_class(dark)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    expect(root).not_to_have_class(dark)
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    expect(root).to_have_class(dark)


def test_groups_reports_and_lists_fit_a_phone(
    world: World, log_in: LogIn, start: Start, topic: str
) -> None:
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "it has all six")
    world.execute(MAKE[0], topic)
    world.execute(
        "UPDATE rollcall_operation SET detail = repeat(detail, 20) WHERE group_id = %s", topic
    )
    page = log_in(OPERATOR)
    tabs = [f"{group_page(topic)}?tab={tab}" for tab in TABS]
    lists = ["/admin/", "/admin/groups/group/", "/admin/groups/reportrun/now/?period=1h"]
    for path in (*tabs, *lists):
        page.goto(path)
        assert too_wide(page) == [], path
