"""What every step over rows gathers: answers, journal, offsets, how operators' verbs ended.

The part of a working copy (``Work`` of a kind) that does not depend on the kind: the means, and no
rule. Nothing is copied before it is changed.
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any, Final

from groups.core.errors import ErrorCode
from groups.core.events import OffsetWrite, Ticket
from groups.core.group import Answer, JournalEntry, Millis, Rules
from groups.core.pending import Pending
from groups.core.replies import Operated, Reply
from groups.core.rows import NOTHING, Durable, GroupRow, MemberRow

ABSENT: Final = "absent"
"""The key in the details of a row that stands for none; a row that is written never has it."""

OPERATIONS: Final = "operations"
"""The key of the operators' verbs that end with the next generation."""

NAMED_MAX: Final = 50
"""Ids that one journal entry names; the rest is counted."""


class Gathered:
    """One step's working copy, as far as kinds agree; thrown away if its batch fails."""

    def __init__(self, durable: Durable, rules: Rules, now: Millis, rng: Random) -> None:
        self.before = durable
        self.rules = rules
        self.now = now
        self.rng = rng
        self.row = durable.group
        self.members: Mapping[str, MemberRow] = durable.members
        self.revision = durable.revision
        self.answers: list[Answer] = []
        self.journal: list[JournalEntry] = []
        self.operations: list[Operated] = []
        self.offsets: dict[tuple[str, int], OffsetWrite] = {}
        self.offset_deletes: dict[tuple[str, int], None] = {}
        self.pending: Pending = {}
        self.deleted = False

    # -- what is

    @property
    def state(self) -> str:
        """The group's state now."""
        return self.row.state

    @property
    def exists(self) -> bool:
        """Whether the group has a row, or will have one by this step."""
        return ABSENT not in self.row.details

    # -- what becomes

    def set_row(self, **columns: Any) -> None:
        """Change columns of the group's own row; one that was absent comes into being."""
        if not self.exists:
            columns.setdefault("details", NOTHING)
        self.row = replace(self.row, **columns)

    def set_details(self, **changes: Any) -> None:
        """Change keys of the row's details; None removes a key."""
        kept = {key: value for key, value in self.row.details.items() if key != ABSENT}
        details = {**kept, **changes}
        self.set_row(details={k: v for k, v in details.items() if v is not None})

    def forget_rows(self, absent: GroupRow) -> None:
        """Start over as the group that has no row (it was deleted)."""
        self.row = absent
        self.members = {}
        self.revision = 0
        self.offsets.clear()
        self.offset_deletes.clear()
        self.pending.clear()
        self.deleted = True

    # -- what follows

    def answer(self, ticket: Ticket | None, reply: Reply) -> None:
        """Send a reply once the batch has committed; nobody waits where there is no ticket."""
        if ticket is not None:
            self.answers.append(Answer(ticket, reply))

    def note(self, kind: str, **fields: Any) -> None:
        """Write a journal entry; the generation is the group's own unless said."""
        fields.setdefault("generation_before", self.row.generation)
        fields.setdefault("generation_after", self.row.generation)
        self.journal.append(JournalEntry(kind=kind, **fields))

    def operated(self, operation_id: int, error: ErrorCode, detail: str) -> None:
        """How an operator's verb ended."""
        generation = self.row.generation if error is ErrorCode.NONE else None
        self.operations.append(Operated(operation_id, error, detail, generation))

    def durable(self) -> Durable:
        """The durable half afterwards: the very object of before when nothing changed."""
        row, before = self.row, self.before
        if row is not before.group and before.exists and row == before.group:
            row = before.group
        same = row is before.group and self.members is before.members and not self.deleted
        return before if same else Durable(row, self.members, self.revision)
