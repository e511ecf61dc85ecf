"""What a run has at hand, and what it tells at its end."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Final

from pyspark.sql import SparkSession

from pipeline.datasets.dataset import Dataset
from pipeline.progress import EVERY_S, Progress
from pipeline.results import runs
from pipeline.results.folders import Output
from pipeline.steps.table import Step

AT_ONCE: Final = 2
"""Steps that are computed at once: Spark plans a step by one processor, which takes longer than its
tasks where there is little data. With a thousand entries one after the other took half as long
again."""


@dataclass(frozen=True, slots=True)
class Job:
    """One run: its database (``connection`` has the lock of analyses), its place for tables, its
    steps, and whether there is little data."""

    connection: runs.Connection
    conninfo: str
    spark: SparkSession
    output: Output
    run_id: int
    steps: Sequence[Step]
    progress: Progress
    is_small: bool

    def tables(self) -> list[Step]:
        """The steps that make tables of files."""
        return [step for step in self.steps if step.report is None]

    def reports(self) -> list[Step]:
        """The steps that make rows for people."""
        return [step for step in self.steps if step.report is not None]

    def each(self, steps: Sequence[Step], act: Callable[[Step], None]) -> None:
        """Act on these steps, some at once, each after those that it reads; the first error ends
        all."""
        begun: dict[type[Dataset], Future[None]] = {}

        def in_turn(step: Step) -> None:
            wait([begun[read] for read in step.inputs if read in begun])
            self.progress.begin(step.output.NAME)
            act(step)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            try:
                for step in steps:
                    begun[step.output] = pool.submit(in_turn, step)
                wait(begun.values(), return_when=FIRST_EXCEPTION)
                for future in filter(Future.done, begun.values()):
                    future.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                while wait([each for each in begun.values() if not each.done()], EVERY_S).not_done:
                    self.spark.sparkContext.cancelAllJobs()
                raise


@dataclass(frozen=True, slots=True)
class Done:
    """What a run did. ``how``: whole or upon which run, in words; ``tables`` are the addresses of
    those it has written; ``top`` its costliest rows."""

    run_id: int
    how: str
    events: int
    rows: int
    tables: dict[str, str]
    top: list[dict[str, Any]]
