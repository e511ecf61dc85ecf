"""A group, its clock, and everything that is sent to it. Pure: the same seed is the same story."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any, Final, Protocol

from groups.core import events
from groups.core.conversion.step import decide
from groups.core.errors import ErrorCode
from groups.core.group import NO_GUARDS, Decision, Group, Guards, JournalEntry, Rules
from groups.core.kinds import KINDS
from groups.core.replies import Reply
from groups.core.signs_of_life import ClassicHeartbeat

RULES = Rules(
    group_consumer_session_timeout_ms=10_000,
    group_consumer_heartbeat_interval_ms=3_000,
    rebalance_max_retries=2,
)


MIXED: Final = "mixed"
"""Members of the classic and of the consumer protocol in one group, which changes its kind."""


class Watcher(Protocol):
    """Sees every step, and the time before it."""

    def passes(self, since: int, until: int) -> None:
        """The group as it is stays so for this time."""
        ...

    def stepped(self, before: Group, event: events.Event, sender: Any) -> None:
        """A step was taken."""
        ...

    def told(self, entry: JournalEntry) -> None:
        """An entry of the journal."""
        ...

    def taken_over(self) -> None:
        """Another node owns the group now, and knows what its rows say."""
        ...


class World:
    """One group of one kind."""

    def __init__(self, kind: str, seed: int) -> None:
        self.kind, self.rng, self.now = kind, Random(seed), 1_000_000
        self.rules = RULES
        self.group: Any = KINDS["classic" if kind == MIXED else kind].absent("g", RULES, self.now)
        self.revision, self.steps = 0, 0
        self.parts = 4
        self.waiting: dict[events.Ticket, Callable[[Reply], None]] = {}
        self.watcher: Watcher | None = None
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._numbers = count(1)

    @property
    def topics(self) -> Mapping[str, tuple[str, int]]:
        """The catalogue, as the consumer protocol's handlers see it."""
        return {"t": ("id-t", self.parts)}

    # -- time

    def after(self, delay_ms: int, act: Callable[[], None]) -> None:
        """Do this after a while."""
        heappush(self._agenda, (self.now + delay_ms, next(self._numbers), act))

    def run(self, until: int) -> None:
        """Let time pass, with all that happens."""
        while True:
            due = self.group.due(self.now)
            planned = self._agenda[0][0] if self._agenda else until
            moment = min(planned, until if due is None else max(due, self.now))
            if moment >= until:
                self._pass(until)
                return
            self._pass(moment)
            if due is not None and due <= self.now:
                self.step(events.Tick(), None)
                if self.group.due(self.now) != due or due < self.now:
                    continue
            if self._agenda and self._agenda[0][0] <= self.now:
                heappop(self._agenda)[2]()

    def _pass(self, moment: int) -> None:
        if moment > self.now and self.watcher is not None:
            self.watcher.passes(self.now, moment)
        self.now = moment

    # -- what the node does

    def ticket(self, connection: int, answered: Callable[[Reply], None]) -> events.Ticket:
        """A request that waits for its reply."""
        ticket = events.Ticket(connection, next(self._numbers))
        self.waiting[ticket] = answered
        return ticket

    def step(self, event: events.Event, sender: Any) -> None:
        """Decide, commit, tell."""
        before, self.steps = self.group, self.steps + 1
        decision = self.decided(before, event)
        self.group = decision.group
        if self.group.durable is not before.durable:
            self.revision = 0 if decision.deleted else self.revision + 1
            self.group = self.group.with_revision(self.revision)
        if self.watcher is not None:
            self.watcher.stepped(before, event, sender)
            for entry in decision.journal:
                self.watcher.told(entry)
        for ticket, reply in decision.answers:
            self._answer(ticket, reply)

    def decided(self, before: Group, event: events.Event) -> Decision:
        """What the rules make of it; for whoever wants to see the decisions themselves."""
        return decide(before, [event], self.now, self.rng)

    def _answer(self, ticket: events.Ticket, reply: Reply) -> None:
        answered = self.waiting.pop(ticket, None)
        if answered is not None:
            answered(reply)

    def beat(self, sign: ClassicHeartbeat) -> ErrorCode:
        """A classic heartbeat, which memory answers."""
        view = self.group.heartbeat_view()
        return ErrorCode(view.heartbeat(*sign, self.now))

    def freeze(self, *, is_on: bool) -> None:
        """An operator freezes the group, or thaws it: a setting of the group, and no event."""
        self.rules = replace(RULES, guards=Guards(frozen=True) if is_on else NO_GUARDS)
        self.group = self.group.with_rules(self.rules)

    def take_over(self) -> None:
        """Another node loads the group's rows; requests that wait are refused."""
        gone = list(self.group.let_go(ErrorCode.NOT_COORDINATOR))
        self.group = type(self.group).merge(self.group.durable, None, self.rules, self.now)
        if self.watcher is not None:
            self.watcher.taken_over()
        for ticket, reply in gone:
            self._answer(ticket, reply)
