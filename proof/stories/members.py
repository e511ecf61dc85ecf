"""Clients of every kind, as small machines: they join, work, and do what they are told, late or
never."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from groups.core import commands, events
from groups.core.assignment import Parts, assignment_of, partitions_of
from groups.core.assignors.client_side import ClientAssignor
from groups.core.assignors.types import Part
from groups.core.errors import ErrorCode
from groups.core.replies import (
    ConsumerBeaten,
    DraftBeaten,
    DraftJoined,
    Joined,
    JoinedMember,
    Prepared,
    Registered,
    Synced,
)
from groups.core.signs_of_life import ClassicHeartbeat
from proof.stories.world import World
from rollcall.client.assignors import formats
from rollcall.client.core.events import TopicPartition

SESSION_MS = 10_000
BEAT_MS = 1_000


@dataclass
class Member:
    """What all have in common. ``slow_ms``: how long it takes to do what it is told. ``heard_at``:
    when the group last heard of it, or answered it."""

    world: World
    name: str
    instance_id: str | None = None
    slow_ms: int = 50
    rebalance_ms: int = 15_000
    member_id: str = ""
    heard_at: int = 0
    stopped_until: int = 0
    is_gone: bool = False
    life: int = 0

    def later(self, delay_ms: int, act: Callable[[], None]) -> None:
        """After a while, once it is not stopped; not in another life."""
        life = self.life

        def go() -> None:
            if self.is_gone or life != self.life:
                return
            if self.world.now < self.stopped_until:
                self.world.after(self.stopped_until - self.world.now, go)
                return
            act()

        self.world.after(delay_ms, go)

    def ask(self, answered: Callable[[Any], None]) -> events.Ticket:
        """A ticket; the reply is read once the member is not stopped."""
        asked = self.world.steps

        def came(reply: Any) -> None:
            given = getattr(reply, "member_id", "") or getattr(reply, "consumer_id", "")
            member_id = given or self.member_id
            is_in = member_id in self.world.group.durable.members
            was_held = self.world.steps > asked + 1
            waited = was_held and reply.error is ErrorCode.REBALANCE_IN_PROGRESS
            if (reply.error is ErrorCode.NONE or waited) and is_in:
                self.heard_at = self.world.now
            self.later(0, lambda: answered(reply))

        return self.world.ticket(int(self.name[1:]) + 1, came)

    def send(self, event: events.Event) -> None:
        """A request arrives."""
        self.world.step(event, self)

    def begin(self) -> None:
        """Join for the first time."""
        raise NotImplementedError

    def leave(self) -> None:
        """Leave the group for good."""
        if self.member_id:
            leaver = events.Leaver(self.member_id, self.instance_id)
            self.send(events.LeaveGroup(members=(leaver,)))
        self.is_gone = True

    def kill(self) -> None:
        """It is there no more, and says nothing."""
        self.is_gone = True

    def stop(self, for_ms: int) -> None:
        """It is suspended for a while."""
        self.stopped_until = max(self.stopped_until, self.world.now + for_ms)

    def restart(self) -> None:
        """A new process with the same instance id."""
        self.life += 1
        self.member_id = ""
        self.stopped_until = 0
        self.begin()


@dataclass
class ClassicMember(Member):
    """A member of the classic protocol. ``is_cooperative``: it works on while it joins again, and
    joins once more if it had to give something up (KIP-429); otherwise it stops before it joins."""

    generation: int = -1
    owned: Parts = frozenset()
    is_cooperative: bool = False

    def begin(self) -> None:
        self._join()
        self.later(BEAT_MS, self._beat)

    def _join(self) -> None:
        self.generation = -1
        self.send(
            events.JoinGroup(
                ticket=self.ask(self._joined), member_id=self.member_id,
                instance_id=self.instance_id, client_id=self.name, client_host="/h",
                session_timeout_ms=SESSION_MS, rebalance_timeout_ms=self.rebalance_ms,
                protocol_type="consumer", protocols=(("range", self._metadata()),),
                needs_member_id=True, topics=self.world.topics,
                looked_up=frozenset(self.world.topics),
            )
        )  # fmt: skip

    def _metadata(self) -> bytes:
        owned = self.owned if self.is_cooperative else frozenset()
        has = frozenset(TopicPartition(*part) for part in owned)
        return formats.subscription(formats.Claim(("t",), has))

    def _joined(self, reply: Joined) -> None:
        if reply.error is ErrorCode.MEMBER_ID_REQUIRED:
            self.member_id = reply.member_id
            self.later(self.world.rng.randrange(5, 60), self._join)
        elif reply.error is not ErrorCode.NONE:
            if reply.error is ErrorCode.UNKNOWN_MEMBER_ID:
                self.member_id = ""
            self.later(100, self._join)
        else:
            self.member_id, self.generation = reply.member_id, reply.generation_id
            dealt = self.deal(reply.members)
            self.later(self.slow_ms, lambda: self._sync(dealt, reply.generation_id))

    def deal(self, members: Sequence[JoinedMember]) -> Mapping[str, bytes]:
        """A leader's work: partitions in turn, but none that another one still has."""
        has = {each.member_id: formats.read_subscription(each.metadata).owned for each in members}
        dealt: dict[str, set[tuple[str, int]]] = {member_id: set() for member_id in has}
        for number in range(self.world.parts if members else 0):
            taker = members[number % len(members)].member_id
            if not any(("t", number) in owned for other, owned in has.items() if other != taker):
                dealt[taker].add(("t", number))
        return {member_id: assignment_of(parts, 3) for member_id, parts in dealt.items()}

    def _sync(self, dealt: Mapping[str, bytes], generation: int) -> None:
        if generation != self.generation:
            return
        self.send(
            events.SyncGroup(
                ticket=self.ask(self._synced), generation_id=generation,
                member_id=self.member_id, instance_id=self.instance_id,
                assignments=dealt,
            )
        )  # fmt: skip

    def _synced(self, reply: Synced) -> None:
        if reply.error in (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_INSTANCE_ID):
            self.member_id = ""
        if reply.error is not ErrorCode.NONE:
            self.later(20, self._join)
            return
        given = partitions_of(reply.assignment) or frozenset()
        has_lost, self.owned = not self.owned <= given, given
        if has_lost and self.is_cooperative:
            self.later(self.slow_ms, self._join)

    def _beat(self) -> None:
        self.later(BEAT_MS, self._beat)
        if self.generation < 0:
            return
        code = self.world.beat(ClassicHeartbeat(self.member_id, self.instance_id, self.generation))
        if code in (ErrorCode.NONE, ErrorCode.REBALANCE_IN_PROGRESS):
            self.heard_at = self.world.now
        if code is ErrorCode.NONE:
            return
        if code is not ErrorCode.REBALANCE_IN_PROGRESS:
            self.owned = frozenset()
            self.member_id = self.member_id if code is ErrorCode.ILLEGAL_GENERATION else ""
        self.generation = -1
        self.later(self.slow_ms, self._join)

    def kill(self) -> None:
        super().kill()
        if self.member_id:
            self.world.step(events.IdsAbandoned(member_ids=(self.member_id,)), None)


