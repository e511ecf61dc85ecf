"""Nodes of an earlier version and of this one beside each other on one database: one by one there,
and back, under a stock client that commits all the time."""

import io
import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from launcher import ports, postgres
from launcher.installation import CHECKOUT
from tests.launcher.conftest import folder
from tests.launcher.test_hosts import GENERATIONS, GROUP, Worker
from tests.launcher.waiting import until

__all__ = ["folder"]

EARLIER = "ea8abe5c8e495138674203c97051564e42ee0250"
"""The last commit before the migrations that this test goes through, and back."""
LAST_MIGRATION = "0066_marks"
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

    def start(self, node_id: int, tree: Path) -> None:
        """Start it, and wait until it serves."""
        ready = self.folder / f"ready-{node_id}"
        ready.unlink(missing_ok=True)
        where = (f"--node-id={node_id}", f"--port={self.ports[node_id]}", "--draft-port=-1")
        self.nodes[node_id] = node = subprocess.Popen(
            [sys.executable, "-m", "launcher.program", "node", *where],
            cwd=tree,
            env={**self.environ, "ROLLCALL_READY_FILE": str(ready)},
        )
        until(lambda: ready.exists() or node.poll() is not None, f"node {node_id}", patience_s=60)
        assert node.poll() is None

    def stop(self, node_id: int) -> None:
        """As an operator does."""
        node = self.nodes.pop(node_id)
        node.send_signal(signal.SIGTERM)
        assert node.wait(20) == 0

    def manage(self, tree: Path, *words: str) -> None:
        """A command of manage.py of this version."""
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            command, cwd=tree, env=self.environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


@pytest.fixture
def cluster(folder: Path) -> Iterator[Cluster]:
    with postgres.serve(folder / "server", throwaway=True) as url:
        made = Cluster(folder, url)
        yield made
        for node in made.nodes.values():
            node.kill()
            node.wait()


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
