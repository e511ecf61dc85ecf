"""Groups that match a search: a part of their id, of a member's id, client id, instance id or host,
also of one that left within a day, or of a topic's name. Reads only, limited."""

from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any, Final

from django.db.models import Count, Q, QuerySet, Window
from django.db.models.expressions import RawSQL
from django.db.models.functions import Length
from django.utils import timezone

from console.queries import attention, overview
from console.queries.attention_table import UNSETTLED
from console.queries.situation import SETTLED
from console.queries.sql.packed_facts import packed
from console.queries.text_search import any_has_text, contains, has_text, is_storable
from groups.models import Member, Slot, Topic

RESOLVED_MAX: Final = 5_000
"""Groups whose ids are read once, for both the count and the page of a list."""

TOPICS_MAX: Final = 5
"""Topics whose groups are searched, of those with the word in their name: the shortest names."""

MEMBERS_SEARCHED_MAX: Final = 50_000
"""Members that are searched for topics, and lives for names."""

TOPICS_READ_MAX: Final = 200
"""Topics that are read for that."""

OFFSETS_SEARCHED_MAX: Final = 20_000
"""Rows that are searched for topics."""

MEMBER_FIELDS: Final = ("client_id", "member_id", "instance_id", "client_host")

LEFT_WITHIN: Final = "1 day"
"""Who looks for a worker often does so because it is gone."""

OF_LEFT: Final = f"""
SELECT group_id
FROM (SELECT group_id, {", ".join(MEMBER_FIELDS)} FROM rollcall_life
      WHERE at > now() - interval '{LEFT_WITHIN}' AND left_at IS NOT NULL
      UNION ALL
      SELECT group_id, {", ".join(MEMBER_FIELDS)} FROM {packed("rollcall_life")}
      WHERE p.table_name = 'rollcall_life' AND p.last_at > now() - interval '{LEFT_WITHIN}'
        AND at > now() - interval '{LEFT_WITHIN}' AND left_at IS NOT NULL
      LIMIT {MEMBERS_SEARCHED_MAX}) AS l
WHERE"""

OF_TOPICS: Final = f"""
SELECT group_id
FROM (SELECT group_id FROM rollcall_offset WHERE topic = ANY(%s::text[])
      LIMIT {OFFSETS_SEARCHED_MAX}) AS o
UNION
SELECT group_id
FROM (SELECT group_id, subscription, details FROM rollcall_member
      LIMIT {MEMBERS_SEARCHED_MAX}) AS m
WHERE details->'topics' ?| %s::text[] OR details->'assigned' ?| %s::text[]
      OR EXISTS (SELECT FROM unnest(%s::text[]) AS name
                 WHERE position(int2send(length(name)::int2) || name::bytea IN subscription) > 0)
"""
"""In a subscription a topic's name follows its length (two bytes), so a longer name that contains
it does not match. A topic's name has no backslash: its text is its bytes."""


def matching(selected: QuerySet[Any], words: Sequence[str]) -> QuerySet[Any]:
    """The groups among these that match every word. One more statement."""
    topics = _topics(words) if words else []
    for word in words:
        members = Member.objects.filter(any_has_text(word, *MEMBER_FIELDS)).values("group_id")
        condition = any_has_text(word, "group_id") | Q(group_id__in=members) | _of_left(word)
        named = [one for one in topics if has_text(one[0], word)][:TOPICS_MAX]
        if named:
            condition |= Q(group_id__in=_of(named))
        selected = selected.filter(condition)
    return selected


def _of_left(word: str) -> Q:
    if not is_storable(word):
        return Q()
    fields = [contains(field, word) for field in MEMBER_FIELDS]
    conditions = " OR ".join(condition for condition, _ in fields)
    parameters = tuple(chain.from_iterable(of_field for _, of_field in fields))
    return Q(group_id__in=RawSQL(f"{OF_LEFT} {conditions}", parameters))


def _topics(words: Sequence[str]) -> Sequence[tuple[str, Any]]:
    """Topics with one of the words in their name, short names first."""
    named = Q()
    for word in words:
        named |= any_has_text(word, "name")
    rows = Topic.objects.filter(named).order_by(Length("name"), "name")
    return list(rows.values_list("name", "topic_id")[:TOPICS_READ_MAX])


def of_topic(selected: QuerySet[Any], name: str) -> QuerySet[Any]:
    """The groups among these that subscribe to a topic or have committed offsets of it."""
    topics = list(Topic.objects.filter(name=name).values_list("name", "topic_id"))
    return selected.filter(group_id__in=_of(topics)) if topics else selected.none()


def _of(topics: Sequence[tuple[str, Any]]) -> RawSQL:
    names, ids = [name for name, _ in topics], [topic_id.hex for _, topic_id in topics]
    return RawSQL(OF_TOPICS, (names, names, ids, names))


def ids_of(selected: QuerySet[Any]) -> tuple[Sequence[str], int]:
    """The first ``RESOLVED_MAX`` ids of these groups, in order, and the number of all: a count and
    then a page would search all members and offsets twice. One statement."""
    counted = selected.annotate(_total=Window(Count("*")))
    rows = list(counted.values_list("group_id", "_total")[:RESOLVED_MAX])
    return [group_id for group_id, _ in rows], rows[0][1] if rows else 0


def of_node(selected: QuerySet[Any], node_id: int | None) -> QuerySet[Any]:
    """The groups among these whose slot a node owns; None: without an owner."""
    slots = Slot.objects.filter(node_id=node_id) if node_id is not None else FREE
    return selected.filter(slot__in=slots.values("slot"))


FREE: Final = Slot.objects.filter(node_id__isnull=True)


def of_rules(selected: QuerySet[Any], names: Collection[str]) -> QuerySet[Any]:
    """The groups among these with a finding of these attention rules, also acknowledged ones. One
    more statement, two with ``attention.commit.ms``."""
    condition = Q(group_id__in=attention.groups_of(names))
    if UNSETTLED in names:
        condition |= ~Q(state__in=SETTLED) & Q(overview.is_unsettled(timezone.now()))
    return selected.filter(condition)
