"""Read models of groups, for the admin and REST.

Reads only, by the ORM, with a small fixed number of statements each. ``groups.core`` decodes bytes;
callers format pages or JSON.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import connection
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce
from django.utils import timezone

from console.journal_subjects import OF_GROUPS, Kinds
from console.queries import journal_rows
from console.queries.sql import commands
from groups.core import drains
from groups.core.assignment import partitions_of
from groups.core.commands import EXPELLED
from groups.core.configs.group import FREEZE
from groups.core.counts import subscribed_topics
from groups.core.drains import Drain
from groups.core.journal import EntryKind
from groups.core.pauses import GROUP
from groups.models import (
    ABOUT_TOPICS,
    Group,
    GroupConfig,
    Journal,
    Liveness,
    Member,
    Node,
    Offset,
    Pause,
    Slot,
    Topic,
)
from groups.postgres.channels import NOTIFY
from groups.store.sql.catalogue import GREATEST_COMMITTED
from groups.store.sql.liveness import LOOK_BELL

CLASSIC, CONSUMER, DRAFT, COMMANDED = "classic", "consumer", "draft", "commanded"

KINDS = (CLASSIC, CONSUMER, DRAFT, COMMANDED)
OUT: Final = "Expelled"
"""The state of a member of a commanded group that was removed and may not know it yet."""


STATES = (
    "Empty",
    "PreparingRebalance",
    "CompletingRebalance",
    "Assigning",
    "Reconciling",
    "Stable",
)
"""The states of every kind of group; querying the existing ones would read all rows."""

REBALANCED = EntryKind.REBALANCE_COMPLETED

COMMITTED_BY_MAX = 1_000
"""Groups that are counted for a topic."""

COUNTED: Final[Mapping[str, str]] = {
    "member_count": "counts__members",
    "topic_count": "counts__topics",
    "partition_count": "counts__partitions",
    "unowned": "counts__unowned",
}
"""Values that a list is ordered by, as the groups' owners counted them."""

Partitions = Mapping[str, Sequence[int]]
"""Partition numbers by topic name, both sorted."""


@dataclass(frozen=True, slots=True)
class MemberView:
    """A member for display. Ages are milliseconds; None: not written yet."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    joined_at: datetime
    heard_at: datetime | None
    heartbeat_age_ms: int | None
    is_leader: bool
    state: str
    epoch: int
    topics: Sequence[str] | None
    assignment: Partitions | None
    drain: Drain | None = None

    @property
    def partition_count(self) -> int:
        """The number of partitions that the member owns, if its assignment can be decoded."""
        return sum(len(numbers) for numbers in (self.assignment or {}).values())


@dataclass(frozen=True, slots=True)
class OffsetView:
    """A committed offset with its partition's end offset. ``lag`` None: unknown."""

    topic: str
    partition: int
    committed_offset: int
    leader_epoch: int
    metadata: str
    committed_at: datetime
    end_offset: int | None
    lag: int | None
    owner: str | None


def annotated(groups: QuerySet[Any] | None = None) -> QuerySet[Any]:
    """Groups with ``member_count``, ``last_rebalance_at`` and ``last_rebalance_id``, ``paused``
    (whether the whole group is), ``paused_by`` and ``paused_since``, ``paused_members`` (how many
    of its members are), and ``frozen_since`` and ``frozen_until``.

    These are computed only for the rows of a page, so a page costs the same for any number of
    groups, in any order by the group's own columns.
    """
    members = Member.objects.filter(group_id=OuterRef("group_id")).order_by()
    counted = members.values("group_id").annotate(n=Count("member_id")).values("n")
    newest = Journal.objects.filter(group_id=OuterRef("group_id"), kind=REBALANCED).order_by("-id")
    pauses = Pause.objects.filter(group_id=OuterRef("group_id")).order_by()
    single = pauses.exclude(scope=GROUP).values("group_id").annotate(n=Count("name")).values("n")
    found: QuerySet[Any] = Group.objects.all() if groups is None else groups
    page: QuerySet[Any] = found.annotate(
        member_count=Coalesce(Subquery(counted), 0),
        last_rebalance_at=Subquery(newest.values("at")[:1]),
        last_rebalance_id=Subquery(newest.values("id")[:1]),
        paused=Exists(pauses.filter(scope=GROUP)),
        paused_by=Subquery(pauses.filter(scope=GROUP).values("actor")[:1]),
        paused_since=Subquery(pauses.filter(scope=GROUP).values("since")[:1]),
        paused_members=Coalesce(Subquery(single), 0),
    )
    return with_freezes(page)


