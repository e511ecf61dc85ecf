"""The language of the transcripts: a conversation with one group, line by line.

A line is a command; behind it, set apart by two spaces, stand what came of it
and the state afterwards. ``Conversation.say`` runs one command against the
real rules and gives the line as it must read. Lines that begin with # are written
to the reader only.

Actors are short names; what they received (member id, generation) they
remember. An actor's first member id is called by its name, a later one gets a
number: ``a``, ``a.2``.

``dies before``, ``dies after`` or ``dies telling a,b``, in front of a command: the coordinator
dies while it does this, before its COMMIT, after it with no reply sent, or when these have
been answered; and another one takes over. Alone it dies between two requests. ``failover`` is
the gentle way: it loses its slot, and tells all waiting members.

Durations are 500ms, 3s or 5m. A star behind the state:
rows were changed.
"""

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from groups.core import events
from groups.core.assignment import assignment_of, partitions_of
from groups.core.classic.group import ClassicGroup
from groups.core.errors import ErrorCode
from groups.core.group import Answer, Decision, Rules
from groups.core.replies import (
    Committed,
    Deleted,
    ErrorReply,
    Joined,
    Left,
    OffsetsDeleted,
    Reply,
    Synced,
)
from tests.conversing import Columns, OneGroup, millis, pair, partition
from tests.core.invariants import check_thoroughly
from tests.core.offset_log import OffsetLog

PARTITIONS = r"[a-z]+-\d+(,[a-z]+-\d+)*"

RULES = {
    "initial": "group_initial_rebalance_delay_ms",
    "quiet": "group_quiet_window_ms",
    "max": "group_max_size",
    "bytes": "group_metadata_max_bytes",
    "min-session": "group_min_session_timeout_ms",
}


def subscription(topics: str, owned: str | None = None) -> bytes:
    """ConsumerProtocolSubscription v0 of comma-separated topics; v1 with what the member owns."""
    names = [name.encode() for name in topics.split(",")]
    body = b"".join(struct.pack(">h", len(name)) + name for name in names)
    packed = struct.pack(">hi", 0 if owned is None else 1, len(names)) + body
    packed += struct.pack(">i", -1)
    if owned is None:
        return packed
    return packed + assignment_of(map(partition, filter(None, owned.split(","))), 0)[2:-4]


def bytes_of(work: str) -> bytes:
    """An assignment: ``orders-0,orders-1`` as the consumer protocol has it, any other text as it
    is."""
    if re.fullmatch(PARTITIONS, work):
        return assignment_of(map(partition, work.split(",")), 1)
    return work.encode()


def text_of(assignment: bytes) -> str:
    """The same for people."""
    found = partitions_of(assignment) if assignment[:2] == b"\0\1" else None
    if found is None:
        return assignment.decode()
    return ",".join(f"{topic}-{number}" for topic, number in sorted(found))


@dataclass
class Actor:
    """One member as its client sees itself."""

    name: str
    member_id: str = ""
    generation: int = -1
    options: dict[str, str] = field(default_factory=dict)

    @property
    def instance_id(self) -> str | None:
        return self.options.get("instance")


@dataclass(frozen=True)
class Death:
    """Where the coordinator dies: before or after the COMMIT, and who was still answered."""

    has_committed: bool
    told: frozenset[str]


