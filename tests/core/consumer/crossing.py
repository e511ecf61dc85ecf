"""A conversation with a group that changes its kind: members of both protocols, one clock.

``Crossing`` decides as a node does, whatever kind the group is of, and checks what must hold of
either. A ``Classic`` member behaves as a stock client does: it joins, syncs, beats, and gives up
what it works on before it joins again (all of it, or with a cooperative assignor what it must).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from groups.core import events, kinds
from groups.core.assignment import assignment_of, partitions_of
from groups.core.classic.group import ClassicGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.conversion import upgrade
from groups.core.conversion.step import decide
from groups.core.errors import ErrorCode
from groups.core.group import Decision
from groups.core.replies import Joined, Reply, Synced
from groups.core.rows import Durable
from groups.core.subscription import subscription_of
from tests.core import invariants
from tests.core.consumer.talk import Client, Parts, Talk
from tests.core.consumer.wire_bytes import subscription

Owned = frozenset[tuple[str, int]]

CALLED = (ErrorCode.REBALANCE_IN_PROGRESS,)
OUTDATED = (ErrorCode.ILLEGAL_GENERATION,)


@dataclass
class Classic:
    """One member of the classic protocol as it sees itself; ``owned`` is what it works on."""

    topics: tuple[str, ...] = ("foo",)
    cooperative: bool = False
    instance_id: str | None = None
    member_id: str = ""
    generation: int = -1
    owned: Owned = frozenset()
    session_ms: int = 45_000
    rebalance_ms: int = 300_000
    names: tuple[str, ...] = ("range",)
    version: int = 3
    wants: str = "join"
    waits: events.Ticket | None = None
    joined: Joined | None = None
    last: ErrorCode = ErrorCode.NONE

    @property
    def works_on(self) -> Parts:
        """The same by topic."""
        found: Parts = {}
        for topic, p in sorted(self.owned):
            found.setdefault(topic, []).append(p)
        return found


class Crossing(Talk):
    """One group of either kind and all its clients."""

    group: Any

    def __init__(self, topics: Mapping[str, int] | None = None, **rules: Any) -> None:
        rules.setdefault("group_initial_rebalance_delay_ms", 0)
        super().__init__(topics, **rules)
        self.group = ClassicGroup.absent("g", self.rules, self.now)
        self.mail: dict[events.Ticket, Reply] = {}
        self.offsets: dict[tuple[str, int], int] = {}

    # -- the node

    @property
    def kind(self) -> str:
        kind: str = self.group.durable.group.kind
        return kind

    def step(self, *said: events.Event) -> Decision:
        before = self.group
        decision = decide(before, said, self.now, self.rng)
        self.journal += decision.journal
        self.last = decision
        self.group = decision.group
        for write in decision.offsets:
            self.offsets[write.topic, write.partition] = write.offset
        if decision.deleted:
            self.revision = 0
            self.group = ClassicGroup.absent("g", self.rules, self.now)
        elif self.group.durable is not before.durable:
            self.revision += 1
            self.group = self.group.with_revision(self.revision)
        for ticket, reply in decision.answers:
            assert ticket not in self.mail, "a ticket was answered twice"
            self.mail[ticket] = reply
        self.check()
        return decision

    def send(self, event: events.Event) -> events.Ticket:
        """One request; its answer comes by ``mail``, now or later."""
        self.requests += 1
        ticket = events.Ticket(1, self.requests)
        self.step(replace(event, ticket=ticket))
        return ticket

    def ask(self, event: events.Event) -> Reply:
        return self.mail[self.send(event)]

    def check(self) -> None:
        if isinstance(self.group, ConsumerGroup):
            super().check()
        elif self.group.durable.exists:
            invariants.check_thoroughly(self.group.durable, self.group.live)

    def reload(self, *, keep_live: bool = False) -> None:
        durable, live = self.group.durable, self.group.live
        if not keep_live:
            for answer in self.group.let_go(ErrorCode.NOT_COORDINATOR):
                self.mail[answer.ticket] = answer.reply
        rows = {
            member_id: replace(row, details=json.loads(json.dumps(dict(row.details))))
            for member_id, row in durable.members.items()
        }
        row = replace(durable.group, details=json.loads(json.dumps(dict(durable.group.details))))
        again = Durable(row, rows, durable.revision)
        kind = kinds.KINDS[row.kind]
        self.group = kind.merge(again, live if keep_live else None, self.rules, self.now)
        self.check()
        if not keep_live:
            self.step(events.Tick())

    def known(self) -> frozenset[str]:
        if isinstance(self.group, ConsumerGroup):
            return self.group.topic_names
        return upgrade.names_of(self.group)

    def converge_mixed(self, *clients: Client) -> None:
        """Members of the consumer protocol do as told, a few times over."""
        for _ in range(4):
            for client in clients:
                self.obey(client)

    # -- classic members

    def enter(self, member: Classic) -> ErrorCode:
        """JoinGroup and SyncGroup to the end, where no other member is waited for."""
        member.wants = "join"
        for _ in range(20):
            self.go_on(member)
            if member.wants == "beat" or member.waits is not None:
                break
        return member.last

    def live(self, *members: Classic) -> None:
        """All members continue, in turn, until they only send heartbeats."""
        for _ in range(30):
            for member in members:
                self.go_on(member)
            if all(member.wants == "beat" and member.waits is None for member in members):
                return
        raise AssertionError([(m.wants, m.last, m.owned) for m in members])

    def go_on(self, member: Classic) -> None:
        """One thing that a stock client does next."""
        if member.waits is not None:
            reply = self.mail.get(member.waits)
            if reply is not None:
                member.waits = None
                self._hear(member, reply)
        elif member.wants == "beat":
            self.pulse(member)
        else:
            event = self._join(member) if member.wants == "join" else self._sync(member)
            member.waits = self.send(event)
            self.go_on(member) if member.waits in self.mail else None

    def pulse(self, member: Classic) -> ErrorCode:
        """A heartbeat, answered as the fast path does."""
        member.last = self.code_of(member)
        if member.last is not ErrorCode.NONE:
            self._obey(member, member.last)
        return member.last

    def code_of(self, member: Classic, generation: int | None = None) -> ErrorCode:
        """The same without obeying."""
        said = member.generation if generation is None else generation
        code: ErrorCode = self.group.heartbeat_view().heartbeat(
            member.member_id, member.instance_id, said, self.now
        )
        return code

    def notice_topics(self, member: Classic) -> None:
        """The client sees by itself that topics changed, and joins again."""
        if member.wants == "beat":
            self._obey(member, ErrorCode.REBALANCE_IN_PROGRESS)

    def _obey(self, member: Classic, code: ErrorCode) -> None:
        member.wants = "join"
        if code in CALLED:
            if not member.cooperative:
                member.owned = frozenset()
            return
        member.owned = frozenset()
        if code not in OUTDATED:
            member.member_id = ""

    def join_event(self, member: Classic, **over: Any) -> events.JoinGroup:
        """The JoinGroup of this member as it is now."""
        owned = member.owned if member.cooperative else frozenset()
        metadata = subscription(member.topics, owned, member.version)
        facts = {n: self.catalogue[n] for n in member.topics if n in self.catalogue}
        said: dict[str, Any] = {
            "member_id": member.member_id, "instance_id": member.instance_id, "client_id": "app",
            "client_host": "/127.0.0.1", "session_timeout_ms": member.session_ms,
            "rebalance_timeout_ms": member.rebalance_ms, "protocol_type": "consumer",
            "protocols": tuple((name, metadata) for name in member.names),
            "needs_member_id": member.instance_id is None,
            "topics": facts, "looked_up": frozenset(member.topics),
        }  # fmt: skip
        return events.JoinGroup(**{**said, **over})

    def _join(self, member: Classic) -> events.JoinGroup:
        return self.join_event(member)

    def _sync(self, member: Classic) -> events.SyncGroup:
        joined = member.joined
        assert joined is not None
        return events.SyncGroup(
            generation_id=member.generation, member_id=member.member_id,
            instance_id=member.instance_id, assignments=self._assignments(joined),
            names_protocol=True, protocol_type=joined.protocol_type,
            protocol_name=joined.protocol_name,
        )  # fmt: skip

    def _assignments(self, joined: Joined) -> dict[str, bytes]:
        """A leader's work: partitions in turn, but none that another still works on (KIP-429)."""
        said = {m.member_id: subscription_of(m.metadata) for m in joined.members}
        given: dict[str, set[tuple[str, int]]] = {member_id: set() for member_id in said}
        for topic, (_, count) in sorted(self.catalogue.items()):
            takers = sorted(m for m, s in said.items() if s is not None and topic in s.topics)
            for p in range(count if takers else 0):
                taker = takers[p * len(takers) // count]
                holders = [m for m, s in said.items() if s is not None and (topic, p) in s.owned]
                if holders in ([], [taker]):
                    given[taker].add((topic, p))
        return {m: assignment_of(parts, 3) for m, parts in given.items()}

    def _hear(self, member: Classic, reply: Reply) -> None:
        member.last = reply.error
        if isinstance(reply, Joined) and reply.error is ErrorCode.MEMBER_ID_REQUIRED:
            member.member_id = reply.member_id
        elif reply.error in (ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE):
            pass  # the same request once more
        elif reply.error is not ErrorCode.NONE:
            self._obey(member, reply.error)
        elif isinstance(reply, Joined):
            member.member_id, member.generation = reply.member_id, reply.generation_id
            member.joined, member.wants = reply, "sync"
        else:
            assert isinstance(reply, Synced)
            given = partitions_of(reply.assignment)
            assert given is not None
            lost, member.owned = member.owned - given, given
            member.wants = "join" if lost and member.cooperative else "beat"

    def commit(
        self, member: Classic, *parts: tuple[str, int], version: int = 9, **over: Any
    ) -> ErrorCode:
        """Commit offset 7 of partitions."""
        writes = tuple(events.OffsetWrite(topic, p, 7, -1, "") for topic, p in parts)
        said: dict[str, Any] = {
            "generation_id": member.generation, "member_id": member.member_id,
            "instance_id": member.instance_id, "offsets": writes, "version": version,
        }  # fmt: skip
        return self.ask(events.OffsetCommit(**{**said, **over})).error

    def leave_classic(self, *members: Classic) -> None:
        """Members go by their own word."""
        leavers = tuple(events.Leaver(m.member_id, m.instance_id) for m in members)
        reply = self.ask(events.LeaveGroup(members=leavers))
        assert reply.error is ErrorCode.NONE


def classic_group(*members: Classic, foo: int = 3, **rules: object) -> Crossing:
    """A Stable classic group of these, at work."""
    talk = Crossing({"foo": foo, "bar": 2}, **rules)
    talk.live(*members)
    assert (talk.kind, talk.state) == ("classic", "Stable")
    return talk


def upgraded(member: Classic, foo: int = 3, **rules: object) -> tuple[Crossing, Client]:
    """The same with one member, which a member of the consumer protocol has just joined."""
    talk = classic_group(member, foo=foo, **rules)
    return talk, talk.join("m2")


@dataclass
class Tally:
    """Who works on what, of both protocols."""

    owners: dict[tuple[str, int], list[str]] = field(default_factory=dict)

    def add(self, name: str, owned: Parts) -> None:
        """Somebody works on these."""
        for topic, parts in owned.items():
            for p in parts:
                self.owners.setdefault((topic, p), []).append(name)

    def check(self) -> None:
        """Nobody else does."""
        twice = {at: names for at, names in self.owners.items() if len(names) > 1}
        assert not twice, twice
