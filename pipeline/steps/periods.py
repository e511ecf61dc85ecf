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