@dataclass
class ConsumerMember(Member):
    """A member of the consumer protocol. ``own``: an assignor that it can run itself."""

    epoch: int = 0
    owned: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    own: tuple[ClientAssignor, ...] = ()
    is_assigning: bool = False

    def begin(self) -> None:
        self.member_id = f"{self.name}-{self.world.rng.getrandbits(40):010x}"
        self.epoch, self.owned, self.is_assigning = 0, {}, False
        self._beat()

    def _beat(self) -> None:
        joins = self.epoch == 0
        self.send(
            events.ConsumerHeartbeat(
                ticket=self.ask(self._beaten), member_id=self.member_id, member_epoch=self.epoch,
                instance_id=self.instance_id, rack_id=None, client_id=self.name,
                client_host="/h", rebalance_timeout_ms=self.rebalance_ms,
                subscribed_topic_names=("t",) if joins else None, server_assignor=None,
                client_assignors=self.own if joins and self.own else None,
                owned=self.owned, topics=self.world.topics,
            )
        )  # fmt: skip

    def _beaten(self, reply: ConsumerBeaten) -> None:
        if reply.error is not ErrorCode.NONE:
            self.epoch, self.owned = 0, {}
            self.later(500, self._beat)
            return
        self.epoch = reply.member_epoch
        if reply.assignment is not None and reply.assignment != self.owned:
            has = {(t, p) for t, parts in self.owned.items() for p in parts}
            gets = {(t, p) for t, parts in reply.assignment.items() for p in parts}
            target = reply.assignment
            self.later(self.slow_ms if has - gets else 5, lambda: self._reached(target))
        if reply.should_assign and not self.is_assigning:
            self.is_assigning = True
            self.later(self.world.rng.choice([5, 700, 4_000, 20_000]), self._prepare)
        self.later(reply.heartbeat_interval_ms, self._beat)

    def _prepare(self) -> None:
        ticket = self.world.ticket(0, lambda reply: self.later(20, lambda: self._install(reply)))
        self.send(
            events.PrepareAssignment(
                ticket=ticket, member_id=self.member_id, member_epoch=self.epoch
            )
        )

    def _install(self, reply: Any) -> None:
        """Deals the partitions out, or reports that its assignor failed."""
        if not isinstance(reply, Prepared) or reply.error is not ErrorCode.NONE:
            self.is_assigning = False
            return
        ids = [member.subscriber.member_id for member in reply.members]
        dealt: dict[str, set[Part]] = {member_id: set() for member_id in ids}
        for partition in range(reply.topics["t"][1]):
            dealt[ids[partition % len(ids)]].add((reply.topics["t"][0], partition))
        fails = self.world.rng.random() < 0.2
        self.send(
            events.InstallAssignment(
                ticket=self.world.ticket(0, self._installed), member_id=self.member_id,
                member_epoch=self.epoch, group_epoch=reply.group_epoch,
                targets={} if fails else {m: frozenset(parts) for m, parts in dealt.items()},
                failure="it raised" if fails else None,
            )
        )  # fmt: skip

    def _installed(self, reply: Any) -> None:
        self.is_assigning = False

    def _reached(self, target: Mapping[str, tuple[int, ...]]) -> None:
        self.owned = target

    def leave(self) -> None:
        if self.epoch > 0:
            goodbye = events.ConsumerHeartbeat(
                ticket=None, member_id=self.member_id, member_epoch=-1,
                instance_id=self.instance_id, rack_id=None, client_id=self.name,
                client_host="/h", rebalance_timeout_ms=-1, subscribed_topic_names=None,
                server_assignor=None, owned=None, topics=self.world.topics,
            )  # fmt: skip
            self.send(goodbye)
        self.is_gone = True

    def restart(self) -> None:
        if self.epoch > 0 and self.instance_id is not None:
            goodbye = events.ConsumerHeartbeat(
                ticket=None, member_id=self.member_id, member_epoch=-2,
                instance_id=self.instance_id, rack_id=None, client_id=self.name,
                client_host="/h", rebalance_timeout_ms=-1, subscribed_topic_names=None,
                server_assignor=None, owned=None, topics=self.world.topics,
            )  # fmt: skip
            self.send(goodbye)
        self.life += 1
        self.stopped_until = 0
        self.later(self.world.rng.randrange(100, 4_000), self.begin)


