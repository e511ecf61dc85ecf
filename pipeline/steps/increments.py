"""A run that computes again only the groups that have something new.

A table or report of groups has rows that depend on the facts of their own group alone, so those of
all other groups stay those of the run before: tables as layers of files, rows of reports in
PostgreSQL, which runs upon runs share. A report's rows also change with time, where a border of a
period has passed one of their group's. A report that is not of groups has figures that are sums
over groups: what the touched groups had is taken away, and what they have is added.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import reduce
from typing import Final

import pyarrow.compute as pc
from pyarrow import dataset as arrow
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from pipeline.datasets.dataset import Dataset, Report
from pipeline.results.history import Extent, History, State, code
from pipeline.results.parts import GROUP, Parts
from pipeline.results.runs import Replaced
from pipeline.session import little
from pipeline.sources.stream import OFFSETS
from pipeline.sources.tables import TABLES
from pipeline.steps.periods import LENGTHS
from pipeline.steps.table import STEPS, Step, is_read_again
from pipeline.steps.whole_run import divided

LAYERS_MAX: Final = 16
"""More make every table slower to read than one of them is to write."""

DAYS_KEPT: Final = 62
"""The longest period and the one before it."""

DAYS_OVER: Final = 15
"""So many days more are there before all are deleted at once: everything is computed again then."""

LITTLE_ROWS: Final = 100_000
"""Of all tables: fewer rows cost less to interpret, in one task, than the code for them costs to
compile."""

Groups = frozenset[str] | None
"""None: all."""


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
    """The tables of the database of which steps make something."""
    read = {dataset for step in STEPS for dataset in step.inputs}
    return [table.dataset for table in TABLES.values() if table.dataset in read]


def layout() -> str:
    """What identifies the columns of what is read and the form of offsets: files of another layout
    cannot be read on."""
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
    since: date | None


def plan(base: State | None, extent: Extent, at: datetime) -> Plan:
    """Upon the base, if there is one of this code, and its days need not be deleted."""
    since = date.fromisoformat(base.since) if base is not None and base.since else None
    oldest = extent.oldest(since)
    if oldest is not None and (at.date() - oldest).days > DAYS_KEPT + DAYS_OVER:
        since = at.date() - timedelta(days=DAYS_KEPT)
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
    """One run of these groups that have something new (``touched``). ``groups``: those whose
    reports may have other rows; ``tables``: the addresses of what it has written."""

    spark: SparkSession
    history: History
    run_id: int
    at: datetime
    plan: Plan
    batches: Sequence[int]
    touched: Groups
    groups: Groups = None
    tables: dict[str, str] = field(default_factory=dict)
    _is_little: bool = False
    _datasets: dict[type[Dataset], Dataset] = field(default_factory=dict)

    def begin_tables(self) -> None:
        """What was read of the touched groups."""
        if not _are_some(self.touched):
            return
        if self.touched is not None:
            self.history.note_groups(self.touched, self.run_id)
        rows = [
            self.history.rows(source, self.batches, self.plan.since, self.touched)
            for source in sources()
        ]
        self._begin(rows, self.touched)
        self._is_little &= not self._puts_together

    def begin_reports(self) -> None:
        """What tables have of the affected groups."""
        self.groups = self._affected()
        if not _are_some(self.groups):
            return
        rows = [
            self.history.layered(step.output, self.layers(), self.groups)
            for step in STEPS
            if step.report is None
        ]
        self._begin(rows, self.groups)

    def settings(self) -> AbstractContextManager[None]:
        """Those of Spark with which tables or reports are computed."""
        return little(self.spark) if self._is_little else nullcontext()

    def table(self, step: Step) -> None:
        """Compute a table of the touched groups; what the base has of others stays where it is."""
        table = step.output
        if not _are_some(self.touched):
            return
        made = step.compute(*(self._datasets[dataset] for dataset in step.inputs), self.at).frame
        if self.touched is not None and self._puts_together:
            before = self.history.layered(table, self._layers_before(), without=self.touched)
            made = made.unionByName(before.read(self.spark))
        self.tables[table.NAME] = self.history.layers.write(made, table.NAME, self.run_id)

    def report(self, step: Step) -> Report | None:
        """Compute a report: of the affected groups, or what it changes by; None if nothing."""
        if step.output not in by_group():
            return self._difference(step)
        if not _are_some(self.groups):
            return None
        made = self._computed(step, self._datasets)
        if is_read_again(step.output):
            made.frame.persist()
        self._datasets[step.output] = made
        return made

    def _difference(self, step: Step) -> Report | None:
        """Of a report of sums, what the touched groups have, less what they had."""
        if self.touched is None:
            return self._computed(step, self._datasets)
        if not self.touched:
            return None
        of = self.touched
        now, before = (
            self._computed(
                step,
                {table: self._of(self.history.layered(table, layers, of)) for table in step.inputs},
            )
            for layers in (self.layers(), self._layers_before())
        )
        less = [(-f.col(name)).alias(name) for name in now.figures()]
        return type(now)(now.frame.union(before.frame.select(*now.KEY, *less)))

    def _computed(self, step: Step, known: Mapping[type[Dataset], Dataset]) -> Report:
        made = step.compute(*(known[dataset] for dataset in step.inputs), self.at)
        assert isinstance(made, Report)
        return made

    def rows_of(self) -> int:
        """The run under whose number the rows of this run's reports are: the first of those upon
        runs."""
        return self.plan.base.rows_of if self.plan.base is not None else self.run_id

    def replaced(self) -> Replaced | None:
        """Which of the base's rows this run no longer shows."""
        base = self.plan.base
        if base is None:
            return None
        reports = {step.report: step.report.NAME for step in STEPS if step.report is not None}
        of_groups = [name for report, name in reports.items() if report in by_group()]
        sums = [name for report, name in reports.items() if report not in by_group()]
        return Replaced(base.rows_of, of_groups, sorted(self.groups or ()), sums)

    def layers(self) -> list[int]:
        """The layers of this run's tables; from time to time they are put together."""
        before = [*self._layers_before()]
        if not _are_some(self.touched):
            return before
        return [self.run_id] if self._puts_together else [*before, self.run_id]

    @property
    def _puts_together(self) -> bool:
        """Whether this run writes the rows of all groups, so that its layer is the only one."""
        return len(self._layers_before()) >= LAYERS_MAX

    def _layers_before(self) -> Sequence[int]:
        return self.plan.base.layers if self.plan.base is not None else ()

    def _affected(self) -> Groups:
        """The touched groups, and those of which a row has come into another period."""
        base = self.plan.base
        if base is None or self.touched is None:
            return None
        found = set(self.touched)
        for step in STEPS:
            if step.report is None:
                rows = self.history.layered(step.output, self.layers())
                crossed = crossing(step.output.TIMES, base.moment, self.at)
                for batch in rows.batches([GROUP], crossed):
                    found.update(batch[GROUP].unique().to_pylist())
        return frozenset(found)

    def _begin(self, rows: Sequence[Parts], groups: Groups) -> None:
        counts = [part.count(LITTLE_ROWS) for part in rows] if groups is not None else []
        self._is_little = groups is not None and sum(counts) <= LITTLE_ROWS
        self._datasets = {part.table: self._of(part) for part in rows}

    def _of(self, rows: Parts) -> Dataset:
        if self._is_little:
            return rows.table(rows.here(self.spark))
        made = rows.table(divided(rows.read(self.spark)))
        if is_read_again(rows.table):
            made.frame.persist()
        return made


def _are_some(groups: Groups) -> bool:
    return groups is None or bool(groups)


def crossing(times: Collection[str], before: datetime, now: datetime) -> pc.Expression:
    """Whether a row is in other periods now than it was at a run before: one of its times has been
    passed by a border meanwhile."""
    ago = [length * many for length in LENGTHS.values() for many in (1, 2)]
    passed = [
        (arrow.field(time) >= (before - long).astimezone(UTC))
        & (arrow.field(time) < (now - long).astimezone(UTC))
        for time in times
        for long in ago
    ]
    return reduce(pc.Expression.__or__, passed)
