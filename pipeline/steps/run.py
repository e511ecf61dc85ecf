"""One run: reads the sources, computes the steps, writes tables and reports.

It only connects the parts: ``sources`` reads, the steps of ``table`` compute, ``results`` writes.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Final, Protocol

from pyspark.sql import SparkSession

from pipeline.progress import Note, Progress
from pipeline.results import runs
from pipeline.results.folders import Output
from pipeline.sources.tables import size
from pipeline.steps.incremental_run import incremental_run
from pipeline.steps.job import Done, Job
from pipeline.steps.table import REPORTS, needed
from pipeline.steps.whole_run import whole_run

SMALL_BYTES: Final = 64 << 20
"""Less is little data: some hundred thousand rows, for which Spark takes seconds in any case, and
streams take more to start than there is to gain."""

PARTITION_BYTES: Final = 64 << 20
"""Of the database's tables, for each range of groups: a task's rows are sorted in memory, and each
of a run's some thirty stages has as many tasks."""


class Sessions(Protocol):
    """What starts Spark."""

    def __call__(self, *, is_small: bool) -> AbstractContextManager[SparkSession]:
        """A session, for little data or much."""


START = "starting Spark"


def run(
    conninfo: str,
    output: Output,
    sessions: Sessions,
    requested_by: str = "",
    reports: Sequence[str] = tuple(REPORTS),
    note: Note = lambda stage, percent: None,
    *,
    is_incremental: bool | None = None,
) -> Done:
    """Run one analysis: upon the one before, or whole, or (None) as is quicker. Raises
    ``AlreadyRunning``, or the error, which its run then also records.

    Spark starts inside the run, so that the report shows it if the machine has no Java.
    """
    steps = needed(reports)
    with (
        runs.alone(conninfo) as connection,
        runs.recorded(connection, requested_by) as run_id,
        runs.noting(conninfo, run_id, note) as noted,
    ):
        progress = Progress(2 + len(steps), noted)
        progress.begin(START)
        total = size(connection)
        is_small = total < SMALL_BYTES
        why = _why_whole(reports, is_incremental, is_small)
        with sessions(is_small=is_small) as spark, progress.watching(spark.sparkContext):
            if not is_small:
                _divide(spark, total)
            job = Job(connection, conninfo, spark, output, run_id, steps, progress, is_small)
            done = whole_run(job, why) if why else incremental_run(job)
            spark.catalog.clearCache()
            return done


def _divide(spark: SparkSession, total: int) -> None:
    """As many ranges of groups as the tables' size asks for; a session may have been given more."""
    name = "spark.sql.shuffle.partitions"
    spark.conf.set(name, str(max(int(spark.conf.get(name) or 1), total // PARTITION_BYTES)))


def _why_whole(reports: Sequence[str], is_incremental: bool | None, is_small: bool) -> str:
    """The reason, or empty."""
    if is_incremental is False:
        return "as asked for"
    if {*reports} != {*REPORTS}:
        return "only some of the reports are wanted"
    return "there is little data" if is_small and is_incremental is None else ""
