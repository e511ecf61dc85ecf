"""Values of a list of groups besides its rows: the amount of work, how much of it has no owner, and
the number of rebalances.

Reads only, four statements for a page of groups, each limited: a page may have groups of thousands
of members.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db.models import Count, F, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from console.queries import groups
from console.queries.overview import JOURNAL_READ_MAX, RECENT
from groups.core.counts import Counts, counts, topics_of_all
from groups.models import GroupCounts, Journal, Member

MEMBERS_READ_MAX: Final = 6_000
"""Members of a page's groups that are read, those of small groups first: about 0.1 s. The work of
larger groups is as their owner counted it last."""

READ: Final = ("group_id", "subscription", "assignment", "details")


def work_of(page: Sequence[Any]) -> Mapping[str, Counts]:
    """The work of these annotated groups, by id; of a group that is too large to be read here, as
    its owner counted it about a second after its last change. Groups without members have none.
    Three statements at most."""
    read = {group.group_id: group for group in _within_bounds(page)}
    large = [g.group_id for g in page if g.member_count and g.group_id not in read]
    return {**_counted(large), **_work_of(read)}


def _counted(group_ids: Sequence[str]) -> Mapping[str, Counts]:
    if not group_ids:
        return {}
    rows = GroupCounts.objects.filter(group_id__in=group_ids)
    return {row.group_id: Counts(row.topics, row.partitions, row.unowned) for row in rows}


def _work_of(read: Mapping[str, Any]) -> Mapping[str, Counts]:
    members: dict[str, list[Any]] = {group_id: [] for group_id in read}
    rows = Member.objects.filter(group_id__in=list(read)).values_list(*READ, named=True)
    for row in rows:  # named tuples: models of thousands would double the time
        members[row.group_id].append(row)
    topics = {
        key: topics_of_all(read[key], rows_of_group) for key, rows_of_group in members.items()
    }
    sizes = groups.partition_counts(set().union(*topics.values()))
    return {
        key: counts(read[key], rows_of_group, topics[key], lambda topic: sizes.get(topic, 0))
        for key, rows_of_group in members.items()
    }


def _within_bounds(page: Sequence[Any]) -> Sequence[Any]:
    found, left = [], MEMBERS_READ_MAX
    for group in sorted(page, key=lambda one: int(one.member_count)):
        left -= group.member_count
        if left >= 0 and group.member_count:
            found.append(group)
    return found


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

BY_MEMBERS: Final = Coalesce(F("counts__members"), 0)
BY_TOPICS: Final = Coalesce(F("counts__topics"), 0)
BY_PARTITIONS: Final = Coalesce(F("counts__partitions"), 0)
BY_UNOWNED: Final = Coalesce(F("counts__unowned"), 0)
BY_LAST_REBALANCE: Final = Coalesce(F("counts__last_rebalance"), 0)
"""As the groups' owners counted them (``groups.reporting.group_counts``), about a second after
their last change. 0 for a group that has not been counted yet."""

BY_REBALANCES_1H: Final = Coalesce(F("last_hour__rebalances"), 0)
