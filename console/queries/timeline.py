"""A group along time: its members' lives with what they owned, its rebalances with what they waited
for, and what else happened, between two times.

Reads only, three statements for any group, each by index, and bounded. What a bound leaves out is
in ``cuts``.
"""

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import nlargest
from itertools import accumulate, count, repeat
from typing import Any, Final, NamedTuple

from django.db.models import Q
from django.utils import timezone

from console.journal_subjects import EVERY_KIND, Kinds
from console.queries import journal_rows, journal_times, timeline_events
from console.queries.journal_text import sentence
from console.queries.many_rows import many_rows
from console.queries.member_names import IN_SENTENCE_MAX, Names, in_sentence
from console.queries.sql import timeline as sql
from console.queries.timeline_events import OF_CLUSTER, OF_GROUP, Event, Pause
from console.queries.timeline_lanes import (
    DEPARTURES_MAX,
    HOST,
    LANES_MAX,
    LOST,
    MEMBER,
    MEMBERS_MAX,
    Lane,
    LaneRow,
    WaitRow,
    lanes,
)
from console.queries.why_text import causes, seconds
from groups.core.explanation import Explanation, Share
from groups.core.journal import EntryKind
from groups.core.rounds import Outcome
from groups.core.rows import slot_of
from groups.models import Group, Journal

BINS: Final = 480
"""Parts of the time in which ownership is counted: a pixel or two of a screen each."""

LIVES_MAX: Final = 20_000
CHANGES_MAX: Final = 50_000
ROUNDS_MAX: Final = 2_000
WAITS_MAX: Final = 125_000
"""Rows that are read for a timeline, of waits the members that rebalances waited for: a day of
5,000 members who are all replaced once, with a rebalance an hour, has fewer."""

SEGMENTS_MAX: Final = 2_000
"""Single waits that are shown, the longest ones."""

ENTRIES_MAX: Final = 400
MARKS_MAX: Final = 200

JUST_JOINED: Final = timedelta(seconds=1)
"""Of a member's join and the rebalance that it begins, either may be recorded so much earlier."""

REBALANCED: Final = (EntryKind.REBALANCE_COMPLETED, EntryKind.EMPTIED)
"""Entries whose sentence tells a rebalance."""

PARTS: Final = 60
"""A time that ends now ends at the next of so many parts of it, and is told until then: of a group
that does not change the page stays as it is meanwhile, and is not sent again."""

LENGTH_MAX: Final = timedelta(days=31)
LENGTH_MIN: Final = timedelta(seconds=10)

STABLE, REBALANCING, EMPTY = "Stable", "Rebalancing", "Empty"
"""What a group was, as far as its rebalances tell."""


class Rebalance(NamedTuple):
    """A rebalance that has ended (docs/facts.md). ``cost_ms``: for how long nobody worked on
    partitions, in partitions times milliseconds; the three parts of it follow."""

    since: datetime
    until: datetime
    generation: int
    outcome: str
    members: int
    moved: int
    cost_ms: int
    stopped_ms: int
    silent_ms: int
    unowned_ms: int
    trigger: str
    text: str


class State(NamedTuple):
    """What the group was from a time on."""

    since: datetime
    until: datetime
    state: str