class Conversation(OneGroup[ClassicGroup]):
    """One group, its clock, and all actors."""

    def __init__(self) -> None:
        super().__init__(ClassicGroup, Rules(group_quiet_window_ms=0), Columns(46, 46))
        self.actors: dict[str, Actor] = {}
        self.names: dict[str, str] = {}
        self.log = OffsetLog()
        self.death: Death | None = None

    def perform(self, verb: str, words: list[str]) -> None:
        COMMANDS[verb](self, words)

    def check(self) -> None:
        check_thoroughly(self.group.durable, self.group.live)

    def reads_rows(self, verb: str, words: list[str]) -> bool:
        return (words[0] if verb == "dies" and words else verb) in STARLESS

    # Commands

    def set_rules(self, words: list[str]) -> None:
        said = dict(map(pair, words))
        guards = self.rules.guards
        if "freeze" in said:
            guards = replace(guards, frozen=said.pop("freeze") == "true")
        if "interval" in said:
            guards = replace(guards, rebalance_min_interval_ms=millis(said.pop("interval")))
        changes = {RULES[key]: millis(value) for key, value in said.items()}
        self.rules = replace(self.rules, guards=guards, **changes)  # type: ignore[arg-type]
        self.group = self.group.with_rules(self.rules)

    def join(self, words: list[str]) -> None:
        actor, options = self._actor(words)
        given, owned = options.pop("id", None), options.pop("owns", None)
        actor.options.update(options)
        said = actor.options
        version = int(said.get("v", "9"))
        member_id = actor.member_id if given is None else self._id(given)
        names = said.get("protocols", "range")
        metadata = subscription(said.get("topics", "orders"), owned)
        if "metadata" in said:
            metadata = bytes.fromhex(said["metadata"])
        protocols = () if names == "none" else names.split(",")
        self._step(
            events.JoinGroup(
                ticket=self._ticket(actor.name),
                member_id=member_id,
                instance_id=actor.instance_id,
                client_id=actor.name,
                client_host="/127.0.0.1",
                session_timeout_ms=millis(said.get("session", "45s")),
                rebalance_timeout_ms=millis(said.get("rebalance", "5m")),
                protocol_type=said.get("type", "consumer").replace("none", ""),
                protocols=tuple((name, metadata) for name in protocols),
                reason=said.get("reason"),
                needs_member_id=version >= 4,
                can_skip_assignment=version >= 9,
            )
        )

    def sync(self, words: list[str]) -> None:
        actor, said = self._actor(words, "id", "generation", "instance", "protocol", "type", "v")
        options = {key: said.pop(key) for key in KNOWN & said.keys()}
        row = self.group.durable.group
        named = int(options.get("v", "5")) >= 5
        ptype = options.get("type", row.protocol_type)
        protocol = options.get("protocol", row.protocol_name or "range")
        self._step(
            events.SyncGroup(
                ticket=self._ticket(actor.name),
                generation_id=int(options.get("generation", actor.generation)),
                member_id=self._id(options["id"]) if "id" in options else actor.member_id,
                instance_id=options.get("instance", actor.instance_id),
                assignments={self._id(key): bytes_of(value) for key, value in said.items()},
                names_protocol=named,
                protocol_type=None if ptype == "null" else ptype,
                protocol_name=None if protocol == "null" else protocol,
            )
        )

    def heartbeat(self, words: list[str]) -> None:
        actor, said = self._actor(words)
        code = self.group.heartbeat_view().heartbeat(
            self._id(said["id"]) if "id" in said else actor.member_id,
            said.get("instance", actor.instance_id),
            int(said.get("generation", actor.generation)),
            self.now,
        )
        self.told.append(f"{actor.name} {code.name}")

    def leave(self, words: list[str]) -> None:
        leavers = []
        for word in words:
            name, _, instance = word.partition("/")
            known = self.actors.get(name)
            instance_id = instance or (known.instance_id if known else None)
            leavers.append(events.Leaver(self._id(name) if name != "-" else "", instance_id))
        ticket = self._ticket("answer")
        self._step(events.LeaveGroup(ticket=ticket, members=tuple(leavers)))

    def commit(self, words: list[str]) -> None:
        """With ``producer=``: in that producer's transaction."""
        actor = self.actors.get(words[0], Actor(words[0]))
        said = dict(map(pair, words[1:]))
        options = {key: said.pop(key) for key in KNOWN & said.keys()}
        writes = [events.OffsetWrite(*partition(k), int(v), -1, "") for k, v in said.items()]
        common: dict[str, Any] = {
            "ticket": self._ticket(actor.name),
            "generation_id": int(options.get("generation", actor.generation)),
            "member_id": self._id(options["id"]) if "id" in options else actor.member_id,
            "instance_id": options.get("instance", actor.instance_id),
            "offsets": tuple(writes),
        }
        if producer := int(options.get("producer", "0")):
            self._step(events.TxnOffsetCommit(**common, producer_id=producer, producer_epoch=0))
        else:
            self._step(events.OffsetCommit(**common, version=int(options.get("v", "9"))))

    def end_txn(self, words: list[str]) -> None:
        """The rows change; the group in memory does not."""
        self.log.end(int(pair(words[1])[1]), commit=words[0] == "commit")

    def delete_offsets(self, words: list[str]) -> None:
        partitions = tuple(partition(word) for word in words)
        ticket = self._ticket("answer")
        self._step(events.OffsetDelete(ticket=ticket, partitions=partitions))

    def wait(self, words: list[str]) -> None:
        """Let time pass until a request is answered."""
        while not self.told:
            due = self.group.due(self.now)
            assert due is not None, "nobody will ever be answered"
            self.now = max(due, self.now)
            self._step(events.Tick())

    def sleep(self, words: list[str]) -> None:
        """Time passes without ticks: the node was suspended."""
        self.now += millis(words[0])

    def rearm(self, words: list[str]) -> None:
        """So much of the time before now was missed."""
        self.group = self.group.rearm(self.now, millis(words[0]))

    def dies(self, words: list[str]) -> None:
        """The coordinator dies in the middle of a command, and another one takes over."""
        if not words:
            self._taken_over()
            return
        when, *rest = words
        told = frozenset(rest.pop(0).split(",")) if when == "telling" else frozenset()
        self.death = Death(has_committed=when in ("after", "telling"), told=told)
        verb, *command = rest
        COMMANDS[verb](self, command)
        assert self.death is None, "nothing was written or answered: it did not die"

    def _taken_over(self) -> None:
        """Connections end; what was committed is read again."""
        self.death = None
        self.told += [f"{name} hears nothing" for name in self.waiting.values()]
        self.waiting.clear()
        self.group = ClassicGroup.merge(self.group.durable, None, self.rules, self.now)
        self._step(events.Tick())

    def show(self, words: list[str]) -> None:
        SHOWS[words[0]](self)

    # How a step is written

    def _step(self, event: events.Event) -> None:
        asked = event.ticket
        decision = self.group.step([event], self.now, self.rng)
        if self.death is not None and self._is_something(decision):
            self._dying(self.death, decision)
            return
        self._follow(decision)
        if asked is not None and asked in self.waiting:
            self.told.append(f"{self.waiting[asked]} parked")

    def _is_something(self, decision: Decision) -> bool:
        """Whether there is a COMMIT, or an answer, to die at."""
        return bool(decision.answers) or decision.group.durable is not self.group.durable

    def _dying(self, death: "Death", decision: Decision) -> None:
        if death.has_committed:
            self._written(decision)
            self._answers(tuple(a for a in decision.answers if self.waiting[a[0]] in death.told))
        self._taken_over()

    def _written(self, decision: Decision) -> None:
        super()._written(decision)
        self.log.write(decision)

    def _answers(self, answers: tuple[Answer, ...]) -> None:
        for ticket, reply in answers:
            if isinstance(reply, Joined):
                self._learn(self.waiting[ticket], reply)
        super()._answers(answers)

    def _learn(self, name: str, reply: Joined) -> None:
        """A member id that was never heard before gets its name."""
        learns_id = reply.error in (ErrorCode.NONE, ErrorCode.MEMBER_ID_REQUIRED)
        if learns_id and reply.member_id not in self.names:
            earlier = [n for n in self.names.values() if n.split(".")[0] == name]
            number = f".{len(earlier) + 1}" if earlier else ""
            self.names[reply.member_id] = name + number

    def _tell(self, name: str, reply: Reply) -> str:
        actor = self.actors.get(name)
        if isinstance(reply, Joined):
            return self._tell_joined(actor or Actor(name), reply)
        if isinstance(reply, Left):
            return " ".join(code.name for code in reply.members) or reply.error.name
        if isinstance(reply, Synced) and reply.error == ErrorCode.NONE:
            return f"[{text_of(reply.assignment)}]"
        if isinstance(reply, OffsetsDeleted) and reply.error == ErrorCode.NONE:
            return " ".join(f"{t}-{p} {c.name}" for (t, p), c in reply.partitions.items())
        assert isinstance(reply, Synced | OffsetsDeleted | Committed | Deleted | ErrorReply)
        return reply.error.name

    def _tell_joined(self, actor: Actor, reply: Joined) -> str:
        if reply.error not in (ErrorCode.NONE, ErrorCode.MEMBER_ID_REQUIRED):
            echo = "" if reply.member_id else ", no id"
            return reply.error.name + echo
        actor.member_id = reply.member_id
        if reply.error:
            return reply.error.name
        actor.generation = reply.generation_id
        members = ",".join(self._name(m.member_id) for m in reply.members)
        listed = f" members {members}" if members else ""
        skip = " skip assignment" if reply.skip_assignment else ""
        return (
            f"generation {reply.generation_id} {reply.protocol_name}"
            f" leader {self._name(reply.leader)}{listed}{skip}"
        )

    def _name(self, member_id: str) -> str:
        """A member's name in the transcript; one that never received its id is a newcomer."""
        return self.names.get(member_id) or f"new-{member_id.partition('-')[0]}"

    def _id(self, name: str) -> str:
        if name == "new":
            return ""
        ids = {called: member_id for member_id, called in self.names.items()}
        return ids.get(name, name)

    def _actor(self, words: list[str], *keys: str) -> tuple[Actor, dict[str, str]]:
        actor = self.actors.setdefault(words[0], Actor(words[0]))
        return actor, dict(map(pair, words[1:]))

    def show_journal(self) -> None:
        for entry in self.journal[self.shown :]:
            moved = f"{entry.generation_before}>{entry.generation_after}"
            self.told.append(f"{entry.kind} {entry.trigger or '-'} {moved}")
        self.shown = len(self.journal)

    def show_waits(self) -> None:
        """Of the last join phase that ended: for whom the group waited, who came and went."""
        ended = [e for e in self.journal if e.duration_ms is not None and e.kind != "stable"]
        if not ended:
            return
        entry = ended[-1]
        waits = " ".join(f"{self._name(m)} {ms}ms" for m, ms in entry.waited_for.items())
        came, went = (" ".join(map(self._name, ids)) for ids in (entry.joined, entry.left))
        self.told.append(f"{entry.reason}, {entry.duration_ms}ms")
        self.told.append(f"waited for {waits or '-'}, joined {came or '-'}, left {went or '-'}")

    def show_members(self) -> None:
        leader = self.group.durable.group.leader
        for row in self.group.roster():
            mark = " leads" if row.member_id == leader else ""
            work = f" [{text_of(row.assignment)}]" if row.assignment else ""
            self.told.append(self._name(row.member_id) + mark + work)

    def show_offsets(self) -> None:
        self.told += self.log.told()

    def show_group(self) -> None:
        row = self.group.durable.group
        name = row.protocol_name or "none"
        self.told.append(f"type '{row.protocol_type}' protocol {name} leader "
                         f"{self._name(row.leader) if row.leader else 'none'}")  # fmt: skip


