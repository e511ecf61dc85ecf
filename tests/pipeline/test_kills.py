"""kill -9 anywhere in a run upon another: the rows in the end are those of one whole run."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from launcher.installation import CHECKOUT
from tests.pipeline import facts
from tests.pipeline.conftest import query, write
from tests.pipeline.killed import POINTS
from tests.pipeline.often import KILLS
from tests.pipeline.test_increments import Analyse, analyse, journal, rows

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(3_600),
    pytest.mark.skipif(not KILLS, reason="ten minutes: make test-pipeline"),
]

__all__ = ["analyse"]

AT = datetime.now(UTC) + timedelta(hours=1)
"""The killed runs have the time of the clock, and those that go on are not of before."""

END = AT - timedelta(days=2)

COUNT = "SELECT count(*) FROM rollcall_report_run WHERE state = 'succeeded'"


@pytest.mark.parametrize("point", POINTS)
def test_a_run_that_is_killed_is_as_if_it_had_not_been(
    url: str, analyse: Analyse, tmp_path: Path, point: str
) -> None:
    entries, events = journal(600, 20, 3, END), [*facts.many(200, 25, 3, END)]
    write(url, entries[:400])
    facts.write(url, events[:120])
    analyse(AT)
    write(url, entries[400:])
    facts.write(url, events[120:])
    words = [sys.executable, "-m", "tests.pipeline.killed", point, str(tmp_path / "out")]
    ran = subprocess.run(
        words, cwd=CHECKOUT, start_new_session=True, capture_output=True, text=True, check=False
    )
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    assert query(url, COUNT) == [(2 if point == "flipped" else 1,)]
    done = analyse(AT)
    assert rows(url, done) == rows(url, analyse(AT, is_incremental=False))


@contextmanager
def streaming(output: Path) -> Iterator["subprocess.Popen[str]"]:
    """The verb; it is killed at the end of the block, wherever it is."""
    words = (sys.executable, "-m", "pipeline", "stream", "--every", "0.1", "--output", str(output))
    with subprocess.Popen(
        words, cwd=CHECKOUT, start_new_session=True, stderr=subprocess.PIPE, text=True,
        stdout=subprocess.DEVNULL,
    ) as ran:  # fmt: skip
        try:
            yield ran
        finally:
            os.killpg(ran.pid, signal.SIGKILL)


def test_a_stream_that_is_killed_again_and_again_loses_nothing(
    spark: SparkSession, url: str, analyse: Analyse, tmp_path: Path
) -> None:
    """At random moments of its runs, while facts come."""
    chance = random.Random(KILLS)
    entries, events = journal(3_000, 30, 5, END), [*facts.many(600, 30, 5, END)]
    part, few = len(entries) // KILLS, len(events) // KILLS
    for kill in range(KILLS):
        write(url, entries[kill * part : (kill + 1) * part])
        facts.write(url, events[kill * few : (kill + 1) * few])
        with streaming(tmp_path / "out") as ran:
            assert ran.stderr is not None
            assert any("reading" in line for line in ran.stderr)
            time.sleep(chance.random() * 8)  # a moment, not a wait for anything
    done = analyse(AT)
    assert rows(url, done) == rows(url, analyse(AT, is_incremental=False))
    ((failed,),) = query(url, "SELECT count(*) FROM rollcall_report_run WHERE state = 'failed'")
    assert failed >= max(1, KILLS // 5)
