"""Questions about one group, answered by the rules (``console.foresight.foresight``): what if.

Reads the group's rows, four statements; computes in the thread of the request, one question at a
time in a process and only for groups up to a size, so that others are not kept waiting. The fleet's
questions are the pipeline's (docs/what-if.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, Final

from django.db import connection

from console.foresight.foresight import (
    NO_CHANGE,
    Accuracy,
    Change,
    Foresight,
    Gone,
    Scene,
    Software,
    Unreadable,
    foresee,
)
from console.foresight.kinds import PROTOCOLS, SCENES
from groups.core.configs.group import FREEZE
from groups.core.counts import CONSUMER, topics_of_all
from groups.core.operations import Name
from groups.core.rows import Durable, GroupRow, MemberRow
from groups.models import Group, Member, Topic

MEMBERS_MAX: Final = 10_000
PARTITIONS_MAX: Final = 200_000
"""Larger groups are not asked about, nor what would make one: it would take several seconds."""

WAIT_S: Final = 5.0
"""How long a question waits for another one's answer."""

TOO_LARGE: Final = "it is too large to be computed in the time that a page may take"
OTHERWISE: Final = "its rows were written by another version"
BUSY: Final = "another question is being answered: ask again"

_ONE: Final = Lock()

FIELDS: Final = tuple(MemberRow.__dataclass_fields__.keys() - {"commands"})


class Unanswerable(Exception):
    """The question cannot be answered; the text is the reason, for people."""


def scene_of(group: Group) -> Scene:
    """A group as its rows describe it. Raises ``Unanswerable``."""
    rows = Member.objects.filter(group_id=group.group_id).order_by("position")
    members = {row["member_id"]: _row(row) for row in rows.values(*FIELDS)[: MEMBERS_MAX + 1]}
    if len(members) > MEMBERS_MAX:
        raise Unanswerable(TOO_LARGE)
    names = _topics(group, members.values())
    topics = list(
        Topic.objects.filter(name__in=names).only("name", "topic_id", "partitions", "racks")
    )
    if sum(topic.partitions for topic in topics) > PARTITIONS_MAX:
        raise Unanswerable(TOO_LARGE)
    counts = {topic.name: topic.partitions for topic in topics}
    racks = {topic.topic_id.hex: [*map(frozenset, topic.racks)] for topic in topics if topic.racks}
    is_frozen, software = _beside(group.group_id)
    try:
        scene = SCENES[group.kind](_durable(group, members), counts, racks, software)
    except Unreadable as unreadable:
        raise Unanswerable(str(unreadable)) from None
    except (KeyError, TypeError):
        raise Unanswerable(OTHERWISE) from None
    is_able = group.kind in PROTOCOLS
    others = {name: each for name, each in PROTOCOLS.items() if is_able and name != group.kind}
    return replace(scene, is_frozen=is_frozen, protocols=others)


BESIDE: Final = """
SELECT EXISTS (SELECT FROM rollcall_group_config
               WHERE group_id = %(group)s AND name = %(freeze)s AND value = 'true'),
       ARRAY(SELECT DISTINCT ARRAY[coalesce(l.software_name, ''), coalesce(l.software_version, '')]
             FROM rollcall_member AS m LEFT JOIN rollcall_life_open AS l USING (group_id, member_id)
             WHERE m.group_id = %(group)s)
"""
"""Whether the group is frozen, and which clients its members are."""


def _beside(group_id: str) -> tuple[bool, Software]:
    with connection.cursor() as cursor:
        cursor.execute(BESIDE, {"group": group_id, "freeze": FREEZE})
        is_frozen, software = cursor.fetchone()
    return is_frozen, frozenset((name, version) for name, version in software)


def _topics(group: Group, members: Any) -> set[str]:
    return (
        set(group.details.get("topics", ()))
        if group.kind == CONSUMER
        else topics_of_all(_group_row(group), members)
    )


def _row(values: Mapping[str, Any]) -> MemberRow:
    binary = {name: bytes(values[name]) for name in ("subscription", "assignment")}
    return MemberRow(**{**values, **binary})


def _group_row(group: Group) -> GroupRow:
    return GroupRow(**{name: getattr(group, name) for name in GroupRow.__dataclass_fields__})


def _durable(group: Group, members: Mapping[str, MemberRow]) -> Durable:
    return Durable(_group_row(group), members, group.revision)


def answer(scene: Scene, change: Change = NO_CHANGE) -> Foresight:
    """The answer. Raises ValueError for a question without sense, and ``Unanswerable``."""
    partitions = sum(scene.counts.values()) + sum(change.partitions.values())
    if len(scene.seats) + change.newcomers > MEMBERS_MAX or partitions > PARTITIONS_MAX:
        raise Unanswerable(TOO_LARGE)
    if not _ONE.acquire(timeout=WAIT_S):
        raise Unanswerable(BUSY)
    try:
        return foresee(scene, change)
    finally:
        _ONE.release()


def of_host(scene: Scene, host: str) -> Change:
    """The loss of a host, with Kafka's slash before it or without: its members end without a word.
    Raises ValueError if it has none."""
    there = host.lstrip("/")
    gone = frozenset(seat.member_id for seat in scene.seats if seat.host.lstrip("/") == there)
    if not gone:
        raise ValueError(f"no member is on host {there}")
    return Change(gone=gone, how=Gone.SILENT)


CHANGES: Final[Mapping[Name, Any]] = {
    Name.REBALANCE: lambda _members: NO_CHANGE,
    Name.EVICT: lambda members: Change(gone=members),
    Name.DRAIN: lambda members: Change(drained=members),
    Name.UNDRAIN: lambda members: Change(undrained=members),
}
"""What operations that move partitions change, by the members that they are about."""


def of_operation(name: Name, group: Group, member: str = "") -> Foresight | None:
    """What an operation will do to who owns what, on a member by either id; None: it moves nothing,
    or nobody can say."""
    if name not in CHANGES:
        return None
    try:
        scene = scene_of(group)
        return answer(scene, CHANGES[name](_named(scene.seats, member)))
    except (Unanswerable, ValueError) as error:
        return Foresight(Accuracy.UNKNOWN, str(error), rebalances=1)


def _named(seats: Sequence[Any], name: str) -> frozenset[str]:
    ids = (seat.as_seen for seat in seats)
    return frozenset(
        one.member_id for one in ids if name and name in (one.member_id, one.instance_id)
    )


KEPT: Final = (
    "accuracy",
    "why",
    "moved",
    "unowned",
    "freed",
    "stopped",
    "members",
    "rebalances",
)
"""What an operation's row keeps of its prediction."""


def kept(found: Foresight | None) -> dict[str, Any] | None:
    """The prediction in an operation's row."""
    return None if found is None else {name: getattr(found, name) for name in KEPT}