class Slowest(NamedTuple):
    """The member that rebalances waited for longest: in all, and in how many of them."""

    member_id: str
    name: str
    ms: int
    rebalances: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What the rebalances of the time cost, in partitions times milliseconds."""

    rebalances: int
    moved: int
    stopped_ms: int
    silent_ms: int
    unowned_ms: int
    slowest: Slowest | None

    @property
    def all_ms(self) -> int:
        """The sum."""
        return self.stopped_ms + self.silent_ms + self.unowned_ms


@dataclass(frozen=True, slots=True)
class Timeline:
    """The whole; ``by``: what a lane is. ``step_s``: the length of a part of the time.
    ``rebalances`` and ``events`` are in order of time. ``known``: until when it tells, which may be
    before its end."""

    group_id: str
    since: datetime
    until: datetime
    step_s: float
    by: str
    lives: int
    lanes: Sequence[Lane]
    rebalances: Sequence[Rebalance]
    states: Sequence[State]
    events: Sequence[Event]
    pauses: Sequence[Pause]
    cost: Cost
    cuts: Sequence[str]
    known: datetime


class Window(NamedTuple):
    """The time between two moments, and the lanes that are wanted: of one ``host``, all if None."""

    since: datetime
    until: datetime
    host: str | None = None

    @property
    def step_s(self) -> float:
        """The length of a part."""
        return max((self.until - self.since) / timedelta(seconds=1) / BINS, 0.001)

    @property
    def known(self) -> datetime:
        """Until when it is told."""
        now = timezone.now()
        ends_now = self.until - now < (self.until - self.since) / PARTS
        return self.until if ends_now else now


Beside = Mapping[str, Any]
"""What the statement of the lanes says of all of them, by name."""


class _Round(NamedTuple):
    generation: int
    outcome: str
    since: datetime
    until: datetime
    is_partial: bool
    members: int
    moved: int
    stopped_ms: int
    silent_ms: int
    unowned_ms: int
    triggers: Sequence[str]
    cause_members: Sequence[int]
    cause_ids: Sequence[str]
    cause_at_ms: Sequence[int]
    cause_ms: Sequence[int]
    acts: Sequence[str]
    ends: Sequence[str]
    counts: Sequence[int]
    lives: Sequence[int | None] | None
    waited_ms: Sequence[int] | None


def read(
    group_id: str,
    window: Window,
    kinds: Kinds = EVERY_KIND,
    group: Group | None = None,
    *,
    has_reports: bool = True,
) -> Timeline:
    """The timeline of a group that is there, or was. ``kinds``: the entries that the reader may
    see; ``has_reports``: whether also what an analysis found."""
    rounds = [_Round(*row) for row in _rows(sql.ROUNDS, _values(group_id, window))]
    entries = _entries(group_id, window, kinds)
    waited, waits = _waits(rounds)
    wanted = {
        "waited": [*waited],
        "waited_ms": [ms for ms, _ in waited.values()],
        "longest": [*{wait.life for wait in waits}],
        "mentioned": [*_mentioned(rounds, entries)],
        "has_reports": has_reports,
    }
    rows, beside = _lane_rows({**_values(group_id, window), **wanted})
    names = _names(group_id, beside)
    within = [one for one in rounds if one.until >= window.since]
    rebalances = [_rebalance(one, entries, names) for one in reversed(within)]
    return Timeline(
        group_id=group_id,
        since=window.since,
        until=window.until,
        step_s=window.step_s,
        by=HOST if rows and rows[0].by_host else MEMBER,
        lives=rows[0].all_lives if rows else 0,
        lanes=lanes(rows, waits),
        rebalances=rebalances,
        states=_states(rounds, window, group, has_begun=_had_members(rounds, rows, window)),
        events=_events(group_id, window, entries, names, beside),
        pauses=timeline_events.pauses(entry for entry in entries if entry.group_id),
        cost=_cost(rebalances, _slowest(waited, beside, names)),
        cuts=list(_cuts(rows, within, len(entries))),
        known=window.known,
    )


def _values(group_id: str, window: Window) -> dict[str, Any]:
    """The values that statements have in common."""
    return {
        "group_id": group_id,
        "first": window.since,
        "last": window.until,
        "host": window.host,
        "step_s": window.step_s,
        "lives": LIVES_MAX,
        "members": MEMBERS_MAX,
        "lanes": LANES_MAX,
        "departures": DEPARTURES_MAX,
        "changes": CHANGES_MAX,
        "lost": [*map(str, LOST)],
        "rounds": ROUNDS_MAX,
        "waits": WAITS_MAX,
        "marks": MARKS_MAX,
    }


def _lane_rows(values: Mapping[str, Any]) -> tuple[Sequence[LaneRow], Beside]:
    """The lanes, and what is told beside them."""
    found = _rows(sql.LANES, values)
    beside = {name: told for name, told in json.loads(found[0][-1]).items() if told}
    return [LaneRow(*row) for *row, _ in found if row[0]], beside


def _mentioned(rounds: Sequence[_Round], entries: Sequence[Journal]) -> Collection[str]:
    """The members that a sentence of these may name."""
    named = {member for one in rounds for member in one.cause_ids if member}
    for entry in entries:
        own = entry.member_id, *(entry.left or ())[:IN_SENTENCE_MAX]
        named.update(filter(None, own), in_sentence(entry))
    return named


def _events(
    group_id: str,
    window: Window,
    entries: Sequence[Journal],
    names: Names,
    beside: Beside,
) -> Sequence[Event]:
    """What happened beside the rebalances, in order of time."""
    marks = ((datetime.fromisoformat(at), *rest) for at, *rest in beside.get("marks", ()))
    events = [
        *timeline_events.of_entries(entries, slot_of(group_id), names),
        *(timeline_events.of_mark(text, actor, at) for at, text, actor in marks),
        *timeline_events.of_deploys(beside.get("deploys", ())),
    ]
    return sorted((one for one in events if _is_within(one, window)), key=lambda one: one.at)


def _rows(statement: str, values: Mapping[str, Any]) -> Sequence[Any]:
    with many_rows() as cursor:
        cursor.execute(statement, values)
        found: Sequence[Any] = cursor.fetchall()
    return found


def _names(group_id: str, beside: Beside) -> Names:
    """Names of the members of this time: who was awaited in it was there."""
    by_id = {member: name for member, name in beside.get("names", {}).items() if name}
    return Names(by_id, set(filter(None, beside.get("alike", ()))), group_id)


def _waits(
    rounds: Sequence[_Round],
) -> tuple[Mapping[int, tuple[int, int]], Sequence[WaitRow]]:
    """By life, how long it was awaited in all, and in how many rebalances; and the longest single
    waits."""
    sums: Counter[int | None] = Counter()
    often: Counter[int | None] = Counter()
    singles: list[tuple[int, int, int]] = []
    for nth, one in enumerate(rounds):
        lives, waited_ms = one.lives or (), one.waited_ms or ()
        often.update({*lives})
        for life, ms in zip(lives, waited_ms, strict=True):
            sums[life] += ms
        singles += zip(waited_ms, repeat(nth), count(), strict=False)
    longest = nlargest(SEGMENTS_MAX, singles)
    waits = (_wait(rounds[nth], ms, place) for ms, nth, place in longest)
    known = {life: (ms, often[life]) for life, ms in sums.items() if life is not None}
    return known, [wait for wait in waits if wait is not None]


def _wait(one: _Round, ms: int, place: int) -> WaitRow | None:
    """The wait at this place of a rebalance; None: for nobody whose life is known."""
    life = (one.lives or ())[place]
    run = bisect_right([*accumulate(one.counts)], place)
    if life is None:
        return None
    return WaitRow(life, one.generation, one.since, ms, one.acts[run], one.ends[run])


def _is_within(one: Event, window: Window) -> bool:
    return one.at <= window.until and (one.until or one.at) >= window.since


def _cuts(rows: Sequence[LaneRow], rounds: Sequence[_Round], entries: int) -> Iterator[str]:
    if rows and rows[0].all_lives >= LIVES_MAX:
        yield f"Of so many lives the {LIVES_MAX:,} that ended last are shown."
    if rows and rows[0].owned >= CHANGES_MAX:
        yield "Too many partitions moved in this time to show who owned how many."
    if len(rounds) >= ROUNDS_MAX:
        yield f"Only the newest {ROUNDS_MAX:,} rebalances are shown, and counted."
    told = sum(one.lives is not None for one in rounds)
    if told < len(rounds):
        yield f"Whom rebalances waited for is told of the newest {told:,}."
    if entries >= ENTRIES_MAX:
        yield f"Only the newest {ENTRIES_MAX:,} entries of the journal are told."


def _entries(group_id: str, window: Window, kinds: Kinds) -> Sequence[Journal]:
    """The entries that a timeline tells, newest first. An outage is written when it is over."""
    rows = journal_times.between(
        journal_rows.entries(kinds), window.since, window.until + timedelta(seconds=1)
    )
    its = rows.filter(Q(kind__in=[*OF_GROUP, *REBALANCED]), group_id=group_id)
    of_all = rows.filter(kind__in=[*OF_CLUSTER], group_id="")
    newest = (part.order_by("-id")[:ENTRIES_MAX] for part in (its, of_all))
    first, second = newest
    found: list[Journal] = list(first.union(second, all=True).order_by("-id")[:ENTRIES_MAX])
    return found


def _rebalance(one: _Round, entries: Sequence[Journal], names: Names) -> Rebalance:
    cost = (one.stopped_ms, one.silent_ms, one.unowned_ms)
    trigger = one.triggers[0] if one.triggers else ""
    text = _told(one, entries, names)
    size = (one.members, one.moved)
    return Rebalance(
        one.since, one.until, one.generation, one.outcome, *size, sum(cost), *cost, trigger, text
    )


def _told(one: _Round, entries: Sequence[Journal], names: Names) -> str:
    """The journal's sentence, or, of what the journal does not have any more, the causes."""
    near = timedelta(seconds=1)
    for entry in entries:
        if entry.kind in REBALANCED and entry.generation_after == one.generation:
            if one.since - near <= entry.at <= one.until + near:
                return sentence(entry, names)
    because = causes(_explanation(one), names)
    took = round((one.until - one.since) / timedelta(milliseconds=1))
    text = f"{OUTCOMES.get(one.outcome, one.outcome)} {one.generation} after {seconds(took)}"
    return f"{text}, because {because}." if because else f"{text}."


