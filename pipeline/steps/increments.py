"""A run that computes again only the groups that have something new.

A table or report of groups has rows that depend on the facts of their own group alone, so those of
all other groups are taken over from the run before: tables as layers of files, rows of reports in
PostgreSQL. A report's rows also change with time, where a border of a period has passed one of
their group's. What is not of groups, or is made of tables that change, is computed whole.
"""

import hashlib
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import reduce
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from pipeline.datasets.dataset import Dataset, Report
from pipeline.datasets.journal import Journal
from pipeline.results.history import GROUPS, History, State, code
from pipeline.results.runs import Unchanged
from pipeline.session import little
from pipeline.sources.stream import OFFSETS
from pipeline.sources.tables import TABLES
from pipeline.steps.periods import crossing
from pipeline.steps.table import STEPS, Step, is_read_again

GROUP: Final = "group_id"

LAYERS_MAX: Final = 16
"""More make every table slower to read than one of them is to write."""

DAYS_KEPT: Final = 62
"""The longest period and the one before it."""

DAYS_OVER: Final = 15
"""So many days more are there before all are deleted at once: everything is computed again then."""

FEW: Final = 1_000
"""So many groups are named in a condition, and what tables have of them is kept until the end,
since every report reads it. More are joined, and read again."""

LITTLE_ROWS: Final = 100_000
"""Of all tables: fewer rows cost less to interpret, in one task, than the code for them costs to
compile."""

NEVER: Final = "0001-01-01"


def by_group() -> set[type[Dataset]]:
    """The tables and reports that can be computed group by group, from what has been added."""
    known = {table.dataset for table in TABLES.values() if table.is_stream}
    known = {dataset for dataset in known if GROUP in dataset.names()}
    for step in STEPS:
        columns = step.output.names() if step.report is None else step.output.KEY
        if GROUP in columns and {*step.inputs} <= known:
            known.add(step.output)
    return known


def sources() -> list[type[Dataset]]:
    """The tables that are read as streams: those of which steps make something by group."""
    read = {dataset for step in STEPS if step.output in by_group() for dataset in step.inputs}
    return [table.dataset for table in TABLES.values() if table.dataset in read]


