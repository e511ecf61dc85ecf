"""The current activity of a group in one sentence: which members it waits for, until when, and what
is idle.

A pure function from facts to text. ``console.queries.situation`` reads the facts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from groups.core.waiting import SILENT_MS, Act, Phase

NAMED_MAX: Final = 3
"""Members that a sentence names; others are only counted."""


class Tone(StrEnum):
    """The colour of a situation."""

    GOOD = "good"
    PLAIN = "plain"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Member:
    """One member that is waited for, or silent. ``left_ms``: until it is removed."""

    member_id: str
    name: str
    act: str
    silent_ms: int
    left_ms: int
    partitions: int = 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """The owner's report (``groups.core.waiting.Waiting``), with current times."""

    phase: str
    since_ms: int | None = None
    left_ms: int | None = None
    awaited: Sequence[Member] = ()
    awaited_count: int = 0
    ready: int = 0
    newcomers: Sequence[str] = ()
    newcomers_count: int = 0
    handed_out: int = 0
    still: int | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """An operator's action and its time. ``by`` "": unknown. ``until``: it ends by itself."""

    by: str
    since: datetime
    reason: str = ""
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """The whole group's work was stopped, and how many members have stopped."""

    order: Order
    asked: int = 0
    obeyed: int = 0
    deaf: int = 0


@dataclass(frozen=True, slots=True)
class Facts:
    """The input of a situation. ``is_settled``: by the group's state. ``unowned``: partitions of
    subscribed topics without an owner, None: not read. ``gone``: owned ones that do not exist.
    ``silent``: members of a settled group that were silent for most of their session."""

    state: str
    is_settled: bool
    state_ms: int = 0
    members: int = 0
    owned: int | None = None
    unowned: int | None = None
    gone: int = 0
    is_served: bool = True
    waiting: Waiting | None = None
    frozen: Order | None = None
    stopped: Stopped | None = None
    stopped_members: int = 0
    deleted: Order | None = None
    silent: Sequence[Member] = ()

    @property
    def is_idle(self) -> bool:
        """Whether there are members, and nothing that they could own."""
        return self.members > 0 and self.owned == self.unowned == 0


@dataclass(frozen=True, slots=True)
class Situation:
    """The sentence. ``evict``: the silent members whose eviction would end the wait."""

    tone: Tone
    text: str
    evict: Sequence[Member] = ()
    waiting: Waiting | None = None


def situation(facts: Facts, now: datetime) -> Situation:
    """The situation of these facts."""
    if facts.deleted is not None:
        return Situation(Tone.PLAIN, _deleted(facts.deleted, now))
    parts = [part for part in _parts(facts, now) if part]
    text = "; ".join(parts)
    text = f"{text[:1].upper()}{text[1:]}."
    return Situation(tone(facts), text, _evictable(facts), facts.waiting)


def tone(facts: Facts) -> Tone:
    """Bad: the group is not served, or waits for a silent member."""
    if not facts.is_served:
        return Tone.BAD
    if facts.waiting is not None and _evictable(facts):
        return Tone.BAD
    orders = (facts.frozen, facts.stopped, facts.stopped_members)
    troubles = (facts.waiting, facts.silent, facts.gone, facts.is_idle, *orders)
    if any(troubles) or not facts.is_settled or (facts.unowned and facts.members):
        return Tone.WARN
    return Tone.GOOD if facts.members else Tone.PLAIN


def _evictable(facts: Facts) -> Sequence[Member]:
    waiting = facts.waiting
    candidates = waiting.awaited if waiting is not None else facts.silent
    return [one for one in candidates if one.silent_ms >= SILENT_MS][:NAMED_MAX]


def _parts(facts: Facts, now: datetime) -> Iterator[str]:
    if not facts.is_served:
        yield "no node owns the group's slot: its members are not served until one takes it"
    if facts.frozen is not None:
        yield _frozen(facts, facts.frozen, now)
    if facts.stopped is not None:
        yield _stopped(facts.stopped, now)
    elif facts.stopped_members:
        have = "has" if facts.stopped_members == 1 else "have"
        yield f"{many(facts.stopped_members, 'member')} {have} been stopped by operators"
    if facts.waiting is not None:
        yield from _waiting(facts, facts.waiting)
    elif not facts.is_settled:
        yield (
            f"{facts.state} for {seconds(facts.state_ms)}; its owner has not reported yet which"
            " members it waits for"
        )
    elif facts.is_served:
        yield from _settled(facts)


def _frozen(facts: Facts, order: Order, now: datetime) -> str:
    goes_on = facts.waiting is not None and facts.waiting.phase != Phase.PUT_OFF
    then = "the current rebalance ends, and no other begins" if goes_on else "nothing moves"
    return f"{_ordered('frozen', order, now)}: {then}"


def _stopped(stopped: Stopped, now: datetime) -> str:
    because = f" ({stopped.order.reason})" if stopped.order.reason else ""
    text = f"{_ordered('stopped', stopped.order, now)}{because}"
    if not stopped.asked and not stopped.deaf:
        return text
    have = "has" if stopped.obeyed == 1 else "have"
    text += f": {stopped.obeyed} of {many(stopped.asked + stopped.deaf, 'member')} {have} stopped"
    if stopped.deaf:
        takes = (
            "does not support it and continues"
            if stopped.deaf == 1
            else ("do not support it and continue")
        )
        text += f", {stopped.deaf} {takes}"
    return text


def _deleted(order: Order, now: datetime) -> str:
    because = f": {order.reason}" if order.reason else ""
    return f"{_ordered('Deleted', order, now, 'at')}{because}. Its journal is kept."


