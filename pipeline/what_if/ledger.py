"""Decisions of the rules as a recording: what the store writes of them, kept in memory.

Follows ``groups.store.sql.facts`` and the journal's entries of rebalances.
"""

from collections.abc import Iterable, Iterator
from itertools import count

from groups.core.explanation import Explanation
from groups.core.facts import Began, Ended, Owns, settled
from groups.core.group import Decision, JournalEntry
from groups.core.journal import EntryKind
from pipeline.what_if.recording import (
    Idle,
    Interval,
    Life,
    Millis,
    Part,
    Rebalance,
    Recording,
    Wait,
)


class Ledger:
    """What the decisions of one group amount to. ``numbers``: of lives."""

    def __init__(self, group_id: str, numbers: "Iterator[int] | None" = None) -> None:
        self.group_id = group_id
        self._numbers = count(1) if numbers is None else numbers
        self._open: dict[str, Life] = {}
        self._owned: dict[str, dict[Part, Millis]] = {}
        self._lives: list[Life] = []
        self._intervals: list[Interval] = []
        self._rebalances: list[Rebalance] = []
        self._idle: list[Idle] = []

    def life_of(self, member_id: str) -> int | None:
        """The number of the member's life, if it lives."""
        life = self._open.get(member_id)
        return None if life is None else life.life

    def note(self, now: Millis, decision: Decision) -> None:
        """What one step decided."""
        if decision.facts:
            facts = settled(decision.facts)
            for over in facts.ended:
                self._end(now, over)
            for began in facts.began.values():
                self._begin(now, began)
            for flash in facts.flashes:
                self._begin(now, flash.began)
                self._end(now, flash.ended)
            for owns in facts.owns.values():
                self._own(now, owns)
            for ended in facts.rounds:
                idle = ended.idle
                sums = (idle.stopped_ms, idle.silent_ms, idle.unowned_ms)
                self._idle.append(Idle(now - ended.age_ms, *sums))
        for entry in decision.journal:
            self._entry(now, entry)

    def recording(self, begin: Millis, end: Millis) -> Recording:
        """All of it, that which is open included."""
        still = [
            Interval(self._open[member_id].life, part, since, None)
            for member_id, parts in self._owned.items()
            for part, since in parts.items()
        ]
        lives = [*self._lives, *self._open.values()]
        intervals = [*self._intervals, *still]
        found = (lives, intervals, self._rebalances, self._idle)
        return Recording(self.group_id, begin, end, *found)

    def _begin(self, now: Millis, fact: Began) -> None:
        row, client = fact.row, fact.client
        self._open[row.member_id] = Life(
            next(self._numbers),
            row.member_id,
            row.instance_id,
            row.client_id,
            row.client_host,
            fact.kind,
            row.session_timeout_ms,
            row.rebalance_timeout_ms,
            fact.topics,
            fact.protocols,
            now - fact.age_ms,
            fact.origin.value,
            software=(client.software_name, client.software_version),
        )
        self._owned[row.member_id] = {}

    def _end(self, now: Millis, fact: Ended) -> None:
        life = self._open.pop(fact.member_id, None)
        if life is None:
            return
        for part, since in self._owned.pop(fact.member_id).items():
            self._intervals.append(Interval(life.life, part, since, max(now, since)))
        heard = max(now - fact.silent_ms, life.joined)
        ended = life._replace(
            left=max(now, life.joined), departure=fact.departure.value, heard=heard
        )
        self._lives.append(ended)

    def _own(self, now: Millis, fact: Owns) -> None:
        life, had = self._open.get(fact.member_id), self._owned.get(fact.member_id)
        if life is None or had is None:
            return
        shall = {(topic, number) for topic, numbers in fact.owned().items() for number in numbers}
        for part in had.keys() - shall:
            since = had.pop(part)
            until = max(now - fact.lost_ms, since)
            self._intervals.append(Interval(life.life, part, since, until))
        if fact.gains:
            had.update(dict.fromkeys(sorted(shall - had.keys()), now))

    def _entry(self, now: Millis, entry: JournalEntry) -> None:
        if entry.kind == EntryKind.REBALANCE_COMPLETED:
            started = now - (entry.duration_ms or 0)
            causes = [(entry.trigger, started)]
            if entry.why is not None and entry.why.causes:
                causes = [(share.trigger, started + share.at_ms) for share in entry.why.causes]
            self._rebalances.append(Rebalance(started, now, causes, dict(waits_of(entry.why))))
        elif entry.kind == EntryKind.STABLE and self._rebalances and entry.why is not None:
            last = self._rebalances[-1]
            waits = {**last.waits, **dict(waits_of(entry.why))}
            self._rebalances[-1] = Rebalance(last.started, last.completed, last.causes, waits)


def waits_of(why: Explanation | None) -> Iterable[tuple[tuple[str, str], Wait]]:
    """Whom a rebalance waited for, by member id and act."""
    awaited = () if why is None else why.awaited
    return (((one.member_id, str(one.act)), Wait(one.ms, str(one.end))) for one in awaited)
