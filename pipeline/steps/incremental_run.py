"""A run that reads what is new, and computes again the groups that have some of it."""

from pyspark.errors import StreamingQueryException

from pipeline.results import rows, runs
from pipeline.results.history import History, State
from pipeline.results.runs import Read
from pipeline.sources import cursor
from pipeline.sources.pull import pull
from pipeline.sources.snapshot import snapshot
from pipeline.steps.increments import Increment, by_group, layout, plan, sources
from pipeline.steps.job import Done, Job
from pipeline.steps.whole_run import READING, Work, described, top, written
from pipeline.steps.whole_run import sources as sources_of


def incremental_run(job: Job) -> Done:
    """Everything that it writes counts from the transaction on that ends it."""
    horizon = cursor.horizon(job.connection)
    changing = [step for step in job.tables() if step.output not in by_group()]
    work = Work(job.spark, job.output, job.run_id, job.is_small)
    with snapshot(job.conninfo, [source.NAME for source in sources_of(changing)]) as moment:
        work.read(moment, sources_of(changing))
        for step in changing:
            job.progress.begin(step.output.NAME)
            work.compute(step, moment)
    job.progress.begin(READING)
    history = _pulled(job, horizon)
    planned = plan(history, _base(job, history), moment.at)
    increment = Increment(job.spark, history, job.run_id, moment.at, planned, work.datasets)
    _tables(job, increment)
    state = increment.state()
    history.note(state)
    read = Read(moment.at, state.events, state.last)
    _reports(job, increment)
    told, made, unchanged = described(job), written(job), increment.unchanged()
    count = runs.succeed(job.connection, job.run_id, read, told, made, unchanged)
    history.tidy(state, sources(), [*increment.tables])
    work.tidy()
    rows.clear(job.output)
    tables = {**work.tables, **increment.tables}
    return Done(job.run_id, _how(increment), read.events, count, tables, top(job))


def _pulled(job: Job, horizon: cursor.Horizon) -> History:
    """The history with all that is below the horizon; another one where a place was lost."""
    for anew in (False, True):
        history = History.of(job.output, f"{horizon.jump}-{layout()}", anew=anew)
        try:
            pull(job.spark, sources(), horizon.place, history.checkpoint, history.write_batch)
        except StreamingQueryException as error:
            if anew or cursor.LOST not in str(error):
                raise
        else:
            break
    return history


def _base(job: Job, history: History) -> State | None:
    """What the newest run was made of whose rows are all there."""
    kept = runs.kept(job.connection)
    found = history.state(kept.keys())
    return found if found is not None and found.moment == kept[found.run] else None


def _tables(job: Job, increment: Increment) -> None:
    increment.find_touched()
    for step in job.tables():
        if step.output in by_group():
            job.progress.begin(step.output.NAME)
            increment.table(step)
    increment.find_affected()


def _reports(job: Job, increment: Increment) -> None:
    rows.clear(job.output)
    for step in job.reports():
        job.progress.begin(step.output.NAME)
        with increment.settings(step):
            report = increment.report(step)
            if report is not None:
                rows.write(report, job.output, job.run_id)


def _how(increment: Increment) -> str:
    base = increment.plan.base
    if base is None:
        return f"all groups: {increment.plan.why}"
    return f"{len(increment.groups)} groups upon run {base.run}"
