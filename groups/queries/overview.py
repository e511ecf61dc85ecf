"""The whole fleet at a glance: what an operator should know before looking at any one group.

Reads only, by the ORM, twelve statements however many groups there are. What is counted from the
journal is counted from its newest entries alone, since the journal has no end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Case, Count, Max, OuterRef, Q, Subquery, Value, When, Window
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from groups.models import Group, Journal, Member, Node, Operation, Slot, Sweep
from groups.queries.acknowledgements import Known, known, subjects_of
from groups.queries.groups import REBALANCED, annotated
from groups.queries.situation import SETTLED, of_many
from groups.queries.situation_text import Situation
from groups.queries.thresholds import Thresholds

FAILED_WITHIN: Final = timedelta(hours=24)
RECENT: Final = timedelta(hours=1)

JOURNAL_READ_MAX: Final = 20_000
"""Newest entries of the journal that are looked through for rebalances."""

LISTED_MAX: Final = 10
"""Lines of each list."""

LATEST_MAX: Final = 8

NODE_SILENT_AFTER: Final = timedelta(seconds=15)
"""A node beats each second or so: one unheard of for this long does not serve."""

NOT_RECORDED: Final = frozenset(["groups.tasks.analyse"])
"""Tasks whose end no ``Sweep`` tells of: what they start has rows of its own."""

RUN_FIELDS: Final = ("started_at", "took_ms", "outcome", "failed", "runs", "failures")
"""Of a ``Sweep``, beside its name."""

LATE_AFTER_PERIODS: Final = 3
LATE_AFTER_LEAST: Final = timedelta(seconds=30)
"""A task is late when this many of its periods went by, and at least this long."""


@dataclass(frozen=True, slots=True)
class LastHour:
    """How many in the last hour; ``is_more`` where there were more than could be looked through."""

    number: int
    is_more: bool


@dataclass(frozen=True, slots=True)
class TaskRun:
    """A periodic task beside its last run. ``last`` None: it has not run yet."""

    task: PeriodicTask
    last: Sweep | None
    is_late: bool

    @property
    def has_failed(self) -> bool:
        """Whether the last run failed."""
        return self.last is not None and self.last.failed


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything that the dashboard shows."""

    states: Mapping[str, int]
    members: int
    newest_entry: int | None
    nodes: Sequence[Node]
    silent_nodes: Sequence[Node]
    slots: int
    ownerless_slots: int
    rebalances_1h: LastHour
    latest: Sequence[Journal]
    unsettled: Sequence[Group]
    unsettled_count: int
    situations: Mapping[str, Situation]
    failed: Sequence[Operation]
    turns: Sequence[TaskRun]
    acknowledged: Known

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return sum(self.states.values())

    @property
    def troubled_turns(self) -> Sequence[TaskRun]:
        """Periodic tasks whose last run failed, or that should have run by now."""
        return [turn for turn in self.turns if turn.has_failed or turn.is_late]


def look(now: datetime | None = None) -> Overview:
    """The fleet as the rows tell it."""
    now = now or timezone.now()
    slots = _counted()
    nodes = list(Node.objects.order_by("node_id"))
    newest = slots["newest"] or 0
    acknowledged = known()
    unsettled = unsettled_groups(now, subjects_of("unsettled", acknowledged))
    return Overview(
        states=states(),
        members=slots["members"] or 0,
        newest_entry=newest,
        nodes=nodes,
        silent_nodes=[node for node in nodes if node.beat_at < now - NODE_SILENT_AFTER],
        slots=slots["all"],
        ownerless_slots=slots["free"],
        rebalances_1h=rebalances(newest, now - RECENT),
        latest=latest_rebalances(newest),
        unsettled=unsettled,
        unsettled_count=unsettled[0].of if unsettled else 0,
        situations=of_many(unsettled, now),
        failed=failed_operations(
            now - FAILED_WITHIN, subjects_of("operation-failed", acknowledged)
        ),
        turns=turns(now),
        acknowledged=acknowledged,
    )


def alone(group: Group, now: Situation) -> Overview:
    """One group as if there were nothing else: what the rules about groups look at. No
    statement: what was acknowledged comes with what the rules find."""
    since = unsettled_since(timezone.now())
    unsettled = [group] if group.state not in SETTLED and group.state_since < since else []
    return Overview(
        states={group.state: 1},
        members=0,
        newest_entry=None,
        nodes=(),
        silent_nodes=(),
        slots=0,
        ownerless_slots=0,
        rebalances_1h=LastHour(0, False),
        latest=(),
        unsettled=unsettled,
        unsettled_count=len(unsettled),
        situations={group.group_id: now},
        failed=(),
        turns=(),
        acknowledged={},
    )