def narrow(order: str, filters: Collection[str]) -> QuerySet[Any]:
    """Groups with only the columns of a list's order and filters: tens of thousands of rows are
    read for a page."""
    columns = {"type": "kind"}.get(order, order)
    computed = {"", *COUNTED}
    found: QuerySet[Any] = Group.objects.only(*{"group_id", columns} - computed)
    if order in COUNTED:
        found = found.annotate(**{order: Coalesce(F(COUNTED[order]), 0)})
    if "member_count_gte" in filters:
        found = found.annotate(members_now=Count("members__member_id"))
    if "paused" in filters:
        whole = Pause.objects.filter(group_id=OuterRef("group_id"), scope=GROUP)
        found = found.annotate(paused=Exists(whole))
    return with_freezes(found) if "frozen" in filters else found


def has_committed(topic: str) -> Exists:
    """Whether a group has committed an offset of the topic."""
    return Exists(Offset.objects.filter(topic=topic, group_id=OuterRef("group_id")))


def with_freezes(groups: QuerySet[Any]) -> QuerySet[Any]:
    """Groups with ``frozen_since``, None: not frozen; and ``frozen_until``, None: no end."""
    freezes = GroupConfig.objects.filter(group_id=OuterRef("group_id"), name=FREEZE, value="true")
    page: QuerySet[Any] = groups.annotate(
        frozen_since=Subquery(freezes.values("updated_at")[:1]),
        frozen_until=Subquery(freezes.values("until")[:1]),
    )
    return page


def freeze_of(group_id: str) -> GroupConfig | None:
    """The freeze of a group, which need not exist. One statement."""
    if "\0" in group_id:
        return None
    freezes = GroupConfig.objects.filter(group_id=group_id, name=FREEZE, value="true")
    freeze: GroupConfig | None = freezes.first()
    return freeze


def with_rebalances(groups: Sequence[Any]) -> Mapping[str, Journal]:
    """The newest rebalance of each of these annotated groups, by group id."""
    ids = [g.last_rebalance_id for g in groups if g.last_rebalance_id is not None]
    return {entry.group_id: entry for entry in Journal.objects.filter(id__in=ids)}


def members_of(group: Group) -> Sequence[MemberView]:
    """The members in order of arrival. Two statements at most."""
    return member_views(group, list(noted_members(group.group_id).order_by("position")))


def noted_members(group_id: str) -> QuerySet[Any]:
    """A group's members with ``heard_at``, to be ordered and cut into pages by the caller."""
    noted = Liveness.objects.filter(
        group_id=OuterRef("group_id"), member_id=OuterRef("member_id")
    ).values("heard_at")
    found: QuerySet[Any] = Member.objects.filter(group_id=group_id)
    annotated: QuerySet[Any] = found.annotate(heard_at=Subquery(noted))
    return annotated


def member_views(group: Group, rows: Sequence[Any]) -> Sequence[MemberView]:
    """These rows of ``noted_members`` for display. At most one statement."""
    names = _topic_names(group, rows)
    now = timezone.now()
    return [_member(group, row, row.heard_at, names, now) for row in rows]


def _topic_names(group: Group, rows: Iterable[Member]) -> Mapping[str, str]:
    """Topic names by id, as 32 hex digits, for groups whose members' rows contain ids."""
    if group.kind != CONSUMER:
        return {}
    ids = {topic_id for row in rows for topic_id in row.details.get("assigned", ())}
    names = {facts[0]: name for name, facts in group.details.get("topics", {}).items()}
    unknown = ids - names.keys()
    if unknown:
        found = Topic.objects.filter(topic_id__in=unknown).values_list("topic_id", "name")
        names.update((topic_id.hex, name) for topic_id, name in found)
    return names


