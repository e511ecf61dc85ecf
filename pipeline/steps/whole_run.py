"""A run that reads everything that the database has, as of one moment."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession

from pipeline.datasets.cost import Cost
from pipeline.datasets.dataset import Dataset, Report
from pipeline.results import rows, runs
from pipeline.results.folders import Output
from pipeline.results.runs import Read
from pipeline.sources.snapshot import Snapshot, snapshot
from pipeline.sources.tables import TABLES
from pipeline.steps.job import Done, Job
from pipeline.steps.periods import ALL
from pipeline.steps.table import ANSWERS, Step, is_read_again

READING = "reading"

TOP = 10
"""How many rows are printed at the end."""


@dataclass(slots=True)
class Work:
    """The datasets of one run, as far as they are computed."""

    spark: SparkSession
    output: Output
    run_id: int
    is_small: bool
    datasets: dict[type[Dataset], Dataset] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)

    def read(self, moment: Snapshot, sources: Sequence[type[Dataset]]) -> None:
        """Tables of the database."""
        read = moment.read_here if self.is_small else moment.read
        self.datasets.update(
            (dataset, dataset(self._in_tasks(read(self.spark, dataset.NAME))))
            for dataset in sources
        )

    def compute(self, step: Step, moment: Snapshot) -> None:
        """One step. A table that is no report is written, and read from there by later steps."""
        inputs = [self.datasets[dataset] for dataset in step.inputs]
        made = step.compute(*inputs, moment.at)
        if step.report is None:
            name = step.output.NAME
            self.tables[name] = self.output.write(made.frame, name, self.run_id)
            made = step.output.read(self.spark, self.tables[name])
            made = step.output(self._in_tasks(made.frame))
        if is_read_again(step.output) and not (self.is_small and step.report is None):
            made.frame.persist()
        self.datasets[step.output] = made

    def _in_tasks(self, frame: DataFrame) -> DataFrame:
        """All rows of a group in one task, of little data all rows: sums and windows of groups have
        to move none."""
        return frame.coalesce(1) if self.is_small else divided(frame)

    def tidy(self) -> None:
        """Delete old tables."""
        for name in self.tables:
            self.output.tidy(name, self.run_id)


def divided(frame: DataFrame) -> DataFrame:
    """A table by groups, in as many ranges as the session has: all tables alike."""
    count = int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
    return frame.repartition(count, "group_id")


def whole_run(job: Job, why: str) -> Done:
    """Tables are computed while the snapshot is held, reports afterwards: vacuum waits only for the
    former."""
    work = Work(job.spark, job.output, job.run_id, job.is_small)
    with snapshot(job.conninfo) as moment:
        job.progress.begin(READING)
        work.read(moment, sources(job.tables()))
        job.each(job.tables(), lambda step: work.compute(step, moment))
    read = Read(moment.at, moment.events, moment.last)
    _reports(work, job, moment)
    made = rows.written(job.output, [step.output.NAME for step in job.reports()])
    count = runs.succeed(job.connection, job.run_id, read, described(job), made)
    work.tidy()
    rows.clear(job.output)
    return Done(job.run_id, f"whole: {why}", read.events, count, work.tables, top(job))


def sources(steps: Sequence[Step]) -> list[type[Dataset]]:
    """The tables of the database that these steps read."""
    inputs = {dataset for step in steps for dataset in step.inputs}
    return [table.dataset for table in TABLES.values() if table.dataset in inputs]


def described(job: Job) -> list[dict[str, object]]:
    """What pages say about the run's reports, and about the answers that they show beside them."""
    made = [step.report for step in job.reports() if step.report is not None]
    return [rows.described(report) for report in (*made, *ANSWERS)]


def top(job: Job) -> list[dict[str, object]]:
    """Its costliest rows."""
    return runs.top(job.connection, job.run_id, Cost.NAME, ALL, Cost.ORDER, TOP)


def _reports(work: Work, job: Job, moment: Snapshot) -> None:
    rows.clear(job.output)

    def write(step: Step) -> None:
        work.compute(step, moment)
        made = work.datasets[step.output]
        assert isinstance(made, Report)
        rows.write(made, job.output, job.run_id, job.run_id)

    job.each(job.reports(), write)
