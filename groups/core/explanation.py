"""Why a rebalance took as long as it did: its causes with their shares of the time, and every
member that it waited for, with how long and how that ended.

``Episode`` collects the facts while a group rebalances, in memory; ``explained`` makes the
``Explanation`` of them, which a journal entry has in its details (``WHY``). The encoding is here,
too. Values and arithmetic only: each kind decides what it waits for.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from heapq import nlargest
from itertools import chain, islice
from typing import Any, Final, NamedTuple, Self

from groups.core.journal import NAMED_MAX, Trigger
from groups.core.values import quick
from groups.core.waiting import Act

Millis = int

WHY: Final = "why"
"""The key of an entry's details that holds the encoded explanation."""

CAUSES_MAX: Final = 100
"""Causes that are told apart; of a longer rebalance further ones count with the last. Equal causes
in a row are one, so ten thousand members that join are one cause."""

AWAITED_MAX: Final = 1_000
"""Awaited members that are named, removed ones first, then those that were waited for longest;
others are only counted: pages read hundreds of entries."""

CAUSE_NAMED_MAX: Final = 3
"""Members that a cause names; others are only counted."""


class End(StrEnum):
    """How the wait for a member ended: with what was awaited, with its removal, or with neither."""

    REJOINED = "rejoined"
    JOINED = "joined"
    SYNCED = "synced"
    REVOKED = "revoked"
    HEARD = "heard"
    ASSIGNED = "assigned"
    ACKNOWLEDGED = "acknowledged"
    RETURNED = "returned"
    FAILED = "failed"

    LEFT = "left"
    SILENT = "silent"
    LATE = "late"
    EVICTED = "evicted"
    REFUSED = "refused"

    ABANDONED = "abandoned"
    KEPT = "kept"
    PENDING = "pending"


REMOVALS: Final[Mapping[str, End]] = {
    Trigger.MEMBER_LEFT: End.LEFT,
    Trigger.REQUEST: End.LEFT,
    Trigger.SESSION_EXPIRED: End.SILENT,
    Trigger.JOIN_TIMED_OUT: End.LATE,
    Trigger.SYNC_EXPIRED: End.LATE,
    Trigger.REBALANCE_TIMEOUT: End.LATE,
    Trigger.NOT_ACKNOWLEDGED: End.LATE,
    Trigger.OPERATOR: End.EVICTED,
    Trigger.MEMBER_REFUSED: End.REFUSED,
}
"""How the wait for a member ends that is removed with this trigger."""

REMOVED: Final = frozenset(REMOVALS.values())


Named = tuple[tuple[str | None, str | None], ...]
"""Ids and names of members."""


class Because(NamedTuple):
    """One cause. ``members``: how many members it was, of which the first are ``named`` (id, name).
    ``last_at``: when the last one of equal causes in a row came. ``mark``: causes with different
    ones are told apart until the end, since others came between them that are not noted here."""

    at: Millis
    last_at: Millis
    trigger: str
    reason: str
    client_reason: str
    members: int
    named: Named
    mark: int = 0


class Wait(NamedTuple):
    """A wait for one member that has ended. ``silent_ms``: how long it had sent nothing by then, if
    it was removed."""

    member_id: str
    act: Act
    since: Millis
    until: Millis
    end: End
    name: str
    silent_ms: Millis = 0


class Phase(NamedTuple):
    """Waits for many members that began together and ended alike: ``ends`` has when and for
    whom. A group may have ten thousand: nothing is created for each."""

    act: Act
    end: End
    since: Millis
    ends: Sequence[tuple[Millis, str]]

    def longest(self) -> Wait | None:
        """The wait that took longest."""
        if not self.ends:
            return None
        until, member_id = max(self.ends)
        return Wait(member_id, self.act, self.since, until, self.end, "")

    def rows(self, most: int | None = None) -> "Iterator[Awaited]":
        """All of them; with a limit those that were waited for longest."""
        some: Iterable[tuple[Millis, str]] = self.ends
        if most is not None and len(self.ends) > most:
            some = nlargest(most, self.ends)
        for until, member_id in some:
            yield Awaited(member_id, "", self.act, until - self.since, self.end)


class Share(NamedTuple):
    """A cause and its share of the time. ``at_ms``: when it came, from the beginning."""

    trigger: str
    reason: str
    client_reason: str
    members: int
    named: tuple[tuple[str | None, str | None], ...]
    at_ms: Millis
    ms: Millis


class Awaited(NamedTuple):
    """A member that was waited for, for ``ms`` in total, and how that ended. ``silent_ms``: how
    long it had sent nothing when it was removed."""

    member_id: str
    name: str
    act: str
    ms: Millis
    end: str
    silent_ms: Millis = 0


