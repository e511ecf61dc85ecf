"""A group as it was at a moment, and what differs between two (docs/facts.md).

Reads only, bounded, a few statements each.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from console.queries import facts, groups
from console.queries.facts import Life, Owned
from console.queries.groups import MemberView
from console.queries.many_rows import many_rows
from console.queries.sql import moments as sql
from groups.core.journal import EntryKind
from groups.models import GroupConfig, Journal

COMMITS_WITHIN: Final = timedelta(hours=1)
COMMITS_MAX: Final = 100_000
HOURS: Final = timedelta(hours=7)
"""How far before a moment commits are read one by one, and how far the hours of progress."""

CONFIG_ENTRIES_MAX: Final = 500


class OffsetThen(NamedTuple):
    """A committed offset at a moment, and when it was committed at the latest."""

    topic: str
    partition: int
    committed_offset: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Moment:
    """Who was there, and who owned what; ``owned`` are the intervals behind it."""

    at: datetime
    lives: Sequence[Life]
    owned: Sequence[Owned]

    @property
    def members(self) -> Sequence[MemberView]:
        """The members, as a page shows those of now."""
        parts: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for one in self.owned:
            parts[one.life][one.topic] += one.numbers()
        return [_member(life, parts.get(life.life, {})) for life in self.lives]

    @property
    def counts(self) -> Mapping[str, int]:
        """The partitions of the topics that were subscribed then, as many as they have now."""
        return groups.partition_counts({t for life in self.lives for t in life.subscription or ()})

    def owners_of(self, number: int, topic: str | None = None) -> Sequence[Owned]:
        """Who owned a partition, of this topic or of any."""
        named = (one for one in self.owned if topic in (None, one.topic))
        return [one for one in named if number in one.numbers()]


def _member(life: Life, parts: Mapping[str, Sequence[int]]) -> MemberView:
    return MemberView(
        member_id=life.member_id,
        instance_id=life.instance_id,
        client_id=life.client_id,
        client_host=life.client_host,
        session_timeout_ms=life.session_timeout_ms,
        rebalance_timeout_ms=life.rebalance_timeout_ms,
        joined_at=life.joined_at,
        heard_at=None,
        heartbeat_age_ms=None,
        is_leader=False,
        state="",
        epoch=0,
        topics=life.subscription,
        assignment={topic: sorted(numbers) for topic, numbers in sorted(parts.items())},
    )


def look(group_id: str, at: datetime) -> Moment:
    """The group at a moment. Two statements."""
    there = facts.lives(group_id, at, at)
    return Moment(at, there, facts.owners_at(group_id, at, there))


@dataclass(frozen=True, slots=True)
class _Committed:
    """The offsets of a topic and when each was committed, by partition: a value for each of 50,000
    partitions would take as long as all that is done with them."""

    offsets: dict[int, int] = field(default_factory=dict)
    times: dict[int, datetime] = field(default_factory=dict)

    def forget(self, numbers: Iterable[int]) -> None:
        """These partitions' offsets were deleted."""
        for number in numbers:
            self.offsets.pop(number, None)


def offsets(group_id: str, at: datetime) -> Sequence[OffsetThen]:
    """The offsets that were committed then, as far as it is known. One statement."""
    return [
        OffsetThen(topic, number, offset, its.times[number])
        for topic, its in sorted(_committed(group_id, at).items())
        for number, offset in sorted(its.offsets.items())
    ]


def _committed(group_id: str, at: datetime) -> Mapping[str, _Committed]:
    """By topic. What is read later is later."""
    values: dict[str, Any] = {
        "group_id": group_id,
        "at": at,
        "within": COMMITS_WITHIN,
        "hours": HOURS,
        "most": COMMITS_MAX,
    }
    known: dict[str, _Committed] = defaultdict(_Committed)
    with many_rows() as cursor:
        cursor.execute(sql.OFFSETS, values)
        for topic, set_at, is_gone, numbers, found in cursor.fetchall():
            if is_gone:
                known[topic].forget(numbers)
            else:
                known[topic].offsets.update(zip(numbers, found, strict=True))
                known[topic].times.update(dict.fromkeys(numbers, set_at))
    return known


