"""Two hosts on one database: each a launcher at an address of its own, as on machines of their
own."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from launcher import ports, postgres
from launcher.installation import CHECKOUT
from tests.launcher.conftest import Launch
from tests.launcher.waiting import until

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

HOSTS = ("127.0.0.2", "127.0.0.3")
STARTS_S = 200
"""Within which a process has started and found out that it may not."""
GROUP, TOPIC = "packers", "orders"
AGAIN = {
    KafkaError.NOT_COORDINATOR,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError._WAIT_COORD,
    KafkaError._TRANSPORT,
    KafkaError._TIMED_OUT,
    KafkaError.REQUEST_TIMED_OUT,
}
"""What a client asks again after."""

GENERATIONS = "SELECT max(generation) FROM rollcall_group WHERE group_id = %s"
BEATS = "SELECT count(*) FROM rollcall_beat_lease WHERE until > now()"


@pytest.fixture
def url(folder: Path) -> Iterator[str]:
    """A database that the hosts share."""
    with postgres.serve(folder / "theirs", throwaway=True) as served:
        yield served


class Hosts:
    """Launchers by name."""

    def __init__(self, folder: Path, url: str, launch: Launch) -> None:
        self.folder, self.launch = folder, launch
        (self.port,) = ports.free(1)
        self.database = psycopg.connect(url, autocommit=True)
        self.shared = {
            "ROLLCALL_DATABASE_URL": url,
            "ROLLCALL_DATABASE_MAY_BE_UNSAFE": "on",
            "ROLLCALL_KAFKA_PORT": str(self.port),
            "ROLLCALL_DRAFT_PORT": "0",
            "ROLLCALL_WEB_PORT": "0",
            "DJANGO_SETTINGS_MODULE": "",
        }

    def start(self, name: str, host: str, processes: str = "node,web,worker,beat") -> Any:
        """Begin to start it."""
        return self.launch(
            "-m",
            "launcher",
            **self.shared,
            ROLLCALL_DATA_DIR=str(self.folder / name),
            ROLLCALL_HOST=host,
            ROLLCALL_WEB_HOST=host,
            ROLLCALL_PROCESSES=processes,
        )

    def value(self, statement: str, *values: Any) -> Any:
        """One value of the database."""
        row = self.database.execute(statement.encode(), values).fetchone()
        return row and row[0]

    def nodes(self) -> dict[int, str]:
        """The addresses of the nodes, by id."""
        return dict(self.database.execute("SELECT node_id, host FROM rollcall_node").fetchall())


@pytest.fixture
def hosts(folder: Path, url: str, launch: Launch) -> Iterator[Hosts]:
    made = Hosts(folder, url, launch)
    yield made
    made.database.close()


def serves(launcher: "subprocess.Popen[str]") -> str:
    """Its line, once it serves."""
    assert launcher.stdout is not None and launcher.stderr is not None
    line = launcher.stdout.readline()
    assert line.startswith("ready"), launcher.stderr.read()[-3000:]
    Thread(target=launcher.stderr.read, daemon=True).start()  # a full pipe drops lines
    return line.strip()


def refused(launcher: "subprocess.Popen[str]") -> str:
    """Why it does not start."""
    out, said = launcher.communicate(timeout=STARTS_S)
    assert (launcher.returncode, out) == (1, "") and "Traceback" not in said, said[-3000:]
    return str(said)


class Worker(Thread):
    """A stock consumer that commits again and again, and what it noticed."""

    def __init__(self, bootstrap: str) -> None:
        super().__init__(daemon=True)
        self.bootstrap, self.ended = bootstrap, Event()
        self.commits, self.acknowledged = 0, 0
        self.failures: list[Any] = []

    def create_topic(self) -> None:
        """Of one partition."""
        admin = AdminClient({"bootstrap.servers": self.bootstrap})
        admin.create_topics([NewTopic(TOPIC, 1, 1)])[TOPIC].result(30)

    def run(self) -> None:
        consumer = Consumer(
            {
                "bootstrap.servers": self.bootstrap,
                "group.id": GROUP,
                "enable.auto.commit": False,
                # Longer than any outage here: the client itself joins again after it.
                "session.timeout.ms": 300_000,
                "heartbeat.interval.ms": 500,
            }
        )
        consumer.subscribe([TOPIC])
        while not self.ended.is_set():
            consumer.poll(0.02)
            if consumer.assignment():
                self.commit(consumer)
        consumer.close()

    def commit(self, consumer: Consumer) -> None:
        """The next offset."""
        self.commits += 1
        offsets = [TopicPartition(TOPIC, 0, self.commits)]
        try:
            consumer.commit(offsets=offsets, asynchronous=False)
        except KafkaException as error:
            if error.args[0].code() not in AGAIN:
                self.failures.append(error)
        else:
            self.acknowledged = self.commits

    def goes_on(self, commits: int = 20) -> None:
        """Wait for so many more commits."""
        wanted = self.acknowledged + commits
        until(lambda: self.acknowledged >= wanted, f"{wanted} commits", patience_s=60)


def test_two_hosts_serve_one_truth(hosts: Hosts) -> None:
    one = hosts.start("one", HOSTS[0])
    line = serves(one)
    assert line.startswith(f"ready kafka={HOSTS[0]}:{hosts.port} draft={HOSTS[0]}:")
    assert f"web=http://{HOSTS[0]}:" in line
    other = hosts.start("other", HOSTS[1])
    serves(other)
    assert hosts.nodes() == {0: HOSTS[0], 1: HOSTS[1]}
    assert hosts.value(BEATS) == 1

    bootstrap = ",".join(f"{host}:{hosts.port}" for host in HOSTS)
    worker = Worker(bootstrap)
    worker.create_topic()
    worker.start()
    worker.goes_on()
    generation = hosts.value(GENERATIONS, GROUP)

    for name, host, launcher, number in (
        ("other", HOSTS[1], other, signal.SIGTERM),
        ("one", HOSTS[0], one, signal.SIGKILL),
    ):
        launcher.send_signal(number)
        launcher.wait(20)
        worker.goes_on()
        again = hosts.start(name, host, "node,beat")
        assert "web=" not in serves(again)
        worker.goes_on()
    worker.ended.set()
    worker.join(30)

    assert hosts.nodes() == {0: HOSTS[0], 1: HOSTS[1]}, "a restart is the same node"
    assert not worker.failures
    assert hosts.value(GENERATIONS, GROUP) in (generation, generation + 1), "its own end at most"
    offset = "SELECT committed_offset FROM rollcall_offset WHERE group_id = %s"
    assert hosts.value(offset, GROUP) in (worker.acknowledged, worker.commits)
    until(lambda: hosts.value(BEATS) == 1, "one schedules")


def test_a_copy_of_a_data_directory_is_refused_with_a_sentence(hosts: Hosts) -> None:
    original = hosts.start("one", HOSTS[0], "node")
    serves(original)
    shutil.copytree(hosts.folder / "one", hosts.folder / "copy")
    said = refused(hosts.start("copy", HOSTS[1], "node"))
    assert "Node 0, of the data directory" in said and "delete" in said
    taken = node(hosts, 0)
    assert "another process serves as node 0" in taken and "Traceback" not in taken

    original.send_signal(signal.SIGTERM)
    original.wait(20)
    serves(hosts.start("one", HOSTS[0], "node"))
    assert "is a copy of another host's" in refused(hosts.start("copy", HOSTS[1], "node"))
    (hosts.folder / "copy" / "node-ids").unlink()
    serves(hosts.start("copy", HOSTS[1], "node"))
    assert hosts.nodes() == {0: HOSTS[0], 1: HOSTS[1]}


def test_one_data_directory_has_one_launcher(hosts: Hosts) -> None:
    serves(hosts.start("one", HOSTS[0], "worker"))
    assert "uses the data directory" in refused(hosts.start("one", HOSTS[1], "web"))


def node(hosts: Hosts, node_id: int) -> str:
    """What a node that is numbered by hand says, and ends."""
    environ = {**os.environ, **hosts.shared, "ROLLCALL_DATA_DIR": str(hosts.folder / "by hand")}
    command = ["-m", "launcher.program", "node", f"--node-id={node_id}", "--port=0"]
    done = subprocess.run(
        [sys.executable, *command],
        cwd=CHECKOUT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=STARTS_S,
        check=False,
    )
    assert done.returncode == 1
    return done.stdout + done.stderr
