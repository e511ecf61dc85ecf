"""Keyboard focus survives refreshes: ten of a group's page and ten of the list of groups, each with
something new to show."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Response, expect

from benchmarks import large_group
from console.people.staff_roles import OPERATOR
from tests.browser.conftest import LogIn, World

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.long]

REFRESHES = 10
EVERY_MS = 5_000
"""As live.js has it."""

LIST = "/admin/groups/group/"
HOST = "UPDATE rollcall_member SET client_host = %s WHERE group_id = %s"
KIND = "UPDATE rollcall_group SET state = %s WHERE group_id = %s"
STATES = ("Stable", "CompletingRebalance")


def refreshed(page: Page, path: str) -> None:
    """Let the page's own clock run until it has looked and has something new."""

    def is_news(answer: Response) -> bool:
        return path in answer.url and answer.status == 200

    with page.expect_response(is_news):
        page.clock.run_for(EVERY_MS)


def survives(page: Page, path: str, change: Callable[[int], str]) -> None:
    """``change``: makes something new, and says what is shown of it then."""
    before = page.evaluate("document.activeElement.outerHTML")
    for number in range(REFRESHES):
        news = change(number)
        refreshed(page, path)
        expect(page.locator("#live")).to_contain_text(news)
        assert page.evaluate("document.activeElement.outerHTML") == before, number
        assert page.evaluate("document.getElementById('live').contains(document.activeElement)")


def opened(log_in: LogIn, path: str) -> Page:
    """A page whose clock is frozen."""
    page = log_in(OPERATOR)
    page.clock.install(time=0)
    page.clock.pause_at(1_000)
    page.goto(path)
    return page


def test_focus_survives_ten_refreshes_of_a_group(world: World, log_in: LogIn, name: str) -> None:
    large_group.write(world.url, name, 3, 6)
    page = opened(log_in, f"{LIST}{name}/change/?tab=members")

    def moves(number: int) -> str:
        host = f"/10.9.{number}.1"
        world.execute(HOST, host, name)
        return host

    page.get_by_role("link", name="Evict").last.focus()
    survives(page, f"{name}/live/", moves)


def test_focus_survives_ten_refreshes_of_the_list(world: World, log_in: LogIn, name: str) -> None:
    large_group.write(world.url, name, 3, 6)
    page = opened(log_in, f"{LIST}?q={name}")

    def moves(number: int) -> str:
        state = STATES[(number + 1) % len(STATES)]
        world.execute(KIND, state, name)
        return state

    page.get_by_role("link", name=name, exact=True).focus()
    survives(page, LIST, moves)
