"""The framework of a step, for every kind: the working copy, the rule of an event, the decision.

No rule is here. A kind derives its ``Work`` and its group from ``RowsWorkingCopy`` and
``RowsGroup``, or from ``WorkingCopy`` and ``GroupValue`` if its members are more than their rows,
and lists its rules in a table (``HANDLERS`` of its ``group.py``). Nothing is copied before it
changes, and then once per step, not once per event.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, Final, Generic, Protocol, Self, TypeVar

from groups.core import drains, rounds
from groups.core.assignment import count_of
from groups.core.assignors.task import AssignmentTask
from groups.core.authors import UNKNOWN_CLIENT, Client
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import Event, OffsetCommit, OffsetWrite, Tick, Ticket, Verb
from groups.core.explanation import Explanation
from groups.core.facts import Departure, Ended, Fact
from groups.core.group import Answer, Beat, Decision, Group, JournalEntry, Millis, Rules
from groups.core.journal import EntryKind
from groups.core.replies import REFUSALS, Operated, Refusals, Reply
from groups.core.rounds import NEVER_IDLE, Idle, Outcome
from groups.core.rows import NOTHING, Durable, GroupRow, MemberRow
from groups.core.transactional_offsets import Pending
from groups.core.values import SharedDict, replaced, shared

ABSENT: Final = "absent"
"""The key in the details of a ``GroupRow`` without a row in the database; never written."""

EMPTY: Final = "Empty"
"""The state of every kind of group that has no members."""


def absent_row(group_id: str, kind: str, rules: Rules) -> GroupRow:
    """The ``GroupRow`` of a group without a row."""
    return GroupRow(group_id, kind, EMPTY, rules.generations_after, details={ABSENT: True})


class Lives(Protocol):
    """The live half of a group of any kind."""

    @property
    def beats(self) -> Mapping[str, Beat]:
        """When each member last sent something."""
        ...

    def copy(self) -> Self:
        """A copy that a step may change."""
        ...


class RowsLives(Lives, Protocol):
    """The live half of a group that consists of rows and a live half."""

    idle: Idle

    def earliest_of(self, ids: Iterable[str], durable: Durable) -> Millis | None:
        """The earliest deadline of these members."""
        ...

    def touched(self, durable: Durable, after: Durable, changed: Any) -> Iterable[str] | None:
        """The members whose deadlines a step from these rows to ``after`` may have made earlier, by
        its working copy ``changed`` of this; None: all."""
        ...


L = TypeVar("L", bound=Lives)
R = TypeVar("R", bound=RowsLives)
M = TypeVar("M")


class WorkingCopy(Generic[L, M]):
    """The working copy of one step; discarded if its batch fails. ``M``: what a member is."""

    kind: ClassVar[str]

    def __init__(
        self,
        row: GroupRow,
        members: Mapping[str, M],
        live: L,
        rules: Rules,
        now: Millis,
        rng: Random,
    ) -> None:
        self.row = row
        self.members = members
        self.live = live
        self.rules = rules
        self.now = now
        self.rng = rng
        self.answers: list[Answer] = []
        self.journal: list[JournalEntry] = []
        self.operations: list[Operated] = []
        self.offsets: dict[tuple[str, int], OffsetWrite] = {}
        self.offset_deletes: dict[tuple[str, int], None] = {}
        self.pending: Pending = {}
        self.hung_up: list[str] = []
        self.facts: list[Fact] = []
        self.client: Client = UNKNOWN_CLIENT
        self.question: AssignmentTask | None = None
        self.deleted = False
        self._own_live: L | None = None
        self._own_members: SharedDict[str, M] | None = None

    # -- state

    @property
    def has_row(self) -> bool:
        """Whether the group has a row, or will have one by this step."""
        return ABSENT not in self.row.details

    @property
    def exists(self) -> bool:
        """Whether the group exists: by default, whether it has a row."""
        return ABSENT not in self.row.details

    # -- what decides over offsets and the group's end (``groups.core.offset_rules``)

    @property
    def is_there(self) -> bool:
        """Whether the group exists for those who ask to delete something."""
        return self.exists

    @property
    def has_members(self) -> bool:
        """Whether anybody is in the group, or about to be."""
        return bool(self.members)

    @property
    def rebalances(self) -> bool:
        """Whether a rebalance goes on, in which no offsets expire."""
        return False

    @property
    def expires_since_empty(self) -> bool:
        """Whether the time of offsets began when the last member left, not with each commit."""
        return self.row.state == EMPTY and bool(self.row.protocol_type)

    def topics_in_use(self) -> Collection[str] | None:
        """The topics that members consume, whose offsets are kept (KIP-496); None: possibly
        any."""
        raise NotImplementedError

    # -- changes

    def change(self) -> L:
        """The live half, for changes; copied at the first call in a step."""
        if self._own_live is None:
            self._own_live = self.live = self.live.copy()
        return self._own_live

    def change_members(self) -> SharedDict[str, M]:
        """The members, for changes; copied at the first call in a step."""
        if self._own_members is None:
            self.members = self._own_members = shared(self.members)
        return self._own_members

    def set_row(self, **columns: Any) -> None:
        """Change columns of the group's row; a group without a row gets one."""
        if ABSENT in self.row.details:
            columns.setdefault("details", NOTHING)
        self.row = replaced(self.row, **columns)

    def set_details(self, **changes: Any) -> None:
        """Change keys of the row's details; None removes a key."""
        details = {**self.row.details, **changes, ABSENT: None}
        self.set_row(details={k: v for k, v in details.items() if v is not None})

    def forget_group(self) -> None:
        """Continue as the group without a row: it was deleted."""
        self.row = absent_row(self.row.group_id, self.kind, self.rules)
        self.offsets.clear()
        self.offset_deletes.clear()
        self.pending.clear()
        self.deleted = True

    # -- results

    def answer(self, ticket: Ticket | None, reply: Reply) -> None:
        """Reply to a ticket after the batch has committed; None: no request waits."""
        if ticket is not None:
            self.answers.append(Answer(ticket, reply))

    def ended(self, member_id: str, departure: Departure) -> Ended:
        """A member's life ended; its beat must not have been removed yet."""
        beat = self.live.beats.get(member_id)
        silent_ms = 0 if beat is None or departure is Departure.LEFT else self.now - beat.at
        fact = Ended(member_id, departure, self.row.generation, max(0, silent_ms))
        self.facts.append(fact)
        return fact

    def operated(
        self, operation_id: int, error: ErrorCode, detail: str, *, changed: bool = True
    ) -> None:
        """The result of an operation."""
        generation = self.row.generation if error is ErrorCode.NONE else None
        operated = Operated(operation_id, error, detail, generation, changed=changed)
        self.operations.append(operated)

    def refused(self, operation_id: int, detail: str) -> None:
        """An operation has failed."""
        self.operated(operation_id, ErrorCode.INVALID_REQUEST, detail)

    def decision(self, group: Group) -> Decision:
        """The results of the step, which ends with this group."""
        return Decision(
            group=group,
            answers=tuple(self.answers),
            journal=tuple(self.journal),
            offsets=tuple(self.offsets.values()),
            offset_deletes=tuple(self.offset_deletes),
            pending=tuple(self.pending.values()),
            operations=tuple(self.operations),
            hung_up=tuple(self.hung_up),
            deleted=self.deleted,
            question=self.question,
            facts=tuple(self.facts),
        )


