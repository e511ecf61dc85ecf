"""A run that reads what is new, and computes again the groups that have some of it."""

from collections.abc import Sequence
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.datasets.journal import Journal
from pipeline.results import folders, rows, runs
from pipeline.results.history import Extent, History, State, code
from pipeline.results.parts import GROUP, Parts
from pipeline.results.runs import Read
from pipeline.sources.cursor import PlaceLost
from pipeline.sources.pull import New, new
from pipeline.sources.snapshot import Snapshot, snapshot
from pipeline.sources.stream import START
from pipeline.steps.increments import Groups, Increment, Plan, layout, plan, sources
from pipeline.steps.job import Done, Job
from pipeline.steps.table import Step
from pipeline.steps.whole_run import READING, described, divided, top


def incremental_run(job: Job) -> Done:
    """What it reads counts from then on. Everything that it computes counts from the transaction on
    that ends it."""
    job.progress.begin(READING)
    with snapshot(job.conninfo, [source.NAME for source in sources()]) as moment:
        history, extent = _pulled(job, moment)
    increment = _planned(job, history, extent, moment)
    _tables(job, increment)
    state = _state(increment, extent)
    history.note(state)
    made = rows.written(job.output, _reports(job, increment))
    read = Read(moment.at, state.events, state.last)
    told, replaced = described(job), increment.replaced()
    count = runs.succeed(job.connection, job.run_id, read, told, made, replaced)
    history.tidy(state, extent, [step.output.NAME for step in job.tables()])
    rows.clear(job.output)
    return Done(job.run_id, _how(increment), read.events, count, increment.tables, top(job))


def _pulled(job: Job, moment: Snapshot) -> tuple[History, Extent]:
    """The history with all that is below the horizon; another one where a place was lost."""
    name = f"{moment.horizon.jump}-{layout()}"
    history = History.of(job.output, name)
    extent = history.extent()
    try:
        found = _new(moment, extent)
    except PlaceLost:
        history, extent = History.of(job.output, name, anew=True), Extent()
        found = _new(moment, extent)
    for one in found:
        write_batch(job, history, one)
    if found:
        extent = extent.with_more(
            job.run_id, {one.table.NAME: one.offset for one in found}, _days(job, history, found)
        )
        history.note_extent(job.run_id, extent)
    return history, extent


def _new(moment: Snapshot, extent: Extent) -> Sequence[New]:
    found = [new(moment, table, extent.offsets.get(table.NAME, START)) for table in sources()]
    return [one for one in found if one is not None]


def write_batch(job: Job, history: History, found: New) -> None:
    """Store what is new in a table, sorted so that of some groups not all has to be read."""
    address = history.bronze.of(found.table.NAME, job.run_id)
    if not found.is_little:
        frame = divided(found.read(job.spark)).sortWithinPartitions(GROUP)
        folders.write(frame, address, folders.ROW_GROUP_BYTES_BY_GROUPS)
        return
    schema = Parts(found.table, ()).schema
    table = pa.Table.from_batches(found.here()).cast(schema).sort_by(GROUP)
    folders.write_rows(schema, table.to_batches(), address)


def _days(job: Job, history: History, found: Sequence[New]) -> tuple[date, date]:
    """The first and the last day of what this run has read."""
    borders = [
        day.as_py().date()
        for one in found
        for batch in history.rows(one.table, [job.run_id], None).batches(["at"])
        if batch.num_rows
        for day in pc.min_max(batch["at"]).values()
    ]
    return min(borders), max(borders)


def _planned(job: Job, history: History, extent: Extent, moment: Snapshot) -> Increment:
    planned = plan(_base(job, history), extent, moment.at)
    touched = _touched(history, _since_base(planned, extent), planned)
    return Increment(job.spark, history, job.run_id, moment.at, planned, extent.runs, touched)


def _base(job: Job, history: History) -> State | None:
    """What the newest run was made of whose rows are all there."""
    kept = runs.kept(job.connection)
    found = history.state(kept.keys())
    return found if found is not None and found.moment == kept[found.run] else None


def _since_base(planned: Plan, extent: Extent) -> Sequence[int]:
    """The runs whose reading the base does not have."""
    before = planned.base.batches if planned.base is not None else ()
    return [run for run in extent.runs if run not in before]


def _touched(history: History, batches: Sequence[int], planned: Plan) -> Groups:
    """Which groups have something new."""
    if planned.base is None:
        return None
    found: set[str] = set()
    for source in sources():
        for batch in history.rows(source, batches, planned.since).batches([GROUP]):
            found.update(batch[GROUP].unique().to_pylist())
    return frozenset(found)


def _tables(job: Job, increment: Increment) -> None:
    increment.begin_tables()
    with increment.settings():
        job.each(job.tables(), increment.table)


def _state(increment: Increment, extent: Extent) -> State:
    """What the run is made of."""
    planned, base = increment.plan, increment.plan.base
    events, last = (base.events, base.last) if base is not None else (0, 0)
    new_rows = increment.history.rows(Journal, _since_base(planned, extent), planned.since)
    for batch in new_rows.batches(["id"]):
        events += batch.num_rows
        last = max(last, pc.max(batch["id"]).as_py() or 0)
    since = planned.since.isoformat() if planned.since is not None else ""
    return State(
        increment.run_id, increment.at.isoformat(), code(), extent.runs, increment.layers(), since,
        events, last, increment.rows_of(),
    )  # fmt: skip


def _reports(job: Job, increment: Increment) -> list[str]:
    """Write the rows of reports that have other ones than before; returns their names."""
    rows.clear(job.output)
    increment.begin_reports()
    changed: list[str] = []

    def write(step: Step) -> None:
        report = increment.report(step)
        if report is not None:
            rows.write(report, job.output, job.run_id, increment.rows_of())
            changed.append(report.NAME)

    with increment.settings():
        job.each(job.reports(), write)
    return changed


def _how(increment: Increment) -> str:
    base = increment.plan.base
    if base is None:
        return f"all groups: {increment.plan.why}"
    return f"{len(increment.groups or ())} groups upon run {base.run}"
