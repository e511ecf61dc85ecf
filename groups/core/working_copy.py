"""What every step over rows and what is live gathers, and how it changes either.

The part of a working copy (``Work`` of a kind) that does not depend on the kind: the means, and no
rule. Nothing is copied before it is changed, and then once per step, not once per event.
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any, ClassVar, Final, Generic, Protocol, Self, TypeVar

from groups.core.errors import ErrorCode
from groups.core.events import OffsetWrite, Ticket
from groups.core.group import Answer, JournalEntry, Millis, Rules
from groups.core.journal import EntryKind
from groups.core.replies import Operated, Reply
from groups.core.rows import NOTHING, Durable, GroupRow, MemberRow
from groups.core.shared import SharedDict, shared
from groups.core.transactional_offsets import Pending

ABSENT: Final = "absent"
"""The key in the details of a row that stands for none; a row that is written never has it."""

NAMED_MAX: Final = 50
"""Ids that one journal entry names; the rest is counted."""


class Lives(Protocol):
    """The live half of a group, of whatever kind."""

    def copy(self) -> Self:
        """A copy that a step may change."""
        ...


L = TypeVar("L", bound=Lives)


class Gathered(Generic[L]):
    """One step's working copy, as far as kinds agree; thrown away if its batch fails.

    ``transitions``: what each state of the kind leads to.
    """

    transitions: ClassVar[Mapping[str, frozenset[str]]]

    def __init__(self, durable: Durable, live: L, rules: Rules, now: Millis, rng: Random) -> None:
        self.before = durable
        self.rules = rules
        self.now = now
        self.rng = rng
        self.row = durable.group
        self.members: Mapping[str, MemberRow] = durable.members
        self.revision = durable.revision
        self.live = live
        self.answers: list[Answer] = []
        self.journal: list[JournalEntry] = []
        self.operations: list[Operated] = []
        self.offsets: dict[tuple[str, int], OffsetWrite] = {}
        self.offset_deletes: dict[tuple[str, int], None] = {}
        self.pending: Pending = {}
        self.hung_up: list[str] = []
        self.deleted = False
        self._own_live: L | None = None
        self._own_members: SharedDict[str, MemberRow] | None = None

    # -- what is

    @property
    def state(self) -> str:
        """The group's state now."""
        return self.row.state

    @property
    def has_row(self) -> bool:
        """Whether the group has a row, or will have one by this step."""
        return ABSENT not in self.row.details

    @property
    def exists(self) -> bool:
        """Whether there is a group at all: its row, where a kind says no more."""
        return ABSENT not in self.row.details

    # -- what becomes

    def change(self) -> L:
        """The live half, to be changed; copied at the first call of a step."""
        if self._own_live is None:
            self._own_live = self.live = self.live.copy()
        return self._own_live

    def change_members(self) -> SharedDict[str, MemberRow]:
        """The member rows, to be changed; copied at the first call of a step."""
        if self._own_members is None:
            self.members = self._own_members = shared(self.members)
        return self._own_members

    def set_members(self, members: Mapping[str, MemberRow]) -> None:
        """All member rows at once, in order of arrival."""
        self._own_members = self.members = SharedDict(members)

    def set_row(self, **columns: Any) -> None:
        """Change columns of the group's own row; one that was absent comes into being."""
        if not self.has_row:
            columns.setdefault("details", NOTHING)
        self.row = replace(self.row, **columns)

    def set_details(self, **changes: Any) -> None:
        """Change keys of the row's details; None removes a key."""
        kept = {key: value for key, value in self.row.details.items() if key != ABSENT}
        details = {**kept, **changes}
        self.set_row(details={k: v for k, v in details.items() if v is not None})

    def move_to(self, state: str, **columns: Any) -> None:
        """Go to another state along a legal edge."""
        assert state in self.transitions[self.state], f"{self.state} never leads to {state}"
        self.set_row(state=state, **columns)

    def forget(self, absent: GroupRow, live: L) -> None:
        """Start over as the group that has no row (it was deleted)."""
        self.row = absent
        self.set_members({})
        self.revision = 0
        self._own_live = self.live = live
        self.offsets.clear()
        self.offset_deletes.clear()
        self.pending.clear()
        self.deleted = True

    # -- what follows

    def answer(self, ticket: Ticket | None, reply: Reply) -> None:
        """Send a reply once the batch has committed; nobody waits where there is no ticket."""
        if ticket is not None:
            self.answers.append(Answer(ticket, reply))

    def note(self, kind: EntryKind, **fields: Any) -> None:
        """Write a journal entry; the generation is the group's own unless said."""
        fields.setdefault("generation_before", self.row.generation)
        fields.setdefault("generation_after", self.row.generation)
        self.journal.append(JournalEntry(kind=kind, **fields))

    def operated(
        self, operation_id: int, error: ErrorCode, detail: str, *, changed: bool = True
    ) -> None:
        """How an operator's verb ended."""
        generation = self.row.generation if error is ErrorCode.NONE else None
        operated = Operated(operation_id, error, detail, generation, changed=changed)
        self.operations.append(operated)

    @property
    def changed_live(self) -> L | None:
        """The copy this step changed, or None when it changed nothing live."""
        return self._own_live

    def durable(self) -> Durable:
        """The durable half afterwards: the very object of before when nothing changed."""
        row, before = self.row, self.before
        if row is not before.group and before.exists and row == before.group:
            row = before.group
        same = row is before.group and self.members is before.members and not self.deleted
        return before if same else Durable(row, self.members, self.revision)