def _counted() -> Mapping[str, Any]:
    """Slots, members, and the journal's newest entry, in one statement."""
    newest = Journal.objects.order_by("-id").values("id")[:1]
    members = Member.objects.order_by().annotate(one=Value(1)).values("one")
    found: Mapping[str, Any] = Slot.objects.aggregate(
        all=Count("slot"),
        free=Count("slot", filter=_ownerless()),
        newest=Max(Subquery(newest)),
        members=Max(Subquery(members.annotate(n=Count("*")).values("n"))),
    )
    return found


def _ownerless() -> Q:
    return Q(node_id__isnull=True)


def states() -> Mapping[str, int]:
    """How many groups are in each state, by the name of the state."""
    counted = Group.objects.values_list("state").annotate(n=Count("group_id")).order_by("state")
    return dict(counted)


def unsettled_groups(now: datetime, known_ids: Sequence[str]) -> Sequence[Any]:
    """Groups that have been rebalancing for longer than a rebalance should take: those that were
    acknowledged, then the oldest; ``of`` on each says how many there are."""
    moving = Group.objects.filter(state_since__lt=unsettled_since(now)).exclude(state__in=SETTLED)
    counted = moving.annotate(of=Window(Count("*")))
    ordered = annotated(counted).order_by(*_first("group_id", known_ids), "state_since")
    return list(ordered[: LISTED_MAX + len(known_ids)])


def unsettled_since(now: datetime) -> datetime:
    """A group that has been on its way since before this does not settle."""
    return now - timedelta(milliseconds=Thresholds.from_django().attention_unsettled_ms)


def _first(column: str, values: Sequence[Any]) -> Sequence[Any]:
    """These before the others."""
    return [Case(When(**{f"{column}__in": values}, then=0), default=1)] if values else []


def failed_operations(since: datetime, known_ids: Sequence[str] = ()) -> Sequence[Operation]:
    """What operators asked for in vain: what was acknowledged, then the newest."""
    ended = Operation.objects.filter(finished_at__gte=since, state=Operation.State.FAILED)
    ids = [int(key) for key in known_ids if key.isdecimal()]
    return list(ended.order_by(*_first("id", ids), "-finished_at")[: LISTED_MAX + len(ids)])


def _looked_through(newest: int) -> Any:
    return Journal.objects.filter(id__gt=newest - JOURNAL_READ_MAX)


def rebalances(newest: int, since: datetime) -> LastHour:
    """How many rebalances were completed since then, as far back as is looked."""
    read = (
        _looked_through(newest)
        .filter(at__gte=since)
        .aggregate(all=Count("id"), rebalances=Count("id", filter=Q(kind=REBALANCED)))
    )
    return LastHour(read["rebalances"], is_more=read["all"] >= JOURNAL_READ_MAX)


def latest_rebalances(newest: int) -> Sequence[Journal]:
    """The last few rebalances of the whole fleet, newest first."""
    return list(_looked_through(newest).filter(kind=REBALANCED).order_by("-id")[:LATEST_MAX])


def turns(now: datetime) -> Sequence[TaskRun]:
    """Every periodic task that is enabled, beside its last run."""
    runs = Sweep.objects.filter(name=OuterRef("name"))
    last = {f"last_{name}": Subquery(runs.values(name)[:1]) for name in RUN_FIELDS}
    enabled = PeriodicTask.objects.filter(enabled=True).exclude(task__startswith="celery.")
    tasks = enabled.select_related("interval", "crontab").order_by("name").annotate(**last)
    return [TaskRun(task, _last(task), is_late(task, _last(task), now)) for task in tasks]


def _last(task: Any) -> Sweep | None:
    told = {name: getattr(task, f"last_{name}") for name in RUN_FIELDS}
    return None if told["started_at"] is None else Sweep(name=task.name, **told)


def last_runs() -> Mapping[str, Sweep]:
    """The last run of everything that ever ran, by name."""
    return {sweep.name: sweep for sweep in Sweep.objects.all()}


def is_late(task: PeriodicTask, last: Sweep | None, now: datetime) -> bool:
    """Whether the task should have run again by now. Only a period says so; one that never ran
    counts from when its row was last changed."""
    if not task.enabled or task.interval is None:
        return False
    period: timedelta = task.interval.schedule.run_every
    patience = max(LATE_AFTER_PERIODS * period, LATE_AFTER_LEAST)
    since: datetime = began(task, last) or task.date_changed
    return since < now - patience


def began(task: PeriodicTask, last: Sweep | None) -> datetime | None:
    """When the task last began; None if it never did. Of one that is not recorded, when beat last
    sent it: that a worker took it is not known."""
    if last is not None:
        return last.started_at
    sent: datetime | None = task.last_run_at
    return sent if task.task in NOT_RECORDED else None
