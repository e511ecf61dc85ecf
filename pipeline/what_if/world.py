"""One group, its clock, and what is sent to it. Pure: the same input is the same replay.

Heartbeats are not sent: a beat is when its member was last heard, so it is set to when the member
falls silent, and the rules find by themselves when that has lasted for a session.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any, Final, Protocol
from uuid import UUID

from groups.core import events
from groups.core.conversion.step import decide
from groups.core.group import Rules
from groups.core.kinds import KINDS
from groups.core.replies import Reply
from pipeline.what_if.clients import NEVER
from pipeline.what_if.ledger import Ledger
from pipeline.what_if.recording import Millis, Part, Recording

Act = Callable[[], None]

STUCK_MAX: Final = 3
"""A tick may decide nothing, where a large group knows its next deadline only roughly: after so
many at one moment time goes on."""


class Listener(Protocol):
    """A client in the group."""

    def silent_from(self, now: Millis) -> Millis:
        """When it falls silent, or fell, if it is."""
        ...

    def called(self, since: Millis) -> None:
        """Since then the group wants something of its members."""

    def refresh(self) -> None:
        """A topic has grown, and this one's next heartbeat is now."""
        ...


class Ids(Random):
    """Randomness that gives a new member the id that it had when it was recorded. ``last``: the
    bits that were given last."""

    wanted: int | None = None
    last: int = 0

    def want(self, member_id: str) -> None:
        """The next id's number, if the coordinator made this one (a name and a UUID)."""
        try:
            self.wanted = UUID(member_id[-36:]).int
        except ValueError:
            self.wanted = None

    def getrandbits(self, k: int, /) -> int:
        """Random bits, or the wanted ones, once."""
        wanted, self.wanted = self.wanted, None
        self.last = super().getrandbits(k) if wanted is None else wanted
        return self.last


class Catalogue:
    """The partitions that topics had: those that were owned until then, and at its beginning all
    that a topic's first owners got."""

    def __init__(self, recording: Recording) -> None:
        first: dict[Part, Millis] = {}
        for interval in recording.intervals:
            first[interval.part] = min(interval.since, first.get(interval.part, NEVER))
        started = sorted(rebalance.started for rebalance in recording.rebalances)
        self._sizes: dict[str, list[tuple[Millis, int]]] = {}
        began: dict[str, Millis] = {}
        for (topic, number), since in sorted(first.items(), key=lambda item: item[1]):
            place = bisect_right(started, since)
            start = started[place - 1] if place else since
            steps = self._sizes.setdefault(topic, [])
            at = 0 if start <= began.setdefault(topic, since) else start
            if not steps or number >= steps[-1][1]:
                steps.append((at, number + 1))

    def counts(self, now: Millis) -> dict[str, int]:
        """Partitions by topic."""
        return {
            topic: max((size for at, size in steps if at <= now), default=0)
            for topic, steps in self._sizes.items()
        }

    def growths(self) -> Iterable[Millis]:
        """When topics grew."""
        return sorted({at for steps in self._sizes.values() for at, _ in steps if at})


