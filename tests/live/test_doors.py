"""Who may open a websocket, from where; and the close codes of the others."""

from collections.abc import Callable
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import OperationalError, models
from django.db.backends.utils import CursorWrapper

from console.live import consumer, hub, sessions
from console.live.hub import HUB
from console.people import staff_roles
from groups.postgres.connections import Connection
from tests.live.conftest import LogIn, Open, Page


async def test_an_anonymous_websocket_is_refused() -> None:
    page = Page("orders")

    assert await page.open()  # a browser reports no details of a failed handshake
    assert await page.closed_with() == sessions.NOT_LOGGED_IN
    assert HUB.watcher_count == 0


async def test_a_websocket_with_an_invalid_session_is_refused() -> None:
    page = Page("orders", cookie="rollcall_session=made-up")

    assert await page.open()
    assert await page.closed_with() == sessions.NOT_LOGGED_IN


@pytest.mark.parametrize("wanted", ["django_session", "auth_user", "rollcall_group"])
async def test_a_websocket_is_refused_while_the_database_is_down(
    wanted: str, log_in: LogIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it is that cannot be read: the handshake failed with a bare 500."""
    cookie = await log_in()
    execute = CursorWrapper.execute

    def unavailable(self: CursorWrapper, sql: Any, params: Any = None) -> Any:
        if f'FROM "{wanted}"' in sql:
            raise OperationalError("the connection was closed")
        return execute(self, sql, params)

    page = Page("orders", cookie)
    with monkeypatch.context() as patched:
        patched.setattr(CursorWrapper, "execute", unavailable)
        assert await page.open()
        assert await page.closed_with() == consumer.UNAVAILABLE
    assert HUB.watcher_count == 0


async def test_the_websocket_is_accepted_before_the_session_is_read(
    other: Connection, log_in: LogIn
) -> None:
    """A handshake that waited for the others' reads failed without a reason after five seconds."""
    pages = [Page("orders", await log_in()) for _ in range(3)]
    async with other.transaction():
        await other.execute("LOCK TABLE django_session")
        for page in pages:
            assert await page.open()
    for page in pages:
        assert (await page.told())["group"] == "orders"
        await page.close()


async def test_a_user_without_a_role_is_refused(log_in: LogIn) -> None:
    page = Page("orders", await log_in(None))

    assert await page.open()
    assert await page.closed_with() == sessions.NOT_ALLOWED


@pytest.mark.parametrize("role", list(staff_roles.ROLES))
async def test_every_role_is_accepted(role: str, log_in: LogIn) -> None:
    page = Page("orders", await log_in(role))

    assert await page.open()
    assert (await page.told())["group"] == "orders"
    await page.close()


@pytest.mark.parametrize(
    "origin",
    ["https://elsewhere.example", "http://localhost:9999", "http://127.0.0.1:8000", "null", ""],
)
async def test_a_websocket_from_another_origin_is_refused(origin: str, log_in: LogIn) -> None:
    """A browser sends the session's cookie along, from any page."""
    assert not await Page("orders", await log_in(), origin).open()


async def test_the_group_with_the_empty_id_is_watched(log_in: LogIn) -> None:
    page = Page("", await log_in())

    assert await page.open()
    assert await page.told() == {"group": "", "revision": 0}
    await page.close()


@pytest.mark.parametrize("group_id", [None, "x" * 1_025])
async def test_an_unknown_group_is_refused(group_id: str | None, log_in: LogIn) -> None:
    page = Page(group_id, await log_in())

    assert await page.open()
    assert await page.closed_with() == consumer.GROUP_ID_MISSING


async def test_the_websockets_of_a_process_are_limited(
    open_page: Open, log_in: LogIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    await open_page("orders")
    monkeypatch.setattr(hub, "WATCHERS_MAX", 1)
    late = Page("orders", await log_in(staff_roles.OPERATOR))

    assert await late.open()
    assert await late.closed_with() == consumer.TOO_MANY


async def test_the_websockets_of_a_user_are_limited(
    open_page: Open, log_in: LogIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "SOCKETS_A_USER_MAX", 2)
    for group_id in ("orders", "bills"):
        await open_page(group_id)
    cookie = await log_in(staff_roles.OPERATOR)
    theirs = [Page("orders", cookie) for _ in range(3)]

    for page in theirs:
        assert await page.open()

    assert await theirs[2].closed_with() == consumer.TOO_MANY
    for page in theirs:
        await page.close()


def log_out(key: str) -> None:
    """In any process: the session's row goes."""
    Session.objects.get(session_key=key).delete()


def lock_out(key: str) -> None:
    """Whose session it is may log in no more."""
    who(key).update(is_active=False)


def change_password(key: str) -> None:
    """Every other session of theirs has ended."""
    user = who(key).get()
    user.set_password("another one")
    user.save()


def take_role(key: str) -> None:
    """They are logged in, and have no rights."""
    who(key).get().groups.clear()


def who(key: str) -> "models.QuerySet[User]":
    """Whose session it is."""
    session = Session.objects.get(session_key=key).get_decoded()
    return User.objects.filter(pk=session["_auth_user_id"])


@pytest.mark.parametrize(
    ("what", "code"),
    [
        (log_out, sessions.NOT_LOGGED_IN),
        (lock_out, sessions.NOT_LOGGED_IN),
        (change_password, sessions.NOT_LOGGED_IN),
        (take_role, sessions.NOT_ALLOWED),
    ],
)
async def test_a_websocket_ends_with_the_session_and_the_right(
    what: Callable[[str], None],
    code: int,
    log_in: LogIn,
    open_page: Open,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sessions, "LOOK_S", 0.05)
    other = await open_page("orders")  # of a user who stays
    cookie = await log_in()
    page = Page("orders", cookie)
    assert await page.open()
    assert "revision" in await page.told()

    await database_sync_to_async(what)(cookie.partition("=")[2])

    assert await page.closed_with() == code
    await page.close()
    assert await other.socket.receive_nothing()
    assert HUB.watcher_count == 1
