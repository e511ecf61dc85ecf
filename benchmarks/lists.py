"""How long REST's lists take: groups in every order among 50,000, a group of 5,000 page by page.

The rows are written by SQL: nobody beats, and only the web and PostgreSQL have work. Each request
is repeated; the best and the median are printed, since the machine may do other things. A page
further on costs what the first one does, unless its cursor is not found by an index. CPU is that of
the web and of PostgreSQL for a page in the mean, and tells more on a machine that does much else.
"""

import http.client
import json
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Final, Protocol, Self
from urllib.parse import urlsplit

import psycopg

from benchmarks.machine import databases, spending
from benchmarks.options import Options
from groups.core.rows import slot_of
from launcher.installation import Installation

GROUPS: Final = 50_000
LARGE: Final = 5_000
ROUNDS: Final = 5
FURTHER: Final = 3
"""Pages of each order that are read behind the first."""

LIST_GOAL_MS: Final = 300
MEMBERS_GOAL_MS: Final = 200

TOKEN: Final = "lists-" + "0" * 32
ORDERINGS: Final = (
    *("group_id", "type", "state", "state_since", "generation", "member_count"),
    *("topic_count", "partition_count", "unowned", "created_at", "updated_at"),
)
COLUMNS: Final = (
    *("group_id", "slot", "kind", "state", "generation", "protocol_type", "protocol_name"),
    *("leader", "details", "revision", "state_since", "created_at", "updated_at"),
)
MEMBERS_PATH: Final = "/api/v1/groups/large/members"
LISTS: Final[Sequence[tuple[str, int | None, int]]] = (
    *(
        (f"/api/v1/groups?ordering={sign}{name}", FURTHER + 1, LIST_GOAL_MS)
        for name in ORDERINGS
        for sign in ("", "-")
    ),
    (MEMBERS_PATH, None, MEMBERS_GOAL_MS),
    (f"{MEMBERS_PATH}?ordering=joined_at", None, MEMBERS_GOAL_MS),
)
"""Path, how many pages are read (None: all), and the goal."""

KINDS: Final = (("classic", "Stable"), ("consumer", "Stable"), ("classic", "Empty"))
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)

MEMBERS: Final = """
INSERT INTO rollcall_member (group_id, member_id, client_id, client_host, session_timeout_ms,
                             rebalance_timeout_ms, position, subscription, assignment, details,
                             joined_at)
SELECT g.group_id, 'm-' || k, 'client-' || k, '/10.0.0.1', 45000, 60000, k, '', '', '{}', now()
FROM rollcall_group g,
     generate_series(1, CASE WHEN g.group_id = 'large' THEN %s ELSE g.generation %% 4 END) k
"""
COUNTS: Final = """
INSERT INTO rollcall_group_counts (group_id, members, topics, partitions, unowned, last_rebalance)
SELECT g.group_id, coalesce(m.members, 0), generation % 5, generation % 89, generation % 7,
       coalesce(j.newest, 0)
FROM rollcall_group g
LEFT JOIN (SELECT group_id, count(*) AS members FROM rollcall_member GROUP BY 1) m USING (group_id)
LEFT JOIN (SELECT group_id, max(id) AS newest FROM rollcall_journal GROUP BY 1) j USING (group_id)
ON CONFLICT (group_id) DO NOTHING
"""
"""As if their owners had counted them; those of other groups have."""

JOURNAL: Final = """
INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason, client_reason,
                              generation_before, generation_after, waited_for, joined, "left",
                              details)
SELECT now(), group_id, n, 0, 'rebalance-completed', 'member-left', '', '', n, n + 1, '{}', '[]',
       '[]', '{}'
FROM rollcall_group, generate_series(1, 2) n
"""


def fill(url: str, groups: int = GROUPS, large: int = LARGE) -> None:
    """The groups, with none to three members each, and the large one."""
    with psycopg.connect(url) as connection:
        names = ", ".join(COLUMNS)
        with connection.cursor().copy(f"COPY rollcall_group ({names}) FROM STDIN".encode()) as copy:
            for number in range(groups):
                name = "large" if number == 0 else f"group-{number * 7919 % groups:05}"
                kind, state = KINDS[number % len(KINDS)]
                columns = (
                    name,
                    slot_of(name),
                    kind,
                    state,
                    number % 97,
                    "consumer",
                    "range",
                    "m-1",
                )
                copy.write_row((*columns, '{"synced": true}', 1, NOW, NOW, NOW))
        connection.execute(MEMBERS.encode(), [large])
        connection.execute(JOURNAL.encode())
        connection.execute(COUNTS.encode())
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


class Web:
    """One connection to the web of an installation."""

    def __init__(self, url: str, token: str = TOKEN) -> None:
        parts = urlsplit(url)
        self._headers = {"Authorization": f"Bearer {token}"}
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def pages(self, path: str) -> Iterator[float]:
        """How long each page of a list takes, in milliseconds."""
        following: str | None = path
        while following:
            began = time.perf_counter()
            target = following.partition("/api/")[2]
            self._connection.request("GET", f"/api/{target}", headers=self._headers)
            answer = self._connection.getresponse()
            body = answer.read()
            yield (time.perf_counter() - began) * 1000
            if answer.status != 200:
                raise RuntimeError(f"{path}: {answer.status} {body[:200]!r}")
            following = json.loads(body)["next"]


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds: the slowest page's best time and median, and the CPU of a page in the mean."""

    best: float
    median: float
    cpu: float


class Reader(Protocol):
    """What asks the web for pages."""

    def pages(self, path: str) -> Iterator[float]:
        """How long each page of a list takes, in milliseconds."""
        ...


def measured(
    running: Installation, web: Reader, path: str, rounds: int, most: int | None
) -> Measured:
    """Read ``most`` pages of a list, or all, so many times."""
    working = [running.web_pid(), *databases(running.pids())]
    with spending(lambda: working) as spent:
        rows = [list(islice(web.pages(path), most)) for _ in range(rounds)]
    pages = list(zip(*rows, strict=True))
    cpu = spent.cpu_s * 1000 / (rounds * len(pages))
    return Measured(max(map(min, pages)), max(map(statistics.median, pages)), cpu)


def main(options: Options) -> bool:
    """Print a line for each list."""
    rounds = options.rounds or ROUNDS
    settings = {"ROLLCALL_API_TOKEN": TOKEN, "ROLLCALL_WEB_REST_READS_PER_MINUTE": "0"}
    with Installation(settings) as running:
        fill((running.data_dir / "database-url").read_text().strip())
        with Web(running.web) as web:
            next(iter(web.pages("/api/v1/groups")))
            print(f"{'':56}{'best':>7}{'median':>8}{'CPU':>7}   goal (ms, of the slowest page)")
            for path, most, goal in LISTS:
                told = measured(running, web, path, rounds, most)
                figures = f"{told.best:7.0f}{told.median:8.0f}{told.cpu:7.0f}"
                print(f"{path:56}{figures}   {goal}", flush=True)
    return True
