"""The current activity of groups, from rows: facts for ``console.queries.situation_text``.

Reads only. An owner's report is used while it is fresh; older ones are ignored.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.utils import timezone

from console.queries.groups import MemberView
from console.queries.journal_acts import author
from console.queries.pauses import WorkState
from console.queries.situation_text import (
    Facts,
    Member,
    Order,
    Situation,
    Stopped,
    Waiting,
    situation,
)
from groups.core.configs.group import FREEZE
from groups.core.counts import without_owner
from groups.core.journal import EntryKind
from groups.models import Journal
from groups.models import Waiting as Row

SETTLED: Final = ("Stable", "Empty", "Dead")
"""States in which a group waits for no member."""

BELIEVED: Final = timedelta(seconds=15)
"""An owner repeats its report every five seconds (``groups.reporting.waiting``)."""

SILENT_SHARE: Final = 0.8
"""Share of the session without a heartbeat. Beats are written twice a session, so a live member's
may be a little older than half of it."""

MS: Final = timedelta(milliseconds=1)


def waiting_of(groups: Sequence[Any], now: datetime) -> Mapping[str, Waiting]:
    """The owners' fresh reports on these groups. A report from before a group settled is ignored:
    owners write once a second. One statement."""
    settled = {one.group_id: one.state_since for one in groups if one.state in SETTLED}
    ids = [one.group_id for one in groups]
    rows = Row.objects.filter(group_id__in=ids, told_at__gt=now - BELIEVED)
    return {
        row.group_id: _waiting(row, now)
        for row in rows
        if row.told_at >= settled.get(row.group_id, row.told_at)
    }


def _waiting(row: Any, now: datetime) -> Waiting:
    details, passed = row.details, max(0, round((now - row.told_at) / MS))
    awaited = [
        Member(
            member_id=one["member_id"],
            name=one["name"],
            act=one["act"],
            silent_ms=one["silent_ms"] + passed,
            left_ms=max(0, one["left_ms"] - passed),
            partitions=one["partitions"],
        )
        for one in details["awaited"]
    ]
    since, left = details["since_ms"], details["left_ms"]
    return Waiting(
        phase=details["phase"],
        since_ms=None if since is None else since + passed,
        left_ms=None if left is None else max(0, left - passed),
        awaited=awaited,
        awaited_count=details["awaited_count"],
        ready=details["ready"],
        newcomers=details["newcomers"],
        newcomers_count=details["newcomers_count"],
        handed_out=details["handed_out"],
        still=details["still"],
    )


def _who_froze(group_id: str) -> str:
    """The author, by the journal. One statement."""
    entries = Journal.objects.filter(group_id=group_id, kind=EntryKind.CONFIG_CHANGED)
    newest = entries.filter(details__after__has_key=FREEZE).order_by("-id").first()
    return "" if newest is None else author(newest)


@dataclass(frozen=True, slots=True)
class PageValues:
    """The values that a group's page reads, besides the situation. ``group``: with ``frozen_since``
    (``console.queries.groups.with_freezes``); ``counts``: partitions of the members' subscribed
    topics."""

    group: Any
    members: Sequence[MemberView]
    work: WorkState
    owner_id: int | None
    counts: Mapping[str, int]


def of_one(seen: PageValues) -> Situation:
    """The situation of one group. At most two statements."""
    now = timezone.now()
    return situation(_facts(seen, now), now)


def _facts(seen: PageValues, now: datetime) -> Facts:
    group, members = seen.group, seen.members
    owned = sum(member.partition_count for member in members)
    is_settled = group.state in SETTLED
    return Facts(
        state=group.state,
        is_settled=is_settled,
        state_ms=round((now - group.state_since) / MS),
        members=len(members),
        owned=owned,
        unowned=unowned(seen) if is_settled else None,
        gone=_gone(seen) if is_settled else 0,
        is_served=seen.owner_id is not None,
        waiting=waiting_of([group], now).get(group.group_id),
        frozen=_freeze(group, _who_froze(group.group_id)) if group.frozen_since else None,
        stopped=_stopped(seen.work),
        stopped_members=sum(bool(pause.name) for pause in seen.work.pauses),
        silent=_silent(members) if is_settled else (),
    )


def unowned(seen: PageValues) -> int | None:
    """Partitions of subscribed topics without an owner; None if there are no members, or if a
    subscription or an assignment cannot be decoded, as those of Kafka Connect."""
    known = all(None not in (each.topics, each.assignment) for each in seen.members)
    if not seen.members or not known:
        return None
    return without_owner(seen.counts, _owned(seen.members))


def _owned(members: Sequence[MemberView]) -> Mapping[str, int]:
    """How many partitions of each topic they own."""
    owned: Counter[str] = Counter()
    for member in members:
        owned.update({topic: len(some) for topic, some in (member.assignment or {}).items()})
    return owned


def _gone(seen: PageValues) -> int:
    """Owned partitions of subscribed topics that the catalogue does not have: the topic was
    deleted, or made again with fewer. Members learn it with their next look at the topics."""
    subscribed = set().union(*(member.topics or () for member in seen.members))
    return without_owner(
        {topic: count for topic, count in _owned(seen.members).items() if topic in subscribed},
        seen.counts,
    )


def _freeze(group: Any, by: str = "") -> Order | None:
    since = group.frozen_since
    return None if since is None else Order(by, since, until=group.frozen_until)


def _stopped(work: WorkState) -> Stopped | None:
    pause = work.of_group
    if pause is None:
        return None
    order = Order(pause.actor, pause.since, pause.reason)
    return Stopped(order, work.asked, work.obeyed, work.deaf)


def _silent(members: Sequence[MemberView]) -> Sequence[Member]:
    """Members that were silent for most of their session, the longest first."""
    silent = [
        Member(
            m.member_id,
            m.instance_id or m.client_id or m.member_id,
            "",
            m.heartbeat_age_ms,
            max(0, m.session_timeout_ms - m.heartbeat_age_ms),
        )
        for m in members
        if m.heartbeat_age_ms is not None
        and m.heartbeat_age_ms > SILENT_SHARE * m.session_timeout_ms
    ]
    return sorted(silent, key=lambda one: (-one.silent_ms, one.member_id))


def of_many(groups: Sequence[Any], now: datetime | None = None) -> Mapping[str, Situation]:
    """The situations of annotated groups (``console.queries.groups.annotated``), for lists: the
    author of a freeze, and unowned partitions of a settled group, are only on its page. One
    statement."""
    now = now or timezone.now()
    waiting = waiting_of(groups, now)
    return {
        group.group_id: situation(
            Facts(
                state=group.state,
                is_settled=group.state in SETTLED,
                state_ms=round((now - group.state_since) / MS),
                members=group.member_count,
                waiting=waiting.get(group.group_id),
                frozen=_freeze(group),
                stopped=_since(group),
                stopped_members=group.paused_members,
            ),
            now,
        )
        for group in groups
    }


def _since(group: Any) -> Stopped | None:
    if not group.paused:
        return None
    return Stopped(Order(group.paused_by or "", group.paused_since))
