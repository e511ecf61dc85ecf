"""Groups in trouble, for the pictures of ``launcher.screenshots``: stuck, frozen, stopped, altered,
deleted while its page is open, in a storm, large, of thousands, and a page without its server.

Each is caused as in practice: by clients that hang, leave or commit, and by REST; but the group of
thousands is rows alone.
"""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import httpx

from launcher.commands import CHECKOUT

STORM_AT: Final = 5
"""Rebalances within an hour that are a storm, for these pictures."""

SETTINGS: Final = {"ROLLCALL_ATTENTION_REBALANCES_PER_HOUR": str(STORM_AT)}

CROWD: Final = 300
HOST: Final = 5_000
"""Members of a group that are rows alone: so many clients would take minutes to join."""

LOST_MS: Final = 30_000
PHONE: Final = {"width": 360, "height": 780}
DESK: Final = {"width": 1400, "height": 900}
PATIENCE_MS: Final = 180_000

ADMIN: Final = """
import sys
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient
bootstrap, verb, group = sys.argv[1:]
admin = AdminClient({"bootstrap.servers": bootstrap, "client.id": "a-script"})
if verb == "alter":
    wanted = ConsumerGroupTopicPartitions(group, [TopicPartition(group, 1, 42)])
    [one.result() for one in admin.alter_consumer_group_offsets([wanted]).values()]
else:
    [one.result() for one in admin.delete_consumer_groups([group]).values()]
"""
"""A script of a user, with a stock client."""


class Stage:
    """The installation, and the members of the scenes."""

    def __init__(self, camera: Any, kafka: str, web: str, database: str, token: str) -> None:
        self.camera, self.page, self.kafka = camera, camera.page, kafka
        self.database = database
        self.rest = httpx.Client(
            base_url=f"{web.rstrip('/')}/api/v1",
            headers={"Authorization": f"Bearer {token}", "Prefer": "wait=20"},
            timeout=60,
        )
        self.members: list[subprocess.Popen[bytes]] = []

    def topic(self, name: str, partitions: int = 12) -> None:
        """Create the topic of a group of this name."""
        self.rest.post("topics", json={"name": name, "partitions": partitions}).raise_for_status()

    def post(self, path: str, **body: str) -> None:
        """Send a request of an operator."""
        self.rest.post(path, json=body).raise_for_status()

    def join(self, group: str, name: str, *count: str) -> subprocess.Popen[bytes]:
        """Start a member; with a count, so many members."""
        program = (sys.executable, "-m", "launcher.scene_members", self.kafka, group, name, *count)
        quiet = subprocess.DEVNULL
        self.members.append(subprocess.Popen(program, cwd=CHECKOUT, stdout=quiet, stderr=quiet))
        return self.members[-1]

    def script(self, verb: str, group: str) -> None:
        """Run a user's script."""
        program = (sys.executable, "-c", ADMIN, self.kafka, verb, group)
        subprocess.run(program, check=True, cwd=CHECKOUT)

    def settled(self, group: str, text: str = "Settled") -> None:
        """Open the group's page, and wait until it shows this text."""
        while (self.page.goto(f"/admin/groups/group/{group}/change/")).status == 404:
            self.page.wait_for_timeout(500)
        self.expect(text)

    def expect(self, text: str) -> None:
        """Wait until the first line of the page shows this text."""
        line = self.page.locator("#situation").get_by_text(re.compile(text))
        line.wait_for(timeout=PATIENCE_MS)

    def take(self, name: str) -> None:
        """A picture of what is on the page."""
        self.camera.take(f"trouble-{name}")


@contextmanager
def stage(camera: Any, kafka: str, web: str, database: str, token: str) -> Iterator[Stage]:
    """Start a stage; its members end with the block."""
    made = Stage(camera, kafka, web, database, token)
    try:
        yield made
    finally:
        for member in made.members:
            member.send_signal(signal.SIGCONT)
            member.kill()
            member.wait()