@quick
@dataclass(frozen=True, slots=True)
class Explanation:
    """``causes``: in their order; their shares add up to ``ms``. ``awaited``: a row for each member
    and act, those first that were waited for longest. ``is_partial``: another node began the
    rebalance, and what was waited for under it is not known. ``more``: rows of awaited members that
    are not here. ``episode``: of what it was made, with all of them; not encoded."""

    ms: Millis
    causes: tuple[Share, ...]
    awaited: tuple[Awaited, ...] = ()
    is_partial: bool = False
    more: int = 0
    episode: "Episode | None" = field(default=None, compare=False, repr=False)

    @property
    def count(self) -> int:
        """How many members were waited for."""
        return len({one.member_id for one in self.awaited}) + self.more

    def waits(self) -> dict[str, Millis]:
        """Members to milliseconds, over all acts, the longest first."""
        found: dict[str, Millis] = {}
        for one in self.awaited:
            found[one.member_id] = found.get(one.member_id, 0) + one.ms
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def waited_for(self) -> dict[str, Millis]:
        """The longest of them, for the column of that name."""
        return dict(islice(self.waits().items(), NAMED_MAX))

    def encoded(self, most: int = AWAITED_MAX) -> dict[str, Any]:
        """As JSON values, with at most so many awaited members. They are grouped by act and end;
        names are kept of those that the members' table does not have afterwards."""
        awaited = self.awaited
        if len(awaited) > most:
            awaited = tuple(sorted(awaited, key=lambda one: one.end not in REMOVED)[:most])
        causes = [
            {**share._asdict(), "named": [list(pair) for pair in share.named]}
            for share in self.causes
        ]
        found: dict[str, Any] = {"ms": self.ms, "causes": causes, "waits": _grouped(awaited)}
        found |= {"partial": True} if self.is_partial else {}
        more = self.more + len(self.awaited) - len(awaited)
        return {**found, "more": more} if more else found

    @classmethod
    def decoded(cls, found: Mapping[str, Any]) -> Self:
        """The explanation of these JSON values (``encoded``)."""
        causes = (
            Share(**{**each, "named": tuple((pair[0], pair[1]) for pair in each["named"])})
            for each in found["causes"]
        )
        awaited = (
            Awaited(
                member_id,
                group.get("names", {}).get(member_id, ""),
                group["act"],
                ms,
                group["end"],
                group.get("silent_ms", {}).get(member_id, 0),
            )
            for group in found["waits"]
            for member_id, ms in group["members"].items()
        )
        return cls(
            found["ms"],
            tuple(causes),
            _longest_first(awaited),
            bool(found.get("partial", False)),
            found.get("more", 0),
        )


def _grouped(awaited: Iterable[Awaited]) -> list[dict[str, Any]]:
    groups: dict[tuple[str, str], dict[str, Any]] = {}
    for member_id, name, act, ms, end, silent_ms in awaited:
        group = groups.get((act, end))
        if group is None:
            group = groups[act, end] = {"act": act, "end": end, "members": {}}
        group["members"][member_id] = ms
        if silent_ms:
            group.setdefault("silent_ms", {})[member_id] = silent_ms
        if end in REMOVED:
            group.setdefault("names", {})[member_id] = name
    return list(groups.values())


def _longest_first(awaited: Iterable[Awaited]) -> tuple[Awaited, ...]:
    return tuple(sorted(awaited, key=lambda one: (-one.ms, one.member_id, one.act, one.end)))


Chain = tuple[Wait, "Chain | None"]
"""Waits, the newest first: one more copies nothing."""


