"""Websockets to the web process's own application, over real sessions, real groups and a real
doorbell. What is written here is committed, and removed afterwards."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.contrib.auth.models import Group as Role
from django.contrib.auth.models import User
from django.db import connection as django_connection
from django.test import Client

from console.live import routing
from console.live.hub import HUB
from console.people import staff_roles
from groups.postgres import connections
from tests import rows

PATIENCE_S = 20
"""Longer than any push takes, on a machine that does much else."""

ORIGIN = "http://localhost:8000"


class Page:
    """A page's websocket, as a browser opens it."""

    def __init__(self, group_id: str | None, cookie: str = "", origin: str = ORIGIN) -> None:
        query = "" if group_id is None else f"?group_id={quote(group_id, safe='')}"
        headers = [
            (b"host", ORIGIN.removeprefix("http://").encode()),
            (b"origin", origin.encode()),
            (b"cookie", cookie.encode()),
        ]
        self.socket: Any = WebsocketCommunicator(
            routing.application, f"/ws/groups/{query}", headers
        )

    async def open(self) -> bool:
        """Shake hands; whether that went well."""
        is_open, _ = await self.socket.connect(PATIENCE_S)
        return bool(is_open)

    async def told(self) -> dict[str, Any]:
        """The next push."""
        found: dict[str, Any] = await self.socket.receive_json_from(PATIENCE_S)
        return found

    async def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first push that is wanted."""
        while not wanted(push := await self.told()):
            pass
        return push

    async def until_revision(self, revision: int) -> None:
        """Wait until this revision was pushed."""
        await self.until(lambda push: push.get("revision") == revision)

    async def until_refresh(self) -> None:
        """Wait until a refresh was pushed."""
        await self.until(lambda push: "look" in push)

    async def closed_with(self) -> int:
        """The code of the close that follows."""
        end = await self.socket.receive_output(PATIENCE_S)
        assert end["type"] == "websocket.close"
        return int(end["code"])

    async def close(self) -> None:
        """Leave, as a browser does when another page is opened."""
        await self.socket.disconnect(timeout=PATIENCE_S)


LogIn = Callable[..., Awaitable[str]]
Open = Callable[..., Awaitable[Page]]


@pytest.fixture(autouse=True)
def _prepared(database_url: str) -> None:
    """No groups."""
    rows.empty(database_url)


@pytest.fixture
async def other(_prepared: None) -> AsyncIterator[connections.Connection]:
    """A connection with every right: as the groups' owner, or to cause faults."""
    async with await connections.connect("other", options="") as made:
        yield made


@pytest.fixture
async def log_in(_prepared: None) -> AsyncIterator[LogIn]:
    """Makes a user with a role, and returns the cookie of its session."""
    made: list[User] = []

    def begin(role: str | None) -> str:
        user = User.objects.create_user(f"live-{uuid4()}", is_staff=True)
        made.append(user)
        if role is not None:
            user.groups.add(Role.objects.get(name=role))
        client = Client()
        client.force_login(user)
        return f"{settings.SESSION_COOKIE_NAME}={client.session.session_key}"

    def end() -> None:
        for user in made:
            user.delete()
        django_connection.close()

    async def logged_in(role: str | None = staff_roles.VIEWER) -> str:
        cookie: str = await database_sync_to_async(begin)(role)
        return cookie

    yield logged_in
    await sync_to_async(end)()


@pytest.fixture
async def open_page(log_in: LogIn) -> AsyncIterator[Open]:
    """Opens pages of groups for one Viewer; each is closed with the test.

    With the first one the process begins to listen, which it has done already.
    """
    cookie = await log_in()
    pages: list[Page] = []

    async def opened(group_id: str) -> Page:
        page = Page(group_id, cookie)
        is_first = HUB.watcher_count == 0
        assert await page.open()
        pages.append(page)
        if is_first:
            await page.until_refresh()
        return page

    yield opened
    for page in pages:
        await page.close()
