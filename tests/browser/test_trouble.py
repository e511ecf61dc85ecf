"""A group in trouble, as its operator finds it: each page says what is going on in a sentence."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from console.people.staff_roles import OPERATOR, VIEWER
from launcher.installation import CHECKOUT
from tests.browser.conftest import LogIn, World
from tests.browser.test_accessibility import THEMES, troubles
from tests.browser.test_steering import ALL, find, group_page, tab
from tests.clients.conftest import Start, Worker

pytestmark = pytest.mark.xdist_group("browser")

LONG_SESSION_MS = 60_000


@contextmanager
def halted(worker: Worker) -> Iterator[None]:
    """The worker's process is suspended: its connection lasts, and it sends nothing."""
    worker.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        worker.process.send_signal(signal.SIGCONT)


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_stuck_rebalance_shows_who_is_waited_for_until_when_and_evicts_it(
    world: World, log_in: LogIn, start: Start, topic: str
) -> None:
    one = start("kafka-python", world.kafka, topic, LONG_SESSION_MS)
    one.until(lambda: one.owned == ALL, "the first has all six")
    page = log_in(OPERATOR, group_page(topic))
    situation = page.locator("#situation")
    expect(situation).to_have_text("Settled: 1 member owns 6 partitions.")

    with halted(one):
        two = start("kafka-python", world.kafka, topic, LONG_SESSION_MS)
        expect(situation).to_contain_text(
            re.compile(r"Waiting for .+ \(silent \d+ s, removed in \d+ s\); .+ waits to join\.")
        )
        waits = re.compile("Waiting for")
        overview, viewer = page.context.new_page(), log_in(VIEWER)
        overview.goto(f"/admin/groups/group/?q={topic}")
        expect(overview.get_by_text(waits)).to_be_visible()
        assert [told for theme in THEMES for told in troubles(overview, theme)] == []
        find(viewer, topic)
        expect(viewer.locator("#situation")).to_contain_text(waits)
        expect(viewer.get_by_role("link", name="Evict")).to_have_count(0)

        situation.get_by_role("link", name=re.compile("Evict")).click()
        page.get_by_label("Reason").fill("its machine hangs")
        page.get_by_role("button", name="Evict the member").click()
        expect(page.get_by_text("succeeded").first).to_be_visible()
        two.until(lambda: two.owned == ALL, "the newcomer has all six")
        expect(viewer.locator("#situation")).to_have_text("Settled: 1 member owns 6 partitions.")


@pytest.mark.long
def test_a_page_shows_lost_contact_and_its_age(
    log_in: LogIn, start: Start, world: World, topic: str
) -> None:
    one = start("kafka-python", world.kafka, topic, LONG_SESSION_MS)
    one.until(lambda: one.owned == ALL, "the first has all six")
    page = log_in(VIEWER, group_page(topic))
    banner = page.locator("[data-live-lost]")
    expect(banner).to_be_hidden()

    page.context.set_offline(True)
    expect(banner).to_contain_text(re.compile(r"No contact with the server for \d+ s\. What you"))
    expect(banner).to_contain_text("Workers do not depend on this server: they go on meanwhile.")
    state = page.locator("[data-live-state]").first
    expect(state).to_have_text("not updated")
    page.context.set_offline(False)
    expect(banner).to_be_hidden()
    expect(state).to_have_text(re.compile("live|polling"))


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_group_deleted_while_its_page_is_open_becomes_a_tombstone(
    log_in: LogIn, world: World, start: Start, topic: str
) -> None:
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "the first has all six")
    page = log_in(VIEWER, group_page(topic))
    operator = log_in(OPERATOR, group_page(topic))
    expect(operator.get_by_role("link", name="Force a rebalance")).to_be_visible()
    one.close()
    expect(page.locator("#situation")).to_have_text("The group has no members.")
    client = [sys.executable, "-c", DELETE, world.kafka, topic]
    subprocess.run(client, check=True, cwd=CHECKOUT)

    expect(page.locator("#situation")).to_contain_text("Deleted by client")
    expect(page.locator("#live")).to_contain_text("The group was created.")
    expect(operator.locator("#situation")).to_contain_text("Deleted by client")
    for word in ("Force a rebalance", "Freeze it"):
        expect(operator.get_by_role("link", name=word)).to_have_count(0)


DELETE = """
import sys
from confluent_kafka.admin import AdminClient
admin = AdminClient({"bootstrap.servers": sys.argv[1]})
admin.delete_consumer_groups([sys.argv[2]])[sys.argv[2]].result()
"""


@pytest.mark.long
def test_focus_survives_refreshes(log_in: LogIn, world: World, start: Start, topic: str) -> None:
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "the first has all six")
    page = log_in(OPERATOR, group_page(topic))
    tab(page, "Members")
    expect(page.locator("#situation")).to_have_text("Settled: 1 member owns 6 partitions.")
    page.get_by_role("link", name="Evict").focus()

    start("kafka-python", world.kafka, topic)

    expect(page.locator("#situation")).to_have_text("Settled: 2 members own 6 partitions.")
    assert page.evaluate("document.activeElement.textContent") == "Evict"