def _member(
    group: Group, row: Member, heard_at: datetime | None, names: Mapping[str, str], now: datetime
) -> MemberView:
    by_epoch = group.kind == CONSUMER
    age = None if heard_at is None else max(0, _milliseconds(now - heard_at))
    return MemberView(
        member_id=row.member_id,
        instance_id=row.instance_id,
        client_id=row.client_id,
        client_host=row.client_host,
        session_timeout_ms=row.session_timeout_ms,
        rebalance_timeout_ms=row.rebalance_timeout_ms,
        joined_at=row.joined_at,
        heard_at=heard_at,
        heartbeat_age_ms=age,
        is_leader=group.kind == CLASSIC and row.member_id == group.leader,
        state=_state(group, row),
        epoch=row.details.get("epoch", 0) if by_epoch else group.generation,
        topics=subscribed_topics(group, row),
        assignment=_assignment(group, row, names),
        drain=drains.read(row.details),
    )


def _state(group: Group, row: Member) -> str:
    """The member's own state if its kind has one; else the group's."""
    if group.kind == CONSUMER:
        state: str = row.details.get("state", "")
        return state
    return OUT if EXPELLED in row.details else group.state


def _milliseconds(span: timedelta) -> int:
    return round(span / timedelta(milliseconds=1))


def _assignment(group: Group, row: Member, names: Mapping[str, str]) -> Partitions | None:
    if group.kind == CONSUMER:
        assigned: Mapping[str, Sequence[int]] = row.details.get("assigned", {})
        return {names.get(t, t): sorted(p) for t, p in sorted(assigned.items())}
    parts = partitions_of(bytes(row.assignment))
    return None if parts is None else by_topic(parts)


def share_of(group: Group, row: Member, topic: Topic) -> tuple[bool, Sequence[int]]:
    """Whether a member subscribes to a topic, and its partitions of it; none if they cannot be
    decoded. No statement."""
    subscribes = topic.name in (subscribed_topics(group, row) or ())
    if group.kind == CONSUMER:
        return subscribes, sorted(row.details.get("assigned", {}).get(topic.topic_id.hex, ()))
    parts = partitions_of(bytes(row.assignment)) or ()
    return subscribes, sorted(number for name, number in parts if name == topic.name)


def by_topic(parts: Iterable[tuple[str, int]]) -> Partitions:
    """Pairs of topic and partition, grouped and sorted."""
    grouped: dict[str, list[int]] = {}
    for topic, partition in sorted(parts):
        grouped.setdefault(topic, []).append(partition)
    return grouped


def views_of(rows: Sequence[Offset], members: Sequence[MemberView] = ()) -> Sequence[OffsetView]:
    """Offset rows with the end and the owner of their partition. One statement."""
    names = {row.topic for row in rows}
    ends = dict(Topic.objects.filter(name__in=names).values_list("name", "end_offsets"))
    owners = {
        (topic, partition): member.member_id
        for member in members
        for topic, numbers in (member.assignment or {}).items()
        for partition in numbers
    }
    return [_offset(row, ends.get(row.topic, ()), owners) for row in rows]


def _offset(row: Offset, ends: Sequence[int], owners: Mapping[tuple[str, int], str]) -> OffsetView:
    end = ends[row.partition] if row.partition < len(ends) else None
    return OffsetView(
        topic=row.topic,
        partition=row.partition,
        committed_offset=row.committed_offset,
        leader_epoch=row.leader_epoch,
        metadata=row.metadata,
        committed_at=row.committed_at,
        end_offset=end,
        lag=None if end is None else max(0, end - row.committed_offset),
        owner=owners.get((row.topic, row.partition)),
    )


def journal_of(group_id: str, kinds: Kinds = OF_GROUPS) -> QuerySet[Journal]:
    """The group's journal, newest first; to be sliced by the caller. Entries about no group have
    the empty id, too."""
    rows = journal_rows.entries(kinds).filter(group_id=group_id).order_by("-id")
    return rows if group_id else rows.filter(kind__in=OF_GROUPS.names or ())


