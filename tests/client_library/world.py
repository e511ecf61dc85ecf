"""The library's machines against the coordinator's real rules, with a clock and a bad network.

``World`` plays the node, the network and the applications. Requests of a member are heard in
order; a connection that ends takes what is on its way with it. Answers may come late, twice, or
never. Everybody's clock is the same one, and timers are kept to the millisecond.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID, uuid5

from groups.core import events
from groups.core.classic.group import ClassicGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.group import Rules
from groups.core.replies import ConsumerBeaten, Joined, Left, Synced
from protocol.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from protocol.messages.join_group import (
    JoinGroupRequest,
    JoinGroupResponse,
    JoinGroupResponseMember,
)
from protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from protocol.wire.declare import Message
from rollcall.client.core.words import (
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
)

NAMESPACE = UUID(int=1)
ROUNDS = 5_000


Blocked = frozenset[str]
NOTHING_BLOCKED: Blocked = frozenset()


def id_of(topic: str) -> UUID:
    """A topic's id, the same every time."""
    return uuid5(NAMESPACE, topic)


@dataclass
class Player:
    """One member: its machine, what is on its way, and what its application has been told."""

    name: str
    machine: Machine
    requests: deque[tuple[Send, int]] = field(default_factory=deque)
    parked: dict[events.Ticket, Send] = field(default_factory=dict)
    answers: deque[Reply] = field(default_factory=deque)
    heard: list[Reply] = field(default_factory=list)
    waiting: dict[int, int] = field(default_factory=dict)  # ticket: until when
    call: Call | None = None
    changes: list[str] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    lookups: int = 0
    topics: tuple[str, ...] = ()

    finishing: frozenset[TopicPartition] = frozenset()

    @property
    def owned(self) -> frozenset[TopicPartition]:
        return frozenset(self.machine.standing.handed_out)

    def look(self, now: int) -> None:
        """What is being revoked is finished in peace, unless the member is thrown out meanwhile."""
        change = self.call.change if self.call is not None else None
        if change is None or change.kind is not Kind.REVOKED:
            self.finishing = frozenset()
            return
        lease: int = self.machine._lease()  # type: ignore[attr-defined]
        if self.machine.standing.epoch < change.epoch or now >= lease:
            self.finishing = frozenset()


class World:
    """One group, everybody who wants to be in it, and what is between them."""

    def __init__(self, kind: type[ClassicGroup | ConsumerGroup], **rules: Any) -> None:
        self.kind = kind
        self.rules = Rules(**rules)
        self.now = 1_000_000
        self.rng = Random(3)
        self.group: Any = kind.absent("g", self.rules, self.now)
        self.revision = 0
        self.requests = 0
        self.catalogue: dict[str, int] = {}
        self.players: dict[str, Player] = {}

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
                    self._answer(player, player.parked.pop(ticket), message_of(reply))

    def _answer(self, player: Player, send: Send, message: Message) -> None:
        player.answers.append(Reply(send.ticket, message))

    # -- members

    def add(self, name: str, machine: Machine, *topics: str) -> Player:
        player = self.players[name] = Player(name, machine, topics=topics)
        self.tell(player, Subscribe(Subscription(topics)))
        return player

    def subscribe(self, player: Player, *topics: str) -> None:
        player.topics = topics
        self.tell(player, Subscribe(Subscription(topics)))

    def unsubscribe(self, player: Player) -> None:
        player.topics = ()
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
                is_revoked = change.kind is Kind.REVOKED
                player.finishing = change.partitions if is_revoked else frozenset()
                parts = ",".join(f"{t}{p}" for t, p in sorted(change.partitions))
                player.changes.append(f"{change.kind.value} {parts}")
            case LookUp():
                player.lookups += 1
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
        """The node hears the member's next request."""
        if not player.requests:
            return False
        send, _ = player.requests.popleft()
        self.requests += 1
        ticket = events.Ticket(1, self.requests)
        player.parked[ticket] = send
        event = self._event(ticket, send.message)
        if isinstance(event, Message):
            del player.parked[ticket]
            self._answer(player, send, event)
        else:
            self.step(event)
        return True

    def answer(self, player: Player) -> bool:
        """The member hears the oldest answer."""
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
        waiting, player.waiting = list(player.waiting), {}
        for ticket in waiting:
            self.tell(player, Unanswered(ticket))

    def handle(self, player: Player) -> bool:
        """The application returns from what it was told."""
        if player.call is None:
            return False
        call, player.call = player.call, None
        self.tell(player, Handled(call.ticket))
        return True

    def look_up(self, player: Player) -> bool:
        """The cluster answers about topics."""
        if not player.lookups:
            return False
        player.lookups -= 1
        known = {name: (id_of(name), count) for name, count in self.catalogue.items()}
        self.tell(player, Topics(known))
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
        return min((each for each in times if each is not None), default=None)

    def _tick_all(self) -> None:
        """Members first: who stops in time stops before the node acts on its silence."""
        for player in self.players.values():
            due = player.machine.due()
            if due is not None and due <= self.now:
                self.tell(player, Tick())
            if any(until <= self.now for until in player.waiting.values()):
                self.cut(player)
        due = self.group.due(self.now)
        if due is not None and due <= self.now:
            self.step(events.Tick())
            self.check()

    def settle(self, but: str = "", blocked: Blocked = NOTHING_BLOCKED) -> None:
        """Everything on its way arrives, and everybody answers, until nothing moves."""
        acts = {"requests": self.deliver, "answers": self.answer, "calls": self.handle}
        for _ in range(ROUNDS):
            moved = [
                act(player)
                for name, player in list(self.players.items())
                for what, act in (*acts.items(), ("topics", self.look_up))
                if name != but or what not in blocked
            ]
            if not any(moved):
                return
        raise AssertionError("it never comes to rest")

    # -- requests as events

    def _event(self, ticket: events.Ticket, message: Message) -> events.Event | Message:
        if isinstance(message, HeartbeatRequest):
            code = self.group.face().heartbeat(
                message.member_id, message.group_instance_id, message.generation_id, self.now
            )
            return HeartbeatResponse(error_code=code)
        return _EVENTS[type(message)](self, ticket, message)

    def topics_of(self, message: ConsumerGroupHeartbeatRequest) -> dict[str, tuple[str, int]]:
        asked = self.group.topic_names | set(message.subscribed_topic_names or ())
        return {n: (id_of(n).hex, self.catalogue[n]) for n in asked if n in self.catalogue}


