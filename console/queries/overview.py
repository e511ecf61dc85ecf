"""The whole fleet in a few numbers: what an operator should know before any single group.

Reads only, by the ORM, twelve statements for any number of groups. Numbers from the journal come
only from its newest entries, since its length is not limited.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import (
    BigIntegerField,
    BooleanField,
    Case,
    Count,
    Max,
    Min,
    OuterRef,
    Q,
    Subquery,
    TextField,
    Value,
    When,
    Window,
)
from django.db.models.expressions import RawSQL
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from console.queries.acknowledgements import Acknowledged, in_force, subjects_of
from console.queries.groups import REBALANCED, annotated
from console.queries.situation import SETTLED, of_many
from console.queries.situation_text import Situation
from console.queries.sql import attention as sql
from console.queries.thresholds import Thresholds
from groups.core.backoff import pause
from groups.core.journal import EntryKind
from groups.models import Group, Journal, Member, Node, Operation, Slot, Sweep

UNDECIDED_AFTER: Final = timedelta(minutes=1)
"""An owner decides an operation within seconds: with one that waits for longer something is wrong.
One that is refused is no incident: whoever asked got the reason."""

RECENT: Final = timedelta(hours=1)

JOURNAL_READ_MAX: Final = 20_000
"""The newest journal entries that are searched for rebalances."""

LISTED_MAX: Final = 10
"""Lines of each list."""

LATEST_MAX: Final = 8

OUTAGES_MAX: Final = 5
OUTAGES_WITHIN: Final = timedelta(hours=24)
OPERATION_WAITS: Final = "operation-waits"
"""The rule about ``Overview.undecided``."""

NODE_SILENT_AFTER: Final = timedelta(seconds=15)
"""A node beats about every second: one with an older beat does not serve."""

NOT_RECORDED: Final = frozenset(["groups.tasks.analyse"])
"""Tasks without a ``Sweep``: their effects have rows of their own."""

RUN_FIELDS: Final = ("started_at", "took_ms", "outcome", "failed", "runs", "failures")
"""Columns of a ``Sweep``, besides its name."""

LATE_AFTER_PERIODS: Final = 3
LATE_AFTER_LEAST: Final = timedelta(seconds=30)
"""A task is late after this many periods, and at least this time."""


@dataclass(frozen=True, slots=True)
class LastHour:
    """The number in the last hour; ``is_more`` if there were more than could be read."""

    number: int
    is_more: bool


@dataclass(frozen=True, slots=True)
class TaskRun:
    """A periodic task and its last run. ``last`` None: it has not run yet."""

    task: PeriodicTask
    last: Sweep | None
    is_late: bool

    @property
    def has_failed(self) -> bool:
        """Whether the last run failed."""
        return self.last is not None and self.last.failed


@dataclass(frozen=True, slots=True)
class Overview:
    """All values of the dashboard."""

    states: Mapping[str, int]
    members: int
    newest_entry: int | None
    nodes: Sequence[Node]
    silent_nodes: Sequence[Node]
    slots: int
    ownerless_slots: int
    ownerless_since: datetime | None
    unserved_groups: int
    rebalances_1h: LastHour
    latest: Sequence[Journal]
    outages: Sequence[Journal]
    over: Sequence[Journal]
    marks: Sequence[Journal]
    unsettled: Sequence[Group]
    unsettled_count: int
    situations: Mapping[str, Situation]
    undecided: Sequence[Operation]
    runs: Sequence[TaskRun]
    acknowledged: Acknowledged

    @property
    def waiting_nodes(self) -> Sequence[Node]:
        """Nodes that beat, and take no slots yet after an unclean end."""
        return [
            node
            for node in self.nodes
            if node.unclean_ends
            and not node.takes_slots
            and node not in self.silent_nodes
            and node.beat_at - node.steady_since < restart_wait(node)
        ]

    @property
    def groups(self) -> int:
        """The number of groups."""
        return sum(self.states.values())

    @property
    def failing_runs(self) -> Sequence[TaskRun]:
        """Periodic tasks whose last run failed, or that are late."""
        return [run for run in self.runs if run.has_failed or run.is_late]


def restart_wait(node: Node) -> timedelta:
    """How long a node that ended uncleanly takes no slots after the last such end."""
    wait = Thresholds.from_django()
    first, most = wait.node_restart_backoff_ms, wait.node_restart_backoff_max_ms
    return timedelta(milliseconds=pause(node.unclean_ends - 1, first, most))


def look(now: datetime | None = None) -> Overview:
    """Read the state of the fleet."""
    now = now or timezone.now()
    slots = _counted()
    nodes = list(Node.objects.order_by("node_id"))
    newest = slots["newest"] or 0
    acknowledged = in_force()
    unsettled = unsettled_groups(now, subjects_of("unsettled", acknowledged))
    rebalanced, outages, over, marks = latest(newest, now - OUTAGES_WITHIN)
    return Overview(
        states=json.loads(slots["states"] or "{}"),
        members=slots["members"] or 0,
        newest_entry=newest,
        nodes=nodes,
        silent_nodes=[node for node in nodes if node.beat_at < now - NODE_SILENT_AFTER],
        slots=slots["all"],
        ownerless_slots=slots["free"],
        ownerless_since=slots["free_since"],
        unserved_groups=slots["unserved"] or 0,
        rebalances_1h=rebalances(newest, now - RECENT),
        latest=rebalanced,
        outages=outages,
        over=over,
        marks=marks,
        unsettled=unsettled,
        unsettled_count=unsettled[0].of if unsettled else 0,
        situations=of_many(unsettled, now),
        undecided=undecided_operations(
            now - UNDECIDED_AFTER, subjects_of(OPERATION_WAITS, acknowledged)
        ),
        runs=task_runs(now),
        acknowledged=acknowledged,
    )


def alone(group: Group, now: Situation) -> Overview:
    """One group as if it were the only one: the input of the rules about groups. No statement:
    acknowledgements, and from when on it is late, come with the rules' findings."""
    unsettled = [] if group.state in SETTLED else [group]
    return Overview(
        states={group.state: 1},
        members=0,
        newest_entry=None,
        nodes=(),
        silent_nodes=(),
        slots=0,
        ownerless_slots=0,
        ownerless_since=None,
        unserved_groups=0,
        rebalances_1h=LastHour(0, False),
        latest=(),
        outages=(),
        over=(),
        marks=(),
        unsettled=unsettled,
        unsettled_count=len(unsettled),
        situations={group.group_id: now},
        undecided=(),
        runs=(),
        acknowledged={},
    )


