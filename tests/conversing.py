"""A conversation with one group: what the languages of all kinds of group share.

The node's part (commit a decision, send its answers, let time pass) and the operators'. What
members say, and what they make of an answer, is each kind's own (``conversation.py`` beside its
transcripts), and no rule is here.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

from groups.core import events
from groups.core.drains import DrainMember, UndrainMember
from groups.core.errors import ErrorCode
from groups.core.explanation import Explanation
from groups.core.group import Answer, Decision, Group, JournalEntry, Rules
from groups.core.replies import Operated, Reply
from groups.core.rounds import Round

G = TypeVar("G", bound=Group)

UNITS = {"ms": 1, "s": 1_000, "m": 60_000}


def millis(text: str) -> int:
    """Read 500ms, 3s or 5m; a bare number is itself."""
    digits = text.rstrip("ms")
    return int(digits) * UNITS[text[len(digits) :] or "ms"]


def pair(word: str) -> tuple[str, str]:
    """Read ``key=value``."""
    key, _, value = word.partition("=")
    return key, value


def partition(word: str) -> tuple[str, int]:
    """Read ``topic-0``."""
    topic, _, number = word.rpartition("-")
    return topic, int(number)


@dataclass(frozen=True)
class Columns:
    """How wide the command and what came of it stand."""

    command: int
    told: int


class OneGroup(ABC, Generic[G]):
    """One group, its clock, and the requests that wait for its answers."""

    def __init__(self, kind: type[G], rules: Rules, columns: Columns) -> None:
        self.kind = kind
        self.rules = rules
        self.columns = columns
        self.now = 1_000_000
        self.rng = Random(7)
        self.group = kind.absent("g", rules, self.now)
        self.revision = 0
        self.waiting: dict[events.Ticket, str] = {}
        self.requests = 0
        self.connections: dict[str, int] = {}
        self.told: list[str] = []
        self.journal: list[JournalEntry] = []
        self.shown = 0
        self.rounds: list[Round] = []

    def say(self, command: str) -> str:
        """Run one command; what came of it, and the state."""
        verb, *words = command.split()
        self.told = []
        before = self.group.durable
        self.perform(verb, words)
        self.check()
        row = self.group.durable.group
        state = f"{row.state} {row.generation}" if self.group.durable.exists else "absent"
        changed = self.group.durable is not before and not self.reads_rows(verb, words)
        told, wide = "; ".join(self.told) or "-", self.columns
        return f"{command:<{wide.command}}  {told:<{wide.told}}  {state}{' *' if changed else ''}"

    # What each language says for itself

    @abstractmethod
    def perform(self, verb: str, words: list[str]) -> None:
        """Do what a command says."""

    @abstractmethod
    def check(self) -> None:
        """What must hold after every command."""

    @abstractmethod
    def reads_rows(self, verb: str, words: list[str]) -> bool:
        """Whether the command only reloads the rows: other objects then are no change."""

    @abstractmethod
    def _id(self, name: str) -> str:
        """The member id behind a name."""

    @abstractmethod
    def _name(self, member_id: str) -> str:
        """What the transcript calls a member."""

    @abstractmethod
    def _tell(self, name: str, reply: Reply) -> str:
        """What an actor was answered, in words."""

    # Commands

    def delete_group(self, words: list[str]) -> None:
        self._step(events.DeleteGroup(ticket=self._ticket("answer")))

    def force(self, words: list[str]) -> None:
        said = dict(map(pair, words))
        expected = int(said["expected"]) if "expected" in said else None
        self.requests += 1
        self._step(
            events.ForceRebalance(
                operation_id=self.requests, actor="ops", reason="a test",
                expected_generation=expected,
            )
        )  # fmt: skip

    def evict(self, words: list[str]) -> None:
        self.requests += 1
        self._step(
            events.EvictMember(
                operation_id=self.requests, actor="ops", reason="a test",
                member_id=self._id(words[0]),
            )
        )  # fmt: skip

    def drain(self, words: list[str]) -> None:
        self._operate(DrainMember, self._id(words[0]))

    def undrain(self, words: list[str]) -> None:
        self._operate(UndrainMember, self._id(words[0]))

    def _operate(self, kind: type[DrainMember | UndrainMember], member_id: str) -> None:
        self.requests += 1
        self._step(
            kind(operation_id=self.requests, actor="ops", reason="a test", member_id=member_id)
        )

    def tick(self, words: list[str]) -> None:
        """Let time pass, with a tick at every instant that the group requested."""
        end = self.now + millis(words[0])
        while (due := self.group.due(self.now)) is not None and due <= end:
            self.now = max(due, self.now)
            self._step(events.Tick())
        self.now = end

    def failover(self, words: list[str]) -> None:
        """Another node takes the group over: rows are all it has."""
        self._answers(self.group.let_go(ErrorCode.NOT_COORDINATOR))
        self.group = self.kind.merge(self.group.durable, None, self.rules, self.now)
        self._step(events.Tick())

    def reload(self, words: list[str]) -> None:
        """The same node reads the rows again."""
        tickets = sorted(self.group.live.tickets())
        durable, live = self.group.durable, self.group.live
        self.group = self.kind.merge(durable, live, self.rules, self.now)
        self._answers(self.group.resume(tickets))

    def sleep(self, words: list[str]) -> None:
        """Time passes without ticks: the node was suspended, and that counts for no timer."""
        self.now += millis(words[0])
        self.group = self.group.rearm(self.now, millis(words[0]))

    def show_entries(self) -> None:
        """The journal since it was last shown, with all that an entry holds."""
        self.told += map(self._entry, self.journal[self.shown :])
        self.shown = len(self.journal)

    def show_rounds(self) -> None:
        """The rebalances that have ended since they were last shown, as the facts have them."""
        self.told += map(self._round, self.rounds)
        self.rounds.clear()

    def _round(self, ended: Round) -> str:
        """How it ended, who was awaited, and partitions times time: stopped + silent + unowned."""
        found = Explanation(ended.ms, ended.causes, tuple(ended.awaited()), ended.is_partial)
        idle = "+".join(f"{ms}" for ms in ended.idle[:3])
        when = f" {ended.age_ms}ms ago" if ended.age_ms else ""
        facts = f"after {ended.ms}ms{when}, members {ended.members}, moved {ended.moved}"
        return f"{ended.generation} {ended.outcome} {facts}, idle {idle}: {self._why(found)}"

    def _entry(self, entry: JournalEntry) -> str:
        waits = {self._name(m): f"{ms}ms" for m, ms in entry.waited_for.items()}
        facts = {
            "by": entry.member_id and self._name(entry.member_id),
            "client": entry.client_id,
            "said": entry.client_reason,
            "took": entry.duration_ms,
            "waited": waits,
            "joined": [self._name(m) for m in entry.joined],
            "left": [self._name(m) for m in entry.left],
            **{key: entry.details[key] for key in sorted(entry.details)},
            "why": None if entry.why is None else self._why(entry.why),
        }
        rise = f"{entry.generation_before}>{entry.generation_after}"
        told = [f"{key}={value}" for key, value in facts.items() if value not in ("", None, [], {})]
        return " ".join([entry.kind, entry.trigger or "-", rise, f"({entry.reason})", *told])

    def _why(self, why: Explanation) -> str:
        """What cost how much, and who was awaited: "b member-left 5ms | a rejoin 3ms rejoined"."""
        causes = (
            f"{'+'.join(self._name(m) if m else name or '?' for m, name in share.named) or '-'}"
            f" {share.trigger} {share.ms}ms"
            for share in why.causes
        )
        awaited = (
            f"{self._name(one.member_id)} {one.act} {one.ms}ms {one.end}"
            + (f" silent {one.silent_ms}ms" if one.silent_ms else "")
            for one in why.awaited
        )
        partial = "seen from here: " if why.is_partial else ""
        return f"{partial}{', '.join(causes)} | {', '.join(awaited) or '-'}"

    # How a step is written

    def _step(self, event: events.Event) -> None:
        self._follow(self.group.step([event], self.now, self.rng))

    def _follow(self, decision: Decision) -> None:
        """The batch has committed: everything that follows from it."""
        self._written(decision)
        self._answers(decision.answers)
        if decision.hung_up:
            self.told.append(f"hung up {','.join(map(self._name, decision.hung_up))}")
        self.told += map(self._ended, decision.operations)

    def _ended(self, done: Operated) -> str:
        ended = "ended" if done.ended else "begun"
        at = "" if done.generation is None else f" at generation {done.generation}"
        return f"operation {ended} {done.error.name}{at}: {done.detail}"

    def _written(self, decision: Decision) -> None:
        before, group = self.group.durable, decision.group
        assert isinstance(group, self.kind)
        self.group = group
        self.journal += decision.journal
        self.rounds += [fact for fact in decision.facts if isinstance(fact, Round)]
        if decision.deleted:
            self.revision = 0
        if group.durable is not before and not group.idle:
            self.revision += 1
            self.group = group.with_revision(self.revision)

    def _answers(self, answers: tuple[Answer, ...]) -> None:
        for ticket, reply in answers:
            name = self.waiting.pop(ticket)  # a second answer has no one to go to
            self.told.append(f"{name} {self._tell(name, reply)}")

    def _ticket(self, name: str) -> events.Ticket:
        self.requests += 1
        connection = self.connections.setdefault(name, len(self.connections))
        ticket = events.Ticket(connection, self.requests)
        self.waiting[ticket] = name
        return ticket
