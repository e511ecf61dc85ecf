"""Steps of a run that are computed at once: their order, and what ends them."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.progress import Progress
from pipeline.results import runs
from pipeline.results.folders import Output
from pipeline.steps.job import AT_ONCE, Job
from pipeline.steps.table import STEPS, Step

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.timeout(120)]

WAIT_S = 60
"""What is at work at the same time meets by then."""


@pytest.fixture
def told() -> list[str]:
    """The stages that were begun."""
    return []


@pytest.fixture
def job(spark: SparkSession, conninfo: str, tmp_path: Path, told: list[str]) -> Iterator[Job]:
    """One that has begun nothing."""
    progress = Progress(len(STEPS), lambda stage, percent: told.append(stage))
    with runs.alone(conninfo) as connection:
        output = Output.at(str(tmp_path))
        yield Job(connection, conninfo, spark, output, 1, STEPS, progress, is_small=True)


def test_steps_are_at_work_together_and_each_after_those_that_it_reads(
    job: Job, told: list[str]
) -> None:
    first = job.reports()[:AT_ONCE]
    met = threading.Barrier(AT_ONCE)
    done: list[Step] = []

    def act(step: Step) -> None:
        if step in first:
            met.wait(WAIT_S)
        assert {read for read in step.inputs if read in made} <= {each.output for each in done}
        done.append(step)

    made = {step.output for step in job.reports()}
    job.each(job.reports(), act)
    assert {step.output for step in done} == made
    assert sorted({*told}) == sorted(step.output.NAME for step in job.reports())


def test_an_error_ends_what_is_at_work_beside_it(spark: SparkSession, job: Job) -> None:
    """A run that fails, or is told to end, does not go on until its longest step is done."""
    slow, failing, *_ = job.reports()
    at_work, ended = threading.Event(), threading.Event()

    def act(step: Step) -> None:
        if step is slow:
            at_work.set()
            try:
                spark.range(1 << 60).selectExpr("sum(id * id % 7)").collect()
            finally:
                ended.set()
        at_work.wait(WAIT_S)
        raise ValueError(f"{step.output.NAME} fails")

    with pytest.raises(ValueError, match=f"{failing.output.NAME} fails"):
        job.each(job.reports(), act)
    assert ended.is_set()
    assert spark.range(3).count() == 3
