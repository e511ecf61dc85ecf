"""One life: a group of some kind, the people around it, and everything that happens by chance.

The same kind and seed give the same life as long as the rules decide the same.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, TypeVar

from groups.core import events
from groups.core.assignors.task import AssignmentTask, AssignorFailed
from groups.core.assignors.types import Parts, Racks, Subscriber
from groups.core.classic.group import ClassicGroup
from groups.core.commanded.thread_offers import filter_of
from groups.core.consumer.group import ConsumerGroup
from groups.core.consumer.targets import ready
from groups.core.conversion import upgrade
from groups.core.conversion.step import decide
from groups.core.earlier import Earlier
from groups.core.errors import ErrorCode
from groups.core.group import Answer, Decision, Group, Rules
from groups.core.kinds import KINDS
from groups.core.pauses import Pauses
from groups.core.replies import ErrorReply, Reply
from groups.core.rows import Durable
from tests.core import invariants as classic_invariants
from tests.core.commanded import invariants as commanded_invariants
from tests.core.consumer import invariants as consumer_invariants
from tests.core.draft import invariants as draft_invariants
from tests.core.draft.conversation import OWN
from tests.walks import desk
from tests.walks.chance import Chance
from tests.walks.classic import Classic
from tests.walks.commanded import Commanded
from tests.walks.consumer import Consumer
from tests.walks.draft import Draft
from tests.walks.people import TOPICS, Person
from tests.walks.plain import Told, decided, plain, standing

T = TypeVar("T")
STEPS = 60
LAST = (events.DeleteGroup, events.ExpireOffsets, events.RemoveGroup)
"""What comes after one of these in an inbox is for another step, as with a committer."""

CHECKS: Mapping[str, Callable[[Durable, Any], None]] = {
    "classic": classic_invariants.check_thoroughly,
    "draft": draft_invariants.check_thoroughly,
    "commanded": commanded_invariants.check_thoroughly,
}
MENDABLE = (
    ErrorCode.INVALID_REQUEST,
    ErrorCode.INVALID_SESSION_TIMEOUT,
    ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
    ErrorCode.UNKNOWN_PARTITION_ASSIGNMENT_STRATEGY,
)
PEOPLE: Mapping[str, Sequence[type[Person]]] = {
    "classic": (Classic,) * 4,
    "consumer": (Consumer,) * 4,
    "mixed": (Classic, Classic, Consumer, Consumer),
    "draft": (Draft,) * 4,
    "commanded": (Commanded,) * 4,
    "strangers": (Classic, Consumer, Draft, Commanded),
}
"""Who comes along in a life of this kind."""


def check(group: Any) -> None:
    """What holds of every group between two steps."""
    if not group.durable.exists:
        return
    if isinstance(group, ConsumerGroup):
        consumer_invariants.check_thoroughly(group.durable, group.members, group._index)
        consumer_invariants.check_live(group.members, group.live)
    else:
        CHECKS[group.durable.group.kind](group.durable, group.live)


def _asked(group: Group) -> int:
    """The epoch whose target is being computed outside of the steps; 0: none."""
    return group.live.schedule.requested_epoch if isinstance(group, ConsumerGroup) else 0


def read_back(durable: Durable) -> Durable:
    """The rows as PostgreSQL gives them back: through JSON, and in an order of its own."""
    rows = {
        key: replace(row, details=json.loads(json.dumps(dict(row.details))))
        for key, row in sorted(durable.members.items())
    }
    details = json.loads(json.dumps(dict(durable.group.details)))
    return Durable(replace(durable.group, details=details), rows, durable.revision)


def own(
    members: Sequence[Subscriber], counts: Mapping[str, int], racks: Racks
) -> Mapping[str, Parts]:
    """An assignor from outside: all of a topic to its first subscriber."""
    given: dict[str, set[tuple[str, int]]] = {}
    for topic in sorted(counts):
        takers = [member.member_id for member in members if topic in member.topics]
        if takers:
            given.setdefault(takers[0], set()).update((topic, p) for p in range(counts[topic]))
    return {member_id: frozenset(parts) for member_id, parts in given.items()}


def bad(
    members: Sequence[Subscriber], counts: Mapping[str, int], racks: Racks
) -> Mapping[str, Parts]:
    """Another, with a fault."""
    raise ValueError("it has a fault")


@dataclass
class Life:
    """``told``: what was decided, and heard, in each of its steps, in order. ``written``: the rows
    and each decision that was committed over them. ``requests``: the last number given out."""

    kind: str
    seed: int
    now: int = 1_000_000
    counts: dict[str, int] = field(default_factory=lambda: {"t": 4, "u": 2})
    racks: Racks = field(default_factory=dict)
    waiting: dict[events.Ticket, Person | None] = field(default_factory=dict)
    questions: list[AssignmentTask] = field(default_factory=list)
    told: list[tuple[str, Told]] = field(default_factory=list)
    written: list[tuple[Durable, Decision]] = field(default_factory=list)
    pauses: Pauses = field(default_factory=dict)
    obeyed: dict[str, int] = field(default_factory=dict)
    requests: int = 0
    group_id: str = "g"
    revision: int = 0

    def __post_init__(self) -> None:
        self.chance = Chance(f"{self.kind} {self.seed}")
        self.rng = Random(self.seed)
        self.rules = self._rules()
        self.group: Group = ClassicGroup.absent(self.group_id, self.rules, self.now)
        self._common = self.chance.below(1_000)
        self.people = [
            speaks(self, name, instance_id=self.chance.pick((None, None, f"i-{name}", "i-1")))
            for name, speaks in zip("abcd", PEOPLE[self.kind], strict=True)
        ]

    def _rules(self) -> Rules:
        chosen: Any = {
            name: self.chance.pick(values)
            for name, values in desk.CHANGES.items()
            if self.chance.once_in(5)
        }
        usual: Any = {
            "group_initial_rebalance_delay_ms": self.chance.pick((0, 0, 3_000)),
            "group_quiet_window_ms": self.chance.pick((0, 500)),
            "generations_after": self.chance.pick((0, 0, 0, 41)),
            "group_consumer_session_timeout_ms": 30_000, "strategies": OWN,
            "plugged_in": {"own": own, "bad": bad},
            "group_consumer_assignor_offload_enable": self.chance.once_in(2),
            "group_consumer_assignors": self.chance.pick(desk.ASSIGNORS),
        }  # fmt: skip
        return Rules(**{**usual, **chosen})

    # -- what happens

    def live(self, steps: int = STEPS) -> "Life":
        while len(self.told) < steps:
            at_once = self.chance.pick((1, 1, 1, 1, 1, 2, 3))
            among = desk.OFTEN if at_once == 1 else desk.SAYING
            said: list[events.Event] = []
            for _ in range(at_once):
                if not said or not isinstance(said[-1], LAST):
                    said += self._happens(among)
            if said:
                self.step(*said)
        return self

    def _happens(self, among: Sequence[desk.Happening]) -> Iterator[events.Event]:
        """Somebody says something, or one of these happens; a step takes all of an inbox."""
        chance = self.chance
        person = chance.pick(self.people)
        what = chance.below(100)
        if self.questions and chance.once_in(3):
            yield from desk.answer(self)
            return
        if what < 64:
            yield from person.next()
        elif what < 70:
            yield from person.odd()
        elif what < 73:
            yield person.leave() if person.member_id else person.commit()
        elif what < 75:
            yield person.commit_in_transaction()
        elif what < 79:
            person.changes_its_mind()
        elif what < 80:
            person.starts_again()
        else:
            yield from chance.pick(among)(self)

    # -- the node

    def step(self, *said: events.Event) -> None:
        before = self.group
        words = " + ".join(f"{type(event).__name__}{self._whose(event)}" for event in said)
        try:
            decision = decide(before, said, self.now, self.rng)
        except AssignorFailed as failure:
            self._failed(words, said, failure)
            return
        self.told.append((words, decided(before, said, decision, self.now)))
        if self.chance.once_in(25):
            self._in_doubt(before, said, decision)
            return
        self.written.append((before.durable, decision))
        self.group = decision.group
        if decision.deleted:
            self.group = ClassicGroup.absent(self.group_id, self.rules, self.now)
            self.revision = 0
        elif self.group.durable is not before.durable:
            self.revision += 1
            self.group = self.group.with_revision(self.revision)
        if decision.question is not None:
            self.questions.append(decision.question)
        if (asked := _asked(self.group)) not in (0, _asked(before)):
            assert decision.question is not None and decision.question.epoch == asked
        check(self.group)
        self.answered(decision.answers)

    def _in_doubt(self, before: Group, said: Sequence[events.Event], decision: Decision) -> None:
        """Nobody knows whether it has been committed: the rows are read again, with what was live
        before, and who asked is told to ask again."""
        is_written = self.chance.once_in(2) and not decision.deleted
        durable = decision.group.durable if is_written else before.durable
        if is_written:
            self.written.append((before.durable, decision))
        if durable is not before.durable:
            self.revision += 1
            durable = replace(durable, revision=self.revision)
        lost = ErrorReply(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        self.answered([Answer(event.ticket, lost) for event in said if event.ticket])
        is_same = durable.group.kind == before.durable.group.kind
        self.read_again(durable, before.live if is_same else None)

    def read_again(self, durable: Durable, live: Any) -> None:
        """Requests that the group no longer holds are answered."""
        tickets = sorted(self.waiting)
        self.put(self.merged(durable, live))
        self.answered(self.group.resume(tickets))

    def merged(self, durable: Durable, live: Any, earlier: Earlier | None = None) -> Group:
        """A group of what its rows hold, and of what was live, or of what was noted of that."""
        kind = KINDS[durable.group.kind]
        if not durable.exists and live is None:
            return ClassicGroup.absent(self.group_id, self.rules, self.now)
        if not durable.exists:
            return kind.merge(durable, live, self.rules, self.now, earlier)
        return kind.merge(read_back(durable), live, self.rules, self.now, earlier)

    def _failed(self, words: str, said: Sequence[events.Event], failure: Exception) -> None:
        """Nothing of the step remains; waiting requests are answered by the node."""
        self.told.append((words, {"failed": str(failure), **standing(self.group, self.now)}))
        for person in (self.waiting.pop(event.ticket, None) for event in said if event.ticket):
            if person is not None:
                person.is_busy = False

    def put(self, group: Group) -> None:
        """The same group, made again without a decision."""
        self.group = group
        check(group)
        self.told.append(("made anew", standing(group, self.now)))

    def answered(self, answers: Sequence[Answer]) -> None:
        """Every client gets its response. A ticket is answered once."""
        for ticket, reply in answers:
            person = self.waiting.pop(ticket)
            if person is not None:
                self._tell(person, reply)

    def _tell(self, person: Person, reply: Reply) -> None:
        if isinstance(reply, ErrorReply):
            person.is_busy = False
        else:
            person.hear(reply)
        if reply.error in MENDABLE and self.chance.once_in(2):
            person.mends()

    def heard(self, words: str) -> None:
        """A response without a step."""
        self.told.append((words, standing(self.group, self.now)))

    def note(self, words: str, what: Mapping[str, object]) -> None:
        """What was decided beside the group."""
        self.told.append((words, {**plain(what), **standing(self.group, self.now)}))

    def _whose(self, event: events.Event) -> str:
        person = self.waiting.get(event.ticket) if event.ticket is not None else None
        return "" if person is None else f"({person.name})"

    # -- what people and the desk need

    def common(self, some: Sequence[T]) -> T:
        """The one of these that people have in common unless they change their minds."""
        return some[self._common % len(some)]

    def ticket(self, person: Person | None) -> events.Ticket:
        self.requests += 1
        connection = ord(person.name) if person is not None else 1
        ticket = events.Ticket(connection, self.requests)
        self.waiting[ticket] = person
        return ticket

    def verb(self) -> dict[str, Any]:
        self.requests += 1
        return {"operation_id": self.requests, "actor": "ops", "reason": "a reason"}

    def ids(self) -> tuple[str, ...]:
        return tuple(self.group.durable.members)

    def known(self) -> tuple[str, ...]:
        """Every id that a client received."""
        return tuple(dict.fromkeys(p.member_id for p in self.people if p.member_id))

    def names(self) -> Sequence[str]:
        """The topics that a handler looks up for a heartbeat."""
        if isinstance(self.group, ConsumerGroup):
            return sorted(self.group.topic_names)
        if isinstance(self.group, ClassicGroup):
            return sorted(upgrade.names_of(self.group))
        return ()

    def let_through(self, key: str) -> tuple[str, ...]:
        """The topics that a filter of a commanded group lets through."""
        kind, pattern = filter_of(key)
        is_black = kind == "black_list"
        return tuple(
            n for n in TOPICS if n in self.counts and bool(re.fullmatch(pattern, n)) != is_black
        )

    def worked_out(self, question: AssignmentTask) -> events.Event:
        if self.chance.once_in(6):
            return events.TargetComputed(question=question, targets=None, error="it took too long")
        try:
            targets = question.answer()
        except AssignorFailed as error:
            return events.TargetComputed(question=question, targets=None, error=str(error))
        prepared = ready(question, targets) if self.chance.once_in(2) else {}
        return events.TargetComputed(question=question, targets=targets, ready=prepared)
