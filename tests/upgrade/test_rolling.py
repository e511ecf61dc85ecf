"""Programs of an earlier version and of this one beside each other on one database: nodes one by
one there, and back, under a stock client that commits all the time; web and worker of either
version on the tables of the other."""

import io
import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests

from launcher import ports, postgres
from launcher.installation import CHECKOUT
from tests.launcher.conftest import folder
from tests.launcher.test_hosts import GENERATIONS, GROUP, Worker
from tests.launcher.waiting import until

__all__ = ["folder"]

EARLIER = "d305320a7a029b0110f46083e4518f8c7f3a5e9f"
"""The release 0.2.0."""
LAST_MIGRATION = "0094_database_of_the_timeline"
NODES = 3

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree of the earlier version; it runs with the packages of this one."""
    asked = ["git", "archive", EARLIER]
    packed = subprocess.run(asked, cwd=CHECKOUT, capture_output=True, check=False)
    if packed.returncode != 0:
        pytest.skip("this checkout does not have the earlier commit: a shallow clone")
    made = tmp_path_factory.mktemp("earlier")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(made, filter="data")
    return made


class Cluster:
    """Nodes by id, each of either version, on the ports that they have throughout."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.ports = ports.free(NODES)
        self.environ = {
            **os.environ,
            "ROLLCALL_DATABASE_URL": url,
            "ROLLCALL_DATABASE_MAY_BE_UNSAFE": "on",
            "ROLLCALL_DATA_DIR": str(folder / "data"),
        }
        self.nodes: dict[int, subprocess.Popen[bytes]] = {}
        self.others: list[subprocess.Popen[bytes]] = []

    def start(self, node_id: int, tree: Path) -> None:
        """Start it, and wait until it serves."""
        ready = self.folder / f"ready-{node_id}"
        ready.unlink(missing_ok=True)
        where = (f"--node-id={node_id}", f"--port={self.ports[node_id]}", "--draft-port=-1")
        self.nodes[node_id] = node = self.begin(
            tree, "node", *where, ROLLCALL_READY_FILE=str(ready)
        )
        until(lambda: ready.exists() or node.poll() is not None, f"node {node_id}", patience_s=60)
        assert node.poll() is None

    def begin(self, tree: Path, *program: str, **environ: str) -> "subprocess.Popen[bytes]":
        """Start a program of this version; what it says is in a file of its name."""
        command = [sys.executable, "-m", "launcher.program", *program]
        with self.log(tree, program[0]).open("wb") as log:
            begun = subprocess.Popen(command, cwd=tree, env={**self.environ, **environ}, stderr=log)
        self.others.append(begun)
        return begun

    def log(self, tree: Path, program: str) -> Path:
        """What the latest one of this version has said."""
        return self.folder / f"{tree.name}-{program}.log"

    def value(self, statement: str) -> Any:
        """One value of the database."""
        with psycopg.connect(self.environ["ROLLCALL_DATABASE_URL"]) as connection:
            row = connection.execute(statement.encode()).fetchone()
        assert row is not None
        return row[0]

    def execute(self, *statements: str) -> None:
        """Change the tables."""
        with psycopg.connect(self.environ["ROLLCALL_DATABASE_URL"]) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def stop(self, node_id: int) -> None:
        """As an operator does."""
        node = self.nodes.pop(node_id)
        node.send_signal(signal.SIGTERM)
        assert node.wait(20) == 0

    def manage(self, tree: Path, *words: str) -> str:
        """What a command of manage.py of this version says."""
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            command, cwd=tree, env=self.environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture
def cluster(folder: Path) -> Iterator[Cluster]:
    with postgres.serve(folder / "server", throwaway=True) as url:
        made = Cluster(folder, url)
        yield made
        for begun in made.others:
            begun.kill()
            begun.wait()