@dataclass
class DraftMember(Member):
    """A consumer of the 0.9 draft."""

    generation: int = -1

    def begin(self) -> None:
        self._join()
        self.later(BEAT_MS, self._beat)

    def _join(self) -> None:
        self.generation = -1
        self.send(
            events.DraftJoin(
                ticket=self.ask(self._joined), consumer_id=self.member_id, client_id=self.name,
                client_host="/h", session_timeout_ms=SESSION_MS, topics=("t",), strategy="range",
                counts={"t": self.world.parts},
            )
        )  # fmt: skip

    def _joined(self, reply: DraftJoined) -> None:
        if reply.error is ErrorCode.NONE:
            self.member_id, self.generation = reply.consumer_id, reply.generation_id
            return
        if reply.error is ErrorCode.UNKNOWN_MEMBER_ID:
            self.member_id = ""
        self.later(100, self._join)

    def _beat(self) -> None:
        self.later(BEAT_MS, self._beat)
        if self.generation < 0:
            return
        beat = events.DraftHeartbeat(
            ticket=self.ask(self._beaten), consumer_id=self.member_id,
            generation_id=self.generation,
        )  # fmt: skip
        self.send(beat)

    def _beaten(self, reply: DraftBeaten) -> None:
        if reply.error is ErrorCode.NONE or self.generation < 0:
            return
        if reply.error is ErrorCode.UNKNOWN_MEMBER_ID:
            self.member_id = ""
        self.generation = -1
        self.later(self.slow_ms, self._join)


@dataclass
class CommandedMember(Member):
    """A consumer that the coordinator commands."""

    seen: int = 0

    def begin(self) -> None:
        self._register()
        self.later(BEAT_MS, self._poll)

    def _register(self) -> None:
        self.send(
            events.RegisterConsumer(
                ticket=self.ask(self._registered), consumer_id=self.member_id, generation_id=-1,
                client_id=self.name, client_host="/h", session_timeout_ms=SESSION_MS,
                threads={"t": 1}, counts={"t": self.world.parts},
            )
        )  # fmt: skip

    def _registered(self, reply: Registered) -> None:
        self.member_id, self.seen = reply.consumer_id, reply.last_command_id

    def _poll(self) -> None:
        self.later(BEAT_MS, self._poll)
        if not self.member_id:
            return
        row = commands.receiver(self.world.group, self.member_id)
        if row is None:
            self.member_id = ""
            self._register()
            return
        commands.polled(self.world.group, self.member_id, self.world.now)
        self.heard_at = self.world.now
        for command in row.commands:
            if command.command_id > self.seen:
                self.seen = command.command_id
                self._carry_out(command.command_id)

    def _carry_out(self, command_id: int) -> None:
        member_id = self.member_id

        def done() -> None:
            if self.member_id == member_id:
                ticket = self.ask(lambda reply: None)
                ack = events.AcknowledgeCommand(
                    ticket=ticket, member_id=member_id, command_id=command_id
                )
                self.send(ack)

        self.later(self.slow_ms, done)


CLASSES: Mapping[str, type[Member]] = {
    "classic": ClassicMember,
    "consumer": ConsumerMember,
    "draft": DraftMember,
    "commanded": CommandedMember,
}