@quick
@dataclass(frozen=True, slots=True)
class Episode:
    """What happened since a rebalance began (``since``). Values: a change is a new one."""

    since: Millis
    causes: tuple[Because, ...] = ()
    ended: Chain | None = None
    phases: tuple[Phase, ...] = ()
    is_partial: bool = False

    def with_cause(self, cause: Because) -> "Episode":
        """The same with one more cause."""
        causes = _with(self.causes, cause)
        return Episode(self.since, causes, self.ended, self.phases, self.is_partial)

    def packed(self) -> list[list[Any]]:
        """The causes as JSON values, for a row: they survive a change of owner."""
        return packed(self.causes)

    @classmethod
    def resumed(cls, now: Millis, packed: Iterable[Sequence[Any]]) -> "Episode":
        """A rebalance that another owner began, with the causes that a row has (``packed``)."""
        return cls(now, unpacked(now, packed), is_partial=True)

    def waited(self, wait: Wait) -> "Episode":
        """The same with one more wait that has ended."""
        ended = (wait, self.ended)
        return Episode(self.since, self.causes, ended, self.phases, self.is_partial)

    def phased(self, *phases: Phase) -> "Episode":
        """The same with waits for many members that began together."""
        all_phases = (*self.phases, *phases)
        return Episode(self.since, self.causes, self.ended, all_phases, self.is_partial)

    def explained(self, now: Millis, causes: Iterable[Because] = ()) -> Explanation:
        """What there is to say now. ``causes``: further ones, which were not noted one by one."""
        all_causes = self._in_order(causes)
        waits = self._waits()
        shares = [now - self.since]
        if len(all_causes) != 1:
            longest = [found for phase in self.phases if (found := phase.longest()) is not None]
            shares = _shares(self.since, now, all_causes, [*waits, *longest])
        told = tuple(
            Share(*one[2:7], max(0, one.at - self.since), ms)
            for one, ms in zip(all_causes, shares, strict=True)
        )
        rows = _longest_first(self._rows(waits, AWAITED_MAX))
        count = sum(len(phase.ends) for phase in self.phases)
        more = max(0, count - sum(min(len(phase.ends), AWAITED_MAX) for phase in self.phases))
        return Explanation(now - self.since, told, rows, self.is_partial, more, self)

    def with_arrivals(self, causes: Iterable[Because]) -> "Episode":
        """The same with causes that were not noted one by one, all in their order."""
        in_order = self._in_order(causes)
        return Episode(self.since, in_order, self.ended, self.phases, self.is_partial)

    def _in_order(self, causes: Iterable[Because]) -> tuple[Because, ...]:
        found: tuple[Because, ...] = ()
        for each in sorted((*self.causes, *causes), key=_came_at):
            found = _with(found, each._replace(mark=0) if each.mark else each)
        return found

    def awaited(self) -> Iterator[Awaited]:
        """A row for each member and act that was waited for, whatever their number."""
        return self._rows(self._waits())

    def _waits(self) -> Sequence[Wait]:
        return [wait for wait in _walk(self.ended) if wait.until > wait.since]

    def _rows(self, waits: Sequence[Wait], most: int | None = None) -> Iterator[Awaited]:
        rows = chain(_summed(waits), *(phase.rows(most) for phase in self.phases))
        kinds = [(phase.act, phase.end) for phase in self.phases]
        if len(set(kinds)) < len(kinds) or any((w.act, w.end) in kinds for w in waits):
            return _together(rows)
        return rows


def _came_at(cause: Because) -> Millis:
    return cause.at


def packed(causes: Iterable[Because]) -> list[list[Any]]:
    """Causes as JSON values."""
    return [
        [one.trigger, one.reason, one.client_reason, one.members, [list(p) for p in one.named]]
        for one in causes
    ]


def unpacked(now: Millis, values: Iterable[Sequence[Any]]) -> tuple[Because, ...]:
    """Causes of these JSON values; when they came is not known any more."""
    return tuple(
        Because(now, now, trigger, reason, said, count, tuple((m, name) for m, name in who))
        for trigger, reason, said, count, who in values
    )


def _walk(noted: Chain | None) -> Iterator[Wait]:
    while noted is not None:
        yield noted[0]
        noted = noted[1]


def _with(causes: tuple[Because, ...], new: Because) -> tuple[Because, ...]:
    if not causes or (not _is_alike(causes[-1], new) and len(causes) < CAUSES_MAX):
        return (*causes, new)
    last = causes[-1]
    named = (*last.named, *(pair for pair in new.named if pair not in last.named))
    members = last.members + new.members
    if new.named and len(named) == len(last.named) <= CAUSE_NAMED_MAX:
        members = last.members  # the same member again
    merged = last._replace(
        last_at=max(last.last_at, new.last_at), members=members, named=named[:CAUSE_NAMED_MAX]
    )
    return (*causes[:-1], merged)


def _summed(waits: Iterable[Wait]) -> Iterator[Awaited]:
    """A row for each member and act: the time in total, and the end of the last wait. A removal has
    a row of its own, since the member may have come back. No time counts twice."""
    found: dict[tuple[str, str], list[Wait]] = {}
    for wait in waits:
        found.setdefault((wait.member_id, wait.act), []).append(wait)
    for some in found.values():
        if len(some) == 1:
            yield _row(some[0], some[0].until - some[0].since)
        else:
            yield from _rows_of(some)


