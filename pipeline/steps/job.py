"""What a run has at hand, and what it tells at its end."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from pipeline.progress import Progress
from pipeline.results import runs
from pipeline.results.folders import Output
from pipeline.steps.table import Step


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