def journal_of_topic(name: str, kinds: Kinds) -> QuerySet[Journal]:
    """The journal of topics with this name, newest first, also of a deleted one. It uses the index
    ``journal_of_topic``."""
    rows = journal_rows.entries(kinds).filter(ABOUT_TOPICS)
    named = rows.alias(topic=KeyTextTransform("topic", "details"))
    return named.filter(topic=name).order_by("-id")


def journal_of_slots(kinds: Kinds) -> QuerySet[Journal]:
    """Changes of slot owners, drains of nodes, and reasons for changes of all owners, newest
    first."""
    about = Q(kind__startswith="slots-") | Q(kind__startswith="node-")
    about |= Q(kind=EntryKind.TIME_WENT_BACK)
    return journal_rows.entries(kinds).filter(about, group_id="").order_by("-id")


def not_acknowledged(group_id: str) -> Mapping[str, Sequence[str]]:
    """Members of a commanded group that have not acknowledged their newest command, by its option.
    One statement."""
    with connection.cursor() as cursor:
        cursor.execute(commands.NOT_ACKNOWLEDGED, {"group_id": group_id})
        return dict(cursor.fetchall())


def committed_by(topic: str) -> int:
    """How many groups have committed offsets of a topic, at most ``COMMITTED_BY_MAX``."""
    found = Group.objects.filter(has_committed(topic))
    return int(found.order_by()[:COMMITTED_BY_MAX].count())


def topics_of_members(members: Iterable[MemberView]) -> set[str]:
    """Every topic that a member subscribes to, as far as it can be decoded."""
    return {topic for member in members for topic in member.topics or ()}


def ends_of(topic: Topic) -> Sequence[int]:
    """Each partition's end offset, as ListOffsets returns it: the greater of the catalogue's and
    the greatest offset that any group has committed. One statement."""
    numbers = list(range(topic.partitions))
    stored = [*topic.end_offsets[: topic.partitions]]
    ends = stored + [0] * (topic.partitions - len(stored))
    parameters: dict[str, list[Any]] = {
        "topics": [topic.name] * len(numbers),
        "partitions": numbers,
    }
    with connection.cursor() as cursor:
        cursor.execute(GREATEST_COMMITTED, parameters)
        for _, partition, committed in cursor.fetchall():
            ends[partition] = max(ends[partition], committed)
    return ends


def partition_counts(topics: Collection[str]) -> Mapping[str, int]:
    """The number of partitions of each topic, from the catalogue. One statement."""
    return dict(Topic.objects.filter(name__in=topics).values_list("name", "partitions"))


def owner_of(group: Group) -> Node | None:
    """The node that owns the group's slot, by the rows. One statement."""
    owner = Slot.objects.filter(slot=group.slot).values("node_id")[:1]
    return Node.objects.filter(node_id=Subquery(owner)).first()


def with_owners(groups: QuerySet[Any]) -> QuerySet[Any]:
    """Groups with ``owner_id``: the node that owns the slot, by the rows; None: no owner."""
    owner = Slot.objects.filter(slot=OuterRef(OuterRef("slot"))).values("node_id")[:1]
    node = Node.objects.filter(node_id=Subquery(owner)).values("node_id")[:1]
    owned: QuerySet[Any] = groups.annotate(owner_id=Subquery(node))
    return owned


def slots_by_node() -> Mapping[int | None, int]:
    """How many slots each node owns; None: without an owner."""
    counted = Slot.objects.values("node_id").annotate(n=Count("slot")).order_by(F("node_id").asc())
    return {row["node_id"]: row["n"] for row in counted}


def request_look(group_id: str) -> None:
    """Ask the group's owner to write members' last heartbeats, for the next read of the group.

    Heartbeats are in the owner's memory and rarely written; observers of a group request fresh
    values. The caller does not wait.
    """
    with connection.cursor() as cursor:
        cursor.execute(NOTIFY, {"bell": LOOK_BELL, "payload": group_id})