class RowsWorkingCopy(WorkingCopy[R, MemberRow]):
    """The working copy of a group that consists of rows and a live half.

    ``transitions``: the states that may follow each state of the kind.
    """

    transitions: ClassVar[Mapping[str, frozenset[str]]]

    def __init__(self, durable: Durable, live: R, rules: Rules, now: Millis, rng: Random) -> None:
        super().__init__(durable.group, durable.members, live, rules, now, rng)
        self.before = durable
        self.revision = durable.revision

    # -- state

    @property
    def state(self) -> str:
        """The group's state now."""
        return self.row.state

    # -- changes

    def set_members(self, members: Mapping[str, MemberRow]) -> None:
        """Replace all member rows, in order of arrival."""
        self._own_members = self.members = SharedDict(members)

    def move_to(self, state: str, **columns: Any) -> None:
        """Change the state; the transition must be allowed."""
        assert state in self.transitions[self.state], f"{self.state} never leads to {state}"
        self.set_row(state=state, **columns)

    def forget(self, live: R) -> None:
        """Continue as the group without a row and with this live half: it was deleted."""
        super().forget_group()
        self.set_members({})
        self.revision = 0
        self._own_live = self.live = live

    # -- results

    def ended(self, member_id: str, departure: Departure) -> Ended:
        """A member's life ended; its row and its beat must not have been removed yet. Nobody works
        on its partitions from now on, unless it goes on under another id."""
        fact = super().ended(member_id, departure)
        drains.gone(self, drains.of(self.members[member_id]), departure)
        parts = count_of(self.members[member_id].assignment)
        if parts and departure is not Departure.REPLACED:
            live, stopped_at = self.change(), self.stopped_at(member_id)
            live.idle = live.idle.freed(parts, self.now, fact.silent_ms, stopped_at)
        return fact

    def stopped_at(self, member_id: str) -> Millis | None:
        """When a member stopped to work on its partitions for the current rebalance; None: it has
        not."""
        raise NotImplementedError

    def round_ended(
        self, outcome: Outcome, *why: Explanation | None, moved: int = 0, age_ms: Millis = 0
    ) -> None:
        """A rebalance has ended, ``age_ms`` ago, which these explain phase by phase. Partitions
        without a worker are counted for the next assignment if there was none."""
        idle = NEVER_IDLE
        if outcome is not Outcome.INTERRUPTED:
            live = self.change()
            idle, live.idle = live.idle.until(self.now), NEVER_IDLE
        members, generation = len(self.members), self.row.generation
        self.facts.append(
            rounds.of(generation, outcome, why, members, moved=moved, idle=idle, age_ms=age_ms)
        )

    def note(self, kind: EntryKind, **fields: Any) -> None:
        """Add a journal entry; by default with the group's generation."""
        fields.setdefault("generation_before", self.row.generation)
        fields.setdefault("generation_after", self.row.generation)
        self.journal.append(JournalEntry(kind=kind, **fields))

    @property
    def changed_live(self) -> R | None:
        """The changed copy of the live half, or None if the step did not change it."""
        return self._own_live

    def durable(self) -> Durable:
        """The durable half after the step: the same object as before if nothing changed."""
        row, before = self.row, self.before
        if row is not before.group and before.exists and row == before.group:
            row = before.group
        same = row is before.group and self.members is before.members and not self.deleted
        return before if same else Durable(row, self.members, self.revision)