def _together(rows: Iterable[Awaited]) -> Iterator[Awaited]:
    """One row for a member and act that ended alike several times, as in a rebalance that has gone
    on under another protocol."""
    found: dict[tuple[str, str, str], Awaited] = {}
    for row in rows:
        key = (row.member_id, row.act, row.end)
        before = found.get(key)
        found[key] = row if before is None else before._replace(ms=before.ms + row.ms)
    return iter(found.values())


def _rows_of(waits: Iterable[Wait]) -> Iterator[Awaited]:
    by_end: dict[str, list[Wait]] = {}
    for wait in waits:
        by_end.setdefault(wait.end if wait.end in REMOVED else "", []).append(wait)
    spans: dict[Millis, Millis] = {}
    counted = 0
    for end in sorted(by_end, reverse=True):  # removals first
        for wait in by_end[end]:
            spans[wait.since] = max(wait.until, spans.get(wait.since, 0))
        ms = sum(until - since for since, until in _union(spans))
        yield _row(max(by_end[end], key=lambda wait: wait.until), ms - counted)
        counted = ms


def _row(last: Wait, ms: Millis) -> Awaited:
    return Awaited(last.member_id, last.name, last.act, ms, last.end, last.silent_ms)


def _is_alike(last: Because, new: Because) -> bool:
    """Whether two causes in a row are one with several members."""
    if (new.trigger, new.mark) != (last.trigger, last.mark):
        return False
    return new.trigger != Trigger.OPERATOR or new.reason == last.reason


Key = tuple[bool, int]
"""To which cause a wait's time is charged: whether its member was removed; the cause's number."""


def _shares(
    since: Millis, now: Millis, causes: Sequence[Because], waits: Iterable[Wait]
) -> list[Millis]:
    """The time of each cause, in all what passed.

    While the group waits for a member that stays, the time is the cause's for which it began to
    wait: of several the first one's. While it waits only for members that are removed in the end,
    it is the time of their removal, since the group would have gone on without them. While it waits
    for nobody it is the newest cause's.
    """
    shares = [0] * len(causes)
    if not causes:
        return shares
    at = [cause.at for cause in causes]
    edges: list[tuple[Millis, int, Key | None]] = [(each, 0, None) for each in at]
    for key, spans in _by_cause(since, now, at, causes, waits).items():
        for begin, end in _union(spans):
            edges += [(begin, 1, key), (end, -1, key)]
    edges = sorted(edge for edge in edges if since < edge[0] < now or edge[1])
    open_now: dict[Key, int] = {}
    begun = since
    for moment, change, which in [*edges, (now, 0, None)]:
        if moment > begun:
            shares[_charged(open_now, at, begun)] += moment - begun
            begun = moment
        if which is not None:
            open_now[which] = open_now.get(which, 0) + change
    return shares


def _charged(open_now: Mapping[Key, int], at: Sequence[Millis], begun: Millis) -> int:
    keys = [key for key, number in open_now.items() if number]
    return min(keys)[1] if keys else _newest(at, begun)


def _newest(at: Sequence[Millis], moment: Millis) -> int:
    """The number of the newest cause at this time."""
    return max(0, bisect_right(at, moment) - 1)


def _by_cause(
    since: Millis,
    now: Millis,
    at: Sequence[Millis],
    causes: Sequence[Because],
    waits: Iterable[Wait],
) -> dict[Key, dict[Millis, Millis]]:
    """Spans from beginning to end, by the cause to which they are charged. Most waits begin
    together: only the longest of them counts."""
    found: dict[Key, dict[Millis, Millis]] = {}
    keys: dict[tuple[Millis, Millis | None], Key] = {}
    key: Key | None
    for wait in waits:
        begin, end = max(wait.since, since), min(wait.until, now)
        if begin >= end:
            continue
        which = (begin, wait.until if wait.end in REMOVED else None)
        key = keys.get(which)
        if key is None:
            removal = None if which[1] is None else _removal(causes, wait.until)
            key = (False, _newest(at, begin)) if removal is None else (True, removal)
            keys[which] = key
        spans = found.setdefault(key, {})
        spans[begin] = max(spans.get(begin, 0), end)
    return found


def _removal(causes: Sequence[Because], moment: Millis) -> int | None:
    """The cause that is a removal at this time, if it was one."""
    for number, cause in enumerate(causes):
        if cause.trigger in REMOVALS and cause.at <= moment <= cause.last_at:
            return number
    return None


def _union(spans: Mapping[Millis, Millis]) -> Iterator[tuple[Millis, Millis]]:
    last: tuple[Millis, Millis] | None = None
    for begin, end in sorted(spans.items()):
        if last is None or begin > last[1]:
            if last is not None:
                yield last
            last = (begin, end)
        else:
            last = (last[0], max(last[1], end))
    if last is not None:
        yield last
