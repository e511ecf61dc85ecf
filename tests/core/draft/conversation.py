"""The language of the draft's transcripts: a conversation with one group, line by line.

A line is a command; behind it, set apart by two spaces, stand what came of it and the state
afterwards. Actors are short names and remember their responses. An actor's consumer id is
called by its name; a later one gets a number (``a.2``). A star: rows were changed. ``hung up``:
the consumer's connection is to be closed.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from groups.core import events
from groups.core.draft.group import DraftGroup
from groups.core.errors import ErrorCode
from groups.core.group import Guards, Rules
from groups.core.replies import DraftJoined, Left, Reply
from groups.core.strategy import Counts, Topics
from tests.conversing import Columns, OneGroup, millis, pair, partition
from tests.core.draft.invariants import check_thoroughly


def greedy(topics: Topics, counts: Counts) -> Mapping[str, list[tuple[str, int]]]:
    """A custom strategy: the first consumer takes everything."""
    first = min(topics)
    return {first: [(t, p) for t in sorted(topics[first]) for p in range(counts.get(t, 0))]}


def careless(topics: Topics, counts: Counts) -> Mapping[str, list[tuple[str, int]]]:
    """A broken strategy: every consumer takes everything."""
    return {c: [(t, p) for t in sorted(topics[c]) for p in range(counts.get(t, 0))] for c in topics}


OWN = (("greedy", greedy), ("careless", careless))


@dataclass
class Actor:
    """One consumer as it sees itself."""

    name: str
    consumer_id: str = ""
    generation: int = -1
    options: dict[str, str] = field(default_factory=dict)


class Conversation(OneGroup[DraftGroup]):
    """One group, its clock, the catalogue, and all actors."""

    def __init__(self) -> None:
        super().__init__(DraftGroup, Rules(strategies=OWN), Columns(40, 52))
        self.catalogue: dict[str, int] = {"t": 4}
        self.actors: dict[str, Actor] = {}
        self.names: dict[str, str] = {}

    def perform(self, verb: str, words: list[str]) -> None:
        COMMANDS[verb](self, words)

    def check(self) -> None:
        check_thoroughly(self.group.durable, self.group.live)

    def reads_rows(self, verb: str, words: list[str]) -> bool:
        return verb in STARLESS

    # Commands

    def set_rules(self, words: list[str]) -> None:
        said = dict(map(pair, words))
        guards = Guards(millis(said.get("interval", "0ms")), said.get("freeze") == "true")
        self.rules = replace(self.rules, guards=guards)
        self.group = self.group.with_rules(self.rules)

    def topics(self, words: list[str]) -> None:
        """The catalogue's new content; the node notifies the group."""
        self.catalogue.update({name: int(count) for name, count in map(pair, words)})
        known = self.group.counts
        news = {t: self.catalogue.get(t, 0) for t in known}
        if news != dict(known):
            self._step(events.TopicsChanged(counts=news))

    def join(self, words: list[str]) -> None:
        actor = self.actors.setdefault(words[0], Actor(words[0]))
        said = dict(map(pair, words[1:]))
        given = said.pop("id", None)
        actor.options.update(said)
        options = actor.options
        topics = tuple(name for name in options.get("topics", "t").split(",") if name)
        self._step(
            events.DraftJoin(
                ticket=self._ticket(actor.name),
                consumer_id=actor.consumer_id if given is None else self._id(given),
                client_id=actor.name,
                client_host="/127.0.0.1",
                session_timeout_ms=millis(options.get("session", "10s")),
                topics=topics,
                strategy=options.get("strategy", "range"),
                counts={t: self.catalogue[t] for t in topics if t in self.catalogue},
            )
        )

    def heartbeat(self, words: list[str]) -> None:
        """From the view, as the node answers it; what that cannot answer is an event."""
        actor = self.actors.get(words[0], Actor(words[0]))
        said = dict(map(pair, words[1:]))
        consumer_id = self._id(said["id"]) if "id" in said else actor.consumer_id
        generation = int(said.get("generation", actor.generation))
        code = self.group.heartbeat_view().heartbeat(consumer_id, None, generation, self.now)
        if code is ErrorCode.NONE:
            self.told.append(f"{actor.name} NONE")
            return
        ticket = self._ticket(actor.name)
        self._step(
            events.DraftHeartbeat(ticket=ticket, consumer_id=consumer_id, generation_id=generation)
        )

    def leave(self, words: list[str]) -> None:
        leavers = tuple(events.Leaver(self._id(name), None) for name in words)
        self._step(events.LeaveGroup(ticket=self._ticket("answer"), members=leavers))

    def commit(self, words: list[str]) -> None:
        actor = self.actors.get(words[0], Actor(words[0]))
        said = dict(map(pair, words[1:]))
        generation = int(said.pop("generation", actor.generation))
        consumer_id = self._id(said.pop("id")) if "id" in said else actor.consumer_id
        writes = [events.OffsetWrite(*partition(at), int(o), -1, "") for at, o in said.items()]
        self._step(
            events.DraftCommit(
                ticket=self._ticket(actor.name), generation_id=generation, member_id=consumer_id,
                instance_id=None, offsets=tuple(writes), version=1,
            )
        )  # fmt: skip

    def failover(self, words: list[str]) -> None:
        """Another node takes the group over: rows and catalogue are all it has."""
        super().failover(words)
        self.topics(words)

    def show(self, words: list[str]) -> None:
        SHOWS[words[0]](self)

    def hang_up(self, words: list[str]) -> None:
        """The connection ends over which its requests wait; a member's is answered all the same."""
        for ticket in [t for t, name in self.waiting.items() if name == words[0]]:
            self._step(events.IdsAbandoned(join=ticket))
            if ticket not in {*self.group.live.tickets()}:
                del self.waiting[ticket]

    # How a step is written

    def _step(self, event: events.Event) -> None:
        super()._step(event)
        if event.ticket is not None and event.ticket in self.waiting:
            self.told.append(f"{self.waiting[event.ticket]} held")

    def _tell(self, name: str, reply: Reply) -> str:
        if isinstance(reply, DraftJoined) and reply.error is ErrorCode.NONE:
            actor = self.actors[name]
            if reply.consumer_id not in self.names:
                assert re.fullmatch(
                    r"g-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", reply.consumer_id
                )
                earlier = sum(n.split(".")[0] == name for n in self.names.values())
                self.names[reply.consumer_id] = f"{name}.{earlier + 1}" if earlier else name
            actor.consumer_id, actor.generation = reply.consumer_id, reply.generation_id
            given = " ".join(f"{t}{list(p)}".replace(" ", "") for t, p in reply.partitions.items())
            called = self.names[reply.consumer_id]
            own = "" if called == name else f" as {called}"
            return f"generation {reply.generation_id}{own} {given or 'nothing'}"
        if isinstance(reply, Left):
            return " ".join(code.name for code in reply.members) or reply.error.name
        if isinstance(reply, DraftJoined):
            assert reply.generation_id == 0 and not reply.partitions
            return f"{reply.error.name}{' id echoed' if reply.consumer_id else ''}"
        return reply.error.name

    def _id(self, name: str) -> str:
        """The consumer id behind a name; an unknown name is an unknown id."""
        if name == "none":
            return ""
        found = [consumer_id for consumer_id, called in self.names.items() if called == name]
        return found[0] if found else name

    def _name(self, consumer_id: str) -> str:
        return self.names.get(consumer_id, consumer_id)

    def _show_members(self) -> None:
        rows = self.group.durable.members
        self.told.append(" ".join(self._name(c) for c in rows) or "nobody")

    def _show_journal(self) -> None:
        for entry in self.journal[self.shown :]:
            moved = f" moved {entry.details['moved']}" if "moved" in entry.details else ""
            rise = f"{entry.generation_before}>{entry.generation_after}"
            left = f" left {','.join(map(self._name, entry.left))}" if entry.left else ""
            self.told.append(f"{entry.kind} {entry.trigger or '-'} {rise}{moved}{left}")
        self.shown = len(self.journal)

    def _show_session(self) -> None:
        left = {
            self._name(s.member_id): s.heard_at + s.timeout_ms - self.now
            for s in self.group.sessions(self.now)
        }
        self.told.append(" ".join(f"{name} {ms}ms" for name, ms in left.items()))


STARLESS = frozenset({"rules", "show", "sleep", "reload", "failover"})

SHOWS: dict[str, Callable[[Conversation], None]] = {
    "entries": Conversation.show_entries,
    "rounds": Conversation.show_rounds,
    "members": Conversation._show_members,
    "journal": Conversation._show_journal,
    "sessions": Conversation._show_session,
}

COMMANDS: dict[str, Callable[[Conversation, list[str]], None]] = {
    "rules": Conversation.set_rules,
    "topics": Conversation.topics,
    "join": Conversation.join,
    "heartbeat": Conversation.heartbeat,
    "leave": Conversation.leave,
    "hang-up": Conversation.hang_up,
    "commit": Conversation.commit,
    "delete-group": Conversation.delete_group,
    "force": Conversation.force,
    "evict": Conversation.evict,
    "drain": Conversation.drain,
    "undrain": Conversation.undrain,
    "tick": Conversation.tick,
    "failover": Conversation.failover,
    "reload": Conversation.reload,
    "sleep": Conversation.sleep,
    "show": Conversation.show,
}
