"""An operator before a group at work: finds it, reads why it rebalanced, and makes it rebalance,
while two stock clients are connected and continue."""

import re

import pytest
from playwright.sync_api import Page, expect

from console.people.staff_roles import OPERATOR, VIEWER
from tests.browser.conftest import LogIn, World
from tests.clients.conftest import Start, Worker

pytestmark = pytest.mark.xdist_group("browser")

FORCE = re.compile("force", re.IGNORECASE)
REASON = re.compile("reason", re.IGNORECASE)

ALL = {0, 1, 2, 3, 4, 5}


def share(one: Worker, other: Worker) -> bool:
    """Three and three, and all of them."""
    return len(one.owned) == len(other.owned) == 3 and one.owned | other.owned == ALL


def at_work(world: World, start: Start, topic: str) -> tuple[Worker, Worker]:
    """Two clients of different libraries that share the topic."""
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "the first has all six")
    other = start("confluent-kafka", world.kafka, topic)
    one.until(lambda: share(one, other), "three and three")
    return one, other


def generation(world: World, group_id: str) -> int:
    """The group's generation by its row."""
    ((found,),) = world.execute(
        "SELECT generation FROM rollcall_group WHERE group_id = %s AND state = 'Stable'", group_id
    )
    return int(found)


def has_succeeded(world: World, group_id: str) -> bool:
    """Whether an operation on the group has."""
    asked = "SELECT 1 FROM rollcall_operation WHERE group_id = %s AND state = 'succeeded'"
    return bool(world.execute(asked, group_id))


def group_page(group_id: str) -> str:
    """Where a group's page is, for those who need not find it."""
    return f"/admin/groups/group/{group_id}/change/"


def find(page: Page, group_id: str) -> None:
    """By the sidebar and the search, to the group's page."""
    page.locator("#nav-sidebar-apps").get_by_role("link", name="Groups").click()
    page.locator("#searchbar").fill(group_id)
    page.locator("#searchbar").press("Enter")
    page.get_by_role("link", name=group_id, exact=True).first.click()


def tab(page: Page, title: str) -> None:
    """Another tab of a group's page."""
    page.locator("#tabs").get_by_role("link", name=title, exact=True).click()


def test_a_rebalance_is_forced_and_both_clients_continue(
    world: World, log_in: LogIn, start: Start, topic: str
) -> None:
    one, other = at_work(world, start, topic)
    before = generation(world, topic)
    page = log_in(OPERATOR)

    find(page, topic)
    live = page.locator("#live")
    expect(live.get_by_text(re.compile("Member .* joined")).first).to_be_visible()
    watching = page.context.new_page()
    watching.goto(page.url)
    watching.evaluate("window.untouched = true")
    expect(watching.locator("#live")).to_contain_text("Stable")

    page.get_by_role("link", name=FORCE).first.click()
    page.get_by_label(REASON).fill("the rack is moved")
    page.get_by_role("button", name=FORCE).dblclick()

    expect(page.get_by_text("succeeded").first).to_be_visible()
    asked = "SELECT count(*) FROM rollcall_operation WHERE group_id = %s"
    assert world.execute(asked, topic) == [(1,)]  # a double click asks once
    expect(watching.locator("#live")).to_contain_text(f"Generation {before + 1} after")
    expect(watching.locator("#live")).to_contain_text("the rack is moved")
    expect(watching.locator("#live")).to_contain_text("Stable")
    assert watching.evaluate("window.untouched")
    one.until(lambda: share(one, other), "three and three again")
    for worker in (one, other):
        assert worker.commit(7) == {str(partition): 7 for partition in worker.owned}


@pytest.mark.parametrize("script", [True, False])
def test_back_and_sent_again_forces_no_second_rebalance(
    world: World, log_in: LogIn, start: Start, topic: str, script: bool
) -> None:
    """Back loads the form anew, with the reason that was typed and the group's new generation."""
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "all six")
    page = log_in(OPERATOR, group_page(topic), script=script)
    page.get_by_role("link", name=FORCE).first.click()
    for again in (0, 1, 1):
        page.get_by_label(REASON).fill("the rack is moved")
        page.get_by_role("button", name=FORCE).click()
        expect(page.get_by_role("heading", name=re.compile("Operation"))).to_be_visible()
        expect(page.get_by_text("This form had been sent already")).to_have_count(again)
        one.until(lambda: has_succeeded(world, topic), "the rebalance has ended")
        page.go_back()
    asked = "SELECT count(*) FROM rollcall_operation WHERE group_id = %s"
    assert world.execute(asked, topic) == [(1,)]


@pytest.mark.long
def test_a_viewer_reads_but_cannot_force_a_rebalance(
    world: World, log_in: LogIn, start: Start, topic: str
) -> None:
    at_work(world, start, topic)
    before = generation(world, topic)
    operator = log_in(OPERATOR, group_page(topic))
    operator.get_by_role("link", name=FORCE).first.click()
    wizard = operator.url

    viewer = log_in(VIEWER, group_page(topic))
    expect(viewer.get_by_text(re.compile("Member .* joined")).first).to_be_visible()
    expect(viewer.get_by_role("link", name=FORCE)).to_have_count(0)
    answer = viewer.goto(wizard)

    assert answer is not None
    assert answer.status == 403
    assert generation(world, topic) == before
