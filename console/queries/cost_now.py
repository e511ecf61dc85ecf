"""The cost of rebalances by SQL, at once: until a run of the pipeline has ended, and for what
happened since.

It equals the pipeline's report of the same entries (``tests/pipeline/test_cost_now.py``). A large
journal is not read whole: only its newest entries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import OperationalError, connection, transaction
from django.utils import timezone
from psycopg.errors import QueryCanceled

from console.queries import journal_times
from console.queries.report_tables import Computed, ComputedRow
from console.queries.reports import LENGTHS, Chart, Column, Report
from console.queries.sql import cost as sql
from groups.core.journal import EntryKind

ENTRIES_MAX: Final = 100_000
"""The newest entries of the journal that are read: about a second's work."""

PERIODS: Final = {"1h": "last hour"}
"""The periods that only SQL computes, in words."""

LENGTH: Final[Mapping[str, timedelta]] = {"1h": timedelta(hours=1), **LENGTHS}
"""How long each period is; "all" has no length."""

KINDS: Final = {
    kind.name.lower(): kind.value
    for kind in (
        EntryKind.REBALANCE_STARTED,
        EntryKind.REBALANCE_COMPLETED,
        EntryKind.REBALANCE_ABANDONED,
        EntryKind.STABLE,
        EntryKind.EMPTIED,
        EntryKind.GROUP_DELETED,
    )
}
"""Parameters of the statement: kinds of entries by their names."""

COST: Final = Report(
    name="cost",
    title="Cost of rebalances",
    question="What do rebalances cost, and what causes them?",
    order="without_owner_ms",
    keys=(Column("group_id", "string", "the group"), Column("trigger", "string", "the cause")),
    figures=(
        Column("rebalances", "bigint", "rebalances; each counts with every cause it had"),
        Column("duration_ms", "bigint", "their durations, or the causes' shares of them, summed"),
        Column("longest_ms", "bigint", "the longest of them"),
        Column("p50_ms", "bigint", "half of them took at most this"),
        Column("p95_ms", "bigint", "95 % of them took at most this"),
        Column("p99_ms", "bigint", "99 % of them took at most this"),
        Column("waited_ms", "bigint", "the wait for the slowest member of each, summed"),
        Column("slowest_member", "string", "the member with the longest single wait"),
        Column("partitions_moved", "bigint", "partitions that got a new owner"),
        Column(
            "without_owner_ms", "bigint", "time without owner: measured, or its upper bound; summed"
        ),
        Column("without_owner_known_ms", "bigint", "the part that was measured"),
        Column("unknown_rebalances", "bigint", "rebalances without a measured time"),
        Column(
            "worst_journal_id", "bigint", "the entry of the one with the most time without owner"
        ),
    ),
    totals=("rebalances", "without_owner_ms", "partitions_moved"),
    chart=Chart("bars", "group_id", "trigger", "without_owner_ms"),
)
"""``pipeline.datasets.cost.Cost``, which the web cannot import; a test compares."""


class TooLong(Exception):
    """It took longer than a page may take."""


@dataclass(frozen=True, slots=True)
class CostNow:
    """The report, how many entries were read and when, and since when it knows them all: if
    ``is_cut``, that is later than the beginning of the period."""

    table: Computed
    at: datetime
    entries: int
    since: datetime | None
    is_cut: bool

    @property
    def before(self) -> Computed:
        """The period before; without rows where it is not known."""
        return Computed(COST, self.table.before or (), None)


def cost(period: str, group_id: str | None = None, at: datetime | None = None) -> CostNow:
    """Of the time before ``at`` (by default now), for one group or all. Raises ``TooLong``."""
    at = timezone.now() if at is None else at
    length = LENGTH.get(period)
    since = None if length is None else at - 2 * length
    values = {
        **KINDS,
        "since": since,
        "before": None if length is None else at - length,
        "entries": ENTRIES_MAX,
        "first": 0 if since is None else journal_times.first(since),
    }
    (entries, first_at), rows = _read(values)
    now, before = (
        [
            _row(row)
            for row in rows
            if row["is_before"] is is_before and group_id in (None, row["group_id"])
        ]
        for is_before in (False, True)
    )
    is_full = entries == ENTRIES_MAX
    knows_before = since is not None and not (is_full and first_at > since)
    begin = None if length is None else at - length
    is_cut = is_full and (begin is None or first_at > begin)
    table = Computed(COST, now, before if knows_before else None)
    return CostNow(table, at, entries, first_at if is_cut else begin, is_cut)


def _read(values: Mapping[str, Any]) -> tuple[tuple[int, datetime], Sequence[Mapping[str, Any]]]:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql.TIMEOUT)
            cursor.execute(sql.READ, values)
            read = cursor.fetchone()
            cursor.execute(sql.COST, values)
            names = [column.name for column in cursor.description]
            return read, [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise TooLong from error
        raise


def _row(row: Mapping[str, Any]) -> ComputedRow:
    keys = {column.name: row[column.name] for column in COST.keys}
    return ComputedRow(keys, {column.name: row[column.name] for column in COST.figures})
