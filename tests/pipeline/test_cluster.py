"""The same job on a master with two workers, started from the wheel's own ``spark-class``."""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark
import pytest

from pipeline import java
from rollcall.installation import CHECKOUT
from rollcall.launcher import ports
from tests.pipeline.conftest import oracle, report, write
from tests.pipeline.journals import many

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
DEPLOY = "org.apache.spark.deploy"
HOST = "127.0.0.1"
EVENTS = 100_000


@contextmanager
def daemon(folder: Path, *arguments: str) -> Iterator[None]:
    """One of Spark's own processes; ended by its process id."""
    environ = {
        **os.environ,
        "JAVA_HOME": str(java.of_the_machine(os.environ)),
        "SPARK_WORKER_DIR": str(folder),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_DAEMON_MEMORY": "256m",
    }
    log = (folder / f"{arguments[0]}-{time.monotonic_ns()}.log").open("wb")
    process = subprocess.Popen(
        [str(SPARK_CLASS), *arguments], env=environ, stdout=log, stderr=subprocess.STDOUT
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()
        log.close()


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    """The address of a master that two workers have joined."""
    if java.of_the_machine(os.environ) is None:
        pytest.skip("Spark's workers need a whole Java 17 or 21; this machine has none")
    port, page, *workers = ports.free(4)
    address = f"spark://{HOST}:{port}"
    with ExitStack() as running:
        names = ("--host", HOST, "--port", str(port), "--webui-port", str(page))
        running.enter_context(daemon(tmp_path, f"{DEPLOY}.master.Master", *names))
        for own in workers:
            size = ("--cores", "1", "--memory", "768m", "--host", HOST, "--webui-port", str(own))
            running.enter_context(daemon(tmp_path, f"{DEPLOY}.worker.Worker", *size, address))
        while joined(page) < len(workers):
            time.sleep(0.2)
        yield address


def joined(page: int) -> int:
    """How many workers the master counts; pytest's own limit ends what never comes."""
    try:
        with urllib.request.urlopen(f"http://{HOST}:{page}/json/", timeout=5) as answer:
            return int(json.load(answer)["aliveworkers"])
    except (OSError, urllib.error.URLError):
        return 0


@pytest.mark.timeout(300)
def test_two_workers_say_what_plain_sql_says(
    master: str, database_url: str, tmp_path: Path
) -> None:
    write(database_url, many(EVENTS))
    ran = subprocess.run(
        [sys.executable, "-m", "pipeline"],
        cwd=CHECKOUT,
        env={**os.environ, "ROLLCALL_SPARK_MASTER": master},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert report(database_url) == oracle(database_url)