def stuck(stage: Stage) -> None:
    """A member hangs, and a new member waits for it."""
    stage.topic("returns")
    ben = stage.join("returns", "ben")
    stage.settled("returns")
    ben.send_signal(signal.SIGSTOP)
    stage.join("returns", "dan")
    stage.expect("Waiting for ben .silent")
    stage.take("stuck")
    stage.page.set_viewport_size(PHONE)
    stage.take("stuck-phone")
    stage.page.set_viewport_size(DESK)


def frozen(stage: Stage) -> None:
    """An operator froze the group until a time, and a new member waits."""
    stage.topic("payments")
    stage.join("payments", "fred")
    stage.settled("payments")
    stage.post("groups/payments/freeze", reason="the month is closed", until="2999-01-01T10:00:00Z")
    stage.join("payments", "gina")
    stage.expect("gina waits to join")
    stage.take("frozen")


def stopped(stage: Stage) -> None:
    """An operator stopped the work."""
    stage.topic("labels")
    stage.join("labels", "printer", "3")
    stage.settled("labels", "3 members own")
    stage.post("groups/labels/pause", reason="the printer is serviced")
    stage.expect("Stopped by")
    stage.take("stopped")


def altered(stage: Stage) -> None:
    """A script set offsets of a group whose members have left."""
    stage.topic("refunds")
    alma = stage.join("refunds", "alma")
    stage.settled("refunds")
    stage.page.wait_for_timeout(4_000)  # until something is committed
    alma.kill()
    alma.wait()
    for member in stage.rest.get("groups/refunds/members").json()["data"]:
        path = f"groups/refunds/members/{member['member_id']}"
        stage.rest.request("DELETE", path, json={"reason": "it has ended"})
    stage.expect("has no members")
    stage.script("alter", "refunds")
    stage.page.get_by_text("Client a-script").first.wait_for()
    stage.take("altered")
    stage.script("delete", "refunds")
    stage.expect("Deleted by client")
    stage.take("deleted")


def storm(stage: Stage) -> None:
    """A group that rebalances again and again."""
    stage.topic("parcels")
    stage.join("parcels", "pat")
    stage.settled("parcels")
    for number in range(STORM_AT + 1):
        stage.post("groups/parcels/rebalances", reason=f"deployment {number + 1}")
    stage.page.goto("/admin/groups/group/parcels/change/")
    stage.page.get_by_text("again and again").first.wait_for()
    stage.take("storm")


def large(stage: Stage) -> None:
    """A group of hundreds."""
    stage.topic("sorting", 3_000)
    stage.join("sorting", "sorter", str(CROWD))
    stage.settled("sorting", f"{CROWD} members own 3,000")
    stage.take("large")


def thousands(stage: Stage) -> None:
    """A group of thousands: who owns what."""
    group = "scanning"
    rows = (stage.database, group, str(HOST), str(10 * HOST), "scanner-hall-3")
    subprocess.run(
        (sys.executable, "-m", "benchmarks.large_group", *rows), check=True, cwd=CHECKOUT
    )
    stage.settled(group, f"{HOST:,} members own {10 * HOST:,}")
    stage.page.locator("#heat").wait_for()
    stage.take("thousands")


def fleet(stage: Stage) -> None:
    """All of them at a glance, the palette, and a page whose server is gone."""
    page = stage.page
    page.goto("/admin/")
    stage.take("overview")
    page.goto("/admin/groups/group/")
    stage.take("groups")
    page.wait_for_load_state()  # before that no key is handled
    page.keyboard.press("Control+k")
    page.get_by_role("searchbox", name="Find or do").wait_for()
    page.keyboard.type("freeze pay")
    page.get_by_text("Freeze or thaw payments").wait_for()
    stage.take("palette")
    page.goto("/admin/groups/group/returns/change/")
    page.context.set_offline(True)
    page.locator("[data-live-lost]").wait_for(state="visible", timeout=LOST_MS)
    stage.take("server-gone")
    page.context.set_offline(False)


SCENES: Final = (stuck, frozen, stopped, altered, storm, large, thousands, fleet)


def play(camera: Any, kafka: str, web: str, database: str, token: str) -> None:
    """Take all pictures, one scene after the other. ``database``: the URL of PostgreSQL."""
    with stage(camera, kafka, web, database, token) as made:
        for scene in SCENES:
            scene(made)
