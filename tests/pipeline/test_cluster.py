"""The same job on a master with two workers, started from the wheel's own ``spark-class``."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark
import pytest

from launcher import ports
from launcher.installation import CHECKOUT
from pipeline import java
from tests.launcher.waiting import until
from tests.pipeline import duck, facts
from tests.pipeline.conftest import oracle, query, report, write
from tests.pipeline.journals import many
from tests.pipeline.test_oracle import assert_reports_are

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

SPARK_CLASS = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
DEPLOY = "org.apache.spark.deploy"
HOST = "127.0.0.1"
WORKERS = 2
PATIENCE_S = 120.0

EVENTS = 20_000
"""Four ranges, so that each of two executors has some to read."""

AS_MUCH_DATA = """
import sys
from pipeline.command import main
from pipeline.steps import run

run.SMALL_BYTES = 0
sys.exit(main(["run", "--whole"]))
"""
"""Little data the driver would read."""


@contextmanager
def daemon(folder: Path, *arguments: str) -> Iterator[None]:
    """One of Spark's own processes; ended by its process id."""
    environ = {
        **os.environ,
        "JAVA_HOME": str(java.home()),
        "SPARK_WORKER_DIR": str(folder),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_DAEMON_MEMORY": "128m",
    }
    with (folder / "log").open("ab") as log:
        words = [SPARK_CLASS, *arguments]
        process = subprocess.Popen(words, env=environ, stdout=log, stderr=log, cwd=folder)
        try:
            yield
        finally:
            process.terminate()
            process.wait()


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    """The address of a master that two workers have joined."""
    port, page, *pages = ports.free(2 + WORKERS)
    address = f"spark://{HOST}:{port}"
    ours = ("--host", HOST, "--port", str(port), "--webui-port", str(page))
    with ExitStack() as running:
        running.enter_context(daemon(tmp_path, f"{DEPLOY}.master.Master", *ours))
        for own in pages:
            size = ("--cores", "1", "--memory", "512m", "--host", HOST, "--webui-port", str(own))
            running.enter_context(daemon(tmp_path, f"{DEPLOY}.worker.Worker", *size, address))
        until(lambda: joined(page) == WORKERS, "both workers join their master", PATIENCE_S)
        yield address


def joined(page: int) -> int:
    """How many workers the master counts; none before it answers, or while its page is not JSON
    (its address shows the page for people until the one for programs is mounted)."""
    try:
        with urllib.request.urlopen(f"http://{HOST}:{page}/json/", timeout=5) as answer:
            return int(json.load(answer)["aliveworkers"])
    except (OSError, json.JSONDecodeError):
        return 0


def test_two_workers_compute_the_same_as_plain_sql_and_duckdb(
    url: str, master: str, tmp_path: Path
) -> None:
    """Workers, begun after it, have the URL in their environment: none is in the plan."""
    write(url, many(EVENTS))
    facts.write(url, facts.many(1_000, 6))
    ran = subprocess.run(
        [sys.executable, "-c", AS_MUCH_DATA],
        cwd=CHECKOUT,
        env={**os.environ, "ROLLCALL_SPARK_MASTER": master, "SPARK_LOCAL_IP": HOST},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert report(url) == oracle(url)
    ((run_id, at),) = query(url, "SELECT id, as_of FROM rollcall_report_run")
    assert_reports_are(url, run_id, duck.computed(url, at))
    assert len({executor.name for executor in tmp_path.glob("app-*/*")}) == WORKERS
