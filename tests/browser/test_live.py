"""The live part of a page, in a real browser with a real websocket: ``live.js`` by itself.

The page around it is a bare one, and what it fetches comes from the test.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from console.people.staff_roles import VIEWER
from tests.browser.conftest import LogIn, World

pytestmark = pytest.mark.xdist_group("browser")

BARE = "/livez"
"""A page of this origin, with nothing on it."""

LISTENERS = """
SELECT pid FROM pg_stat_activity WHERE application_name = 'rollcall web doorbell'
"""


class Probe:
    """A page that watches a group. ``part`` is what it finds when it looks; ``looks`` counts.

    Its clock is frozen until the test lets time pass: what happens is because of a push.
    """

    def __init__(self, page: Page, world: World, group_id: str, part: str) -> None:
        self.page = page
        self.world = world
        self.group_id = group_id
        self.part = part
        self.looks = 0
        page.clock.install(time=0)
        page.clock.pause_at(1_000)
        page.route("**/probe", self._answer)
        page.goto(BARE)
        page.evaluate(
            """([group, part]) => {
                document.body.innerHTML = '<p data-live-state></p><div id="live"></div>';
                const live = document.getElementById("live");
                Object.assign(live.dataset, { liveUrl: "/probe", liveRevision: "0" });
                if (group) live.dataset.liveGroup = group;
                live.innerHTML = part;
            }""",
            [group_id, part],
        )
        page.add_script_tag(url="/static/rollcall/vendor/idiomorph-0.8.0.min.js")
        page.add_script_tag(url="/static/rollcall/live.js")

    def _answer(self, route: Any) -> None:
        self.looks += 1
        route.fulfill(body=self.part, content_type="text/html")

    def ring(self, changed: dict[str, int]) -> None:
        """What the store does when groups have changed."""
        self.world.execute("SELECT pg_notify('rollcall_groups', %s)", json.dumps(changed))

    def passes(self, milliseconds: int) -> None:
        """Let time pass on the page."""
        self.page.clock.run_for(milliseconds)

    def expect_state(self, word: str) -> None:
        """Wait for the state word."""
        expect(self.page.locator("[data-live-state]")).to_have_text(word)

    def shows(self, text: str) -> None:
        """Wait until the live part shows it."""
        expect(self.page.locator("#live")).to_contain_text(text)


Watch = Callable[..., Probe]
Door = Callable[[Any], None]


@pytest.fixture
def watch(world: World, log_in: LogIn, name: str) -> Watch:
    """Opens a probe for a group of the test's own."""

    def opened(part: str, group_id: str = name, door: Door | None = None) -> Probe:
        page = log_in(VIEWER, BARE)
        if door is not None:
            page.route_web_socket("**/ws/groups/**", door)
        return Probe(page, world, group_id, part)

    return opened


def test_a_push_updates_the_page_in_place(watch: Watch) -> None:
    probe = watch("<details><summary>more</summary>old</details><details open>x</details>")
    probe.expect_state("live")
    probe.page.locator("summary").click()

    probe.part = "<details><summary>more</summary>new</details><details open>x</details>"
    probe.ring({probe.group_id: 1})

    expect(probe.page.get_by_text("new")).to_be_visible()  # and so it is still open
    assert probe.page.url.endswith("/livez")


def test_a_revision_already_shown_is_not_fetched_again(watch: Watch) -> None:
    probe = watch("old")
    probe.expect_state("live")
    probe.part = '<b data-live-revision="7">seven</b>'
    probe.ring({probe.group_id: 7})
    probe.shows("seven")
    looks = probe.looks

    probe.ring({probe.group_id: 7})
    probe.part = '<b data-live-revision="1">one</b>'
    probe.ring({probe.group_id: 1})  # deleted, and made again

    probe.shows("one")
    assert probe.looks == looks + 1


def test_a_refresh_keeps_what_a_user_types(watch: Watch) -> None:
    probe = watch('<input id="reason">old')
    probe.expect_state("live")
    probe.page.locator("#reason").fill("because")
    probe.part = '<input id="reason">new'

    with probe.page.expect_response("**/probe"):
        probe.ring({probe.group_id: 1})

    expect(probe.page.locator("#reason")).to_have_value("because")
    expect(probe.page.locator("#live")).to_contain_text("old")
    probe.page.locator("#reason").blur()
    probe.passes(5_000)
    probe.shows("new")


def test_a_part_is_polled_every_five_seconds_without_a_push(watch: Watch) -> None:
    probe = watch("old", group_id="")
    probe.expect_state("polling")
    probe.part = "new"

    probe.passes(4_000)
    assert probe.looks == 0
    probe.passes(1_000)

    probe.shows("new")


def test_a_pending_part_is_polled_each_second(watch: Watch) -> None:
    probe = watch("<i data-live-pending>waits</i>", group_id="")
    probe.part = "done"

    probe.passes(1_000)

    probe.shows("done")


def test_a_hidden_page_does_not_poll(watch: Watch) -> None:
    probe = watch("old", group_id="")
    hide = "Object.defineProperty(document, 'hidden', { value: %s, configurable: true })"
    probe.part = "new"

    probe.page.evaluate(hide % "true")
    probe.passes(60_000)
    assert probe.looks == 0
    probe.page.evaluate(hide % "false")
    probe.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    probe.shows("new")


def test_ages_grow_on_an_open_page(watch: Watch) -> None:
    probe = watch('<b data-age-ms="58000" data-age-after=" ago"></b>', group_id="")

    probe.passes(3_000)

    probe.shows("1 min 1 s ago")


def test_a_lost_websocket_is_reopened(watch: Watch) -> None:
    doors: list[Any] = []

    def door(socket: Any) -> None:
        """Slam the first, let the next one through."""
        doors.append(socket)
        if len(doors) == 1:
            socket.close(code=1011)
        else:
            socket.connect_to_server()

    probe = watch("old", door=door)
    probe.expect_state("polling")
    while len(doors) < 2:
        probe.passes(1_000)

    probe.expect_state("live")


def test_after_the_listening_connection_was_lost_the_page_polls(watch: Watch) -> None:
    probe = watch("old")
    probe.expect_state("live")

    probe.part = "after the loss"
    for (pid,) in probe.world.execute(LISTENERS):
        probe.world.execute("SELECT pg_terminate_backend(%s)", pid)

    probe.shows("after the loss")
