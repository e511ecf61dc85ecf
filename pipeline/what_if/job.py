"""One question to the database: reads the sources, asks every group, and collects the answer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from groups.core.group import Rules
from pipeline.datasets.facts import LifeEvents, OwnershipEvents, RoundEvents
from pipeline.datasets.journal import Journal
from pipeline.progress import Note
from pipeline.sources.snapshot import snapshot
from pipeline.steps.lives import ownership
from pipeline.steps.periods import periods
from pipeline.what_if.changes import Change
from pipeline.what_if.recording import Millis, Recording
from pipeline.what_if.step import Question, answers, collected, recorded, report

TABLES: Final = (LifeEvents.NAME, OwnershipEvents.NAME, Journal.NAME, RoundEvents.NAME)


@dataclass(frozen=True, slots=True)
class Asked:
    """A change, the coordinator's settings, the period (``steps.periods``), and the groups; (): all
    of them."""

    change: Change
    rules: Rules
    period: str
    groups: Sequence[str] = ()

    @property
    def groups_text(self) -> str:
        """The groups in one text, whatever their order; "": all of them."""
        return ", ".join(sorted({*self.groups}))


@dataclass(frozen=True, slots=True)
class Made:
    """The rows of the report, how many events were decided for it, and the moment of which the
    database was read."""

    rows: Sequence[Mapping[str, Any]]
    events: int
    at: datetime


def asked(spark: SparkSession, conninfo: str, wanted: Asked, note: Note) -> Made:
    """Ask it. The snapshot is held until all answers are there: they are computed as rows come."""
    with snapshot(conninfo, TABLES) as moment:
        lives, owned, journal, rounds = (moment.read(spark, name, wanted.groups) for name in TABLES)
        note("replaying", 10)
        begin, end = bounds(lives, wanted.period, moment.at)
        question = Question(wanted.change, wanted.rules, wanted.period, begin, end)
        intervals = ownership(OwnershipEvents(owned), moment.at)
        facts = (LifeEvents(lives), intervals, Journal(journal), RoundEvents(rounds))
        made = answers(*facts, question).persist()
        rows, events = report(made, question)
        made.unpersist()
    note("done", 100)
    beside = {"asked_groups": wanted.groups_text, "answered_at": moment.at.isoformat()}
    return Made([{**row, **beside} for row in rows], events, moment.at)


def recordings(spark: SparkSession, conninfo: str, period: str, most: int) -> Iterator[Recording]:
    """Some groups of the database, as they were recorded."""
    with snapshot(conninfo, TABLES) as moment:
        lives, owned, journal, rounds = (moment.read(spark, name) for name in TABLES)
        begin, end = bounds(lives, period, moment.at)
        intervals = ownership(OwnershipEvents(owned), moment.at)
        facts = (LifeEvents(lives), intervals, Journal(journal), RoundEvents(rounds))
        rows = collected(*facts).limit(most)
        for row in rows.toLocalIterator():
            yield recorded(row.asDict(recursive=True), begin, end)


def bounds(lives: DataFrame, period: str, at: datetime) -> tuple[Millis, Millis]:
    """From when until when the period lasts; that of everything begins with the first life."""
    start = next(one.start for one in periods(at) if one.name == period)
    if start is None:
        (first,) = lives.agg(f.unix_millis(f.min("joined_at"))).collect()
        return _millis(at) if first[0] is None else first[0], _millis(at)
    return _millis(start), _millis(at)


def _millis(moment: datetime) -> Millis:
    return int(moment.timestamp() * 1_000)
