"""A database that the last version left, with groups in it, is brought forward and served."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg
import pytest

from benchmarks.wire import Peer
from launcher.installation import CHECKOUT, Installation
from rollcall.client import BlockingMember
from rollcall.wire.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from tests.store.schema import BASELINE, SCHEMA, dumped
from tests.upgrade.dump import DUMPS, PARTITIONS, PROTOCOLS, TOPIC, offset, program
from tests.upgrade.rolling import LAST_MIGRATION

NAME = "rollcall_of_the_last_version"

RECORDED = re.compile(r"^\('groups', '(\w+)', now\(\)\)", re.MULTILINE)
"""A migration of ours that a new database has."""

SHORT_MS = 6_000
SHORT_SESSIONS = f"UPDATE rollcall_member SET session_timeout_ms = {SHORT_MS}"
"""The members that are in the rows never come back: their sessions may be short, and a restart's
grace none."""

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]


@pytest.fixture(params=sorted(DUMPS.glob("*.sql")), ids=lambda dump: dump.stem)
def last_version(request: pytest.FixtureRequest, database_url: str) -> Iterator[str]:
    """The dump in a database of its own; its roles are the server's."""
    url = urlsplit(database_url)._replace(path=f"/{NAME}_{os.getpid()}").geturl()
    name = urlsplit(url).path.lstrip("/")
    with psycopg.connect(database_url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE template0".encode())
        subprocess.run(
            [program("psql"), "-qX", "-v", "ON_ERROR_STOP=1", "-f", str(request.param), url],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        with psycopg.connect(url) as database:
            database.execute(SHORT_SESSIONS.encode())
        yield url
        server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def test_its_groups_keep_their_offsets_and_continue(last_version: str) -> None:
    settings = {
        "ROLLCALL_DATABASE_URL": last_version,
        "ROLLCALL_DATABASE_MAY_BE_UNSAFE": "on",  # as every database of a run
        "ROLLCALL_GROUP_CONSUMER_SESSION_TIMEOUT_MS": str(SHORT_MS),
        "ROLLCALL_GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS": str(SHORT_MS),
        "ROLLCALL_COORDINATOR_RESTART_GRACE_MS": "0",
    }
    before = generations(last_version)
    with Installation(settings) as running:
        for protocol in PROTOCOLS:
            kept = asyncio.run(committed(running.kafka, protocol))
            assert kept == {n: offset(n) for n in range(PARTITIONS)}, protocol

            bootstrap = running.draft if protocol == "draft" else running.kafka
            with BlockingMember(bootstrap, protocol, [TOPIC], protocol=protocol) as member:
                while len(member.assigned) < PARTITIONS:
                    next(member.changes())
    after = generations(last_version)
    assert before.keys() == set(PROTOCOLS)
    assert all(after[group_id] > generation for group_id, generation in before.items())
    assert dumped(last_version) == SCHEMA.read_text(), "a new database is another one"
    assert migrations(last_version) == set(RECORDED.findall(BASELINE.read_text()))


UPON_ANOTHER = (
    "INSERT INTO rollcall_report_run (id, requested_by, detail, state, rows_of, started_at)"
    " VALUES (1, '', '', 'succeeded', NULL, now()), (2, '', '', 'succeeded', 1, now())",
    "INSERT INTO rollcall_report_row (run_id, from_run, until_run, report, period, keys, figures)"
    " VALUES (1, 1, NULL, 'cost', 'all', '{\"group_id\": \"same\"}', '{\"n\": 1}'),"
    " (1, 1, 2, 'cost', 'all', '{\"group_id\": \"new\"}', '{\"n\": 1}'),"
    " (1, 2, NULL, 'cost', 'all', '{\"group_id\": \"new\"}', '{\"n\": 2}')",
)
"""Two runs of an analysis, the second upon the first, which had one of two groups anew."""


def test_an_earlier_version_finds_the_newest_report_after_the_way_back(last_version: str) -> None:
    migrate(last_version)
    with psycopg.connect(last_version) as database:
        for statement in UPON_ANOTHER:
            database.execute(statement.encode())
    migrate(last_version, LAST_MIGRATION)
    with psycopg.connect(last_version) as database:
        rows = database.execute(
            "SELECT run_id, keys ->> 'group_id', figures ->> 'n' FROM rollcall_report_row"
        ).fetchall()
    assert sorted(rows) == [(2, "new", "2"), (2, "same", "1")]


def migrate(url: str, *to: str) -> None:
    """To this version, or to a migration of an earlier one."""
    words = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    environment = os.environ | {"ROLLCALL_DATABASE_URL": url}
    subprocess.run(
        [*words, *(("groups", *to) if to else ())], cwd=CHECKOUT, env=environment, check=True
    )


def migrations(url: str) -> set[str]:
    """The names of ours that are applied."""
    with psycopg.connect(url) as database:
        rows = database.execute("SELECT name FROM django_migrations WHERE app = 'groups'")
        return {name for (name,) in rows.fetchall()}


def generations(url: str) -> dict[str, int]:
    """Each group's, by its row."""
    with psycopg.connect(url) as database:
        rows = database.execute("SELECT group_id, generation FROM rollcall_group").fetchall()
    return dict(rows)


async def committed(bootstrap: str, group_id: str) -> dict[int, int]:
    """Partition to offset, of whatever the group committed."""
    peer = await Peer.connect(bootstrap)
    group = OffsetFetchRequestGroup(group_id=group_id, topics=None)
    answer = await peer.call(OffsetFetchRequest(groups=[group]), 8)
    peer.close()
    (topic,) = answer.groups[0].topics
    return {p.partition_index: p.committed_offset for p in topic.partitions}
