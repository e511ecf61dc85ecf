"""An operator stops a group's work and starts it again, while members of the library and a stock
client are connected; another user has the page open."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from console.people.staff_roles import OPERATOR, VIEWER
from rollcall.client import BlockingMember
from tests.browser.conftest import LogIn, World
from tests.browser.test_steering import find, group_page, tab
from tests.clients.conftest import SESSION_MS, Start

pytestmark = pytest.mark.xdist_group("browser")

STOP, START = "Stop its work", "Start its work"
REASON = re.compile("reason", re.IGNORECASE)


@pytest.fixture
def anna(world: World, topic: str) -> Iterator[BlockingMember]:
    """A member of the library."""
    with BlockingMember(
        world.kafka,
        topic,
        [topic],
        protocol="classic",
        client_id="anna",
        session_timeout_ms=SESSION_MS,
        heartbeat_interval_ms=1_000,
    ) as member:
        yield member


@pytest.mark.long
def test_stopped_and_started_work_is_shown_on_open_pages(
    world: World, log_in: LogIn, start: Start, topic: str, anna: BlockingMember
) -> None:
    stock = start("kafka-python", world.kafka, topic)
    stock.until(lambda: len(stock.owned) == len(anna.workable) == 3, "three and three")
    page = log_in(OPERATOR)
    watching = log_in(VIEWER, group_page(topic))
    watching.evaluate("window.untouched = true")
    expect(watching.get_by_role("link", name=STOP)).to_have_count(0)

    find(page, topic)
    page.get_by_role("link", name=STOP).click()
    expect(page.get_by_text("Both members are ordered to stop at once")).to_be_visible()
    expect(page.get_by_text("one client does not support stopping")).to_be_visible()
    page.get_by_label(REASON).fill("the database is moved")
    page.get_by_role("button", name="Stop the work").click()
    expect(page.get_by_text("succeeded").first).to_be_visible()

    live = watching.locator("#live")
    said = (
        r"^Stopped by operator since \d\d:\d\d UTC \(the database is moved\): 1 of 2 members has"
        r" stopped, 1 does not support it and continues\.$"
    )
    expect(watching.locator("#situation")).to_have_text(re.compile(said))
    expect(watching.get_by_role("link", name=START)).to_have_count(0)
    assert [anna.paused, len(anna.assigned)] == [True, 3]
    page.goto("/admin/groups/group/?q=" + topic)
    expect(page.locator("#result_list")).to_contain_text("Stopped by operator since")

    find(page, topic)
    page.get_by_role("link", name=START).click()
    page.get_by_label(REASON).fill("moved")
    page.get_by_role("button", name="Start the work").click()
    expect(page.get_by_text("succeeded").first).to_be_visible()

    expect(live).to_contain_text("Operator started the group's work: moved.")
    expect(watching.locator("#situation")).to_have_text("Settled: 2 members own 6 partitions.")
    assert watching.evaluate("window.untouched")
    tab(watching, "Members")
    expect(watching.locator("#members")).not_to_contain_text("starting")
    assert [anna.paused, len(stock.owned)] == [False, 3]


@pytest.mark.long
def test_one_member_is_stopped_from_its_row(
    world: World, log_in: LogIn, topic: str, anna: BlockingMember
) -> None:
    page = log_in(OPERATOR)
    while len(anna.workable) != 6:
        page.wait_for_timeout(20)
    find(page, topic)

    tab(page, "Members")
    page.locator("#members").get_by_role("link", name="Stop", exact=True).click()
    expect(
        page.get_by_text("anna is ordered to stop at once; the stop ends when it leaves.")
    ).to_be_visible()
    page.get_by_label(REASON).fill("looks odd")
    page.get_by_role("button", name="Stop the work").click()
    expect(page.get_by_text("succeeded").first).to_be_visible()

    find(page, topic)
    expect(page.locator("#obedience")).to_contain_text(
        "1 of 1 members that support stopping has stopped"
    )
    assert [anna.paused] == [True]
    tab(page, "Members")
    page.locator("#members").get_by_role("link", name="Start", exact=True).click()
    page.get_by_label(REASON).fill("is fine")
    page.get_by_role("button", name="Start the work").click()
    expect(page.get_by_text("succeeded").first).to_be_visible()
    while anna.paused:
        page.wait_for_timeout(20)
