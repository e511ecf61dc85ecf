"""Values of a list of groups besides its rows: the amount of work, how much of it has no owner, and
the number of rebalances.

Reads only, three statements for a page of groups, each limited: a page may have groups of thousands
of members.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db.models import Count, F, Func, IntegerField, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from groups.models import Journal, Member
from groups.queries import groups
from groups.queries.overview import JOURNAL_READ_MAX, RECENT

MEMBERS_READ_MAX: Final = 6_000
"""Members of a page's groups that are read, those of small groups first: about 0.1 s. For others
see the group's page."""

READ: Final = ("group_id", "subscription", "assignment", "details")


ORDERS: Final = ("topics", "partitions", "unowned")
"""Columns by which a list is ordered only if its members can be read."""

GROUP: Final = ("kind", "protocol_name", "details")
"""The group's columns that are needed to decode its members' rows."""


@dataclass(frozen=True, slots=True)
class Work:
    """A group's work: subscribed topics, their partitions, and how many of these have no owner."""

    topics: int
    partitions: int
    unowned: int


def work_of(page: Sequence[Any]) -> Mapping[str, Work]:
    """The work of these annotated groups, by id, if it was read. Two statements."""
    return _work_of({group.group_id: group for group in _within_bounds(page)})


def work_of_all(found: QuerySet[Any]) -> Mapping[str, Work] | None:
    """The work of all these groups, by id; None if they have more than ``MEMBERS_READ_MAX``
    members, or there are more groups than that. Three statements, one if it is None."""
    counted = found.order_by().annotate(member_count=BY_MEMBERS).only("group_id", *GROUP)
    rows = list(counted[: MEMBERS_READ_MAX + 1])
    if len(rows) > MEMBERS_READ_MAX or sum(row.member_count for row in rows) > MEMBERS_READ_MAX:
        return None
    return _work_of({group.group_id: group for group in rows})


def _work_of(read: Mapping[str, Any]) -> Mapping[str, Work]:
    topics: dict[str, set[str]] = {group_id: set() for group_id in read}
    owned: dict[str, int] = dict.fromkeys(read, 0)
    members = Member.objects.filter(group_id__in=list(read)).values_list(*READ, named=True)
    for row in members:  # named tuples: models of thousands would double the time
        group = read[row.group_id]
        topics[row.group_id].update(groups.subscribed_topics(group, row) or ())
        owned[row.group_id] += groups.partitions_owned(group, row)
    sizes = groups.partition_counts(set().union(*topics.values()))
    return {group_id: _work(named, owned[group_id], sizes) for group_id, named in topics.items()}


def _within_bounds(page: Sequence[Any]) -> Sequence[Any]:
    found, left = [], MEMBERS_READ_MAX
    for group in sorted(page, key=lambda one: int(one.member_count)):
        left -= group.member_count
        if left >= 0 and group.member_count:
            found.append(group)
    return found


def _work(topics: Collection[str], owned: int, sizes: Mapping[str, int]) -> Work:
    partitions = sum(sizes.get(name, 0) for name in topics)
    return Work(len(topics), partitions, max(0, partitions - owned))


def rebalances_1h(group_ids: Sequence[str]) -> Mapping[str, int]:
    """How many rebalances each of these groups completed within the last hour, among the newest
    journal entries. One statement."""
    recent = Journal.objects.filter(
        id__gt=Coalesce(Subquery(NEWEST), 0) - JOURNAL_READ_MAX,
        at__gte=timezone.now() - RECENT,
        group_id__in=list(group_ids),
        kind=groups.REBALANCED,
    )
    counted = recent.order_by().values_list("group_id").annotate(n=Count("id"))
    return dict(counted)


NEWEST: Final = Journal.objects.order_by("-id").values("id")[:1]

# -- Orders of a list -------------------------------------------------------------------------


def _one(counted: Any) -> Coalesce:
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


_REBALANCES: Final = Journal.objects.filter(
    group_id=OuterRef("group_id"), kind=groups.REBALANCED
).order_by()

BY_MEMBERS: Final = _one(
    Member.objects.filter(group_id=OuterRef("group_id"))
    .order_by()
    .values("group_id")
    .annotate(n=Count("member_id"))
    .values("n")
)

BY_LAST_REBALANCE: Final = _one(
    _REBALANCES.values("group_id").annotate(newest=Max("id")).values("newest")
)
"""The number of its journal entry: later ones are greater."""


class HourAgo(Func):
    """PostgreSQL's clock when the statement runs."""

    template = f"now() - interval '{RECENT // timedelta(seconds=1)} seconds'"


BY_REBALANCES_1H: Final = _one(
    _REBALANCES.filter(id__gt=Coalesce(Subquery(NEWEST), 0) - JOURNAL_READ_MAX)
    .annotate(recently=HourAgo())
    .filter(at__gte=F("recently"))
    .values("group_id")
    .annotate(n=Count("id"))
    .values("n")
)