def _counted() -> Mapping[str, Any]:
    """Slots, members, groups by state, and the journal's newest entry, in one statement."""
    newest = Journal.objects.order_by("-id").values("id")[:1]
    members = Member.objects.order_by().annotate(one=Value(1)).values("one")
    counts: Mapping[str, Any] = Slot.objects.aggregate(
        all=Count("slot"),
        free=Count("slot", filter=_ownerless()),
        free_since=Min("ended_at", filter=_ownerless()),
        unserved=Max(RawSQL(UNSERVED, [], output_field=BigIntegerField())),
        newest=Max(Subquery(newest)),
        members=Max(Subquery(members.annotate(n=Count("*")).values("n"))),
        states=Max(RawSQL(STATES, [], output_field=TextField())),
    )
    return counts


def _ownerless() -> Q:
    return Q(node_id__isnull=True)


UNSERVED: Final = """
SELECT count(*) FROM rollcall_group
WHERE slot IN (SELECT slot FROM rollcall_slot WHERE node_id IS NULL)
"""

STATES: Final = """
SELECT jsonb_object_agg(state, n)::text FROM (
    SELECT state, count(*) AS n FROM rollcall_group GROUP BY state
) AS counted
"""


def unsettled_groups(now: datetime, acknowledged_ids: Sequence[str]) -> Sequence[Any]:
    """Groups that have been rebalancing for too long: acknowledged ones, then the oldest; ``of`` on
    each is their number."""
    moving = Group.objects.exclude(state__in=SETTLED).filter(is_unsettled(now))
    counted = moving.annotate(of=Window(Count("*")))
    ordered = annotated(counted).order_by(*_first("group_id", acknowledged_ids), "state_since")
    return list(ordered[: LISTED_MAX + len(acknowledged_ids)])


def is_unsettled(now: datetime) -> RawSQL:
    """Whether a group that is not settled has not been for too long."""
    unsettled_ms = Thresholds.from_django().attention_unsettled_ms
    return RawSQL(sql.LATE, [now, unsettled_ms] * 2, output_field=BooleanField())


def _first(column: str, values: Sequence[Any]) -> Sequence[Any]:
    """An order with these rows first."""
    return [Case(When(**{f"{column}__in": values}, then=0), default=1)] if values else []


