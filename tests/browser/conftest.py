"""A real browser before a real installation, with people of each role and stock clients."""

import asyncio
import os
import shutil
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import psycopg
import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Response,
    StorageState,
    expect,
    sync_playwright,
)

from benchmarks.wire import create_topic
from console.people.staff_roles import ROLES
from launcher.installation import Installation
from launcher.screenshots import BROWSERS
from tests.clients.conftest import start as start

SHELL = "chromium-headless-shell"
"""Chromium without its windows: the same pages for a third of the processor."""

SIZE = {"width": 1400, "height": 900}

CLIPBOARD = ["clipboard-read", "clipboard-write"]

PATIENCE_MS = 30_000
"""Longer than any page takes, on a machine that does much else."""

PASSWORD = "a long enough password"

expect.set_options(timeout=PATIENCE_MS)

ADD_USER = """
INSERT INTO auth_user (username, password, first_name, last_name, email, is_staff, is_active,
                       is_superuser, date_joined)
VALUES (%s, %s, '', '', '', true, true, false, now()) RETURNING id
"""

ADD_ROLE = """
INSERT INTO auth_user_groups (user_id, group_id) SELECT %s, id FROM auth_group WHERE name = %s
"""


class World:
    """The installation, and its database for what no page shows."""

    def __init__(self, installation: Installation) -> None:
        self.kafka = installation.kafka
        self.web = installation.web.rstrip("/")
        self.url = (installation.data_dir / "database-url").read_text().strip()

    def execute(self, statement: str, *parameters: Any) -> list[Any]:
        """One statement, committed; its rows, if it has any."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), parameters)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture(scope="session")
def world(installation: Installation) -> World:
    """The installation, with a user named after each role."""
    made = World(installation)
    secret = PBKDF2PasswordHasher().encode(PASSWORD, "salt", iterations=1)
    for role in ROLES:
        ((user_id,),) = made.execute(ADD_USER, role.lower(), secret)
        made.execute(ADD_ROLE, user_id, role)
    return made


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The browser that this machine has: one start, which costs as much as several tests.

    Not for the whole session: while it is there, playwright's event loop runs in this thread, and
    tests elsewhere that have loops of their own could not start them.
    """
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f"needs a browser: one of {', '.join(BROWSERS)}")
    # Without a graphics card one would be imitated, which takes a quarter of the browser's time.
    flags = ["--disable-gpu"]
    if not program.endswith(SHELL):  # which draws no frame of a larger page with that
        flags.append("--in-process-gpu")
    if os.geteuid() == 0:
        flags.append("--no-sandbox")  # inside a container root has no other sandbox
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=flags)
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def sessions() -> dict[str, StorageState]:
    """The cookies of each role that has logged in: the login page and the overview, which come
    first, cost as much as a small test."""
    return {}


class LogIn(Protocol):
    """What ``log_in`` gives."""

    def __call__(self, role: str, at: str = "/admin/", *, script: bool = True) -> Page: ...


def _by_the_login_page(page: Page, role: str) -> StorageState:
    page.goto("/admin/")
    page.get_by_label("Username").fill(role.lower())
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    return page.context.storage_state()


@pytest.fixture
def log_in(world: World, browser: Browser, sessions: dict[str, StorageState]) -> Iterator[LogIn]:
    """Opens a page of the site as a user of a role, in a window of their own. The first of a
    role logs in by the login page; those after it have their session.

    A page that throws an error, requests a missing file, or does what the site's own policy
    forbids (Content-Security-Policy) fails its test.
    """
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def note(answer: Response) -> None:
        if answer.status >= 500:
            errors.append(f"{answer.status} {answer.url}")

    def hear(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            errors.append(message.text)

    def logged_in(role: str, at: str = "/admin/", *, script: bool = True) -> Page:
        known = sessions.get(role)
        context = browser.new_context(
            viewport=SIZE,
            base_url=world.web,
            permissions=CLIPBOARD,
            storage_state=known,
            java_script_enabled=script,
        )
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("response", note)
        page.on("console", hear)
        if known is None:
            sessions[role] = _by_the_login_page(page, role)
        if known is not None or at != "/admin/":
            page.goto(at)
        return page

    yield logged_in
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def topic(world: World, name: str) -> str:
    """A topic of six partitions."""
    with ThreadPoolExecutor(1) as beside:  # for the same reason
        beside.submit(asyncio.run, create_topic(world.kafka, name, 6)).result()
    return name


@pytest.fixture
def name() -> str:
    """A name that nothing else has."""
    return f"b-{os.getpid()}-{uuid.uuid4().hex[:8]}"