W = TypeVar("W", bound=WorkingCopy[Any, Any])

Handlers = Mapping[type[Event], Callable[[W, Any], None]]


def decide(work: W, event: Event, handlers: Handlers[W], refusals: Refusals = REFUSALS) -> bool:
    """Apply the event's rule. False: it refused; the refusal is answered, and nothing changes."""
    handler = handlers.get(type(event))
    if handler is None and isinstance(event, Verb):
        work.refused(event.operation_id, f"a {work.kind} group cannot do this")
        return True
    assert handler is not None, f"no rule for {type(event).__name__}"
    work.client = getattr(event, "client", UNKNOWN_CLIENT)
    try:
        handler(work, event)
    except Refuse as refusal:
        work.answer(event.ticket, refusals[type(event)](event, refusal))
        return False
    return True


Check = Callable[[Durable, Durable], None]


def check_step(before: Durable, after: Durable, answers: Sequence[Answer], of_kind: Check) -> None:
    """Compare the rows before and after one step, in production too: it costs nothing if nothing
    durable changed, and no more than the step itself otherwise. A violation is an
    ``AssertionError``: a mistake in the rules, never of a member."""
    tickets = [answer.ticket for answer in answers]
    assert len(tickets) == len(set(tickets)), "a ticket was answered twice"
    if after is before or (after.revision == 0 and before.exists):
        return  # nothing has changed, or it was deleted, and perhaps created again
    assert after.group.generation >= before.group.generation, "the generation fell"
    of_kind(before, after)


Earliest = tuple[Millis | None]
"""The earliest deadline of single members; (None,): no member has one."""