def settings(group_id: str, *moments: datetime) -> Sequence[Mapping[str, str]]:
    """The group's own settings at each moment: those of now, with each change since taken back.
    Two statements."""
    now = dict(GroupConfig.objects.filter(group_id=group_id).values_list("name", "value"))
    changes: list[Journal] = list(
        groups.journal_of(group_id).filter(kind=EntryKind.CONFIG_CHANGED, at__gt=min(moments))[
            :CONFIG_ENTRIES_MAX
        ]
    )
    return [_before(now, [entry for entry in changes if entry.at > at]) for at in moments]


def _before(now: Mapping[str, str], changes: Sequence[Journal]) -> Mapping[str, str]:
    """The settings before these changes, which are given newest first."""
    found = dict(now)
    for entry in changes:
        before: Mapping[str, Any] = (entry.details or {}).get("before") or {}
        for name in (entry.details or {}).get("after") or {}:
            was = before.get(name)
            if was is None:
                found.pop(name, None)
            else:
                found[name] = str(was)
    return found


# -- Two moments ------------------------------------------------------------------------------


class Move(NamedTuple):
    """A partition with another owner; None: with none."""

    topic: str
    partition: int
    before: str | None
    after: str | None


class TopicProgress(NamedTuple):
    """How a topic's offsets went: partitions that advanced, went back, and stood still, and by how
    much in all."""

    topic: str
    advanced: int
    back: int
    still: int
    by: int


class Setting(NamedTuple):
    """A setting with another value; None: not set for the group."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two moments. ``stayed``: members that were there at both."""

    since: datetime
    until: datetime
    came: Sequence[Life]
    went: Sequence[Life]
    stayed: int
    moves: Sequence[Move]
    partitions: int
    progress: Sequence[TopicProgress]
    settings: Sequence[Setting]


def compare(group_id: str, since: datetime, until: datetime) -> Comparison:
    """What differs between two moments. Eight statements."""
    before, after = (look(group_id, at) for at in (since, until))
    was, now = ({life.life: life for life in each.lives} for each in (before, after))
    owners, owners_now = (_owners(each) for each in (before, after))
    return Comparison(
        since,
        until,
        [life for number, life in now.items() if number not in was],
        [life for number, life in was.items() if number not in now],
        len(was.keys() & now.keys()),
        list(_moves(owners, owners_now, {**was, **now})),
        _number(owners, owners_now),
        list(_progress(_committed(group_id, since), _committed(group_id, until))),
        _settings(*settings(group_id, since, until)),
    )


_Owners = Mapping[str, Mapping[int, int]]
"""By topic and partition, the life that owns it."""


def _owners(moment: Moment) -> _Owners:
    found: dict[str, dict[int, int]] = defaultdict(dict)
    for one in moment.owned:
        found[one.topic] |= dict.fromkeys(one.numbers(), one.life)
    return found


def _number(before: _Owners, after: _Owners) -> int:
    """Of partitions that had an owner at one of the moments."""
    return sum(len({*before.get(topic, ()), *after.get(topic, ())}) for topic in {*before, *after})


def _moves(before: _Owners, after: _Owners, lives: Mapping[int, Life]) -> Iterator[Move]:
    """By topic and partition."""
    names: dict[int | None, str | None] = {None: None}
    names |= {key: one.instance_id or one.client_id or one.member_id for key, one in lives.items()}
    for topic in sorted({*before, *after}):
        was, now = before.get(topic, {}), after.get(topic, {})
        for number in sorted(was.keys() | now.keys()):
            if (first := was.get(number)) != (second := now.get(number)):
                yield Move(topic, number, names[first], names[second])


def _progress(
    before: Mapping[str, _Committed], after: Mapping[str, _Committed]
) -> Iterator[TopicProgress]:
    """Of the partitions whose offsets are known of both moments."""
    for topic in sorted(before.keys() & after.keys()):
        was, now = before[topic].offsets, after[topic].offsets
        steps = [now[number] - was[number] for number in was.keys() & now.keys()]
        advanced, back = sum(step > 0 for step in steps), sum(step < 0 for step in steps)
        if steps:
            yield TopicProgress(topic, advanced, back, len(steps) - advanced - back, sum(steps))


def _settings(before: Mapping[str, str], after: Mapping[str, str]) -> Sequence[Setting]:
    names = sorted(before.keys() | after.keys())
    pairs = (Setting(name, before.get(name), after.get(name)) for name in names)
    return [each for each in pairs if each.before != each.after]