def layout() -> str:
    """What identifies the columns of the streams and the form of their offsets: files of another
    layout cannot be read on."""
    columns = [
        (table.dataset.ddl(), table.select(table.dataset.names(), ()).as_string())
        for table in TABLES.values()
        if table.dataset in sources()
    ]
    return hashlib.sha256(f"{OFFSETS} {columns}".encode()).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run builds upon: ``base`` is None where it computes all groups, of which ``why`` says
    the reason; ``since`` is the first day whose facts count."""

    base: State | None
    why: str
    since: str


def plan(history: History, base: State | None, at: datetime) -> Plan:
    """Upon the base, if there is one of this code, and its days need not be deleted."""
    oldest = history.oldest(sources())
    since = base.since if base is not None else NEVER
    if oldest is not None and (at.date() - oldest).days > DAYS_KEPT + DAYS_OVER:
        since = (at.date() - timedelta(days=DAYS_KEPT)).isoformat()
        return Plan(None, f"what is older than {DAYS_KEPT} days is left out from now on", since)
    if base is None:
        return Plan(None, "there is no run to build upon", since)
    if base.code != code():
        return Plan(None, "another version computed the run before", since)
    if base.moment > at:
        return Plan(None, "the database's clock was set back", since)
    return Plan(base, "", since)


@dataclass(slots=True)
class Increment:
    """One run. ``datasets`` are its tables as far as they are computed, and of its reports the
    rows of the affected groups; ``tables`` the addresses of what it has written of them."""

    spark: SparkSession
    history: History
    run_id: int
    at: datetime
    plan: Plan
    datasets: dict[type[Dataset], Dataset] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)
    _touched: list[str] | None = None
    _affected: dict[type[Dataset], Dataset] = field(default_factory=dict)
    _is_little: bool = False

    @property
    def _is_new(self) -> bool:
        return self._touched is None or bool(self._touched)

    def find_touched(self) -> None:
        """Which groups have something new: those of the batches since the base."""
        base = self.plan.base
        if base is None:
            return
        found = [
            self.history.rows(
                self.spark, source, self.plan.since, base.batches.get(source.NAME, -1)
            )
            for source in sources()
        ]
        groups = reduce(DataFrame.union, (rows.select(GROUP) for rows in found)).distinct()
        self._touched = sorted(row[0] for row in groups.collect())
        if self._touched:
            self.history.layers.write(self._named(self._touched), GROUPS, self.run_id)

    def table(self, step: Step) -> None:
        """Compute a table of the touched groups, and put it over what the base has of others."""
        table, runs = step.output, self._layers_before()
        if not self._is_new:
            self.datasets[table] = self.history.layered(self.spark, table, runs)
            return
        made = step.compute(*(self._of_touched(dataset) for dataset in step.inputs), self.at).frame
        if self._touched is not None and self._layers() == [self.run_id]:
            others = self.history.layered(self.spark, table, runs).frame
            named = f.broadcast(self._named(self._touched))
            made = made.unionByName(others.join(named, GROUP, "left_anti"))
        self.tables[table.NAME] = self.history.layers.write(made, table.NAME, self.run_id)
        self.datasets[table] = self.history.layered(self.spark, table, self._layers())

    def find_affected(self) -> None:
        """Which groups' reports may have changed: the touched ones, and those of which a row has
        come into another period."""
        base = self.plan.base
        if base is None or self._touched is None:
            return
        crossed = [
            made.frame.filter(crossing(table.TIMES, base.moment, self.at)).select(GROUP)
            for table, made in self.datasets.items()
            if table in by_group() and table.TIMES
        ]
        found = reduce(DataFrame.union, crossed).distinct().collect()
        self.groups = sorted({*self._touched, *(row[0] for row in found)})
        self._affected = {
            table: self._of(made, self.groups)
            for table, made in self.datasets.items()
            if table in by_group()
        }
        if len(self.groups) <= FEW:
            kept = [dataset.frame.persist() for dataset in self._affected.values()]
            self._is_little = sum(frame.count() for frame in kept) < LITTLE_ROWS

    def report(self, step: Step) -> Report | None:
        """Compute a report: of the affected groups, if it is by group; None if all of its rows are
        those of the base."""
        if not self._changes(step):
            return None
        known = {**self.datasets, **(self._affected if step.output in by_group() else {})}
        inputs = [known[dataset] for dataset in step.inputs]
        if self._has_little(step):
            inputs = [type(one)(one.frame.coalesce(1)) for one in inputs]
        made = step.compute(*inputs, self.at)
        assert isinstance(made, Report)
        if is_read_again(step.output):
            made.frame.persist()
        self.datasets[step.output] = made
        return made

    def settings(self, step: Step) -> AbstractContextManager[None]:
        """Those of Spark with which a report is computed."""
        return little(self.spark) if self._has_little(step) else nullcontext()

    def _has_little(self, step: Step) -> bool:
        return self._is_little and step.output in by_group()

    def _changes(self, step: Step) -> bool:
        """Whether a report may have other rows than the base's."""
        if self._touched is None:
            return True
        return bool(self.groups) if step.output in by_group() else self._is_new

    def unchanged(self) -> Unchanged | None:
        """Whose rows are those of the base."""
        base = self.plan.base
        if base is None:
            return None
        reports = [
            step.output.NAME
            for step in STEPS
            if step.report is not None and (step.report in by_group() or not self._changes(step))
        ]
        return Unchanged(base.run, reports, self.groups)

    def state(self) -> State:
        """What the run is made of."""
        base, batches = self.plan.base, self.history.batches(sources())
        after = base.batches.get(Journal.NAME, -1) if base is not None else -1
        new = self.history.rows(self.spark, Journal, self.plan.since, after)
        (counted,) = new.agg(f.count("*"), f.coalesce(f.max("id"), f.lit(0))).collect()
        events, last = (base.events, base.last) if base is not None else (0, 0)
        return State(
            self.run_id, self.at.isoformat(), code(), batches, self._layers(), self.plan.since,
            events + counted[0], max(last, counted[1]),
        )  # fmt: skip

    def _layers_before(self) -> Sequence[int]:
        return self.plan.base.layers if self.plan.base is not None else ()

    def _layers(self) -> list[int]:
        """The layers of this run's tables; from time to time they are put together."""
        before = [*self._layers_before()]
        if not self._is_new:
            return before
        return [self.run_id] if len(before) >= LAYERS_MAX else [*before, self.run_id]

    def _of_touched(self, dataset: type[Dataset]) -> Dataset:
        if dataset in self.datasets:
            whole = self.datasets[dataset]
        else:
            whole = dataset(self.history.rows(self.spark, dataset, self.plan.since))
        return whole if self._touched is None else self._of(whole, self._touched)

    def _of(self, dataset: Dataset, groups: Sequence[str]) -> Dataset:
        """Its rows of these groups."""
        frame = dataset.frame
        if len(groups) <= FEW:
            return type(dataset)(frame.filter(f.col(GROUP).isin(*groups)))
        named = f.broadcast(self._named(groups))
        return type(dataset)(frame.join(named, GROUP, "left_semi"))

    def _named(self, groups: Sequence[str]) -> DataFrame:
        rows = [(name,) for name in groups]
        return self.spark.createDataFrame(rows, f"{GROUP} string").coalesce(1)