def undecided_operations(before: datetime, acknowledged_ids: Sequence[str]) -> Sequence[Operation]:
    """Operations that no owner has decided since then: acknowledged ones, then the oldest."""
    waiting = Operation.objects.filter(created_at__lt=before, state=Operation.State.PENDING)
    ids = [int(key) for key in acknowledged_ids if key.isdecimal()]
    return list(waiting.order_by(*_first("id", ids), "id")[: LISTED_MAX + len(ids)])


def _looked_through(newest: int) -> Any:
    return Journal.objects.filter(id__gt=newest - JOURNAL_READ_MAX)


def rebalances(newest: int, since: datetime) -> LastHour:
    """How many rebalances were completed since then, within the entries that are read."""
    read = (
        _looked_through(newest)
        .filter(at__gte=since)
        .aggregate(all=Count("id"), rebalances=Count("id", filter=Q(kind=REBALANCED)))
    )
    return LastHour(read["rebalances"], is_more=read["all"] >= JOURNAL_READ_MAX)


def latest(newest: int, since: datetime) -> tuple[Sequence[Journal], ...]:
    """The newest rebalances of the whole fleet, the newest outages of nodes, the newest rebalances
    that needed attention while they lasted, and the newest marks since then, each newest first. One
    statement."""
    unsettled_ms = Thresholds.from_django().attention_unsettled_ms
    is_long = RawSQL(sql.LONG, [unsettled_ms] * 2, output_field=BooleanField())
    read = _looked_through(newest).annotate(is_long=is_long).order_by("-id")
    rebalanced = read.filter(kind=REBALANCED)[:LATEST_MAX]
    away = read.filter(kind=EntryKind.NODE_OUTAGE, at__gte=since)[:OUTAGES_MAX]
    marked = read.filter(kind=EntryKind.MARKED, at__gte=since)[:OUTAGES_MAX]
    long = read.filter(is_long=True, kind=REBALANCED, at__gte=since)
    found = sorted(
        rebalanced.union(away, marked, long[:OUTAGES_MAX], all=False), key=lambda entry: -entry.pk
    )
    of = {kind: [entry for entry in found if entry.kind == kind] for kind in LATEST}
    over = [each for each in of[REBALANCED] if each.is_long and each.at >= since][:OUTAGES_MAX]
    newest_of_all = of[REBALANCED][:LATEST_MAX]
    return newest_of_all, of[EntryKind.NODE_OUTAGE], over, of[EntryKind.MARKED]


LATEST: Final = (REBALANCED, EntryKind.NODE_OUTAGE, EntryKind.MARKED)


def task_runs(now: datetime) -> Sequence[TaskRun]:
    """Every enabled periodic task with its last run."""
    runs = Sweep.objects.filter(name=OuterRef("name"))
    last = {f"last_{name}": Subquery(runs.values(name)[:1]) for name in RUN_FIELDS}
    enabled = PeriodicTask.objects.filter(enabled=True).exclude(task__startswith="celery.")
    tasks = enabled.select_related("interval", "crontab").order_by("name").annotate(**last)
    return [TaskRun(task, _last(task), is_late(task, _last(task), now)) for task in tasks]


def _last(task: Any) -> Sweep | None:
    values = {name: getattr(task, f"last_{name}") for name in RUN_FIELDS}
    return None if values["started_at"] is None else Sweep(name=task.name, **values)


def last_runs() -> Mapping[str, Sweep]:
    """The last run of every task that ever ran, by name."""
    return {sweep.name: sweep for sweep in Sweep.objects.all()}


def is_late(task: PeriodicTask, last: Sweep | None, now: datetime) -> bool:
    """Whether the task should have run again by now. Only for tasks with a period; for one that
    never ran it counts from the last change of its row."""
    if not task.enabled or task.interval is None:
        return False
    period: timedelta = task.interval.schedule.run_every
    patience = max(LATE_AFTER_PERIODS * period, LATE_AFTER_LEAST)
    since: datetime = began(task, last) or task.date_changed
    return since < now - patience


def began(task: PeriodicTask, last: Sweep | None) -> datetime | None:
    """When the task last began; None if it never did. For a task without a record, when beat last
    sent it: whether a worker took it is unknown."""
    if last is not None:
        return last.started_at
    sent: datetime | None = task.last_run_at
    return sent if task.task in NOT_RECORDED else None
