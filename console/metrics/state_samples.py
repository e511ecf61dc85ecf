"""Rollcall's own series of the rows. Pure: from a ``State`` to samples."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

from django.conf import settings

from console.metrics.state import State
from console.queries.attention_table import RULES
from console.queries.fired import Place
from console.queries.situation import SETTLED
from groups.metrics.series import Sample


def up(is_up: bool) -> Iterator[Sample]:
    """The samples that are returned whether PostgreSQL responds or not."""
    yield Sample("rollcall_database_up", int(is_up))
    yield Sample("rollcall_build_info", 1, (settings.VERSION,))


def samples(state: State, now: datetime | None = None) -> Iterator[Sample]:
    """All samples."""
    yield from _totals(state)
    yield from _nodes(state)
    yield from _rebalances(state)
    yield from _periodic(state, now or datetime.now(UTC))
    yield from _attention(state)
    yield from _groups(state)


def _totals(state: State) -> Iterator[Sample]:
    for count in state.counts:
        yield Sample("rollcall_groups", count.groups, (count.kind, count.state))
    yield Sample("rollcall_members", state.fleet.members)
    for name, value in state.single._asdict().items():
        yield Sample(f"rollcall_{name}", int(value))


def _nodes(state: State) -> Iterator[Sample]:
    for node_id, slots in state.slots.items():
        yield Sample("rollcall_slots", slots, ("none" if node_id is None else str(node_id),))
    if None not in state.slots:
        yield Sample("rollcall_slots", 0, ("none",))
    for beat in state.beats:
        yield Sample("rollcall_node_beat_age_seconds", max(0.0, beat.age_s), (str(beat.node_id),))


def _rebalances(state: State) -> Iterator[Sample]:
    moving = [count for count in state.counts if count.state not in SETTLED]
    oldest = max((count.oldest_s for count in moving), default=0.0)
    yield Sample("rollcall_rebalances_1h", state.fleet.rebalances_1h.number)
    yield Sample("rollcall_oldest_open_rebalance_seconds", max(0.0, oldest))
    yield Sample("rollcall_unsettled_groups", sum(count.groups for count in moving))
    for what in ("awaited", "ready", "new"):
        total = sum(getattr(group, what) for group in state.waiting)
        yield Sample("rollcall_waiting_members", total, (what,))
    yield Sample("rollcall_unowned_partitions", sum(group.still for group in state.waiting))


def _periodic(state: State, now: datetime) -> Iterator[Sample]:
    for run in state.fleet.runs:
        last, task = run.last, (run.task.name,)
        if last is None:
            continue
        age = max(0.0, (now - last.started_at).total_seconds())
        yield Sample("rollcall_periodic_age_seconds", age, task)
        yield Sample("rollcall_periodic_failed", int(last.failed), task)
        yield Sample("rollcall_periodic_runs_total", last.runs, task)
        yield Sample("rollcall_periodic_failures_total", last.failures, task)


def _attention(state: State) -> Iterator[Sample]:
    lines = Counter(fired.rule for fired in state.fired)
    for rule in RULES:
        yield Sample("rollcall_attention", lines[rule.name], (rule.name,))
    named = {(f.key, f.rule) for f in state.fired if f.place is Place.GROUP}
    for group_id, name in sorted(named):
        yield Sample("rollcall_group_attention", 1, (group_id, name))


def _groups(state: State) -> Iterator[Sample]:
    for group in state.groups:
        name = (group.group_id,)
        yield Sample("rollcall_group_state", 1, (*name, group.kind, group.state))
        yield Sample("rollcall_group_members", group.members, name)
        yield Sample("rollcall_group_generation", group.generation, name)
        yield Sample("rollcall_group_state_seconds", max(0.0, group.state_s), name)
    listed = {group.group_id for group in state.groups}
    for waiting in state.waiting:
        if waiting.group_id in listed:
            name = (waiting.group_id,)
            yield Sample("rollcall_group_unowned_partitions", waiting.still, name)
    left_out = max(0, sum(count.groups for count in state.counts) - len(state.groups))
    yield Sample("rollcall_series_left_out", left_out, ("groups",))