def test_nodes_are_upgraded_one_by_one_and_go_back(cluster: Cluster, earlier: Path) -> None:
    cluster.manage(earlier, "setup")
    for node_id in range(NODES):
        cluster.start(node_id, earlier)
    worker = Worker(",".join(f"127.0.0.1:{port}" for port in cluster.ports))
    worker.create_topic()
    worker.start()
    worker.goes_on()
    before = generation(cluster)

    cluster.manage(CHECKOUT, "setup")
    worker.goes_on()
    for node_id in range(NODES):
        cluster.stop(node_id)
        worker.goes_on()
        cluster.start(node_id, CHECKOUT)
        worker.goes_on()
    assert generation(cluster) == before

    for node_id in range(NODES):
        cluster.stop(node_id)
    cluster.manage(CHECKOUT, "migrate", "groups", LAST_MIGRATION)
    for node_id in range(NODES):
        cluster.start(node_id, earlier)
    worker.goes_on()
    assert generation(cluster) == before
    worker.ended.set()
    worker.join(30)
    assert not worker.failures


def generation(cluster: Cluster) -> int:
    """Of the client's group: a rebalance raises it."""
    with psycopg.connect(cluster.environ["ROLLCALL_DATABASE_URL"]) as connection:
        row = connection.execute(GENERATIONS.encode(), [GROUP]).fetchone()
    assert row is not None
    return int(row[0])


RUNS = "SELECT coalesce(sum(runs), 0) FROM rollcall_sweep"
LACKING = (
    "ALTER TABLE rollcall_beat_lease RENAME TO rollcall_later",
    "ALTER TABLE rollcall_node RENAME TO rollcall_later_too",
)
"""As if a migration after 0.2.0 had brought these, for which web and worker ask at once."""
OLDER = "if this version of Rollcall is newer than the database, run its setup"


def test_web_and_worker_of_either_version_meet_the_tables_of_the_other(
    cluster: Cluster, earlier: Path
) -> None:
    cluster.manage(earlier, "setup")
    cluster.start(0, earlier)
    admin = cluster.manage(earlier, "create_token", "upgrade", "--user", "admin")
    web = Console(cluster, earlier, admin)
    worker = cluster.begin(earlier, "worker", "--beat")
    client = Worker(f"127.0.0.1:{cluster.ports[0]}")
    client.create_topic()
    client.start()
    client.goes_on()

    cluster.manage(CHECKOUT, "setup")
    assert web.pages_fail() == []
    before, runs = generation(cluster), cluster.value(RUNS)
    assert web.rebalances() in (200, 201, 202)
    until(lambda: generation(cluster) > before, "a rebalance by the old web", patience_s=60)
    until(lambda: cluster.value(RUNS) > runs, "periodic work by the old worker", patience_s=90)
    client.ended.set()
    client.join(30)
    assert not client.failures and worker.poll() is None

    cluster.stop(0)
    cluster.manage(CHECKOUT, "migrate", "groups", LAST_MIGRATION)
    cluster.execute(*LACKING)
    newer = Console(cluster, CHECKOUT, admin)
    failing = newer.pages_fail()
    assert failing and all(status == 503 and OLDER in text for _, status, text in failing)
    assert cluster.begin(CHECKOUT, "worker", "--beat").wait(120) != 0
    said = cluster.log(CHECKOUT, "worker").read_text()
    assert OLDER in said and "Traceback" not in said


class Console:
    """A web of either version, and a user of it."""

    PAGES = (
        "/api/v1/groups",
        f"/api/v1/groups/{GROUP}",
        f"/api/v1/groups/{GROUP}/members",
        "/api/v1/journal",
        "/api/v1/nodes",
    )

    def __init__(self, cluster: Cluster, tree: Path, token: str) -> None:
        (port,) = ports.free(1)
        self.url = f"http://127.0.0.1:{port}"
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"
        cluster.begin(tree, "web", "-b", "127.0.0.1", "-p", str(port))
        until(self._lives, "the web", patience_s=90)

    def _lives(self) -> bool:
        try:
            return self.session.get(f"{self.url}/livez", timeout=5).ok
        except requests.ConnectionError:
            return False

    def pages_fail(self) -> list[tuple[str, int, str]]:
        """Those that are not answered as they should be, with status and text."""
        found = [(path, self.session.get(self.url + path, timeout=30)) for path in self.PAGES]
        return [(path, answer.status_code, answer.text) for path, answer in found if not answer.ok]

    def rebalances(self) -> int:
        """The status with which it takes a forced rebalance."""
        where = f"{self.url}/api/v1/groups/{GROUP}/rebalances"
        answer = self.session.post(where, json={"reason": "upgrade"}, timeout=30)
        return answer.status_code
