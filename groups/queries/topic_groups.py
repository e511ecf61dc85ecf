"""Which groups use a topic, and who owns its partitions in each. Reads only, four statements, each
bounded: a topic's page is opened while something is wrong, and there may be a million members."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection

from groups.models import Group, Member, Offset, Topic
from groups.queries.groups import share_of
from groups.queries.member_names import short

GROUPS_MAX: Final = 20
"""Groups that are shown, the first by id."""

MEMBERS_SEARCHED_MAX: Final = 20_000
"""Members whose subscriptions are searched for the topic's name."""

MEMBERS_MAX: Final = 2_000
"""Members that are read, of all these groups together."""

OFFSETS_READ_MAX: Final = 5_000
"""Offsets of the topic that are searched for groups: it may have millions."""

SUBSCRIBERS: Final = """
SELECT DISTINCT group_id
FROM (SELECT group_id, subscription, assignment, details FROM rollcall_member
      ORDER BY group_id, member_id LIMIT %(searched)s) AS member
WHERE position(%(name)s::text::bytea IN subscription) > 0
   OR position(%(name)s::text::bytea IN assignment) > 0
   OR details->'topics' ? %(name)s OR details->'assigned' ? %(topic_id)s
ORDER BY group_id LIMIT %(groups)s
"""
"""The name may be a part of another one: whoever reads the members finds out. A topic's name has no
backslash, so its text is its bytes."""


@dataclass(frozen=True, slots=True)
class Use:
    """What a group has to do with a topic. ``owners`` are client ids with partitions; ``unread``:
    it has more members than were read, and what is said of owners is not all."""

    group: Group
    subscribers: int
    owners: Sequence[tuple[str, Sequence[int]]]
    unowned: Sequence[int]
    has_committed: bool
    unread: bool


@dataclass(frozen=True, slots=True)
class Uses:
    """The groups of a topic; ``is_more``: there are others."""

    shown: Sequence[Use]
    is_more: bool


def of(topic: Topic) -> Uses:
    """Groups with members that subscribe to the topic or own some of it, and groups that have
    committed offsets of it."""
    committed, found = _committed(topic), _subscribed(topic)
    ids = sorted(committed | found)
    groups = list(Group.objects.filter(group_id__in=ids[: GROUPS_MAX * 2]).order_by("group_id"))
    rows = Member.objects.filter(group_id__in=[group.group_id for group in groups])
    members = list(rows.order_by("group_id", "position")[: MEMBERS_MAX + 1])
    cut = members[-1].group_id if len(members) > MEMBERS_MAX else None
    uses = [_use(topic, group, members, group.group_id in committed, cut) for group in groups]
    used = [use for use in uses if use.has_committed or use.subscribers or use.owners or use.unread]
    return Uses(used[:GROUPS_MAX], len(used) > GROUPS_MAX or len(ids) > GROUPS_MAX * 2)


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


def _use(
    topic: Topic, group: Group, members: Sequence[Member], has_committed: bool, cut: str | None
) -> Use:
    names = {topic.topic_id.hex: topic.name}
    subscribers, owners = 0, list[tuple[Member, Sequence[int]]]()
    for row in members:
        if row.group_id != group.group_id:
            continue
        topics, assigned = share_of(group, row, names)
        numbers = (assigned or {}).get(topic.name, ())
        subscribers += topic.name in (topics or ())
        if numbers:
            owners.append((row, numbers))
    owned = {number for _, numbers in owners for number in numbers}
    is_used = bool(subscribers or owners)
    unowned = [n for n in range(topic.partitions) if n not in owned] if is_used else []
    unread = cut is not None and group.group_id >= cut
    return Use(group, subscribers, _named(owners), [] if unread else unowned, has_committed, unread)


def _named(owners: Sequence[tuple[Member, Sequence[int]]]) -> Sequence[tuple[str, Sequence[int]]]:
    """By client id, with a short id where two are alike."""
    alike = Counter(row.client_id for row, _ in owners)

    def name(row: Member) -> str:
        told = row.client_id or row.member_id
        return f"{told} ({short(row.member_id)})" if alike[row.client_id] > 1 else told

    return [(name(row), numbers) for row, numbers in owners]