OUTCOMES: Final[Mapping[str, str]] = {
    Outcome.ASSIGNED: "Rebalanced to generation",
    Outcome.INTERRUPTED: "Another rebalance interrupted generation",
    Outcome.EMPTIED: "No member was left in generation",
}


def _explanation(one: _Round) -> Explanation:
    """The causes of a round, without the words that only the journal has."""
    members = [((member, None),) if member else () for member in one.cause_ids]
    columns = (one.triggers, one.cause_members, members, one.cause_at_ms, one.cause_ms)
    told = (
        Share(trigger, "", "", count, named, at, ms)
        for trigger, count, named, at, ms in zip(*columns, strict=True)
    )
    return Explanation(sum(one.cause_ms), tuple(told), is_partial=one.is_partial)


def _had_members(rounds: Sequence[_Round], rows: Sequence[LaneRow], window: Window) -> bool:
    """Whether the group had members before the first rebalance that is known, as far as the lives
    tell that were read."""
    if not rounds or window.host is not None or (rows and rows[0].all_lives >= LIVES_MAX):
        return True
    return bool(rows) and rows[0].first_at < rounds[-1].since - JUST_JOINED


def _states(
    rounds: Sequence[_Round], window: Window, group: Group | None, *, has_begun: bool
) -> Sequence[State]:
    """The states of the time; what goes on now is the group's own row's. ``has_begun``: before the
    first rebalance, too, there was one."""
    found: list[State] = []
    known = window.known
    at, is_empty, has_state = window.since, False, False
    for one in reversed(rounds):
        if has_state or (has_begun and one.since > window.since):
            found.append(State(at, max(at, one.since), EMPTY if is_empty else STABLE))
        found.append(State(max(at, one.since), max(at, one.until), REBALANCING))
        at, is_empty, has_state = max(at, one.until), one.outcome == Outcome.EMPTIED, True
    is_now = group is not None and window.until >= group.state_since
    if group is not None and is_now and group.state not in (STABLE, EMPTY):
        found.append(State(at, max(at, group.state_since), EMPTY if is_empty else STABLE))
        found.append(State(max(at, group.state_since), known, group.state))
    elif has_state or (group is not None and is_now):
        state = group.state if group is not None and is_now else EMPTY if is_empty else STABLE
        found.append(State(at, known, state))
    inside = (State(max(s.since, window.since), min(s.until, known), s.state) for s in found)
    return [state for state in inside if state.since < state.until]


def _slowest(waited: Mapping[int, tuple[int, int]], beside: Beside, names: Names) -> Slowest | None:
    if "slowest" not in beside:
        return None
    life, member_id, name = beside["slowest"]
    return Slowest(member_id, names(member_id, name or None), *waited[life])


def _cost(rebalances: Sequence[Rebalance], slowest: Slowest | None) -> Cost:
    return Cost(
        len(rebalances),
        sum(one.moved for one in rebalances),
        sum(one.stopped_ms for one in rebalances),
        sum(one.silent_ms for one in rebalances),
        sum(one.unowned_ms for one in rebalances),
        slowest,
    )
