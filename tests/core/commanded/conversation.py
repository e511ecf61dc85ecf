"""The language of the commanded groups' transcripts: a conversation with one group, line by line.

A line is a command; behind it, set apart by two spaces, stand what came of it and the state
afterwards. Actors are consumers under short names, which are their ids. ``poll`` brings commands,
``ack`` says that the last one is done, ``do`` is both for several consumers, ``settle`` for
all who answer, again and again. A star: rows were changed. After every line no actor may work
on another's partition: an actor works on what it was told to start, until it
acknowledges that it stopped, learns that it is expelled, or its session is over by its own clock.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from groups.core import commands, events
from groups.core.commanded.group import CommandedGroup
from groups.core.commanded.thread_offers import filter_of
from groups.core.errors import ErrorCode
from groups.core.group import Guards, Rules
from groups.core.replies import Acknowledged, Left, Registered, Reply
from groups.core.rows import CommandRow
from tests.conversing import Columns, OneGroup, millis, pair
from tests.core.commanded.invariants import check_thoroughly

TICKS_MAX = 100
"""Far more than a group has to decide in a second."""


@dataclass
class Actor:
    """One consumer as it sees itself. ``heard_at``: when it last sent what was answered well."""

    name: str
    consumer_id: str = ""
    generation: int = -1
    last: int = 0
    session_ms: int = 10_000
    heard_at: int = 0
    works_on: set[tuple[str, int]] = field(default_factory=set)
    todo: list[CommandRow] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)


class Conversation(OneGroup[CommandedGroup]):
    """One group, its clock, the catalogue, and all actors."""

    def __init__(self) -> None:
        super().__init__(CommandedGroup, Rules(), Columns(34, 58))
        self.catalogue: dict[str, int] = {"t": 4}
        self.actors: dict[str, Actor] = {}

    def perform(self, verb: str, words: list[str]) -> None:
        COMMANDS[verb](self, words)

    def check(self) -> None:
        check_thoroughly(self.group.durable, self.group.live)
        self.check_owners()

    def reads_rows(self, verb: str, words: list[str]) -> bool:
        return verb in STARLESS

    def check_owners(self) -> None:
        """At no moment do two consumers work on a partition."""
        owners: dict[tuple[str, int], str] = {}
        for actor in self.actors.values():
            if self.now >= actor.heard_at + actor.session_ms:
                actor.works_on.clear()  # it reckons its own end
            for part in actor.works_on:
                assert part not in owners, f"{owners[part]} and {actor.name} both have {part}"
                owners[part] = actor.name

    # What consumers say

    def register(self, words: list[str]) -> None:
        """Anew, or with ``again`` while it works; ``topics=t:2,u`` ``white=`` ``black=``."""
        actor = self.actors.setdefault(words[0], Actor(words[0], words[0]))
        again = "again" in words
        said = dict(map(pair, (word for word in words[1:] if word != "again")))
        if {"topics", "white", "black"} & said.keys():
            actor.options = {}
        actor.options.update(said)
        options = actor.options
        key, threads = self._offer(options)
        matches = {} if key is None else {key: self._let_through(key)}
        names = {*threads, *(name for some in matches.values() for name in some)}
        actor.session_ms = millis(options.get("session", "10s"))
        if not again:
            actor.works_on.clear()
        self._step(
            events.RegisterConsumer(
                ticket=self._ticket(actor.name),
                consumer_id=said.get("id", actor.consumer_id).replace("none", ""),
                generation_id=actor.generation if again else -1,
                client_id=actor.name,
                client_host="/127.0.0.1",
                session_timeout_ms=actor.session_ms,
                threads=threads,
                filter=key,
                filter_threads=int(options.get("threads", "1")),
                counts={t: self.catalogue[t] for t in names if t in self.catalogue},
                matches=matches,
            )
        )

    def _offer(self, options: dict[str, str]) -> tuple[str | None, dict[str, int]]:
        for kind in ("white", "black"):
            if kind in options:
                return f"{kind}_list:{options[kind]}", {}
        named = (name.partition(":") for name in options.get("topics", "t").split(",") if name)
        return None, {name: int(threads or "1") for name, _, threads in named}

    def poll(self, words: list[str]) -> None:
        for name in words:
            self._poll(self.actors[name])

    def _poll(self, actor: Actor) -> None:
        row = commands.receiver(self.group, actor.consumer_id)
        if row is None:
            self._is_out(actor)
            return
        commands.polled(self.group, actor.consumer_id, self.now)
        actor.heard_at = self.now
        found = commands.behind(row, actor.last)
        for command in found:
            actor.last = command.command_id
            actor.todo.append(command)
            self._begin(actor, command)
        said = ", ".join(map(self._command, found))
        self.told.append(f"{actor.name} {said or 'nothing new'}")

    def _begin(self, actor: Actor, command: CommandRow) -> None:
        """It may start at once what it was told to start; it stops when it acknowledges."""
        if command.ownership is not None:
            actor.generation = command.generation
            actor.works_on = {(t, p) for t, of in command.ownership.items() for p in of}

    def _is_out(self, actor: Actor) -> None:
        actor.works_on.clear()
        actor.todo.clear()
        self.told.append(f"{actor.name} UNKNOWN_MEMBER_ID")

    def ack(self, words: list[str]) -> None:
        """The last command that it received, or one by number."""
        actor = self.actors[words[0]]
        number = int(words[1]) if len(words) > 1 else actor.last
        self._ack(actor, number)

    def _ack(self, actor: Actor, number: int) -> None:
        if any(c.command_id <= number and c.ownership is None for c in actor.todo):
            started = [c for c in actor.todo if c.command_id <= number][-1].ownership
            actor.works_on = {(t, p) for t, of in (started or {}).items() for p in of}
        actor.todo = [c for c in actor.todo if c.command_id > number]
        self._step(
            events.AcknowledgeCommand(
                ticket=self._ticket(actor.name), member_id=actor.consumer_id, command_id=number
            )
        )

    def do(self, words: list[str]) -> None:
        """Poll and acknowledge."""
        for name in words:
            actor = self.actors[name]
            self._poll(actor)
            if actor.todo:
                self._ack(actor, actor.last)

    def settle(self, words: list[str]) -> None:
        """Everybody, but for ``not=a,b``, does what there is to do until there is nothing."""
        dumb = dict(map(pair, words)).get("not", "").split(",")
        told, at = self.told, -1
        while at != self.revision:
            at = self.revision
            self.told = []
            for actor in self.actors.values():
                if actor.name not in dumb and commands.receiver(self.group, actor.consumer_id):
                    self.do([actor.name])
        self.told = told
        self._show_owners()

    def leave(self, words: list[str]) -> None:
        for name in words:
            self.actors[name].works_on.clear()
        leavers = tuple(events.Leaver(self.actors[name].consumer_id, None) for name in words)
        self._step(events.LeaveGroup(ticket=self._ticket("answer"), members=leavers))

    def commit(self, words: list[str]) -> None:
        actor = self.actors[words[0]]
        said = dict(map(pair, words[1:]))
        generation = int(said.pop("generation", actor.generation))
        writes = []
        for at, offset in said.items():
            topic, _, number = at.rpartition("-")
            writes.append(events.OffsetWrite(topic, int(number), int(offset), -1, ""))
        self._step(
            events.OffsetCommit(
                ticket=self._ticket(actor.name), generation_id=generation,
                member_id=actor.consumer_id, instance_id=None, offsets=tuple(writes), version=8,
            )
        )  # fmt: skip

    # All other actors

    def topics(self, words: list[str]) -> None:
        """The catalogue's new content; the node notifies the group."""
        self.catalogue.update({name: int(count) for name, count in map(pair, words)})
        self.catalogue = {name: count for name, count in self.catalogue.items() if count}
        known = {key: tuple(names) for key, names in self.group.matches.items()}
        matches = {key: self._let_through(key) for key in self.group.filters}
        names = self.group.names.union(*matches.values())
        counts = {name: self.catalogue.get(name, 0) for name in names}
        if counts != self.group.counts or matches != known:
            self._step(events.TopicsChanged(counts=counts, matches=matches))

    def _let_through(self, key: str) -> tuple[str, ...]:
        kind, pattern = filter_of(key)
        is_black = kind == "black_list"
        names = sorted(self.catalogue)
        return tuple(n for n in names if bool(re.fullmatch(pattern, n)) != is_black)

    def set_rules(self, words: list[str]) -> None:
        said = dict(map(pair, words))
        guards = Guards(millis(said.get("interval", "0ms")), said.get("freeze") == "true")
        retries = int(said.get("retries", self.rules.rebalance_max_retries))
        self.rules = replace(self.rules, guards=guards, rebalance_max_retries=retries)
        self.group = self.group.with_rules(self.rules)

    def tick(self, words: list[str]) -> None:
        """Let time pass, and a tick at every instant the group requested. ``alive=a,b`` poll
        every second meanwhile, and do nothing of what they hear."""
        alive = [n for n in dict(map(pair, words[1:])).get("alive", "").split(",") if n]
        end = self.now + millis(words[0])
        while self.now < end:
            self._let_pass(min(end, self.now + 1_000))
            for name in alive:
                told, self.told = self.told, []
                self._poll(self.actors[name])
                self.told = told

    def _let_pass(self, end: int) -> None:
        ticks = 0
        while (due := self.group.due(self.now)) is not None and due <= end:
            ticks += 1
            assert ticks < TICKS_MAX, "it asks for a tick again and again"
            self.now = max(due, self.now)
            self._step(events.Tick())
            self.check_owners()
        self.now = end

    def failover(self, words: list[str]) -> None:
        """Another node takes the group over: rows and catalogue are all it has."""
        self.group = CommandedGroup.merge(self.group.durable, None, self.rules, self.now)
        self._let_pass(self.now)
        self.topics(words)

    def reload(self, words: list[str]) -> None:
        """The same node reads the rows again."""
        durable, live = self.group.durable, self.group.live
        self.group = CommandedGroup.merge(durable, live, self.rules, self.now)

    def show(self, words: list[str]) -> None:
        SHOWS[words[0]](self)

    # How a step is written

    def _step(self, event: events.Event) -> None:
        super()._step(event)
        assert event.ticket not in self.waiting, "a request of this kind never waits"

    def _tell(self, name: str, reply: Reply) -> str:
        actor = self.actors.get(name)
        if isinstance(reply, Left):
            return " ".join(code.name for code in reply.members) or reply.error.name
        assert actor is not None or reply.error is not None
        if reply.error is ErrorCode.UNKNOWN_MEMBER_ID and isinstance(reply, Acknowledged):
            assert actor is not None
            actor.works_on.clear()
        if reply.error is not ErrorCode.NONE:
            return reply.error.name
        if isinstance(reply, Registered):
            assert actor is not None
            assert re.fullmatch(r"g-[0-9a-f-]{36}|[a-z]\w*", reply.consumer_id)
            actor.consumer_id, actor.heard_at = reply.consumer_id, self.now
            actor.last = max(actor.last, reply.last_command_id)
            return "registered"
        return "OK" if isinstance(reply, Acknowledged) else "NONE"

    def _command(self, command: CommandRow) -> str:
        again = " again" if command.series else ""
        if command.ownership is None:
            return f"{command.option}{again}"
        return f"{command.option}{again} {command.generation} {self._by_thread(command)}"

    def _by_thread(self, command: CommandRow) -> str:
        threads: dict[str, dict[str, list[int]]] = {}
        for topic, owned in (command.ownership or {}).items():
            for partition, thread in owned.items():
                threads.setdefault(thread, {}).setdefault(topic, []).append(partition)
        return (
            " ".join(
                f"{thread}:" + ",".join(f"{t}{p}".replace(" ", "") for t, p in topics.items())
                for thread, topics in sorted(threads.items())
            )
            or "nothing"
        )

    def _id(self, name: str) -> str:
        return self.actors[name].consumer_id if name in self.actors else ""

    def _name(self, member_id: str) -> str:
        return member_id

    def _show_owners(self) -> None:
        """What each actor works on, by its own account."""
        self.check_owners()
        for actor in self.actors.values():
            parts = ",".join(f"{t}-{p}" for t, p in sorted(actor.works_on))
            if commands.receiver(self.group, actor.consumer_id) is not None:
                self.told.append(f"{actor.name} {parts or 'nothing'}")

    def _show_members(self) -> None:
        ids = list(self.group.durable.members)
        named = [i if commands.receiver(self.group, i) is not None else f"{i}(out)" for i in ids]
        self.told.append(" ".join(named) or "nobody")

    def _show_commands(self) -> None:
        for row in self.group.durable.members.values():
            sent = ", ".join(f"{c.command_id} {c.option}" for c in row.commands)
            self.told.append(f"{row.member_id} {sent or 'none'}")

    def _show_queue(self) -> None:
        queued = self.group.durable.group.details.get("queued")
        self.told.append("not queued" if queued is None else f"queued {queued['trigger']}")

    def _show_journal(self) -> None:
        for entry in self.journal[self.shown :]:
            details = entry.details
            moved = f" moved {details['moved']}" if "moved" in details else ""
            why = f" by {details['necessary']}" if "necessary" in details else ""
            rise = f"{entry.generation_before}>{entry.generation_after}"
            left = f" left {','.join(entry.left)}" if entry.left else ""
            self.told.append(f"{entry.kind} {entry.trigger or '-'} {rise}{why}{moved}{left}")
        self.shown = len(self.journal)

    def _show_reason(self) -> None:
        """Of the last entry of the journal."""
        self.told.append(self.journal[-1].reason)


STARLESS = frozenset({"rules", "show", "sleep", "reload", "failover"})

SHOWS: dict[str, Callable[[Conversation], None]] = {
    "entries": Conversation.show_entries,
    "rounds": Conversation.show_rounds,
    "owners": Conversation._show_owners,
    "members": Conversation._show_members,
    "commands": Conversation._show_commands,
    "queue": Conversation._show_queue,
    "journal": Conversation._show_journal,
    "reason": Conversation._show_reason,
}

COMMANDS: dict[str, Callable[[Conversation, list[str]], None]] = {
    "register": Conversation.register,
    "poll": Conversation.poll,
    "ack": Conversation.ack,
    "do": Conversation.do,
    "settle": Conversation.settle,
    "leave": Conversation.leave,
    "commit": Conversation.commit,
    "topics": Conversation.topics,
    "rules": Conversation.set_rules,
    "force": Conversation.force,
    "evict": Conversation.evict,
    "drain": Conversation.drain,
    "undrain": Conversation.undrain,
    "delete-group": Conversation.delete_group,
    "tick": Conversation.tick,
    "failover": Conversation.failover,
    "reload": Conversation.reload,
    "sleep": Conversation.sleep,
    "show": Conversation.show,
}