class World:
    """One group under these rules, from ``begin`` on."""

    def __init__(
        self, group_id: str, kind: str, rules: Rules, begin: Millis, catalogue: Catalogue, seed: int
    ) -> None:
        self.now, self.rules, self.rng = begin, rules, Ids(seed)
        self.group: Any = KINDS[kind].absent(group_id, rules, begin)
        self.ledger = Ledger(group_id)
        self.catalogue = catalogue
        self.events = 0
        self.listeners: dict[str, Listener] = {}
        self.stalls: list[tuple[int, tuple[Millis, Millis]]] = []
        self._topics: dict[str, tuple[str, int]] = {}
        self._growths = [0, *catalogue.growths()]
        self._revision = 0
        self._called: tuple[Millis, int] | None = None
        self._epoch = 0
        self._waiting: dict[events.Ticket, tuple[Listener, Callable[[Any], None]]] = {}
        self._agenda: list[tuple[Millis, int, Act]] = []
        self._numbers = count(1)

    @property
    def generation(self) -> int:
        """The group's generation, or epoch."""
        return int(self.group.durable.group.generation)

    # -- time

    def at(self, moment: Millis, act: Act) -> None:
        """Do this then, or now if that is past."""
        heappush(self._agenda, (max(moment, self.now), next(self._numbers), act))

    def run(self, until: Millis) -> None:
        """Let time pass, with all that happens."""
        stuck = 0
        while True:
            due = self.group.due(self.now)
            planned = self._agenda[0][0] if self._agenda else NEVER
            soon = NEVER if due is None else max(due, self.now)
            if soon <= min(planned, until) and stuck < STUCK_MAX:
                stuck = stuck + 1 if soon == self.now else 0
                self.now = soon
                self.step(events.Tick())
            elif planned <= until:
                stuck, self.now = 0, planned
                heappop(self._agenda)[2]()
            elif soon <= until:
                stuck, self.now = 0, self.now + 1
            else:
                break
        self.now = until

    # -- requests

    def ticket(self, who: Listener, answered: Callable[[Any], None]) -> events.Ticket:
        """A request that waits for its reply."""
        ticket = events.Ticket(0, next(self._numbers))
        self._waiting[ticket] = (who, answered)
        return ticket

    def step(self, event: events.Event) -> None:
        """Decide, note, answer, and tell members what is awaited of them."""
        before = self.group
        decision = decide(before, (event,), self.now, self.rng)
        self.events += 1
        self.group = decision.group
        if self.group.durable is not before.durable:
            self._revision = 0 if decision.deleted else self._revision + 1
            self.group = self.group.with_revision(self._revision)
        if decision.facts or decision.journal:
            self.ledger.note(self.now, decision)
        for ticket, reply in decision.answers:
            self._answer(ticket, reply)
        self._call()

    def _answer(self, ticket: events.Ticket, reply: Reply) -> None:
        found = self._waiting.pop(ticket, None)
        if found is not None:
            who, answered = found
            member_id = getattr(reply, "member_id", "")
            if member_id:
                self.hear(member_id, who)
            answered(reply)

    def hear(self, member_id: str, who: Listener) -> None:
        """The member has sent something: set until when it does."""
        beat = self.group.live.beats.get(member_id)
        if beat is not None:
            beat.at = who.silent_from(self.now)

    def _call(self) -> None:
        """Tell members that a join phase has begun, or an epoch."""
        phase, epoch = getattr(self.group.live, "join_phase", None), self.generation
        began = None if phase is None else (phase.started_at, epoch)
        if began != self._called:
            self._called = began
            if began is not None:
                joined = self.group.live.joins
                self._tell((m for m in self.group.durable.members if m not in joined), began[0])
        if epoch != self._epoch:
            self._epoch = epoch
            if phase is None and self.group.durable.group.kind == "consumer":
                self._tell(self.group.durable.members, self.now)

    def _tell(self, member_ids: Iterable[str], since: Millis) -> None:
        for member_id in list(member_ids):
            listener = self.listeners.get(member_id)
            if listener is not None:
                listener.called(since)

    # -- the catalogue, and what nobody's life explains

    @property
    def topics(self) -> Mapping[str, tuple[str, int]]:
        """The catalogue as it is now, with a topic's name as its id; the same object until a topic
        grows."""
        if self._growths and self._growths[0] <= self.now:
            while self._growths and self._growths[0] <= self.now:
                self._growths.pop(0)
            counts = self.catalogue.counts(self.now)
            self._topics = {topic: (topic, size) for topic, size in counts.items()}
        return self._topics

    def force(self) -> None:
        """A rebalance begins for a reason that is no member's coming or going."""
        number = next(self._numbers)
        if self.group.durable.members:
            self.step(events.ForceRebalance(operation_id=number, actor="", reason=""))

    def refresh(self) -> None:
        """A topic grows: in a consumer group the next heartbeat shows it."""
        for member_id in list(self.group.durable.members)[:1]:
            if member_id in self.listeners:
                self.listeners[member_id].refresh()

    def evict(self, member_id: str) -> None:
        """Somebody removes a member."""
        number = next(self._numbers)
        if member_id in self.group.durable.members:
            event = events.EvictMember(
                operation_id=number, actor="", reason="", member_id=member_id
            )
            self.step(event)

    def freeze(self, *, frozen: bool) -> None:
        """No rebalance begins, or they may again."""
        guards = replace(self.rules.guards, frozen=frozen)
        self.group = self.group.with_rules(replace(self.rules, guards=guards))