def _beaten(world: World, ticket: events.Ticket, message: Any) -> events.Event:
    owned = message.topic_partitions
    names = message.subscribed_topic_names
    return events.ConsumerHeartbeat(
        ticket=ticket,
        member_id=message.member_id,
        member_epoch=message.member_epoch,
        instance_id=message.instance_id,
        rack_id=message.rack_id,
        client_id="app",
        client_host="/127.0.0.1",
        rebalance_timeout_ms=message.rebalance_timeout_ms,
        subscribed_topic_names=None if names is None else tuple(names),
        server_assignor=message.server_assignor,
        owned=None if owned is None else {t.topic_id.hex: tuple(t.partitions) for t in owned},
        topics=world.topics_of(message),
        looked_up=frozenset(world.group.topic_names | set(names or ())),
    )


def _join(world: World, ticket: events.Ticket, message: Any) -> events.Event:
    return events.JoinGroup(
        ticket=ticket,
        member_id=message.member_id,
        instance_id=message.group_instance_id,
        client_id="app",
        client_host="/127.0.0.1",
        session_timeout_ms=message.session_timeout_ms,
        rebalance_timeout_ms=message.rebalance_timeout_ms,
        protocol_type=message.protocol_type,
        protocols=tuple((p.name, p.metadata) for p in message.protocols),
        needs_member_id=message.group_instance_id is None,
        can_skip_assignment=True,
    )


def _sync(world: World, ticket: events.Ticket, message: Any) -> events.Event:
    return events.SyncGroup(
        ticket=ticket,
        generation_id=message.generation_id,
        member_id=message.member_id,
        instance_id=message.group_instance_id,
        assignments={each.member_id: each.assignment for each in message.assignments},
        names_protocol=True,
        protocol_type=message.protocol_type,
        protocol_name=message.protocol_name,
    )


def _leave(world: World, ticket: events.Ticket, message: Any) -> events.Event:
    leavers = tuple(events.Leaver(m.member_id, m.group_instance_id) for m in message.members)
    return events.LeaveGroup(ticket=ticket, members=leavers)


_EVENTS: Mapping[type[Message], Callable[[World, events.Ticket, Any], events.Event]] = {
    ConsumerGroupHeartbeatRequest: _beaten,
    JoinGroupRequest: _join,
    SyncGroupRequest: _sync,
    LeaveGroupRequest: _leave,
}


def message_of(reply: Any) -> Message:
    """What a handler would make of the rules' answer."""
    match reply:
        case Joined():
            return JoinGroupResponse(
                error_code=reply.error,
                generation_id=reply.generation_id,
                protocol_type=reply.protocol_type,
                protocol_name=reply.protocol_name,
                leader=reply.leader,
                skip_assignment=reply.skip_assignment,
                member_id=reply.member_id,
                members=[
                    JoinGroupResponseMember(
                        member_id=m.member_id, group_instance_id=m.instance_id, metadata=m.metadata
                    )
                    for m in reply.members
                ],
            )
        case Synced():
            return SyncGroupResponse(
                error_code=reply.error,
                protocol_type=reply.protocol_type,
                protocol_name=reply.protocol_name,
                assignment=reply.assignment,
            )
        case Left():
            return LeaveGroupResponse(error_code=reply.error)
        case ConsumerBeaten():
            return _beaten_message(reply)
    raise AssertionError(f"no message for {reply}")


def _beaten_message(reply: ConsumerBeaten) -> ConsumerGroupHeartbeatResponse:
    assignment = None
    if reply.assignment is not None:
        assignment = Assignment(
            topic_partitions=[
                TopicPartitions(topic_id=UUID(hex=topic), partitions=list(partitions))
                for topic, partitions in reply.assignment.items()
            ]
        )
    return ConsumerGroupHeartbeatResponse(
        error_code=reply.error,
        error_message=reply.detail,
        member_id=reply.member_id,
        member_epoch=reply.member_epoch,
        heartbeat_interval_ms=reply.heartbeat_interval_ms,
        assignment=assignment,
    )


__all__ = ["Player", "World", "id_of"]
