"""Groups that use a topic, and the owners of its partitions in each. Reads only, four statements,
each limited: a topic's page is opened during incidents, and there may be a million members."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from django.db import connection

from console.queries.groups import share_of
from console.queries.member_names import short
from groups.core.counts import partitions_owned
from groups.models import Group, Member, Offset, Topic

GROUPS_MAX: Final = 20
"""Groups that are shown, the first ones by id."""

MEMBERS_SEARCHED_MAX: Final = 20_000
"""Members whose subscriptions are searched for the topic's name."""

MEMBERS_MAX: Final = 2_000
"""Members that are read, of all these groups together."""

PARTITIONS_READ_MAX: Final = 500_000
"""Partitions of those members, of all their topics together, that are decoded: to read one topic of
an assignment, the whole must be decoded. This many take a fifth of a second."""

OFFSETS_READ_MAX: Final = 5_000
"""Offsets of the topic that are searched for groups: it may have millions."""

OFFSETS_COUNTED_MAX: Final = 100_000
"""Offsets of the topic that are counted: some milliseconds."""

SUBSCRIBERS: Final = """
SELECT DISTINCT group_id
FROM (SELECT group_id, subscription, assignment, details FROM rollcall_member
      ORDER BY group_id, member_id LIMIT %(searched)s) AS member
WHERE position(%(name)s::text::bytea IN subscription) > 0
   OR position(%(name)s::text::bytea IN assignment) > 0
   OR details->'topics' ? %(name)s OR details->'assigned' ? %(topic_id)s
ORDER BY group_id LIMIT %(groups)s
"""
"""The name may be part of a longer one, which decoding the members shows. A topic's name has no
backslash, so its text is its bytes."""


class Share(NamedTuple):
    """A member's subscription and partitions of a topic."""

    member: Member
    subscribes: bool
    numbers: Sequence[int]


@dataclass(frozen=True, slots=True)
class Use:
    """A group's use of a topic. ``owners`` are client ids with partitions; ``unread``: it has more
    members or partitions than were read, so the owners are incomplete."""

    group: Group
    subscribers: int
    owners: Sequence[tuple[str, Sequence[int]]]
    unowned: Sequence[int]
    has_committed: bool
    unread: bool


@dataclass(frozen=True, slots=True)
class Uses:
    """The groups of a topic; ``is_more``: there are others."""

    uses: Sequence[Use]
    is_more: bool


def of(topic: Topic) -> Uses:
    """Groups with members that subscribe to the topic or own partitions of it, and groups with
    committed offsets of it."""
    committed, subscribed = _committed(topic), _subscribed(topic)
    ids = sorted(committed | subscribed)
    groups = list(Group.objects.filter(group_id__in=ids[: GROUPS_MAX * 2]).order_by("group_id"))
    rows = Member.objects.filter(group_id__in=[group.group_id for group in groups])
    members = list(rows.order_by("group_id", "position")[: MEMBERS_MAX + 1])
    cut = members[-1].group_id if len(members) > MEMBERS_MAX else None
    shares, cut = _shares(topic, {group.group_id: group for group in groups}, members, cut)
    uses = [_use(topic, group, shares.get(group.group_id, ()), committed, cut) for group in groups]
    used = [use for use in uses if use.has_committed or use.subscribers or use.owners or use.unread]
    return Uses(used[:GROUPS_MAX], len(used) > GROUPS_MAX or len(ids) > GROUPS_MAX * 2)


def offsets_of(topic: Topic) -> int:
    """The number of committed offsets of it in all groups, at most ``OFFSETS_COUNTED_MAX``."""
    return int(Offset.objects.filter(topic=topic.name).order_by()[:OFFSETS_COUNTED_MAX].count())


def _committed(topic: Topic) -> set[str]:
    read = Offset.objects.filter(topic=topic.name).order_by("topic", "partition")
    return set(read.values_list("group_id", flat=True)[:OFFSETS_READ_MAX])


def _subscribed(topic: Topic) -> set[str]:
    values: Mapping[str, Any] = {
        "name": topic.name,
        "topic_id": topic.topic_id.hex,
        "searched": MEMBERS_SEARCHED_MAX,
        "groups": GROUPS_MAX * 2 + 1,
    }
    with connection.cursor() as cursor:
        cursor.execute(SUBSCRIBERS, values)
        return {group_id for (group_id,) in cursor.fetchall()}


def _shares(
    topic: Topic, groups: Mapping[str, Group], members: Sequence[Member], cut: str | None
) -> tuple[Mapping[str, Sequence[Share]], str | None]:
    """The members' shares of the topic by group, and the first group that was not read
    completely."""
    shares, left = dict[str, list[Share]](), PARTITIONS_READ_MAX
    for row in members:
        group = groups[row.group_id]
        left -= partitions_owned(group, row)
        if left < 0:
            return shares, row.group_id
        shares.setdefault(row.group_id, []).append(Share(row, *share_of(group, row, topic)))
    return shares, cut


def _use(
    topic: Topic, group: Group, shares: Sequence[Share], committed: Container[str], cut: str | None
) -> Use:
    owners = [(share.member, share.numbers) for share in shares if share.numbers]
    subscribers = sum(share.subscribes for share in shares)
    unread = cut is not None and group.group_id >= cut
    unowned: Sequence[int] = []
    if (subscribers or owners) and not unread:
        owned = {number for _, numbers in owners for number in numbers}
        unowned = [n for n in range(topic.partitions) if n not in owned]
    has_committed = group.group_id in committed
    return Use(group, subscribers, _named(owners), unowned, has_committed, unread)


def _named(owners: Sequence[tuple[Member, Sequence[int]]]) -> Sequence[tuple[str, Sequence[int]]]:
    """By client id, with a short id if two are equal."""
    alike = Counter(row.client_id for row, _ in owners)

    def name(row: Member) -> str:
        label = row.client_id or row.member_id
        return f"{label} ({short(row.member_id)})" if alike[row.client_id] > 1 else label

    return [(name(row), numbers) for row, numbers in owners]
