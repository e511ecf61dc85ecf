"""PostgreSQL is killed under all processes at once: each logs one line, and continues."""

import os
import signal
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import LiteralString

import psutil
import psycopg
import pytest

from launcher.installation import Installation
from tests.processes import told

pytestmark = [pytest.mark.long, pytest.mark.timeout(180)]

STATES = ("the lease ran out", "the lease is held again", "gives its slots", "serving ")
"""What a node says of itself, once each: an outage changes what it may do."""


@pytest.fixture(autouse=True)
def _prepared() -> None:
    """The installation has a database of its own."""


@pytest.fixture
def two_nodes() -> Iterator[Installation]:
    """An installation to itself: its log is counted."""
    with Installation({"ROLLCALL_NODES": "2"}) as running:
        yield running


def test_a_killed_postgresql_is_one_log_line_of_each_process(
    two_nodes: Installation,
) -> None:
    """Nodes, web and worker; no traceback; periodic work and nodes continue."""
    runs = swept(two_nodes)
    two_nodes.log.clear()
    for pid in servers(two_nodes):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    while swept(two_nodes) < runs + 3:
        ask_the_web(two_nodes)
        time.sleep(0.1)

    said = [line.rstrip() for line in list(two_nodes.log)]
    assert not [line for line in said if "Traceback" in line or '  File "' in line]
    ours = [line for line in said if "|" in line and not line.startswith("postgres")]
    counts = Counter(
        line.partition("|")[0].strip()
        for line in ours
        if not any(state in line for state in STATES)
    )
    assert {"node 0", "node 1", "web"} <= counts.keys(), "those that meet the outage for certain"
    assert all(count <= 1 for count in counts.values()), "\n".join(ours)


def test_a_read_only_postgresql_ends_no_process(two_nodes: Installation) -> None:
    """Taking a task is a write, and so is scheduling one: both continue afterwards."""
    runs = swept(two_nodes)
    two_nodes.log.clear()
    administer(two_nodes, "ALTER SYSTEM SET default_transaction_read_only = on")
    while not any("worker" in line and "read-only" in line for line in list(two_nodes.log)):
        ask_the_web(two_nodes)
        time.sleep(0.1)
    administer(two_nodes, "ALTER SYSTEM RESET default_transaction_read_only")
    while swept(two_nodes) < runs + 3:
        time.sleep(0.1)

    said = [line.rstrip() for line in list(two_nodes.log)]
    ours = [line for line in said if not line.startswith("postgres")]
    wrong = ("Traceback", '  File "', "ended with status", "Unrecoverable")
    assert not [line for line in ours if any(word in line for word in wrong)], "\n".join(ours)


def administer(installation: Installation, statement: LiteralString) -> None:
    """Change a setting of PostgreSQL's, whatever it is set to."""
    url = (installation.data_dir / "database-url").read_text().strip()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute(statement)
        connection.execute("SELECT pg_reload_conf()")


def servers(installation: Installation) -> list[int]:
    """The process ids of PostgreSQL's postmaster and of all its children."""
    names = told(installation, psutil.Process.name)
    return [pid for pid, name in names.items() if name == "postgres"]


def ask_the_web(installation: Installation) -> None:
    """A request that needs the database, whatever comes of it."""
    with suppress(urllib.error.URLError, OSError):
        urllib.request.urlopen(f"{installation.web}/readyz", timeout=5).close()


def swept(installation: Installation) -> int:
    """How often the session sweep has run; 0 while that is unknown."""
    url = (installation.data_dir / "database-url").read_text().strip()
    with suppress(psycopg.Error), psycopg.connect(url, connect_timeout=2) as connection:
        row = connection.execute(
            "SELECT runs FROM rollcall_sweep WHERE name = 'session sweep'"
        ).fetchone()
        return int(row[0]) if row else 0
    return 0
