"""One run: which mutants, what became of each, and the report."""

import argparse
import json
import queue
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from tests.mutation import accepted
from tests.mutation.areas import STRICT, STRICT_SHARE, Row, rows
from tests.mutation.mutants import Mutant, diff, mutants_of, mutated, spread
from tests.mutation.reaching import Reached
from tests.mutation.running import Bench, benches, no_judgement, reached
from tests.mutation.worker import BROKEN, KILLED, SURVIVED, TIMED_OUT

ACCEPTED = "accepted"
OUTCOMES = (KILLED, TIMED_OUT, ACCEPTED, SURVIVED, BROKEN)
TAIL = 12
"""Lines of what pytest said."""

FEW = 10
"""So few mutants are run by all tests: to find out which tests matter would take longer."""


@dataclass(frozen=True)
class Result:
    """What became of a mutant; ``reason``: why its survival is accepted, or how the run broke."""

    name: str
    path: str
    line: int
    function: str
    operator: str
    area: str
    before: str
    after: str
    outcome: str
    seconds: float
    reason: str = ""

    def __str__(self) -> str:
        text = f"{self.outcome:9} {self.path}:{self.line} {self.operator} in {self.function}"
        return f"{text}\n          - {self.before}\n          + {self.after}"


@dataclass(frozen=True)
class Task:
    """A mutant that can be run."""

    mutant: Mutant
    row: Row
    source: str
    changed: str
    before: str
    after: str


def run(checkout: Path, chosen: argparse.Namespace) -> int:
    """Run the selected mutants. 1: one survived that is not accepted, or too many did."""
    tasks = list(_tasks(checkout, chosen))
    with tempfile.TemporaryDirectory(prefix="rollcall-mutants-") as folder:
        results = _run(checkout, Path(folder), tasks, chosen)
    chosen.report.parent.mkdir(parents=True, exist_ok=True)
    chosen.report.write_text(json.dumps([asdict(result) for result in results], indent=1))
    return _say(results)


def _tasks(checkout: Path, chosen: argparse.Namespace) -> Iterable[Task]:
    """In the order of the sample, an area at a time in turn."""
    table = rows(checkout)
    again = _survivors(chosen.report) if chosen.survivors else None
    found = []
    for path, row in table.items():
        if chosen.area and row.area not in chosen.area:
            continue
        if chosen.file and path not in chosen.file:
            continue
        found += mutants_of(checkout, path)
    if again is not None:
        found = [mutant for mutant in found if mutant.name in again]
    made = (_task(checkout, mutant, table[mutant.path]) for mutant in spread(found, chosen.seed))
    return islice((task for task in made if task is not None), chosen.count)


def _survivors(report: Path) -> set[str]:
    results = json.loads(report.read_text())
    return {result["name"] for result in results if result["outcome"] in (SURVIVED, BROKEN)}


def _task(checkout: Path, mutant: Mutant, row: Row) -> Task | None:
    source = (checkout / mutant.path).read_text()
    changed = mutated(source, mutant)
    return None if changed is None else Task(mutant, row, source, changed, *diff(source, changed))


def _run(
    checkout: Path, folder: Path, tasks: Sequence[Task], chosen: argparse.Namespace
) -> list[Result]:
    until = time.monotonic() + chosen.minutes * 60 if chosen.minutes else None
    database_too = any(task.row.has_database or task.row.last for task in tasks)
    with (
        benches(checkout, folder, chosen.jobs, database_too=database_too) as made,
        ThreadPoolExecutor(chosen.jobs) as pool,
    ):
        free: queue.Queue[Bench] = queue.Queue()
        for bench in made:
            free.put(bench)
        known = _reached(made[0], tasks)

        def judge(task: Task) -> Result | None:
            if until is not None and time.monotonic() >= until:
                return None
            with _one_of(free) as bench:
                return _judged(bench, task, known)

        def pass_without(row: Row) -> None:
            with _one_of(free) as bench:
                _must_pass(bench, row)

        try:
            results = [result for result in pool.map(judge, tasks) if result is not None]
            list(pool.map(pass_without, _in_doubt(tasks, results)))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        return results


@contextmanager
def _one_of(free: "queue.Queue[Bench]") -> Iterator[Bench]:
    bench = free.get()
    try:
        yield bench
    finally:
        free.put(bench)


def _in_doubt(tasks: Sequence[Task], results: Sequence[Result]) -> list[Row]:
    """Rows whose every mutant was killed: perhaps their tests fail without one, too."""
    rows = dict.fromkeys(task.row for task, _ in zip(tasks, results, strict=False))
    for task, result in zip(tasks, results, strict=False):
        if result.outcome in (SURVIVED, ACCEPTED):
            rows.pop(task.row, None)
    return list(rows)


def _must_pass(bench: Bench, row: Row) -> None:
    outcome, said = bench.run(row, "", None)
    if outcome != SURVIVED:
        no_judgement(f"{row.area}: its tests, without any mutant: {outcome}\n{said}")


def _reached(bench: Bench, tasks: Sequence[Task]) -> Reached | None:
    """Of tests that need no database; others run code that no test asserts on."""
    tests = dict.fromkeys(
        test for task in tasks if not task.row.has_database for test in task.row.tests
    )
    return reached(bench, list(tests)) if len(tasks) > FEW and tests else None


def _judged(bench: Bench, task: Task, known: Reached | None) -> Result:
    started = time.monotonic()
    mutant, reason, reaching = task.mutant, "", None
    if known is not None and not task.row.has_database:
        reaching = known.tests(mutant.path, task.source, mutant.line)
    outcome, said = bench.run(task.row, mutant.path, task.changed, reaching)
    if outcome == SURVIVED:
        reason = accepted.reason(mutant.path, mutant.function, task.before, task.after)
        outcome = ACCEPTED if reason else SURVIVED
    elif outcome == BROKEN:
        reason = "\n".join(said.splitlines()[-TAIL:])
    result = Result(
        name=mutant.name,
        path=mutant.path,
        line=mutant.line,
        function=mutant.function,
        operator=mutant.operator,
        area=task.row.area,
        before=task.before,
        after=task.after,
        outcome=outcome,
        seconds=round(time.monotonic() - started, 2),
        reason=reason,
    )
    print(result if outcome == SURVIVED else str(result).splitlines()[0], flush=True)
    return result


def _say(results: Sequence[Result]) -> int:
    print()
    failed = False
    for area in dict.fromkeys(result.area for result in results):
        counted = Counter(result.outcome for result in results if result.area == area)
        killed, judged = counted[KILLED] + counted[TIMED_OUT], counted.total() - counted[ACCEPTED]
        share = killed / judged if judged else 1.0
        too_few = area in STRICT and share < STRICT_SHARE
        failed = failed or too_few
        said = ", ".join(f"{counted[name]} {name}" for name in OUTCOMES if counted[name])
        bound = f", fewer than {STRICT_SHARE:.0%}" if too_few else ""
        print(f"{area}: {counted.total()} mutants: {said} ({share:.0%} killed{bound})")
    for result in results:
        if result.outcome in (SURVIVED, BROKEN):
            failed = True
            print(result, result.reason)
    return int(failed)
