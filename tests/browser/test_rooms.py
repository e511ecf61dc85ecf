"""The side rooms as a person meets them: topics, tokens, and who may see what."""

import json
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from console.people.staff_roles import ADMINISTRATOR, OPERATOR, VIEWER
from tests.browser.conftest import LogIn, World

pytestmark = pytest.mark.xdist_group("browser")


def test_a_topic_is_created_and_grown(world: World, log_in: LogIn, name: str) -> None:
    page = log_in(OPERATOR, "/admin/groups/topic/add/")

    page.get_by_label("Name").fill(name)
    page.get_by_label("Partitions").fill("3")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("link", name=name, exact=True).first.click()
    page.get_by_label("Partitions").fill("2")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("2 would be no increase")).to_be_visible()
    page.get_by_label("Partitions").fill("8")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()

    found = world.execute("SELECT partitions FROM rollcall_topic WHERE name = %s", name)
    assert found == [(8,)]


def test_a_token_is_copied_where_pages_may_not_write_to_the_clipboard(
    world: World, log_in: LogIn, name: str
) -> None:
    """As over HTTP without TLS from another machine."""
    page = log_in(ADMINISTRATOR, "/admin/groups/apitoken/add/")
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Save", exact=True).click()
    secret = page.locator("#secret").inner_text()
    page.wait_for_load_state()
    page.get_by_role("button", name="Copy").click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("document.getSelection().toString().trim()") == secret


def test_a_copied_token_works_until_it_is_revoked(world: World, log_in: LogIn, name: str) -> None:
    page = log_in(ADMINISTRATOR, "/admin/groups/apitoken/add/")

    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Save", exact=True).click()
    secret = page.locator("#secret").inner_text()
    page.wait_for_load_state()  # the button's script comes last
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    page.bring_to_front()  # who has no focus is not let read
    assert page.evaluate("navigator.clipboard.readText()") == secret
    page.get_by_role("link", name="I have it").click()

    expect(page.get_by_role("link", name=name)).to_be_visible()
    assert secret not in page.content()
    assert status_with(world, secret) == 200

    page.get_by_role("link", name=name).click()
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Yes, I’m sure").click()
    expect(page.get_by_text("was deleted successfully")).to_be_visible()
    assert status_with(world, secret) in (401, 403)


RUNS = (
    "SELECT state FROM rollcall_report_run WHERE requested_by = 'operator' AND state <> 'running'"
)


@pytest.mark.timeout(300)
@pytest.mark.long
def test_an_analysis_is_requested_and_becomes_a_report(world: World, log_in: LogIn) -> None:
    page = log_in(OPERATOR)

    page.locator("#nav-sidebar-apps").get_by_role("link", name="Reports").click()
    page.get_by_role("button", name="Analyse now").click()
    expect(page.get_by_text("The analysis was requested")).to_be_visible()
    while not (ended := world.execute(RUNS)):
        page.wait_for_timeout(500)

    assert ended == [("succeeded",)]
    page.goto("/admin/groups/reportrun/newest/")
    expect(page.get_by_text("asked for by operator")).to_be_visible()


def status_with(world: World, secret: str) -> int:
    """What REST answers to a bearer of this."""
    request = urllib.request.Request(
        f"{world.web}/api/v1/groups", headers={"Authorization": f"Bearer {secret}"}
    )
    try:
        with urllib.request.urlopen(request) as answer:
            json.load(answer)
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code


@pytest.mark.parametrize(
    ("role", "seen", "hidden"),
    [
        (VIEWER, ["Groups", "Operations", "Schedule", "API tokens"], ["Users", "Roles"]),
        (ADMINISTRATOR, ["Groups", "Kafka users", "API tokens"], []),
    ],
)
def test_the_sidebar_links_to_permitted_pages(
    log_in: LogIn, role: str, seen: list[str], hidden: list[str]
) -> None:
    page = log_in(role)
    sidebar = page.locator("#nav-sidebar-apps")

    expect(page.get_by_role("main")).to_have_count(1)
    for title in seen:
        expect(sidebar.get_by_role("link", name=title)).to_be_visible()
    for title in hidden:
        expect(sidebar.get_by_role("link", name=title)).to_have_count(0)
