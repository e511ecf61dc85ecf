"""The question asked of many groups, on executors: a group's rows are collected, and its answer is
computed where they are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from groups.core.group import Rules
from groups.core.journal import EntryKind
from pipeline.datasets.facts import LifeEvents, RoundEvents
from pipeline.datasets.journal import Journal
from pipeline.datasets.lives import Ownership
from pipeline.steps.lives import last
from pipeline.what_if.answers import Answer, answer, interval
from pipeline.what_if.changes import Change
from pipeline.what_if.figures import Figures
from pipeline.what_if.recording import Millis, Recording
from pipeline.what_if.rows import recording_of

FIGURES: Final = Figures._fields
STAGES: Final = ("recorded", "replayed", "drawn", "changed")

NUMBERS: Final = (
    "low", "high", "events",
    *(f"{stage}_{name}" for stage in STAGES for name in (*FIGURES, "cost_ms")),
)  # fmt: skip

ANSWERS: Final = ", ".join(
    (
        "group_id string, kind string, refused string",
        *(f"{name} bigint" for name in NUMBERS),
        "hours array<struct<hour: bigint, ms: bigint>>",
    )
)
"""An answer as a row."""

SCHEMA: Final = pa.schema(
    [
        *(pa.field(name, pa.string()) for name in ("group_id", "kind", "refused")),
        *(pa.field(name, pa.int64()) for name in NUMBERS),
        pa.field("hours", pa.list_(pa.struct([("hour", pa.int64()), ("ms", pa.int64())]))),
    ]
)
"""The same for executors, which have no Java to ask."""

LIFE: Final = (
    "life", "member_id", "instance_id", "client_id", "client_host", "kind", "session_timeout_ms",
    "rebalance_timeout_ms", "subscription", "pattern", "protocols", "origin", "departure",
    "software_name", "software_version",
)  # fmt: skip

TASKS_A_CORE: Final = 4
"""A group is replayed as a whole, and some cost more than others."""

ROWS_MAX: Final = 10_000
"""Groups that have a row of their own: those that cost most, or would. A page of a million would be
read by nobody; the row of all groups counts every one."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: a change, for a time (milliseconds) that has a name, under these rules."""

    change: Change
    rules: Rules
    period: str
    begin: Millis
    end: Millis


def answers(
    events: LifeEvents,
    intervals: Ownership,
    journal: Journal,
    rounds: RoundEvents,
    question: Question,
) -> DataFrame:
    """A row for each group (``ANSWERS``)."""
    rows = collected(events, intervals, journal, rounds)
    tasks = TASKS_A_CORE * rows.sparkSession.sparkContext.defaultParallelism
    return rows.repartition(tasks, "group_id").mapInArrow(_asked(question), ANSWERS)


def collected(
    events: LifeEvents, intervals: Ownership, journal: Journal, rounds: RoundEvents
) -> DataFrame:
    """All rows of each group that had a member, in a row."""
    return (
        _lives(events)
        .join(_intervals(intervals), "group_id", "left")
        .join(_entries(journal), "group_id", "left")
        .join(_rounds(rounds), "group_id", "left")
    )


def _ms(name: str, alias: str) -> Column:
    return f.unix_millis(name).alias(alias)


def _lives(events: LifeEvents) -> DataFrame:
    rows = last(events.frame, ("group_id", "life"), f.col("left_at").isNotNull())
    times = (_ms("joined_at", "joined_ms"), _ms("left_at", "left_ms"), _ms("heard_at", "heard_ms"))
    return _collected(rows, "lives", f.struct(*LIFE, *times))


def _intervals(intervals: Ownership) -> DataFrame:
    times = (_ms("from_at", "from_ms"), _ms("until_at", "until_ms"))
    return _collected(intervals.frame, "intervals", f.struct("life", "topic", "partition", *times))


def _entries(journal: Journal) -> DataFrame:
    kinds = (EntryKind.REBALANCE_COMPLETED.value, EntryKind.STABLE.value)
    rows = journal.frame.filter(f.col("kind").isin(*kinds))
    entry = f.struct("id", _ms("at", "at_ms"), "kind", "trigger", "duration_ms", "causes", "waits")
    return _collected(rows, "entries", entry)


def _rounds(rounds: RoundEvents) -> DataFrame:
    idle = f.struct(_ms("ended_at", "ended_ms"), "stopped_ms", "silent_ms", "unowned_ms")
    return _collected(rounds.frame, "rounds", idle)


def _collected(rows: DataFrame, name: str, row: Column) -> DataFrame:
    return rows.groupBy("group_id").agg(f.collect_list(row).alias(name))


class _asked:  # noqa: N801  # a function with what it knows, for executors
    """From batches of groups to batches of answers."""

    def __init__(self, question: Question) -> None:
        self.question = question

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for start in range(batch.num_rows):
                (group,) = batch.slice(start, 1).to_pylist()
                yield pa.RecordBatch.from_pylist([answered(group, self.question)], SCHEMA)


