"""The periods of reports: the last day, week and month, each with the one before, and all of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from pipeline.datasets.dataset import PERIOD

BEFORE: Final = "-before"
ALL: Final = "all"

SLICE: Final = "slice"
"""The column of ``by_slice``."""

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
    """Each row once for each period in which its ``time`` lies."""
    within = f.array_compact(f.array(*(_name(period, f.col(time)) for period in periods(at))))
    return frame.withColumn(PERIOD, f.explode(within))


def by_slice(frame: DataFrame, time: str, at: datetime) -> DataFrame:
    """Each row with the slice of time between two borders of periods in which its ``time`` lies.

    Every period is made of slices. What can be summed is summed by slice first, and then by
    ``of_slices``: a row counts once there, not once for each of its periods.
    """
    passed = (f.when(f.col(time) >= f.lit(border), 1).otherwise(0) for border in _borders(at))
    return frame.withColumn(SLICE, reduce(Column.__add__, passed))


def of_slices(frame: DataFrame, at: datetime) -> DataFrame:
    """Each row once for each period that its slice is a part of."""
    slices = [None, *_borders(at)]
    names = [f.array(*map(f.lit, _periods_with(start, at))) for start in slices]
    within = f.get(f.array(*names), f.col(SLICE))
    return frame.withColumn(PERIOD, f.explode(within)).drop(SLICE)


def _borders(at: datetime) -> list[datetime]:
    """Where periods begin or end, the moment of the run excepted."""
    return sorted({at - times * length for length in LENGTHS.values() for times in (1, 2)})


def _periods_with(start: datetime | None, at: datetime) -> list[str]:
    """The periods that have the slice which begins there (None: before all borders)."""
    return [
        period.name
        for period in periods(at)
        if period.start is None or (start is not None and period.start <= start < period.end)
    ]


def _name(period: Period, time: Column) -> Column:
    """Its name where the time lies in it, else null. All entries are of before the end of "all":
    a clock that was set back must not lose them."""
    if period.start is None:
        return f.lit(period.name)
    until = f.lit(True) if not period.name.endswith(BEFORE) else time < f.lit(period.end)
    return f.when((time >= f.lit(period.start)) & until, f.lit(period.name))


def crossing(times: Sequence[str], before: datetime, now: datetime) -> Column:
    """Whether a row is in other periods now than it was at a run before: one of its times has been
    passed by a border meanwhile."""
    borders = {
        (before - ago, now - ago) for length in LENGTHS.values() for ago in (length, 2 * length)
    }
    passed = [
        (f.col(time) >= f.lit(old)) & (f.col(time) < f.lit(new))
        for time in times
        for old, new in sorted(borders)
    ]
    return f.coalesce(reduce(Column.__or__, passed), f.lit(False))