EXACT_MAX: Final = 100
"""Up to this number of members every step computes the earliest deadline again. A larger group
keeps the known one, even if it has moved on, until it is due; the tick then decides nothing, and
computes it."""


def stands(due: tuple[Millis | None] | None, now: Millis) -> bool:
    """Whether the next deadline that was found earlier is still valid. Heartbeats extend deadlines:
    after it has passed it is computed again, which costs a tenth of a step."""
    return due is not None and (due[0] is None or due[0] > now)


class GroupValue(Generic[L]):
    """A group of any kind at one time; a step creates another one."""

    __slots__ = ("_due", "_durable", "_live", "rules")

    def __init__(self, durable: Durable, live: L, rules: Rules) -> None:
        self.rules = rules
        self._durable = durable
        self._live = live
        self._due: tuple[Millis | None] | None = None

    @property
    def durable(self) -> Durable:
        """The content of the rows when this value is committed."""
        return self._durable

    @property
    def live(self) -> L:
        """State that is not in rows."""
        return self._live

    @property
    def has_row(self) -> bool:
        """Whether the group has a row, or gets one by the step that created this value."""
        return ABSENT not in self._durable.group.details


class RowsGroup(GroupValue[R]):
    """A group that consists of rows and a live half, and how its steps end."""

    __slots__ = ("_earliest",)

    def __init__(self, durable: Durable, live: R, rules: Rules) -> None:
        super().__init__(durable, live, rules)
        self._earliest: Earliest | None = None

    def with_revision(self, revision: int) -> Self:
        """The same group after its rows were written."""
        durable = Durable(self._durable.group, self._durable.members, revision)
        after = type(self)(durable, self._live, self.rules)
        after._due, after._earliest = self._due, self._earliest
        return after

    def with_rules(self, rules: Rules) -> Self:
        """The same group under other rules."""
        return type(self)(self._durable, self._live, rules)

    def roster(self) -> tuple[MemberRow, ...]:
        """The members as DescribeGroups lists them."""
        return tuple(self._durable.members.values())

    def due(self, now: Millis) -> Millis | None:
        """The next time at which a ``Tick`` may decide something; None: never.

        Computed in O(members), or from the result of the previous step; and again after it has
        passed, since heartbeats move deadlines.
        """
        if not stands(self._due, now):
            if self._earliest is None or self._due is not None:
                self._earliest = (self._live.earliest_of(self._ids(), self._durable),)
            self._due = (self._next(self._earliest[0]),)
        assert self._due is not None
        return self._due[0]

    def judge(self, commit: OffsetCommit, now: Millis) -> ErrorCode | None:
        """What a step would answer to a commit; None: it has to be stepped."""
        return None

    def _ids(self) -> Iterable[str]:
        """The ids of members that have deadlines."""
        return self._durable.members

    def _next(self, earliest: Millis | None) -> Millis | None:
        """The earliest of this and the deadlines of the group as a whole."""
        raise NotImplementedError

    def _earliest_after(self, after: Self) -> Earliest | None:
        """The earliest deadline after a step without a tick; None: it must be computed."""
        if self._earliest is None:
            return None
        ids = self._live.touched(self._durable, after._durable, after._live)
        if ids is None:
            return None
        ends = (*self._earliest, after._live.earliest_of(ids, after._durable))
        return (min((at for at in ends if at is not None), default=None),)

    def _decided(
        self, work: RowsWorkingCopy[R], events: Sequence[Event], of_kind: Check
    ) -> Decision:
        """The decision of the step. Its group is self if nothing changed, so that ``due`` need not
        be computed again."""
        if work.has_row and not self._durable.exists:
            work.journal.insert(0, JournalEntry(EntryKind.GROUP_CREATED))
        durable, live = work.durable(), work.changed_live
        after: Any = self  # a group, by the kind's other methods
        ticked = any(isinstance(event, Tick) for event in events)
        if durable is not self._durable or live is not None or ticked:
            after = type(self)(durable, self._live if live is None else live, self.rules)
            after._earliest = None if ticked else self._earliest_after(after)
        check_step(self._durable, durable, work.answers, of_kind)
        return work.decision(after)