def answered(group: Mapping[str, Any], question: Question) -> dict[str, Any]:
    """The answer of one group's collected rows."""
    recording = recorded(group, question.begin, question.end)
    return row_of(answer(recording, question.rules, question.change))


def recorded(group: Mapping[str, Any], begin: Millis, end: Millis) -> Recording:
    """A group's collected rows as a recording."""
    lives, intervals, entries, rounds = (
        group[name] or () for name in ("lives", "intervals", "entries", "rounds")
    )
    return recording_of(group["group_id"], lives, intervals, entries, rounds, begin, end)


def row_of(made: Answer) -> dict[str, Any]:
    """An answer as a row (``ANSWERS``)."""
    differences = made.differences or {}
    low, high = interval(list(differences.values())) or (None, None)
    stages = {stage: getattr(made, stage) for stage in STAGES}
    return {
        "group_id": made.group_id,
        "kind": made.kind,
        "refused": made.refused,
        "low": low,
        "high": high,
        "events": made.events,
        **{f"{s}_{name}": getattr(each, name) for s, each in stages.items() for name in FIGURES},
        **{f"{stage}_cost_ms": each.cost_ms for stage, each in stages.items()},
        "hours": [{"hour": hour, "ms": ms} for hour, ms in differences.items()],
    }


def report(made: DataFrame, question: Question) -> tuple[Sequence[Mapping[str, Any]], int]:
    """The rows of ``WhatIf`` without who asked about which groups, and when; and how many events
    were decided. ``made`` is read several times."""
    misses = {row["kind"]: row for row in _misses(made)}
    cost = f.greatest("recorded_cost_ms", "changed_cost_ms")
    listed = made.orderBy(cost.desc(), "group_id").limit(ROWS_MAX).collect()
    rows = [_row(row.asDict(), question, misses) for row in listed]
    everything = _together(made)
    events = everything.pop("events")
    if everything["answered"]:
        rows.insert(0, _row(everything, question, misses))
    return rows, events


def _misses(made: DataFrame) -> Sequence[Any]:
    """By kind, and "" for all: what was recorded, and by how much replays miss it."""
    missed = [
        f.sum(f.abs(f.col(f"{stage}_cost_ms") - f.col("recorded_cost_ms"))).alias(stage)
        for stage in ("replayed", "drawn")
    ]
    sums = (f.sum("recorded_cost_ms").alias("recorded"), *missed)
    found = made.filter("refused = ''")
    by_kind = found.groupBy("kind").agg(*sums)
    return by_kind.union(found.agg(f.lit("").alias("kind"), *sums)).collect()


def _together(made: DataFrame) -> dict[str, Any]:
    """All groups that have an answer, as one."""
    found = made.filter("refused = ''")
    names = [f"{stage}_{name}" for stage in STAGES for name in (*FIGURES, "cost_ms")]
    (sums,) = found.agg(
        f.count("*").alias("answered"),
        f.coalesce(f.sum("events"), f.lit(0)).alias("events"),
        *(f.coalesce(f.sum(name), f.lit(0)).alias(name) for name in names),
    ).collect()
    hours = found.select(f.explode("hours").alias("h")).groupBy("h.hour").agg(f.sum("h.ms"))
    differences = [row[1] for row in sorted(hours.collect())]
    low, high = interval(differences) or (None, None)
    return {**sums.asDict(), "group_id": "", "kind": "", "refused": "", "low": low, "high": high}


def _row(
    row: Mapping[str, Any], question: Question, misses: Mapping[str, Any]
) -> Mapping[str, Any]:
    is_answered = not row["refused"]
    known = misses.get(row["kind"])
    figures = {
        "difference_ms": row["changed_cost_ms"] - row["replayed_cost_ms"],
        "low_ms": row["low"],
        "high_ms": row["high"],
        "recorded_ms": row["recorded_cost_ms"],
        "replayed_ms": row["replayed_cost_ms"],
        "changed_ms": row["changed_cost_ms"],
        "miss_percent": _percent(known, "replayed"),
        "drawn_miss_percent": _percent(known, "drawn"),
        "rebalances_recorded": row["recorded_rebalances"],
        "rebalances": row["replayed_rebalances"],
        "rebalances_changed": row["changed_rebalances"],
        "moves": row["replayed_moves"],
        "moves_changed": row["changed_moves"],
    }
    keys = {"period": question.period, "change": question.change.text()}
    named = {name: row[name] for name in ("group_id", "kind", "refused")}
    shown = figures if is_answered else dict.fromkeys(figures)
    return {**keys, **named, **shown}


def _percent(known: Any, stage: str) -> float | None:
    if known is None or not known["recorded"]:
        return None
    return round(100 * float(known[stage]) / float(known["recorded"]), 1)
