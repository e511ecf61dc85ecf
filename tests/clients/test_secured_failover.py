"""Three nodes at three addresses of loopback, behind TLS and SCRAM: one is killed under stock
clients and comes back. Nobody is removed, and no commit is lost."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest

from groups.core.journal import EntryKind, Trigger
from groups.core.rows import SLOTS, slot_of
from launcher import own_secrets, ports
from launcher.installation import CHECKOUT, Installation
from tests.api.test_installation import Rest
from tests.clients.conftest import SESSION_MS, Start, Worker
from tests.clients.test_drains import GROUPS, NEWEST
from tests.installations import SETTINGS
from tests.launcher.waiting import until
from tests.security import options
from tests.security.certificates import Certificates
from tests.security.doors import Door
from tests.security.test_stock_clients import make_user

HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
PYTHON = ("kafka-python", "aiokafka", "confluent-kafka", "confluent-kafka-848")
OTHERS = ("java", "franz-go")
JOINS_AGAIN = "franz-go"
"""Where its request for the coordinator meets the dead node, and the next one the moment without
an owner, it ends its generation and joins again as the same member (docs/clients.md)."""
VICTIM = 1
ROUNDS = 3
"""Commits of each worker before a node dies, after it, and when it is back."""

SCRAM = {
    "security.protocol": "SASL_SSL",
    "sasl.mechanisms": "SCRAM-SHA-512",
    "sasl.username": "ann",
    "sasl.password": "a secret",
}
OWNED = "SELECT slot FROM rollcall_slot WHERE node_id = %s"
WHAT = "SELECT group_id, kind, trigger FROM rollcall_journal WHERE group_id LIKE %s AND id > %s"
OFFSETS = "SELECT partition, committed_offset FROM rollcall_offset WHERE group_id = %s"


class Cluster:
    """The first node and all the rest of an installation by the launcher; the others by ours."""

    def __init__(self, running: Installation, port: int, door: Door) -> None:
        self.running = running
        self.port = port
        self.door = door
        self.nodes: dict[int, subprocess.Popen[bytes]] = {}
        url = (running.data_dir / "database-url").read_text().strip()
        self._environ = {
            **os.environ,
            **running.settings,
            "ROLLCALL_DATABASE_ROLES": "logins",
            "ROLLCALL_DATABASE_URL": url,
            "ROLLCALL_DATA_DIR": str(running.data_dir),
        }
        self._database = psycopg.connect(url, autocommit=True)

    def rows_of(self, statement: str, *values: Any) -> list[Any]:
        """Rows of the database."""
        return self._database.execute(statement.encode(), values).fetchall()

    def owned(self, node: int) -> set[int]:
        """The slots of a node."""
        return {slot for (slot,) in self.rows_of(OWNED, node)}

    def start(self, node: int) -> None:
        """A node at its own address, as on a machine of its own."""
        listener = {"ROLLCALL_LISTENERS": f"SASL_SSL://{HOSTS[node]}:{self.port}"}
        self.nodes[node] = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "launcher.program",
                "node",
                f"--node-id={node}",
                "--draft-port=0",
            ],
            cwd=CHECKOUT,
            env=own_secrets.of("node", {**self._environ, **listener}),
        )

    def kill(self, node: int) -> None:
        """Without a word of farewell."""
        process = self.nodes.pop(node)
        process.kill()
        process.wait()

    def end(self) -> None:
        """Of what was started here."""
        for node in list(self.nodes):
            self.kill(node)
        self._database.close()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder: Path = tmp_path_factory.mktemp("three")
    certificates = Certificates.make(folder)
    [port] = ports.free(1)
    settings = {
        **SETTINGS,
        "ROLLCALL_LISTENERS": f"SASL_SSL://{HOSTS[0]}:{port}",
        "ROLLCALL_SSL_KEYSTORE_LOCATION": str(certificates.server),
    }
    bootstrap = ",".join(f"{host}:{port}" for host in HOSTS)
    with Installation(settings) as running, ExitStack() as stack:
        make_user(running, "ann", "a secret")
        made = Cluster(running, port, Door(bootstrap, SCRAM, str(certificates.ca)))
        stack.callback(made.end)
        for node in range(1, len(HOSTS)):
            made.start(node)
        shared(made)
        yield made


def shared(cluster: Cluster) -> None:
    """Wait until each node has its share of the slots."""
    least = SLOTS // len(HOSTS)
    until(
        lambda: all(len(cluster.owned(node)) >= least for node in range(len(HOSTS))),
        "each node has its share",
    )


def named(name: str, slots: set[int]) -> str:
    """A name of a group that one of these slots has."""
    return next(each for n in range(10_000) if slot_of(each := f"{name}-{n}") in slots)


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.parametrize("libraries", [PYTHON, OTHERS], ids=["python", "others"])
def test_nobody_is_removed_and_no_commit_is_lost_when_a_node_dies(
    cluster: Cluster, start: Start, name: str, libraries: Sequence[str]
) -> None:
    slots, rest = cluster.owned(VICTIM), Rest(cluster.running.web)
    groups = [named(f"{name}-{library}", slots) for library in libraries]
    workers = []
    for library, group in zip(libraries, groups, strict=True):
        assert rest.ask("POST", "/topics", {"name": group, "partitions": 3})[0] == 201
        more = options.words(library, cluster.door)
        workers.append(start(library, cluster.door.address, group, SESSION_MS, *more))
    for worker in workers:
        owns_all(worker)
    before, ((newest,),) = cluster.rows_of(GROUPS, f"{name}%"), cluster.rows_of(NEWEST)
    ended = threading.Event()
    with ThreadPoolExecutor(len(workers)) as pool:
        committing = [pool.submit(committed, worker, ended) for worker in workers]
        try:
            on(workers)
            cluster.kill(VICTIM)
            until(lambda: not cluster.owned(VICTIM), "the others have its slots")
            on(workers)
            cluster.start(VICTIM)
            shared(cluster)
            on(workers)
        finally:
            ended.set()
    for each, group in zip(committing, groups, strict=True):
        assert dict(cluster.rows_of(OFFSETS, group)) == dict.fromkeys(range(3), each.result())
    after = cluster.rows_of(GROUPS, f"{name}%")
    assert members(after) == members(before)
    assert settled(after) == settled(before)
    entries = cluster.rows_of(WHAT, f"{name}%", newest)
    assert settled(entries) == []
    started = {cause for _, kind, cause in entries if kind == EntryKind.REBALANCE_STARTED}
    assert started <= {Trigger.METADATA_CHANGED}, entries


def members(rows: Sequence[Any]) -> list[Any]:
    """Each group with its members, whatever its generation."""
    return [(group, members) for group, _, members in rows]


def settled(rows: Sequence[Any]) -> list[Any]:
    """Those of groups whose clients keep their generation."""
    return [row for row in rows if f"-{JOINS_AGAIN}-" not in row[0]]


def owns_all(worker: Worker) -> None:
    """It is alone in its group."""
    worker.until(lambda: len(worker.owned) == 3, "all three")


def committed(worker: Worker, ended: threading.Event) -> int:
    """Commit one offset after the other for everything it owns, and find each; the last one."""
    offset = 0
    while not ended.is_set():
        offset += 1
        while not (found := worker.attempt(offset)):  # refused, or it owns nothing just now
            continue
        assert set(found.values()) == {offset} and len(found) == 3, (offset, found)
    return offset


def on(workers: Sequence[Worker]) -> None:
    """Wait until each has committed some more."""
    for worker in workers:
        seen = len(worker.events) + ROUNDS
        worker.until(lambda: len(worker.events) >= seen, "it goes on")  # noqa: B023  (at once)
