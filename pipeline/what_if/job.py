"""One question to the database: reads the sources, asks every group, and collects the answer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from groups.core.group import Rules
from pipeline.datasets.facts import LifeEvents, OwnershipEvents
from pipeline.datasets.journal import Journal
from pipeline.progress import Note
from pipeline.sources.snapshot import snapshot
from pipeline.steps.lives import ownership
from pipeline.steps.periods import periods
from pipeline.what_if.changes import Change
from pipeline.what_if.recording import Millis, Recording
from pipeline.what_if.step import Question, answers, collected, recorded, report

TABLES: Final = (LifeEvents.NAME, OwnershipEvents.NAME, Journal.NAME)


@dataclass(frozen=True, slots=True)
class Asked:
    """A change, the coordinator's settings, the period (``steps.periods``), and the groups; (): all
    of them."""

    change: Change
    rules: Rules
    period: str
    groups: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """The rows of the report, and how many events were decided for it."""

    rows: Sequence[Mapping[str, Any]]
    events: int


def asked(spark: SparkSession, conninfo: str, wanted: Asked, note: Note) -> Made:
    """Ask it. The snapshot is held until all answers are there: they are computed as rows come."""
    with snapshot(conninfo, TABLES) as moment:
        lives, owned, journal = (_only(moment.read(spark, name), wanted.groups) for name in TABLES)
        note("replaying", 10)
        begin, end = bounds(lives, wanted.period, moment.at)
        question = Question(wanted.change, wanted.rules, wanted.period, begin, end)
        intervals = ownership(OwnershipEvents(owned), moment.at)
        made = answers(LifeEvents(lives), intervals, Journal(journal), question).persist()
        rows, events = report(made, question)
        made.unpersist()
    note("done", 100)
    return Made(rows, events)


def recordings(spark: SparkSession, conninfo: str, period: str, most: int) -> Iterator[Recording]:
    """Some groups of the database, as they were recorded."""
    with snapshot(conninfo, TABLES) as moment:
        lives, owned, journal = (moment.read(spark, name) for name in TABLES)
        begin, end = bounds(lives, period, moment.at)
        intervals = ownership(OwnershipEvents(owned), moment.at)
        rows = collected(LifeEvents(lives), intervals, Journal(journal)).limit(most)
        for row in rows.toLocalIterator():
            yield recorded(row.asDict(recursive=True), begin, end)


def _only(rows: DataFrame, groups: Sequence[str]) -> DataFrame:
    return rows.filter(f.col("group_id").isin(*groups)) if groups else rows


def bounds(lives: DataFrame, period: str, at: datetime) -> tuple[Millis, Millis]:
    """From when until when the period lasts; that of everything begins with the first life."""
    start = next(one.start for one in periods(at) if one.name == period)
    if start is None:
        (first,) = lives.agg(f.min("joined_at")).collect()
        start = at if first[0] is None else first[0].replace(tzinfo=UTC)
    return _millis(start), _millis(at)


def _millis(moment: datetime) -> Millis:
    return int(moment.timestamp() * 1_000)
