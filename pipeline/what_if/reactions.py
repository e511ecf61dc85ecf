"""How long members take to do what a rebalance asks for, as recorded.

A rebalance that begins when a recorded one did finds each member as fast as it was then. For
another one a time is drawn from what was recorded of the member, else of its group, else from
what a stock client would take.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from groups.core.explanation import REMOVALS, REMOVED, End
from groups.core.waiting import Act
from pipeline.what_if.recording import Millis, Rebalance, Recording, Wait

SAME_MS: Final = 250
"""A rebalance within so much of a recorded one is that one: clocks of a database and of a node
differ by the time of a transaction."""

HEARTBEAT_MS: Final = 3_000
"""The heartbeat interval of stock clients of the classic protocol."""

TYPICAL_MS: Final[Mapping[Act, Millis]] = {Act.SYNC: 20, Act.REVOKE: 20, Act.HEARTBEAT: 500}
"""What takes at most so long, where nothing is recorded; else a heartbeat interval."""

Moments = Mapping[str, Sequence[Millis]]
"""By member id, in order."""

LATE_MS: Final = 5_000
"""A member that syncs after the leader's assignment is looked for so long."""

PACED: Final = frozenset((Act.REJOIN, Act.HEARTBEAT))
"""Acts of which a member learns by its next heartbeat."""

DONE: Final = frozenset(str(end) for end in End) - {*map(str, REMOVED), "pending", "kept"}
"""Ends of waits whose length is how long the member took."""

ENOUGH: Final = 20
"""Waits of a group from which its heartbeat interval is known."""


class Reactions:
    """The recorded times of one group. ``pace``: the new heartbeat interval, as a multiple of the
    recorded one; ``are_drawn``: no rebalance counts as a recorded one."""

    def __init__(
        self, recording: Recording, rng: Random, pace: float = 1.0, *, are_drawn: bool = False
    ) -> None:
        self._rng, self._pace, self._are_drawn = rng, pace, are_drawn
        self._rebalances = sorted(recording.rebalances, key=lambda one: one.started)
        self._started = [one.started for one in self._rebalances]
        self._completed = sorted(recording.rebalances, key=lambda one: one.completed)
        self._ends = [one.completed for one in self._completed]
        self._first: dict[Millis, Millis] = {}
        self._own: dict[tuple[str, str], list[Millis]] = {}
        self._all: dict[str, list[Millis]] = {}
        self._contacts, self._gains = _contacts(recording)
        for one in self._rebalances:
            for (member_id, act), wait in one.waits.items():
                took = self._took(one, member_id, act, wait)
                if took is not None:
                    self._own.setdefault((member_id, act), []).append(took)
                    self._all.setdefault(act, []).append(took)

    def _took(self, one: Rebalance, member_id: str, act: str, wait: Wait) -> Millis | None:
        """How long the member took, if that is known; for the leader's assignment a rebalance does
        not wait for others' syncs."""
        if wait.end in DONE:
            return wait.ms
        if act != Act.SYNC or wait.end != End.PENDING:
            return None
        came = _next(self._gains.get(member_id, ()), one.completed + wait.ms, LATE_MS)
        return None if came is None else came - one.completed

    def of(self, member_id: str, act: Act, since: Millis) -> Millis:
        """How long the member takes for what it is asked for now."""
        known = self._known(act, since)
        if known is not None:
            wait = known.waits.get((member_id, act))
            if wait is None:
                return 0
            if wait.end in DONE:
                return self._paced(act, wait.ms + self._owed(known, act, wait))
            took = self._took(known, member_id, act, wait)
            if wait.end == End.PENDING:
                return wait.ms + 1 if took is None else took
        drawn = self._own.get((member_id, act)) or self._all.get(act)
        if drawn:
            return self._paced(act, self._rng.choice(drawn))
        return self._rng.randrange(self._paced(act, TYPICAL_MS.get(act, HEARTBEAT_MS)) + 1)

    def _owed(self, known: Rebalance, act: Act, wait: Wait) -> Millis:
        """In a consumer group a member's removal is followed by a heartbeat of any member, by which
        the target is computed; for the others the group waits from there."""
        if act is not Act.HEARTBEAT:
            return 0
        if known.started not in self._first:
            self._first[known.started] = _first_heartbeat(known)
        first = self._first[known.started]
        return first if wait.ms > first else 0

    def contact(self, member_id: str, now: Millis, about: Millis) -> Millis | None:
        """When the member next got or gave up partitions, if that is as soon as expected, or twice
        as late: of these moments it is recorded that it was heard."""
        if self._are_drawn:
            return None
        return _next(self._contacts.get(member_id, ()), now, 2 * about + SAME_MS)

    def _known(self, act: Act, since: Millis) -> Rebalance | None:
        """The recorded rebalance, or sync phase, that began then."""
        if self._are_drawn:
            return None
        if act is Act.SYNC:
            return _near(self._completed, self._ends, since)
        return _near(self._rebalances, self._started, since)

    def _paced(self, act: Act, ms: Millis) -> Millis:
        return round(ms * self._pace) if act in PACED else ms


def _first_heartbeat(known: Rebalance) -> Millis:
    """How long after its start the target of a rebalance was computed, if not at once."""
    if not known.causes or known.causes[0][0] not in REMOVALS:
        return 0
    waits = [w.ms for (_, a), w in known.waits.items() if a == Act.HEARTBEAT and w.end in DONE]
    first, last = min(waits, default=0), max(waits, default=0)
    return first if known.completed - known.started >= first + last else 0


def heartbeat_ms(recording: Recording) -> Millis | None:
    """The heartbeat interval of a group's classic members: members learn of a rebalance by their
    next heartbeat, so the longest of many waits is about as long. None: too few were recorded."""
    waits = sorted(
        wait.ms
        for one in recording.rebalances
        for (_, act), wait in one.waits.items()
        if act == Act.REJOIN and wait.end in DONE
    )
    return waits[len(waits) * 95 // 100] if len(waits) >= ENOUGH else None


def _contacts(recording: Recording) -> tuple[Moments, Moments]:
    """When each member got or gave up partitions, and when it got some."""
    names = {life.life: life.member_id for life in recording.lives}
    contacts: dict[str, set[Millis]] = {}
    gains: dict[str, set[Millis]] = {}
    for interval in recording.intervals:
        member_id = names.get(interval.life, "")
        gains.setdefault(member_id, set()).add(interval.since)
        ends = () if interval.until is None else (interval.until,)
        contacts.setdefault(member_id, set()).update((interval.since, *ends))
    return _sorted(contacts), _sorted(gains)


def _sorted(moments: Mapping[str, set[Millis]]) -> Moments:
    return {member_id: sorted(some) for member_id, some in moments.items()}


def _next(moments: Sequence[Millis], after: Millis, within: Millis) -> Millis | None:
    place = bisect_right(moments, after)
    found = moments[place] if place < len(moments) else None
    return None if found is None or found > after + within else found


def _near(rebalances: list[Rebalance], at: list[Millis], moment: Millis) -> Rebalance | None:
    after = bisect_left(at, moment)
    place = after - 1
    if place < 0 or (after < len(at) and at[after] - moment < moment - at[place]):
        place = after
    if place == len(at) or abs(at[place] - moment) > SAME_MS:
        return None
    return rebalances[place]