def _ordered(word: str, order: Order, now: datetime, when: str = "since") -> str:
    by = f" by {order.by}" if order.by else ""
    until = f" until {clock(order.until, now)}" if order.until else ""
    return f"{word}{by} {when} {clock(order.since, now)}{until}"


def clock(at: datetime, now: datetime) -> str:
    """A time of day with its zone; with the date if it is another day."""
    at, now = at.astimezone(UTC), now.astimezone(UTC)
    return f"{at:%H:%M} UTC" if at.date() == now.date() else f"{at:%Y-%m-%d %H:%M} UTC"


WITHOUT_MEMBERS: Final[Mapping[str, str]] = {
    Phase.WINDOW: "waiting for more members before the first assignment",
    Phase.JOIN: "the join phase ends",
    Phase.SYNC: "the assignment is being fetched",
    Phase.ASSIGN: "the assignment is being computed",
    Phase.RECONCILE: "partitions move to other members",
    Phase.STOP: "every member has stopped; the assignment is being computed",
    Phase.START: "every member has started",
}
"""Texts for phases that wait for no member."""

ACTS: Final[Mapping[str, str]] = {
    Act.REJOIN: "",
    Act.SYNC: " to fetch its assignment",
    Act.REVOKE: " to revoke {partitions}",
    Act.HEARTBEAT: "",
    Act.ASSIGN: " to compute the assignment",
    Act.ACKNOWLEDGE: " to acknowledge its command",
    Act.RETURN: " to reconnect",
}


def _waiting(facts: Facts, waiting: Waiting) -> Iterator[str]:
    if waiting.awaited:
        yield f"waiting for {_named(waiting)}"
    elif waiting.phase == Phase.PUT_OFF:
        yield _put_off(facts, waiting)
    elif waiting.handed_out:
        ids = many(waiting.handed_out, "client")
        yield f"waiting for {ids} to join with the member id that they received"
    else:
        yield WITHOUT_MEMBERS.get(waiting.phase, waiting.phase)
    if not waiting.awaited and waiting.phase == Phase.WINDOW and waiting.left_ms is not None:
        yield f"it begins in {seconds(waiting.left_ms)}"
    yield _still(waiting.still)
    yield _newcomers(waiting)


def _put_off(facts: Facts, waiting: Waiting) -> str:
    if facts.frozen is not None:
        return "a rebalance is due"
    if waiting.left_ms is None:
        return "a rebalance is due, and begins at once"
    left = seconds(waiting.left_ms)
    return f"a rebalance is put off (rollcall.rebalance.min.interval.ms): it begins in {left}"


def _named(waiting: Waiting) -> str:
    """Each member with what it has to do, and until when if known."""
    named = [_one(member) for member in waiting.awaited[:NAMED_MAX]]
    return listed(named, waiting.awaited_count)


def _one(member: Member) -> str:
    partitions = many(member.partitions, "partition")
    facts = [f"silent {seconds(member.silent_ms)}"] if member.silent_ms >= SILENT_MS else []
    facts.append(f"removed in {seconds(member.left_ms)}")
    act = ACTS.get(member.act, "").format(partitions=partitions)
    return f"{member.name}{act} ({', '.join(facts)})"


def _still(count: int | None) -> str:
    if not count:
        return ""
    return f"{many(count, 'partition')} {'stands' if count == 1 else 'stand'} still"


def _newcomers(waiting: Waiting) -> str:
    count = waiting.newcomers_count
    if not count:
        return ""
    who = listed(list(waiting.newcomers[:NAMED_MAX]), count)
    what = "for partitions" if waiting.phase in (Phase.RECONCILE, Phase.ASSIGN) else "to join"
    return f"{who} {'waits' if count == 1 else 'wait'} {what}"


def _settled(facts: Facts) -> Iterator[str]:
    if not facts.members:
        yield "" if facts.frozen or facts.stopped else "the group has no members"
        return
    if facts.silent:
        named = [_silent(one) for one in facts.silent[:NAMED_MAX]]
        yield f"no heartbeat of {listed(named, len(facts.silent))}"
    if facts.unowned:
        have = "has" if facts.unowned == 1 else "have"
        yield f"{many(facts.unowned, 'partition')} {have} no owner"
    elif facts.is_idle:
        yield f"{many(facts.members, 'member')} without work: no topic of the subscription exists"
    elif not (facts.silent or facts.frozen or facts.stopped):
        own = "" if facts.owned is None else f" own {many(facts.owned, 'partition')}"
        own = own.replace(" own", " owns") if facts.members == 1 else own
        yield f"settled: {many(facts.members, 'member')}{own}"
    if facts.gone:
        does = "does" if facts.gone == 1 else "do"
        yield f"{many(facts.gone, 'owned partition')} {does} not exist"


def _silent(member: Member) -> str:
    left = f"removed in {seconds(member.left_ms)}"
    return f"{member.name} for {seconds(member.silent_ms)} ({left})"


def listed(named: Sequence[str], count: int) -> str:
    """Names, and how many more: "a, b and 3 more"."""
    more = count - len(named)
    if more > 0:
        return f"{', '.join(named)} and {more} more"
    return " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))


def many(count: int, noun: str) -> str:
    """ "1 member", "3 members"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def seconds(milliseconds: int) -> str:
    """Whole seconds: "88 s", "2 min 5 s", "3 h 10 min"."""
    whole = max(0, round(milliseconds / 1_000))
    if whole < 120:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
