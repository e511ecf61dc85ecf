"""``python -m tests.upgrade.rolling``: a cluster of the last release is upgraded node by node, and
goes back, under stock clients of both protocols that commit all the time; what they noticed of each
step.
"""

import io
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from launcher import ports, postgres
from launcher.installation import CHECKOUT
from tests.hosts.members import GROUPS, Members
from tests.launcher.conftest import data_folder
from tests.launcher.waiting import until

EARLIER = "d305320a7a029b0110f46083e4518f8c7f3a5e9f"
"""The release 0.2.0."""
LAST_MIGRATION = "0094_database_of_the_timeline"
NODES = 3

GENERATIONS = "SELECT group_id, generation FROM rollcall_group WHERE group_id = ANY(%s)"


def has_earlier() -> bool:
    """Whether this checkout has the earlier commit; a shallow clone does not."""
    asked = ["git", "cat-file", "-e", EARLIER]
    return subprocess.run(asked, cwd=CHECKOUT, capture_output=True, check=False).returncode == 0


def unpack_earlier(folder: Path) -> Path:
    """The tree of the earlier version; it runs with the packages of this one."""
    asked = ["git", "archive", EARLIER]
    packed = subprocess.run(asked, cwd=CHECKOUT, capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


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

    @property
    def reached(self) -> dict[str, str]:
        """How a stock client reaches it."""
        return {"bootstrap.servers": ",".join(f"127.0.0.1:{port}" for port in self.ports)}

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

    def generations(self, *groups: str) -> dict[str, int]:
        """Of these groups: a rebalance raises it."""
        with psycopg.connect(self.environ["ROLLCALL_DATABASE_URL"]) as connection:
            rows = connection.execute(GENERATIONS.encode(), [list(groups)]).fetchall()
        return dict(rows)

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


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """On a database of its own; whatever it has started ends with the block."""
    with postgres.serve(folder / "server", throwaway=True) as url:
        made = Cluster(folder, url)
        try:
            yield made
        finally:
            for begun in made.others:
                begun.kill()
                begun.wait()


@dataclass(slots=True)
class Step:
    """What members noticed of one: the longest pause of a partition's commits in seconds, errors
    after which they committed again, and what must not have happened."""

    name: str
    paused_s: float
    repeated: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        repeated = ", ".join(f"{n} {name}" for name, n in sorted(self.repeated.items())) or "none"
        said = "; ".join(self.violations) or "holds"
        return f"{self.name:28} commits pause {self.paused_s:5.2f} s; repeated: {repeated}; {said}"


class Rolling:
    """A cluster of the earlier version, and members that work; ``play`` upgrades it and goes
    back."""

    def __init__(self, cluster: Cluster, earlier: Path) -> None:
        self._cluster, self._earlier = cluster, earlier
        cluster.manage(earlier, "setup")
        for node_id in range(NODES):
            cluster.start(node_id, earlier)
        self._members = Members(cluster.reached)

    def play(self) -> Iterator[Step]:
        """Each step as docs/operating.md has it (*Upgrading a cluster, and going back*)."""
        with self._members.working():
            yield self._step("nothing", lambda: None)
            yield self._step("the tables are migrated", self._migrate)
            for node_id in range(NODES):
                yield self._step(f"node {node_id} is upgraded", partial(self._replace, node_id))
            yield self._step("all nodes go back at once", self._go_back)

    def _migrate(self) -> None:
        self._cluster.manage(CHECKOUT, "setup")

    def _replace(self, node_id: int) -> None:
        self._cluster.stop(node_id)
        self._cluster.start(node_id, CHECKOUT)

    def _go_back(self) -> None:
        for node_id in range(NODES):
            self._cluster.stop(node_id)
        self._cluster.manage(CHECKOUT, "migrate", "groups", LAST_MIGRATION)
        for node_id in range(NODES):
            self._cluster.start(node_id, self._earlier)

    def _step(self, name: str, act: Callable[[], None]) -> Step:
        """Do it, and wait until every partition is committed again."""
        members = self._members
        lost = sum(each.lost for each in members.all)
        before = self._cluster.generations(*GROUPS)
        began = time.monotonic()
        act()
        members.settle()
        step = Step(name, members.ledger.gap(began))
        for member in members.all:
            step.repeated.update(member.repeated)
            step.violations += [f"a commit failed: {error.name()}" for error in member.failures]
            member.repeated.clear()
            member.failures.clear()
        after = self._cluster.generations(*GROUPS)
        moved = [group for group in GROUPS if before[group] != after[group]]
        step.violations += [f"{group} rebalanced" for group in moved]
        if gone := sum(each.lost for each in members.all) - lost:
            step.violations.append(f"{gone} members lost their partitions")
        return step


def main() -> int:
    """Print what members noticed of each step; 1 if one should not have been noticed."""
    steps = []
    with data_folder() as folder, tempfile.TemporaryDirectory() as earlier, cluster(folder) as made:
        for step in Rolling(made, unpack_earlier(Path(earlier))).play():
            print(step, flush=True)
            steps.append(step)
    return int(any(step.violations for step in steps))


if __name__ == "__main__":
    sys.exit(main())
