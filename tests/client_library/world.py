"""The library's machines against the coordinator's real rules, with a clock and a bad network.

``World`` plays the node, the network and the applications. Requests of a member are heard in
order; a connection that ends takes what is on its way with it. Answers may come late, twice, or
never. Everybody's clock is the same one, and timers are kept to the millisecond.
"""

import re
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from groups.core import commands, events
from groups.core.classic.group import ClassicGroup
from groups.core.commanded.group import CommandedGroup
from groups.core.commanded.thread_offers import BLACK_LIST, filter_of
from groups.core.consumer.group import ConsumerGroup
from groups.core.draft.group import DraftGroup
from groups.core.group import Rules
from rollcall.client.core.events import (
    Call,
    Effect,
    Event,
    Fail,
    Handled,
    Kind,
    LookUp,
    Machine,
    Rediscover,
    Reply,
    Send,
    Subscribe,
    Subscription,
    Tick,
    TopicPartition,
    Topics,
    Unanswered,
    Unsubscribe,
    WorkedOut,
    WorkOut,
)
from rollcall.wire.declare import Message
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.poll_commands import PollCommandsRequest
from tests.client_library.speech import answer_to, event_of, id_of, message_of, polled

ROUNDS = 5_000


AnyGroup = ClassicGroup | ConsumerGroup | DraftGroup | CommandedGroup
Blocked = frozenset[str]
NOTHING_BLOCKED: Blocked = frozenset()


@dataclass
class Player:
    """One member: its machine, its messages in flight, and the reports to its application."""

    name: str
    machine: Machine
    requests: deque[tuple[Send, int]] = field(default_factory=deque)
    parked: dict[events.Ticket, Send] = field(default_factory=dict)
    answers: deque[Reply] = field(default_factory=deque)
    heard: list[Reply] = field(default_factory=list)
    waiting: dict[int, int] = field(default_factory=dict)  # ticket: until when
    worked_out: deque[WorkedOut] = field(default_factory=deque)
    call: Call | None = None
    changes: list[str] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    asked: deque[LookUp] = field(default_factory=deque)
    topics: tuple[str, ...] = ()
    pattern: str | None = None
    held: tuple[Send, int] | None = None  # a poll, and until when
    finishing: frozenset[TopicPartition] = frozenset()

    @property
    def owned(self) -> frozenset[TopicPartition]:
        return frozenset(self.machine.standing.handed_out)

    def look(self, now: int) -> None:
        """A revocation under way is finished, unless the member is removed during it."""
        change = self.call.change if self.call is not None else None
        if change is None or change.kind is not Kind.REVOKED:
            self.finishing = frozenset()
            return
        lease: int = self.machine._lease()  # type: ignore[attr-defined]
        if self.machine.standing.epoch < change.epoch or now >= lease:
            self.finishing = frozenset()


