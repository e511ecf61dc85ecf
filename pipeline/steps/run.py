"""One run: reads the sources, computes the steps, writes tables and reports.

It only connects the parts: ``sources`` reads, the steps of ``table`` compute, ``results`` writes.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from pyspark.sql import SparkSession

from pipeline.datasets.cost import Cost
from pipeline.datasets.dataset import Dataset, Report
from pipeline.progress import Note, Progress
from pipeline.results import rows, runs
from pipeline.results.folders import Output
from pipeline.results.runs import Read
from pipeline.sources.snapshot import Snapshot, snapshot
from pipeline.sources.tables import TABLES, size
from pipeline.steps.periods import ALL
from pipeline.steps.table import REPORTS, Step, needed

TOP = 10
"""How many rows are printed at the end."""

SMALL_BYTES = 64 << 20
"""Less is little data: some hundred thousand rows, for which Spark takes seconds in any case."""


class Sessions(Protocol):
    """What starts Spark."""

    def __call__(self, *, is_small: bool) -> AbstractContextManager[SparkSession]:
        """A session, for little data or much."""


START = "starting Spark"


@dataclass(frozen=True, slots=True)
class Done:
    """What a run did. ``tables`` are the addresses of those it has written; ``top`` its costliest
    rows."""

    run_id: int
    events: int
    rows: int
    tables: dict[str, str]
    top: list[dict[str, Any]]


@dataclass(slots=True)
class Work:
    """The datasets of one run, as far as they are computed."""

    spark: SparkSession
    output: Output
    run_id: int
    datasets: dict[type[Dataset], Dataset] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)

    def source(self, moment: Snapshot, dataset: type[Dataset]) -> Dataset:
        """A table of the database."""
        return dataset(moment.read(self.spark, dataset.NAME))

    def compute(self, step: Step, moment: Snapshot) -> None:
        """One step. A table that is no report is written, and read from there by later steps."""
        inputs = [self.datasets[dataset] for dataset in step.inputs]
        made = step.compute(*inputs, moment.at)
        if step.report is None:
            name = step.output.NAME
            self.tables[name] = self.output.write(made.frame, name, self.run_id)
            made = step.output.read(self.spark, self.tables[name])
        self.datasets[step.output] = made


def run(
    conninfo: str,
    output: Output,
    sessions: Sessions,
    requested_by: str = "",
    reports: Sequence[str] = tuple(REPORTS),
    note: Note = lambda stage, percent: None,
) -> Done:
    """Run one analysis. Raises ``AlreadyRunning``, or the error, which its run then also records.

    Spark starts inside the run, so that the report shows it if the machine has no Java.
    """
    steps = needed(reports)
    with (
        runs.alone(conninfo) as connection,
        runs.recorded(connection, requested_by) as run_id,
        runs.noting(conninfo, run_id, note) as noted,
    ):
        progress = Progress(1 + len(steps), noted)
        progress.begin(START)
        is_small = size(connection) < SMALL_BYTES
        with sessions(is_small=is_small) as spark, progress.watching(spark.sparkContext):
            work = Work(spark, output, run_id)
            return _done(connection, conninfo, work, steps, progress)


def _done(
    connection: runs.Connection,
    conninfo: str,
    work: Work,
    steps: Sequence[Step],
    progress: Progress,
) -> Done:
    """Tables are computed while the snapshot is held, reports afterwards: vacuum waits only for the
    former."""
    tables = [step for step in steps if step.report is None]
    reports = [step for step in steps if step.report is not None]
    with snapshot(conninfo) as moment:
        work.datasets.update({source: work.source(moment, source) for source in _sources(tables)})
        for step in tables:
            progress.begin(step.output.NAME)
            work.compute(step, moment)
    read = Read(moment.at, moment.events, moment.last)
    described = [rows.described(step.report) for step in reports if step.report is not None]
    made = _rows(work, reports, moment, progress)
    count = runs.succeed(connection, work.run_id, read, described, made)
    for name in work.tables:
        work.output.tidy(name)
    top = runs.top(connection, work.run_id, Cost.NAME, ALL, Cost.ORDER, TOP)
    return Done(work.run_id, read.events, count, work.tables, top)


def _sources(steps: Sequence[Step]) -> list[type[Dataset]]:
    inputs = {dataset for step in steps for dataset in step.inputs}
    return [table.dataset for table in TABLES.values() if table.dataset in inputs]


def _rows(
    work: Work, steps: Sequence[Step], moment: Snapshot, progress: Progress
) -> Iterator[tuple[str, str, str, str]]:
    for step in steps:
        progress.begin(step.output.NAME)
        work.compute(step, moment)
        made = work.datasets[step.output]
        assert isinstance(made, Report)
        yield from rows.stored(made)
