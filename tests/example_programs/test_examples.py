"""``examples/`` does what its pages say: each as processes, some of which are killed."""

import asyncio
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psycopg
import pytest

from benchmarks.wire import create_topic
from launcher.installation import CHECKOUT, Installation
from rollcall.testing import Coordinator
from tests.clients import builds
from tests.docs.test_pages import LINK
from tests.launcher.waiting import until

EXAMPLES = CHECKOUT / "examples"
PATIENCE_S = 60.0
OURS = ("ROLLCALL_", "DJANGO_", "EXAMPLE_", "POD_NAME")

Start = Callable[..., "Process"]


class Process:
    """An example that runs; ``said`` are its lines."""

    def __init__(self, command: list[str], folder: Path, environ: dict[str, str]) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        paths = {
            "PYTHONPATH": os.pathsep.join(map(str, (folder, CHECKOUT))),
            "PYTHONUNBUFFERED": "1",
        }
        self.said: list[str] = []
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env={**kept, **paths, **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        self.said.extend(line.rstrip("\n") for line in self._process.stdout)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal if it has not ended, and wait for the end; its status."""
        self._process.send_signal(number)
        status = self._process.wait(PATIENCE_S)
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()
        return status

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts examples, and ends them with the test."""
    begun: list[Process] = []

    def run(*command: str, folder: Path = EXAMPLES, **environ: str) -> Process:
        begun.append(Process([sys.executable, *command], folder, environ))
        return begun[-1]

    yield run
    for process in begun:
        process.end(signal.SIGKILL)  # also one that has ended by itself: its output is still open


@pytest.fixture
def coordinator() -> Iterator[Coordinator]:
    """Rules in memory; each example creates the topics that it needs."""
    with Coordinator() as started:
        yield started


@pytest.fixture
def posted() -> Iterator[tuple[str, list[str]]]:
    """The address of a web server, and the paths that were asked of it."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            paths.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def do_GET(self) -> None:
            self.answer()

        def do_POST(self) -> None:
            self.answer()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", paths
    server.shutdown()
    server.server_close()


def test_one_leads_and_another_when_it_ends(coordinator: Coordinator, start: Start) -> None:
    coordinator.set_topic("leadership", 1)
    anna, ben = (start("leader_election.py", coordinator.bootstrap) for _ in range(2))
    until(lambda: len(coordinator.members("nightly-report")) == 2, "both", PATIENCE_S)
    until(lambda: anna.said or ben.said, "one leads", PATIENCE_S)
    first, other = (anna, ben) if anna.said else (ben, anna)
    assert first.said[0].startswith("leading under token") and other.said == []
    assert first.end() == 0
    until(lambda: other.said, "the other leads", PATIENCE_S)
    assert int(other.said[0].split()[-1]) > int(first.said[0].split()[-1])


def test_crawlers_finish_their_page_and_crawl_none_twice(
    coordinator: Coordinator, start: Start, posted: tuple[str, list[str]]
) -> None:
    url, paths = posted
    coordinator.set_topic("sites", 4)
    anna = start("crawler.py", coordinator.bootstrap, url)
    until(lambda: len(paths) > 10, "it crawls", PATIENCE_S)
    start("crawler.py", coordinator.bootstrap, url)
    until(lambda: len(coordinator.members("crawlers")) == 2, "another one", PATIENCE_S)
    assert anna.end() == 0
    until(lambda: len(set(paths)) == 200, "all pages", PATIENCE_S)
    assert Counter(paths).most_common(1)[0][1] == 1, "none twice, though all sites moved"


@pytest.mark.long
def test_shards_of_a_pod_stay_over_its_restart(coordinator: Coordinator, start: Start) -> None:
    coordinator.set_topic("devices", 4)
    pods = {}
    for name in ("gateway-0", "gateway-1"):
        pods[name] = start("iot_shards.py", coordinator.bootstrap, POD_NAME=name)
        until(lambda: len(coordinator.members("gateways")) == len(pods), name, PATIENCE_S)
    zero, one = pods.values()
    until(lambda: len(held(zero)) == len(held(one)) == 2, "two each", PATIENCE_S)
    shards, said = held(zero), list(one.said)
    assert zero.end() == 0
    again = start("iot_shards.py", coordinator.bootstrap, POD_NAME="gateway-0")
    until(lambda: held(again) == shards, "the same shards", PATIENCE_S)
    assert one.said == said, "nothing moved at the other one"


def held(pod: Process) -> set[str]:
    """The shards to which it is connected now."""
    now = set[str]()
    for line in pod.said:
        what, _, shard = line.partition(" ")
        (now.add if what == "connect" else now.discard)(shard)
    return now


def test_the_names_of_the_manifest_are_the_programs() -> None:
    manifest = (EXAMPLES / "iot_shards.yaml").read_text()
    program = (EXAMPLES / "iot_shards.py").read_text()
    assert "name: POD_NAME" in manifest and 'os.environ["POD_NAME"]' in program
    (grace,) = re.findall(r"terminationGracePeriodSeconds: (\d+)", manifest)
    (session,) = re.findall(r"session_timeout_ms=([\d_]+)", program)
    assert int(grace) * 1000 < int(session)


@pytest.mark.long
def test_schedules_of_tenants_run_in_one_process_and_then_in_another(
    coordinator: Coordinator, start: Start, tmp_path: Path
) -> None:
    coordinator.set_topic("tenants", 4)
    folder, database = EXAMPLES / "tenant_schedules", tmp_path / "tenants.sqlite3"
    environ = {
        "DJANGO_SETTINGS_MODULE": "settings",
        "EXAMPLE_BOOTSTRAP": coordinator.bootstrap,
        "EXAMPLE_DATABASE": str(database),
    }
    django = ("-m", "django")
    for command in (
        ("makemigrations", "--check"),
        ("migrate", "-v0"),
        ("shell", "-c", MAKE_SCHEDULES),
    ):
        process = start(*django, *command, folder=folder, **environ)
        until(lambda process=process: not process.runs, command[0], PATIENCE_S)  # type: ignore[misc]
    running = (*django, "rollcall_worker", "tenants.workers.run_due")
    anna, _ben = (start(*running, folder=folder, **environ) for _ in range(2))

    def ran() -> list[tuple[int, int]]:
        connection = sqlite3.connect(database)
        try:
            return connection.execute("SELECT runs, fence FROM tenants_schedule").fetchall()
        finally:
            connection.close()

    until(lambda: len(coordinator.members("schedules")) == 2, "both", PATIENCE_S)
    until(lambda: min(runs for runs, _ in ran()) >= 2, "each ran twice", PATIENCE_S)
    anna.end()
    before = {number: runs for number, (runs, _) in enumerate(ran())}
    until(
        lambda: all(runs > before[number] for number, (runs, _) in enumerate(ran())),
        "all go on",
        PATIENCE_S,
    )


MAKE_SCHEDULES = """
from django.utils import timezone
from tenants.models import Schedule
for number in range(8):
    Schedule(tenant=f"tenant-{number}", every_s=0.1, due_at=timezone.now()).save()
"""


@pytest.mark.long
def test_a_fleet_shares_the_shards_whose_tasks_it_sends(
    coordinator: Coordinator, start: Start
) -> None:
    coordinator.set_topic("customers", 4)
    options = ("--pool=threads", "--without-gossip", "--without-mingle")
    anna, ben = (
        start(
            *("-m", "celery", "-A", "examples.celery_fleet", "worker", f"-n{name}@here", *options),
            folder=CHECKOUT,
            ROLLCALL_EXAMPLE_BOOTSTRAP=coordinator.bootstrap,
        )
        for name in ("anna", "ben")
    )
    until(lambda: len(coordinator.members("billing-fleet")) == 2, "both", PATIENCE_S)
    until(lambda: len(billed(anna, 5)) == len(billed(ben, 5)) == 2, "two each", PATIENCE_S)
    assert billed(anna, 5).isdisjoint(billed(ben, 5))
    anna.end()
    until(lambda: len(billed(ben, 9)) == 4, "all are Ben's", PATIENCE_S)


def billed(worker: Process, last: int) -> set[str]:
    """The shards of the last tasks that a worker ran."""
    tasks = [found[1] for line in list(worker.said) if (found := re.search(r"bill (\d) \d", line))]
    return set(tasks[-last:])


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.skipif(os.environ.get(builds.VARIABLE) != "all", reason="`make clients` runs it")
@pytest.mark.parametrize("language", ["java", "go"])
def test_a_webhook_dispatcher_posts_in_order(
    language: str,
    posted: tuple[str, list[str]],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    """Stock clients fetch records, so these talk to an installation."""
    command = dispatcher(language, tmp_path)
    installation = request.getfixturevalue("installation")
    asyncio.run(create_topic(installation.kafka, "endpoints", 3))
    url, paths = posted
    for endpoint in range(3):
        (tmp_path / str(endpoint)).mkdir()
        for number in range(4):
            (tmp_path / str(endpoint) / f"{number}.json").write_text("{}")
    process = subprocess.Popen(
        [*command, installation.kafka, str(tmp_path), url],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "WEBHOOK_GROUP": f"webhooks-{language}"},
    )
    try:
        until(lambda: len(paths) == 12, "all deliveries", 2 * PATIENCE_S)
        assert Counter(paths) == {f"/{number}": 4 for number in range(3)}
    finally:
        process.kill()
        process.wait()


@pytest.mark.long
@pytest.mark.timeout(200)
def test_each_row_of_the_outbox_makes_one_invoice(installation: Installation, start: Start) -> None:
    """One poller is killed while it works, another one is stopped and goes on."""
    asyncio.run(create_topic(installation.kafka, "outbox", 6))
    url = (installation.data_dir / "database-url").read_text().strip()
    with psycopg.connect(url, autocommit=True) as database:
        database.execute(DROP)
        database.execute((EXAMPLES / "outbox.sql").read_text())
        try:
            write(database, 0, 400)
            command = ("outbox_poller.py", installation.kafka, url)
            dies, _lives = (start(*command) for _ in range(2))
            until(lambda: invoices(database), "the first ones", PATIENCE_S)
            write(database, 400, 800)
            dies.end(signal.SIGKILL)
            write(database, 800, 1000)
            start(*command)
            until(lambda: len(invoices(database)) >= 1000, "all", 2 * PATIENCE_S)
            assert invoices(database) == list(range(1000)), "none twice"
        finally:
            database.execute(DROP)


DROP = """
    DROP TABLE IF EXISTS outbox, outbox_shard, invoice; DROP FUNCTION IF EXISTS outbox_number
"""


def write(database: "psycopg.Connection[tuple[Any, ...]]", first: int, end: int) -> None:
    """Rows of all shards, in transactions of their own."""
    for number in range(first, end):
        database.execute(
            "INSERT INTO outbox (shard, payload) VALUES (%s, to_jsonb(%s))", [number % 6, number]
        )


def invoices(database: "psycopg.Connection[tuple[Any, ...]]") -> list[int]:
    """The payloads of all invoices, sorted."""
    rows = database.execute("SELECT payload::int FROM invoice ORDER BY 1").fetchall()
    return [number for (number,) in rows]


def dispatcher(language: str, folder: Path) -> list[str]:
    """How the example is run; skips where its language is not installed."""
    source = EXAMPLES / "webhook_dispatcher"
    if language == "java":
        libraries = builds.built(
            "java"
        )  # the stock clients' libraries, as tests of these fetch them
        return ["java", "-cp", f"{libraries}/lib/*", str(source / "Dispatcher.java")]
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    program = folder / "dispatcher"
    subprocess.run(["go", "build", "-o", str(program), "."], cwd=source, check=True, timeout=300)
    return [str(program)]


def test_every_example_is_in_the_table_and_says_when_not_to() -> None:
    page = (EXAMPLES / "README.md").read_text()
    linked = {(EXAMPLES / link).resolve() for link in LINK.findall(page)}
    here = {
        path
        for path in EXAMPLES.iterdir()
        if path.name not in ("README.md", "__init__.py") and not path.name.startswith("_")
    }
    assert here <= linked
    rows = [line for line in page.splitlines() if line.startswith("| [")]
    assert rows and all(len(row.split("|")[3].strip()) > 20 for row in rows)
