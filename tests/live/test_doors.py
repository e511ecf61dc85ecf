"""Who may open a websocket, from where; and what the others are told."""

import pytest

from groups import people
from groups.live import consumer, hub
from groups.live.hub import HUB
from tests.live.conftest import LogIn, Open, Page


async def test_nobody_who_is_not_logged_in() -> None:
    page = Page("orders")

    assert await page.open()  # a browser tells a page nothing of a handshake that failed
    assert await page.closed_with() == consumer.NOT_LOGGED_IN
    assert HUB.watcher_count == 0


async def test_nobody_with_a_session_that_is_none() -> None:
    page = Page("orders", cookie="rollcall_session=made-up")

    assert await page.open()
    assert await page.closed_with() == consumer.NOT_LOGGED_IN


async def test_nobody_without_a_role(log_in: LogIn) -> None:
    page = Page("orders", await log_in(None))

    assert await page.open()
    assert await page.closed_with() == consumer.NOT_ALLOWED


@pytest.mark.parametrize("role", list(people.ROLES))
async def test_everybody_with_a_role(role: str, log_in: LogIn) -> None:
    page = Page("orders", await log_in(role))

    assert await page.open()
    assert (await page.told())["group"] == "orders"
    await page.close()


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", ""])
async def test_no_page_of_somebody_else(origin: str, log_in: LogIn) -> None:
    """A browser sends the session's cookie along, whoever made the page."""
    assert not await Page("orders", await log_in(), origin).open()


@pytest.mark.parametrize("group_id", [None, "", "x" * 1_025])
async def test_no_group_no_news(group_id: str | None, log_in: LogIn) -> None:
    page = Page(group_id, await log_in())

    assert await page.open()
    assert await page.closed_with() == consumer.GROUP_ID_MISSING


async def test_no_more_than_a_process_holds(
    open_page: Open, log_in: LogIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    await open_page("orders")
    monkeypatch.setattr(hub, "WATCHERS_MAX", 1)
    late = Page("orders", await log_in(people.OPERATOR))

    assert await late.open()
    assert await late.closed_with() == consumer.TOO_MANY