class World:
    """One group, all its clients, and the messages between them."""

    def __init__(self, kind: type[AnyGroup], **rules: Any) -> None:
        self.kind = kind
        self.rules = Rules(**rules)
        self.now = 1_000_000
        self.rng = Random(3)
        self.group: Any = kind.absent("g", self.rules, self.now)
        self.revision = 0
        self.requests = 0
        self.catalogue: dict[str, int] = {}
        self.players: dict[str, Player] = {}
        self.given: Counter[TopicPartition] = Counter()
        """How often each partition was handed out, to anybody."""

    # -- the node

    def step(self, *said: events.Event) -> None:
        before = self.group
        decision = before.step(said, self.now, self.rng)
        self.group = decision.group
        if decision.deleted:
            self.revision, self.group = 0, self.kind.absent("g", self.rules, self.now)
        elif self.group.durable is not before.durable and not self.group.idle:
            self.revision += 1
            self.group = self.group.with_revision(self.revision)
        for ticket, reply in decision.answers:
            for player in self.players.values():
                if ticket in player.parked:
                    send = player.parked.pop(ticket)
                    self._answer(player, send, message_of(reply, send.message))
        for player in self.players.values():
            if player.machine.standing.member_id in decision.hung_up:
                self.cut(player)
        self._look_at_polls()

    def fail_over(self) -> None:
        """The node dies; the next one has the rows, and grants every member a full session."""
        for player in self.players.values():
            self.cut(player)
        if not self.group.idle:
            self.group = self.kind.merge(self.group.durable, None, self.rules, self.now)
        self.check()

    def _answer(self, player: Player, send: Send, message: Message) -> None:
        player.answers.append(Reply(send.ticket, message))

    # -- members

    def add(self, name: str, machine: Machine, *topics: str, pattern: str | None = None) -> Player:
        player = self.players[name] = Player(name, machine)
        self.subscribe(player, *topics, pattern=pattern)
        return player

    def subscribe(self, player: Player, *topics: str, pattern: str | None = None) -> None:
        player.topics, player.pattern = topics, pattern
        self.tell(player, Subscribe(Subscription(topics, pattern)))

    def unsubscribe(self, player: Player) -> None:
        player.topics, player.pattern = (), None
        self.tell(player, Unsubscribe())

    def tell(self, player: Player, event: Event) -> None:
        for effect in player.machine.take(event, self.now):
            self._do(player, effect)
        self.check()

    def _do(self, player: Player, effect: Effect) -> None:
        match effect:
            case Send():
                player.requests.append((effect, self.now))
                player.waiting[effect.ticket] = self.now + effect.timeout_ms
            case Call(_, change):
                assert player.call is None, "two calls at a time"
                player.call = effect
                if change.kind is Kind.ASSIGNED:
                    self.given.update(change.partitions)
                is_revoked = change.kind is Kind.REVOKED
                player.finishing = change.partitions if is_revoked else frozenset()
                parts = ",".join(f"{t}{p}" for t, p in sorted(change.partitions))
                player.changes.append(f"{change.kind.value} {parts}")
            case LookUp():
                player.asked.append(effect)
            case WorkOut(number, work):
                player.worked_out.append(WorkedOut(number, work()))
            case Fail(code):
                player.failures.append(code)
            case Rediscover():
                pass

    def check(self) -> None:
        """At no moment do two members work on one partition; and while one is being revoked, its
        last owner may finish and commit."""
        for player in self.players.values():
            player.look(self.now)
        owned = [e for p in self.players.values() for e in (*p.owned, *p.finishing)]
        facts = {p.name: (p.owned, p.finishing) for p in self.players.values()}
        assert len(owned) == len(set(owned)), facts

    # -- the network

    def deliver(self, player: Player) -> bool:
        """The node receives the member's next request."""
        if not player.requests:
            return False
        send, _ = player.requests.popleft()
        self._release(player)
        if isinstance(send.message, PollCommandsRequest):
            self._poll(player, send, send.message)
            return True
        self.requests += 1
        ticket = events.Ticket(1, self.requests)
        player.parked[ticket] = send
        event = event_of(self, ticket, send.message)
        if isinstance(event, Message):
            del player.parked[ticket]
            self._answer(player, send, event)
        else:
            self.step(event)
        return True

    def _poll(self, player: Player, send: Send, message: PollCommandsRequest) -> None:
        """A poll is answered at once, or held until there is news or its time is over."""
        if commands.receiver(self.group, message.member_id) is not None:
            commands.polled(self.group, message.member_id, self.now)
        player.held = send, self.now + message.max_wait_ms
        self._look_at_polls()

    def _look_at_polls(self) -> None:
        for player in self.players.values():
            if player.held is not None:
                send, until = player.held
                assert isinstance(send.message, PollCommandsRequest)
                answer = polled(self, send.message)
                if answer is not None or self.now >= until:
                    player.held = None
                    self._answer(player, send, answer or answer_to([]))

    def _release(self, player: Player) -> None:
        """The next request ends the hold."""
        if player.held is not None:
            (send, _), player.held = player.held, None
            self._answer(player, send, answer_to([]))

    def answer(self, player: Player) -> bool:
        """The member receives the oldest response."""
        if not player.answers:
            return False
        reply = player.answers.popleft()
        player.waiting.pop(reply.ticket, None)
        player.heard.append(reply)
        self.tell(player, reply)
        return True

    def repeat(self, player: Player, which: int) -> None:
        """An answer that was heard long ago comes once more."""
        if player.heard:
            self.tell(player, player.heard[which % len(player.heard)])

    def cut(self, player: Player) -> None:
        """The connection ends: what is on its way either way is gone."""
        player.requests.clear()
        player.answers.clear()
        player.parked.clear()
        player.held = None
        waiting, player.waiting = list(player.waiting), {}
        for ticket in waiting:
            self.tell(player, Unanswered(ticket))

    def handle(self, player: Player) -> bool:
        """The application returns from its callback."""
        if player.call is None:
            return False
        call, player.call = player.call, None
        self.tell(player, Handled(call.ticket))
        return True

    def look_up(self, player: Player) -> bool:
        """The cluster answers about topics."""
        if not player.asked:
            return False
        asked = player.asked.popleft()
        named = set(asked.names or self.catalogue)
        known = {n: (id_of(n), count) for n, count in self.catalogue.items() if n in named}
        self.tell(player, Topics(known, asked))
        return True

    def work_out(self, player: Player) -> bool:
        """The leader's assignor has thought."""
        if not player.worked_out:
            return False
        self.tell(player, player.worked_out.popleft())
        return True

    # -- time

    def sleep(
        self, ms: int, *, honest: bool = False, but: str = "", blocked: Blocked = NOTHING_BLOCKED
    ) -> None:
        """Time goes by; with ``honest``, all that is on its way arrives at once meanwhile.

        ``but``: for one of the members, some things do not happen (``blocked``).
        """
        end = self.now + ms
        for _ in range(ROUNDS):
            if honest:
                self.settle(but, blocked)
            due = self._next_due()
            if due is None or due > end:
                self.now = end
                return
            self.now = max(self.now, due)
            self._tick_all()
        raise AssertionError("time does not go by: somebody is always due")

    def _next_due(self) -> int | None:
        times = [self.group.due(self.now)]
        for player in self.players.values():
            times += [player.machine.due(), *player.waiting.values()]
            times += [] if player.held is None else [player.held[1]]
        return min((each for each in times if each is not None), default=None)

    def _tick_all(self) -> None:
        """Members first: who stops in time stops before the node acts on its silence."""
        for player in self.players.values():
            due = player.machine.due()
            if due is not None and due <= self.now:
                self.tell(player, Tick())
            if any(until <= self.now for until in player.waiting.values()):
                self.cut(player)
        self._look_at_polls()
        due = self.group.due(self.now)
        if due is not None and due <= self.now:
            self.step(events.Tick())
            self.check()

    def settle(self, but: str = "", blocked: Blocked = NOTHING_BLOCKED) -> None:
        """Everything in flight is delivered, and every callback returns, until nothing moves."""
        acts = {"requests": self.deliver, "answers": self.answer, "calls": self.handle}
        for _ in range(ROUNDS):
            moved = [
                act(player)
                for name, player in list(self.players.items())
                for what, act in (
                    *acts.items(),
                    ("topics", self.look_up),
                    ("assignor", self.work_out),
                )
                if name != but or what not in blocked
            ]
            if not any(moved):
                return
        raise AssertionError("it never comes to rest")

    # -- the catalogue

    def grow(self, topic: str, count: int) -> None:
        """A topic gets more partitions, or is created; a draft group is notified."""
        self.catalogue[topic] = max(count, self.catalogue.get(topic, 0))
        if isinstance(self.group, DraftGroup) and topic in self.group.counts:
            self.step(events.TopicsChanged(counts={topic: self.catalogue[topic]}))
        if isinstance(self.group, CommandedGroup):
            matches = self.matches(self.group.filters)
            asked = self.group.names.union(*matches.values())
            counts = {name: self.catalogue.get(name, 0) for name in asked}
            self.step(events.TopicsChanged(counts=counts, matches=matches))
        self.check()

    def matches(self, filters: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """What the filters of a commanded group let through, by their keys."""
        return {key: tuple(n for n in self.catalogue if _passes(key, n)) for key in filters}

    def topics_of(self, message: ConsumerGroupHeartbeatRequest) -> dict[str, tuple[str, int]]:
        asked = self.group.topic_names | set(message.subscribed_topic_names or ())
        return {n: (id_of(n).hex, self.catalogue[n]) for n in asked if n in self.catalogue}


def _passes(key: str, topic: str) -> bool:
    kind, pattern = filter_of(key)
    return (re.fullmatch(pattern, topic) is None) is (kind == BLACK_LIST)


__all__ = ["Player", "World", "id_of"]
