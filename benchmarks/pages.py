"""How long the admin's pages take: 50,000 groups in every order, the tabs of a group of 5,000.

The rows are those of ``lists``, and a topic of 50,000 partitions that the large group's members
own. The server's part alone: no browser, no pictures. Best, median and CPU as there.
"""

import http.client
import re
import struct
import time
from collections.abc import Iterator
from typing import Final, Self
from urllib.parse import urlencode, urlsplit

import psycopg

from benchmarks import lists
from benchmarks.options import Options
from groups.core.assignment import assignment_of
from groups.core.subscription import pack_protocols
from launcher.installation import Installation

USER, PASSWORD = "olga", "pages-" + "0" * 20
PARTITIONS: Final = 50_000
TOPIC: Final = "large"
ORDERS: Final = ("size", "topics", "partitions", "unowned", "often", "last", "state_shown")
TABS: Final = ("owners", "members", "rebalances", "offsets", "configuration")
LIST_GOAL_MS: Final = 300
TAB_GOAL_MS: Final = 1_000

PAGES: Final = (
    *(
        (f"/admin/groups/group/?o={sign}{name}", LIST_GOAL_MS)
        for name in ORDERS
        for sign in ("", "-")
    ),
    *((f"/admin/groups/group/large/change/?tab={tab}", TAB_GOAL_MS) for tab in TABS),
)

SHARES: Final = """
UPDATE rollcall_member m SET subscription = s.subscription, assignment = s.assignment
FROM unnest(%(member_id)s::text[], %(subscription)b::bytea[], %(assignment)b::bytea[])
     AS s(member_id, subscription, assignment)
WHERE m.group_id = 'large' AND m.member_id = s.member_id
"""
CATALOGUE: Final = """
INSERT INTO rollcall_topic (name, topic_id, partitions, end_offsets, racks, created_at)
VALUES (%s, gen_random_uuid(), %s, '{}', '[]', now())
"""
OFFSETS: Final = """
INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch, metadata,
    committed_at)
SELECT 'large', %s, n, n, -1, '', now() FROM generate_series(0, %s - 1) n
"""


def share(url: str, members: int = lists.LARGE, partitions: int = PARTITIONS) -> None:
    """Let the members of the large group own the partitions of a topic, evenly."""
    topic = struct.pack(f">h{len(TOPIC)}s", len(TOPIC), TOPIC.encode())
    metadata = struct.pack(">hI", 0, 1) + topic + struct.pack(">i", -1)
    shares = {
        "member_id": [f"m-{number + 1}" for number in range(members)],
        "subscription": [pack_protocols((("range", metadata),))] * members,
        "assignment": [
            assignment_of([(TOPIC, part) for part in range(number, partitions, members)], 0)
            for number in range(members)
        ],
    }
    with psycopg.connect(url) as connection:
        connection.execute(SHARES.encode(), shares)
        connection.execute(CATALOGUE.encode(), [TOPIC, partitions])
        connection.execute(OFFSETS.encode(), [TOPIC, partitions])
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


class Browser:
    """A connection to the web with the session of an administrator."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
        self._cookies: dict[str, str] = {}

    def __enter__(self) -> Self:
        self._ask("GET", "/admin/login/")
        token = self._cookies["rollcall_csrf"]
        said = {"username": USER, "password": PASSWORD, "csrfmiddlewaretoken": token}
        status, _ = self._ask("POST", "/admin/login/", urlencode({**said, "next": "/admin/"}))
        if status != http.client.FOUND:
            raise RuntimeError(f"the login was answered {status}")
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def pages(self, path: str) -> Iterator[float]:
        """How long the page takes, in milliseconds: one."""
        began = time.perf_counter()
        status, body = self._ask("GET", path)
        yield (time.perf_counter() - began) * 1_000
        if status != http.client.OK:
            raise RuntimeError(f"{path}: {status} {body[:200]!r}")

    def _ask(self, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        for cookie in answer.headers.get_all("Set-Cookie") or ():
            if found := re.match(r"([^=]+)=([^;]*)", cookie):
                self._cookies[found[1]] = found[2]
        return answer.status, answer.read()


def main(options: Options) -> bool:
    """Print a line for each page."""
    rounds = options.rounds or lists.ROUNDS
    settings = {"ROLLCALL_ADMIN_USER": USER, "ROLLCALL_ADMIN_PASSWORD": PASSWORD}
    with Installation(settings) as running:
        url = (running.data_dir / "database-url").read_text().strip()
        lists.fill(url)
        share(url)
        with Browser(running.web) as browser:
            next(browser.pages("/admin/"))
            print(f"{'':56}{'best':>7}{'median':>8}{'CPU':>7}   goal (ms)")
            for path, goal in PAGES:
                told = lists.measured(running, browser, path, rounds, 1)
                figures = f"{told.best:7.0f}{told.median:8.0f}{told.cpu:7.0f}"
                print(f"{path:56}{figures}   {goal}", flush=True)
    return True
