"""Rows that Django itself writes, for tests: operators' verbs and runs of the pipeline.

What the store writes (groups, members, offsets, the journal) is made by ``tests.factories`` and
written as its owner writes it.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone
from factory.declarations import LazyAttribute, SubFactory
from factory.django import DjangoModelFactory

from groups.models import Journal, Operation, ReportRow, ReportRun
from tests.analyses import described

BEGAN = datetime(2026, 5, 4, 3, 0, tzinfo=UTC)


class OperationFactory(DjangoModelFactory[Operation]):
    """An operator's rebalance that no node has read yet."""

    class Meta:
        model = Operation

    group_id = "orders"
    slot = 0
    verb = Operation.Verb.REBALANCE
    reason = "try"
    actor = "olga"


class ReportRunFactory(DjangoModelFactory[ReportRun]):
    """A run that succeeded in 42 seconds; one that is running has no end."""

    class Meta:
        model = ReportRun

    state = ReportRun.State.SUCCEEDED
    started_at = BEGAN
    as_of = BEGAN
    reports = LazyAttribute(  # type: ignore[no-untyped-call]  # factory-boy types its models only
        lambda run: described() if run.state == "succeeded" else []
    )
    events = 1_234
    finished_at = LazyAttribute(  # type: ignore[no-untyped-call]  # as above
        lambda run: None if run.state == "running" else run.started_at + timedelta(seconds=42)
    )


class CostFactory(DjangoModelFactory[ReportRow]):
    """What one cause has cost a group, by a run."""

    class Meta:
        model = ReportRow
        exclude = ("group_id", "trigger", "over")

    run = SubFactory(ReportRunFactory)  # type: ignore[no-untyped-call]  # as above
    report = "cost"
    period = "7d"
    group_id = "orders"
    trigger = "member-left"
    over: dict[str, object] = {}
    keys = LazyAttribute(  # type: ignore[no-untyped-call]  # as above
        lambda row: {"group_id": row.group_id, "trigger": row.trigger}
    )
    figures = LazyAttribute(  # type: ignore[no-untyped-call]  # as above
        lambda row: {
            "rebalances": 3,
            "duration_ms": 4_500,
            "longest_ms": 2_000,
            "p50_ms": 1_500,
            "p95_ms": 2_000,
            "p99_ms": 2_000,
            "waited_ms": 1_000,
            "slowest_member": "w-7",
            "partitions_moved": 12,
            "without_owner_ms": 4_000,
            "without_owner_known_ms": 0,
            "unknown_rebalances": 0,
            "worst_journal_id": 17,
            **row.over,
        }
    )


def journal(group_id: str, kind: str = "rebalance-completed", **over: Any) -> int:
    """Write an entry of the journal, of now; returns its number."""
    values = {"at": timezone.now(), "group_id": group_id, "kind": kind, **over}
    return int(Journal.objects.create(**{**EMPTY, **values}).pk)


EMPTY = {
    "revision": 1,
    "node_id": 0,
    "generation_before": 0,
    "generation_after": 0,
    "waited_for": {},
    "joined": [],
    "left": [],
    "details": {},
}


def advise(run: ReportRun, group_id: str = "orders", **over: Any) -> dict[str, str]:
    """Add an advice to a run; returns what identifies it."""
    keys = {"group_id": group_id, "rule": "session-timeout", "subject": "w at 10.0.0.1"}
    figures = {
        "finding": "expired 6 times",
        "change": "session.timeout.ms=22000",
        "evidence": 6,
        "confidence": "medium",
        "cost_ms": 1_500,
        "saves_partition_ms": 9_000,
        "worst_journal_id": 17,
        "entries": "17,12",
        "lives": "5",
        "what_if": "--session-timeout-ms 22000",
        **over,
    }
    ReportRow.objects.create(run=run, report="advice", period="7d", keys=keys, figures=figures)
    return keys
