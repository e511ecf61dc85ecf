"""Rows that Django itself writes, for tests: operators' verbs and runs of the pipeline.

What the store writes (groups, members, offsets, the journal) is made by ``tests.factories`` and
written as its owner writes it.
"""

from datetime import UTC, datetime, timedelta

from factory.declarations import LazyAttribute, SubFactory
from factory.django import DjangoModelFactory

from groups.models import Operation, RebalanceCost, ReportRun

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
    events = 1_234
    finished_at = LazyAttribute(  # type: ignore[no-untyped-call]  # factory-boy types its models only
        lambda run: None if run.state == "running" else run.started_at + timedelta(seconds=42)
    )


class RebalanceCostFactory(DjangoModelFactory[RebalanceCost]):
    """What one cause has cost a group, by a run."""

    class Meta:
        model = RebalanceCost

    run = SubFactory(ReportRunFactory)  # type: ignore[no-untyped-call]  # as above
    group_id = "orders"
    trigger = "member-left"
    rebalances = 3
    duration_ms = 4_500
    longest_ms = 2_000
    waited_ms = 1_000
    slowest_member = "w-7"
    partitions_moved = 12
    without_owner_ms = 4_000
