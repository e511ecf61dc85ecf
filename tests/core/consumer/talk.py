"""A conversation with one consumer group: a clock, a catalogue, and members with short names.

``Talk`` plays the node: it commits every decision (or fails over), checks all invariants after
each step and keeps the journal. A ``Client`` remembers its last response, as a real member does.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from groups.core import events
from groups.core.assignors.client_side import ClientAssignors
from groups.core.assignors.task import AssignmentTask
from groups.core.consumer.group import ConsumerGroup
from groups.core.consumer.member import by_topic
from groups.core.errors import ErrorCode
from groups.core.facts import Fact
from groups.core.group import Decision, Guards, JournalEntry, Rules
from groups.core.replies import ConsumerBeaten, Reply
from groups.core.rows import Durable
from tests.core.consumer.invariants import check_live, check_thoroughly

Parts = dict[str, list[int]]

TICKS_AT_ONCE_MAX = 100
"""Whoever asks for more at one moment would keep a node busy for ever."""


@dataclass
class Client:
    """One member as it sees itself. ``owned`` and ``told`` are by topic name, ``said`` are the
    assignors that it can run; ``is_asked``: it was told to."""

    member_id: str
    names: tuple[str, ...]
    instance_id: str | None = None
    assignor: str | None = None
    rebalance_timeout_ms: int = 300_000
    epoch: int = 0
    owned: Parts = field(default_factory=dict)
    told: Parts | None = None
    said: ClientAssignors | None = None
    is_asked: bool = False


class Talk:
    """One group and all its clients."""

    def __init__(self, topics: Mapping[str, int] | None = None, **rules: Any) -> None:
        self.rules = Rules(**rules)
        self.now = 1_000_000
        self.rng = Random(7)
        self.catalogue = {} if topics is None else {n: (f"id-{n}", c) for n, c in topics.items()}
        self.group = ConsumerGroup.absent("g", self.rules, self.now)
        self.revision = 0
        self.journal: list[JournalEntry] = []
        self.noted: list[Fact] = []
        self.requests = 0
        self.last: Decision | None = None
        self.questions: list[AssignmentTask] = []

    # -- the node

    def step(self, *said: events.Event) -> Decision:
        """Decide events together and commit what was decided."""
        before = self.group
        decision = before.step(said, self.now, self.rng)
        self.journal += decision.journal
        self.noted += decision.facts
        self.last = decision
        if decision.question is not None:
            self.questions.append(decision.question)
        assert isinstance(decision.group, ConsumerGroup)
        self.group = decision.group
        if decision.deleted:
            self.revision = 0
            self.group = ConsumerGroup.absent("g", self.rules, self.now)
        elif self.group.durable is not before.durable:
            self.revision += 1
            self.group = self.group.with_revision(self.revision)
        self.check()
        return decision

    def ask(self, event: events.Event) -> Reply:
        """One request and its answer."""
        self.requests += 1
        ticket = events.Ticket(1, self.requests)
        (answer,) = self.step(replace(event, ticket=ticket)).answers
        assert answer.ticket == ticket
        return answer.reply

    def check(self) -> None:
        if self.group.durable.exists:
            check_thoroughly(self.group.durable, self.group.members, self.group._index)
            check_live(self.group.members, self.group.live)

    def reload(self, *, keep_live: bool = False) -> None:
        """The rows come back from the database, through JSON: a takeover, or a reload."""
        durable = self.group.durable
        rows = {
            member_id: replace(row, details=json.loads(json.dumps(dict(row.details))))
            for member_id, row in durable.members.items()
        }
        row = replace(durable.group, details=json.loads(json.dumps(dict(durable.group.details))))
        live = self.group.live if keep_live else None
        again = Durable(row, rows, durable.revision)
        self.group = ConsumerGroup.merge(again, live, self.rules, self.now)
        self.check()

    def guard(self, *, frozen: bool = False, interval_ms: int = 0) -> None:
        """Somebody changes the group's guard rails; what is due then is decided at once."""
        self.rules = replace(self.rules, guards=Guards(interval_ms, frozen))
        self.group = self.group.with_rules(self.rules)
        self.sleep(0)

    def sleep(self, ms: int) -> None:
        """Time passes, and the node ticks whenever the group requested it."""
        end = self.now + ms
        at, times = self.now, 0
        while (due := self.group.due(self.now)) is not None and due <= end:
            self.now = max(self.now, due)
            times = times + 1 if self.now == at else 0
            at = self.now
            assert times < TICKS_AT_ONCE_MAX, f"always due: {self.group.durable.group}"
            self.step(events.Tick())
        self.now = end

    def answer(self) -> None:
        """The tasks that groups requested are computed, and their results return."""
        while self.questions:
            question = self.questions.pop(0)
            self.step(events.TargetComputed(question=question, targets=question.answer()))

    # -- members

    def beat(self, client: Client, **over: Any) -> ConsumerBeaten:
        """A heartbeat: the whole request when joining, else only the given fields."""
        joining = over.get("member_epoch", client.epoch) == 0
        said: dict[str, Any] = {
            "member_id": client.member_id,
            "member_epoch": client.epoch,
            "instance_id": client.instance_id,
            "rack_id": None,
            "client_id": "app",
            "client_host": "/127.0.0.1",
            "rebalance_timeout_ms": client.rebalance_timeout_ms if joining else -1,
            "subscribed_topic_names": client.names if joining else None,
            "server_assignor": client.assignor if joining else None,
            "owned": {} if joining else None,
            "client_assignors": client.said if joining else None,
        }
        said.update(over)
        if said["owned"] is not None:
            said["owned"] = {f"id-{name}": tuple(ps) for name, ps in said["owned"].items()}
        asked = self.known() | set(said["subscribed_topic_names"] or ())
        facts = {name: self.catalogue[name] for name in asked if name in self.catalogue}
        said.setdefault("topics", facts)
        said.setdefault("looked_up", frozenset(asked))
        reply = self.ask(events.ConsumerHeartbeat(**said))
        assert isinstance(reply, ConsumerBeaten)
        if reply.error is ErrorCode.NONE and reply.member_epoch >= 0:
            assert reply.member_id is not None
            client.member_id, client.epoch = reply.member_id, reply.member_epoch
            client.is_asked = reply.should_assign
            if reply.assignment is not None:
                client.told = plain(reply.assignment)
        return reply

    def known(self) -> frozenset[str]:
        """The names that a handler looks up for a heartbeat, besides its own."""
        return self.group.topic_names

    def code(self, client: Client, **over: Any) -> ErrorCode:
        return self.beat(client, **over).error

    def join(self, member_id: str, *names: str, **options: Any) -> Client:
        """A new member; its first heartbeat must be welcome."""
        client = Client(member_id, names or ("foo",), **options)
        assert self.code(client) is ErrorCode.NONE
        return client

    def obey(self, client: Client) -> bool:
        """One honest round of a member: obey, acknowledge. Whether anything moved."""
        before = (client.epoch, client.owned)
        if client.told is not None:
            client.owned = dict(client.told)
        assert self.code(client, owned=client.owned) is ErrorCode.NONE
        return before != (client.epoch, client.owned) or client.told != client.owned

    def converge(self, *clients: Client) -> None:
        """Every member heartbeats honestly until nothing moves."""
        for _ in range(20 + 5 * len(clients)):
            self.answer()
            self.sleep(self.rules.group_consumer_assignment_interval_ms)
            moved = [self.obey(client) for client in clients]
            if not any(moved) and self.target_epoch == self.epoch:
                assert self.state == "Stable"
                return
        raise AssertionError(f"no end: {[(c.epoch, c.owned, c.told) for c in clients]}")

    # -- what is

    @property
    def state(self) -> str:
        return self.group.durable.group.state

    @property
    def epoch(self) -> int:
        return self.group.durable.group.generation

    @property
    def target_epoch(self) -> int:
        target: int = self.group.durable.group.details["target_epoch"]
        return target

    def assigned(self, client: Client) -> Parts:
        return plain(by_topic(self.group.members[client.member_id].assigned))

    def triggers(self) -> list[str]:
        return [entry.trigger for entry in self.journal if entry.kind == "rebalance-started"]

    def kinds(self) -> list[str]:
        return [entry.kind for entry in self.journal]


def plain(assignment: Mapping[str, Any]) -> Parts:
    """An assignment by topic name."""
    return {topic.removeprefix("id-"): list(ps) for topic, ps in assignment.items()}
