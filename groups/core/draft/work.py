"""A draft group while one step decides: a private working copy, and what the step gathered.

The means by which rules change a group, and no rule. Nothing is copied before it is changed.
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from groups.core.draft.live import Live, Round
from groups.core.draft.states import EMPTY, TRANSITIONS
from groups.core.errors import ErrorCode
from groups.core.events import OffsetWrite, Ticket
from groups.core.group import Answer, JournalEntry, Millis, Rules
from groups.core.pending import Pending
from groups.core.replies import Operated, Reply
from groups.core.rows import NOTHING, Durable, GroupRow, MemberRow

KIND = "draft"

ABSENT = "absent"
"""The key in the details of a row that stands for none; a row that is written never has it."""

OWED = "owed"
"""The key of the trigger of a rebalance that must come, whoever owns the group by then."""

EXCLUDED = "excluded"
"""The key of the consumers that the last round left out as dead: they may come back under their
ids until the next one has ended."""

TOPICS = "topics"
"""The key of what was dealt: partitions by topic name, 0 for a topic that did not exist."""

OPERATIONS = "operations"
"""The key of the operators' verbs that end with the next generation."""

NAMED_MAX = 50
"""Ids that one journal entry names; the rest is counted."""


def absent_row(group_id: str) -> GroupRow:
    """What stands for the row of a group that has none."""
    return GroupRow(group_id=group_id, kind=KIND, state=EMPTY, details={ABSENT: True})


class Work:
    """One step's working copy of a draft group; thrown away if its batch fails."""

    def __init__(
        self, durable: Durable, live: Live, rules: Rules, now: Millis, rng: Random
    ) -> None:
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
        self._own_live: Live | None = None

    # -- what is

    @property
    def state(self) -> str:
        """The group's state now."""
        return self.row.state

    @property
    def exists(self) -> bool:
        """Whether the group has a row, or will have one by this step."""
        return ABSENT not in self.row.details

    @property
    def round(self) -> Round:
        """The rebalance that goes on."""
        assert self.live.round is not None
        return self.live.round

    # -- what becomes

    def change(self) -> Live:
        """The live half, to be changed; copied at the first call of a step."""
        if self._own_live is None:
            self._own_live = self.live = self.live.copy()
        return self._own_live

    def set_members(self, members: Mapping[str, MemberRow]) -> None:
        """The members from now on, in order of arrival; each has a beat."""
        self.members = dict(members)

    def set_subscription(self, consumer_id: str, subscription: bytes) -> None:
        """Note what a member wants; what it has stays."""
        row = replace(self.members[consumer_id], subscription=subscription)
        self.set_members({**self.members, consumer_id: row})

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

    def set_round(self, **changes: Any) -> None:
        """Change fields of the rebalance that goes on."""
        self.change().round = replace(self.round, **changes)

    def move_to(self, state: str, **columns: Any) -> None:
        """Go to another state along a legal edge."""
        assert state in TRANSITIONS[self.state], f"{self.state} never leads to {state}"
        self.set_row(state=state, **columns)

    def forget_group(self) -> None:
        """Start over as the group that has no row (it was deleted)."""
        self.row = absent_row(self.row.group_id)
        self.members = {}
        self.revision = 0
        self._own_live = self.live = Live(floor=self.now)
        self.offsets.clear()
        self.offset_deletes.clear()
        self.pending.clear()
        self.deleted = True

    def hear(self, consumer_id: str) -> None:
        """The consumer was heard of just now."""
        beat = self.live.beats[consumer_id]
        beat.at = max(beat.at, self.now)

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

    @property
    def changed_live(self) -> Live | None:
        """The copy this step changed, or None when it changed nothing live."""
        return self._own_live

    def durable(self) -> Durable:
        """The durable half afterwards: the very object of before when nothing changed."""
        row, before = self.row, self.before
        if row is not before.group and before.exists and row == before.group:
            row = before.group
        same = row is before.group and self.members is before.members and not self.deleted
        return before if same else Durable(row, self.members, self.revision)
