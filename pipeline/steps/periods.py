"""The periods of reports: the last day, week and month, each with the one before, and all of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from pipeline.datasets.dataset import PERIOD

BEFORE: Final = "-before"
ALL: Final = "all"

SLICE: Final = "slice"
"""The column of ``by_slice``."""

MICROSECOND: Final = timedelta(microseconds=1)

RUN: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""The moment of some run: of what periods a slice is a part does not depend on it."""

LENGTHS: Final = {"24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(days=30)}
"""Each ends at the moment of the run, and is preceded by one of the same length."""


@dataclass(frozen=True, slots=True)
class Period:
    """A time from ``start`` (None: the beginning) to before ``end``."""

    name: str
    start: datetime | None
    end: datetime


def periods(at: datetime) -> Sequence[Period]:
    """The periods of a run at this moment."""
    made = [Period(ALL, None, at)]
    for name, length in LENGTHS.items():
        made.append(Period(name, at - length, at))
        made.append(Period(name + BEFORE, at - 2 * length, at - length))
    return made


def by_period(frame: DataFrame, time: str, at: datetime) -> DataFrame:
    """Each row once for each period in which its ``time`` lies. A time after the run counts as now:
    a clock that was set back must not lose its rows."""
    return frame.withColumn(PERIOD, f.explode(_periods_of(_slice(time, at))))


def by_slice(frame: DataFrame, time: str, at: datetime) -> DataFrame:
    """Each row with the slice of time between two borders of periods in which its ``time`` lies.

    Every period is made of slices. What can be summed is summed by slice first, and then by
    ``of_slices``: a row counts once there, not once for each of its periods.
    """
    return frame.withColumn(SLICE, _slice(time, at))


def of_slices(frame: DataFrame) -> DataFrame:
    """Each row once for each period that its slice is a part of."""
    return frame.withColumn(PERIOD, f.explode(_periods_of(f.col(SLICE))))


def _slice(time: str, at: datetime) -> Column:
    """The number of borders that a time has passed."""
    age = _age_us(f.col(time), at)
    passed = (f.when(age <= age_us, 1).otherwise(0) for age_us in _borders())
    return reduce(Column.__add__, passed)


def _age_us(time: Column, at: datetime) -> Column:
    """How long before the run it was, in microseconds.

    The run's moment is an element of an array, since numbers are part of the code that Spark
    generates, and arrays are not: so the code of one run is that of the next, and a session that
    runs again has it compiled.
    """
    moment = f.array(f.unix_micros(f.lit(at)))
    return f.get(moment, (f.unix_micros(time) % 1).cast("int")) - f.unix_micros(time)


def _periods_of(slice_: Column) -> Column:
    """The names of the periods that a slice is a part of."""
    slices = [None, *_borders()]
    names = [f.array(*map(f.lit, _periods_from(age_us))) for age_us in slices]
    return f.get(f.array(*names), slice_)


def _borders() -> list[int]:
    """Where periods begin, from the earliest on: how long before the run, in microseconds."""
    lengths = {times * length for length in LENGTHS.values() for times in (1, 2)}
    return [length // MICROSECOND for length in sorted(lengths, reverse=True)]


def _periods_from(age_us: int | None) -> list[str]:
    """The periods that have the slice which begins so long before the run (None: before all
    borders)."""
    if age_us is None:
        return [ALL]
    begin = RUN - age_us * MICROSECOND
    return [
        period.name
        for period in periods(RUN)
        if period.start is None or period.start <= begin < period.end
    ]
