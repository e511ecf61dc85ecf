"""The job: reads the journal, writes a table of rebalances and a report of their cost.

It only connects the parts: ``sources`` reads, ``transforms`` computes, ``results`` writes.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from pipeline.results import runs, tables
from pipeline.sources.journal import frozen
from pipeline.transforms.cost import cost
from pipeline.transforms.rebalances import KINDS, rebalances

TOP = 10
"""How many rows are printed at the end."""

Sessions = Callable[[], AbstractContextManager[SparkSession]]


@dataclass(frozen=True, slots=True)
class Done:
    """What a run did. ``top`` are its costliest rows, with the columns of ``schemas.COSTS``."""

    run_id: int
    events: int
    rows: int
    table: Path
    top: list[tuple[Any, ...]]


def run(conninfo: str, output: Path, sessions: Sessions, requested_by: str = "") -> Done:
    """Run one analysis. Raises ``AlreadyRunning``, or the error, which its run then also records.

    Spark starts inside the run, so that the report shows it if the machine has no Java.
    """
    with runs.alone(conninfo) as connection, runs.recorded(connection, requested_by) as run_id:
        with sessions() as spark:
            with frozen(conninfo) as journal:
                table = tables.write(rebalances(journal.read(spark, KINDS)), output, run_id)
            costs = cost(spark.read.parquet(tables.address(table)))
            rows = runs.succeed(
                connection, run_id, journal.last, journal.events, costs.toLocalIterator()
            )
        return Done(run_id, journal.events, rows, table, runs.top(connection, run_id, TOP))
