"""``python -m launcher.screenshots FOLDER``: pictures of the admin's pages, for the README and
docs/operating.md.

Starts an installation of its own in a temporary folder, lets the demo play in it, walks the pages
in a headless browser as an operator would, and stops everything. Needs playwright, which is among
the development tools, and a browser of the machine's own. The server uses nothing of this.
"""

import argparse
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from launcher import trouble_scenes
from launcher.commands import CHECKOUT
from launcher.installation import Installation

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SIZE = {"width": 1400, "height": 900}

USER = "olga"
GROUP = "demo-orders"
TIMELINE = "demo-letters"
"""Five members, of which some come, leave and die while the others are pictured."""
TABS = ("members", "rebalances", "offsets", "configuration")
REASON = "worker 3 was moved to another machine"

PLAY_S = 45.0
"""How long the demo plays before the first picture: a rebalance or two in each group."""

REPORT_S = 240.0
"""How long an analysis may take: the first one starts a Java machine."""

PAGE_MS = 30_000
SETTLE_MS = 1_200
"""Fonts, bars and the live part are there by then."""


class Camera:
    """A browser window that is logged in, and the folder that its pictures go to."""

    def __init__(self, page: Any, folder: Path) -> None:
        self.page = page
        self.folder = folder

    def go(self, path: str) -> None:
        """Open a page."""
        self.page.goto(path)

    def take(self, name: str) -> None:
        """A picture of the window as it is."""
        self.page.wait_for_timeout(SETTLE_MS)
        target = self.folder / f"{name}.png"
        self.page.screenshot(path=target)
        say(f"{target}")

    def download(self, path: str, name: str) -> None:
        """What a page offers as a file."""
        target = self.folder / name
        target.write_bytes(self.page.request.get(path).body())
        say(f"{target}")

    def log_in(self, password: str) -> None:
        """By the login page."""
        self.go("/admin/")
        self.page.get_by_label("Username").fill(USER)
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Log in").click()


def walk(camera: Camera) -> None:
    """The pages of a fleet at work, an operator's way through them."""
    camera.go("/admin/")
    camera.take("overview")
    camera.go("/admin/groups/group/")
    camera.take("groups")
    camera.page.get_by_role("link", name=GROUP, exact=True).first.click()
    camera.take("group")
    for name in TABS:
        camera.go(f"/admin/groups/group/{GROUP}/change/?tab={name}")
        open_first(camera.page)
        camera.take(name)
    force(camera)
    camera.go("/admin/groups/node/")
    camera.take("nodes")
    camera.go("/admin/django_celery_beat/periodictask/")
    camera.take("schedule")
    camera.page.emulate_media(color_scheme="dark")
    camera.go(f"/admin/groups/group/{GROUP}/change/")
    camera.take("group-dark")
    camera.page.emulate_media(color_scheme="light")


def since(seconds: float) -> str:
    """The query of the time since so many seconds ago."""
    at = datetime.now(UTC) - timedelta(seconds=seconds)
    return f"since={at:%Y-%m-%dT%H:%M:%S}"


def open_first(page: Any) -> None:
    """The newest rebalance, so that the picture shows what it is made of."""
    line = page.locator(".rc-journal details").first
    if line.count():
        line.locator("summary").click()


def force(camera: Camera) -> None:
    """A rebalance, from the preview to its end. The demo goes on meanwhile: where the group has
    changed since the preview nothing is done, and one looks again. The picture takes a second, in
    which it may change, so the preview that is sent is another one."""
    page = camera.page
    form = f"/admin/groups/group/{GROUP}/rebalance/"
    page.goto(form)
    page.get_by_label("Reason").fill(REASON)
    camera.take("force")
    while "/operation/" not in page.url:
        page.goto(form)
        page.get_by_label("Reason").fill(REASON)
        page.get_by_role("button", name="Force the rebalance").click()
    page.get_by_text("succeeded", exact=True).wait_for()
    page.locator("[data-live-pending]").wait_for(state="detached")
    camera.take("operation")


def analyse(camera: Camera) -> None:
    """A report of what the demo did."""
    camera.go("/admin/groups/reportrun/")
    camera.page.get_by_role("button", name="Analyse now").click()
    camera.page.get_by_text("The analysis was requested").wait_for()
    end = time.monotonic() + REPORT_S
    while camera.page.locator("#result_list").get_by_text("succeeded").count() == 0:
        if time.monotonic() > end:
            raise SystemExit("the analysis did not end in time")
        camera.page.wait_for_timeout(1_000)
        camera.go("/admin/groups/reportrun/")
    camera.go("/admin/groups/reportrun/newest/")
    camera.take("report")


@contextmanager
def demo(bootstrap: str, draft: str) -> Iterator[None]:
    """The demo's members, at work until the end of the block."""
    ports = ("--bootstrap", bootstrap, "--draft", draft)
    program = (sys.executable, "-m", "demo", *ports, "--keep")
    playing = subprocess.Popen([*program, "--pace", "0.6"], cwd=CHECKOUT, stdout=subprocess.DEVNULL)
    try:
        time.sleep(PLAY_S)
        yield
    finally:
        playing.send_signal(signal.SIGINT)
        playing.wait()


@contextmanager
def camera_at(web: str, folder: Path) -> Iterator[Camera]:
    """A headless browser before the installation."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise SystemExit(f"needs a browser: one of {', '.join(BROWSERS)}")
    # Inside a container root has no other sandbox.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        context = browser.new_context(viewport=SIZE, base_url=web, color_scheme="light")
        context.set_default_timeout(PAGE_MS)
        yield Camera(context.new_page(), folder)
        browser.close()


def say(text: str) -> None:
    """One line of what happens."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Take them all."""
    parser = argparse.ArgumentParser(prog="python -m launcher.screenshots", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--only-trouble", action="store_true", help="groups in trouble alone")
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    password = secrets.token_urlsafe(12)
    token = secrets.token_urlsafe(32)
    first = {"ROLLCALL_ADMIN_USER": USER, "ROLLCALL_ADMIN_PASSWORD": password}
    first |= {"ROLLCALL_API_TOKEN": token, **trouble_scenes.SETTINGS}
    with Installation(first) as installation, camera_at(installation.web, folder) as camera:
        camera.log_in(password)
        database = (installation.data_dir / "database-url").read_text().strip()
        trouble_scenes.play(camera, installation.kafka, installation.web, database, token)
        if arguments.only_trouble:
            return
        say(f"the demo plays for {PLAY_S:.0f} s")
        began = time.monotonic()
        with demo(installation.kafka, installation.draft):
            walk(camera)
            analyse(camera)
            told = since(time.monotonic() - began)
            camera.download(f"/admin/groups/group/{TIMELINE}/picture/?{told}", "timeline.svg")


if __name__ == "__main__":
    main()