KNOWN = {"id", "generation", "instance", "protocol", "type", "v", "producer"}
STARLESS = {"failover", "reload", "dies", "before"}
"""They read rows."""

SHOWS: dict[str, Callable[[Conversation], None]] = {
    "entries": Conversation.show_entries,
    "journal": Conversation.show_journal,
    "rounds": Conversation.show_rounds,
    "waits": Conversation.show_waits,
    "members": Conversation.show_members,
    "offsets": Conversation.show_offsets,
    "group": Conversation.show_group,
}

COMMANDS: dict[str, Callable[[Conversation, list[str]], None]] = {
    "rules": Conversation.set_rules,
    "join": Conversation.join,
    "sync": Conversation.sync,
    "heartbeat": Conversation.heartbeat,
    "leave": Conversation.leave,
    "commit": Conversation.commit,
    "end-txn": Conversation.end_txn,
    "delete-offsets": Conversation.delete_offsets,
    "delete-group": Conversation.delete_group,
    "force": Conversation.force,
    "evict": Conversation.evict,
    "drain": Conversation.drain,
    "undrain": Conversation.undrain,
    "tick": Conversation.tick,
    "wait": Conversation.wait,
    "sleep": Conversation.sleep,
    "rearm": Conversation.rearm,
    "failover": Conversation.failover,
    "dies": Conversation.dies,
    "reload": Conversation.reload,
    "show": Conversation.show,
}
