"""The group while one step decides: a private working copy, and what the step gathered.

This file holds the means by which rules change a group, and no rule. Nothing
is copied before it is changed, and then once per step, not once per event.
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from groups.core.classic import packing
from groups.core.classic.live import Join, Live, Round
from groups.core.classic.states import EMPTY, PREPARING, TRANSITIONS
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import OffsetWrite, Ticket
from groups.core.group import Answer, Beat, JournalEntry, Millis, Rules
from groups.core.pending import Pending
from groups.core.replies import Operated, Reply
from groups.core.rows import NOTHING, Durable, GroupRow, MemberRow

NAMED_MAX = 50
"""Member ids that one journal entry names. The rest is counted: an entry about 10,000 members
must stay a few kilobytes."""


ABSENT = "absent"
"""The key in the details of a row that stands for none; a row that is written never has it."""


def absent_row(group_id: str) -> GroupRow:
    """What stands for the row of a group that has none."""
    return GroupRow(group_id=group_id, kind="classic", state=EMPTY, details={ABSENT: True})


class Work:
    """One step's working copy of a classic group; thrown away if the batch fails."""

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
        self.deleted = False
        self._own_live: Live | None = None
        self._own_members: dict[str, MemberRow] | None = None

    # What is

    @property
    def state(self) -> str:
        """Kafka's word for the state the group is in now."""
        return self.row.state

    @property
    def has_row(self) -> bool:
        """Whether the group has a row, or will have one by this step."""
        return ABSENT not in self.row.details

    @property
    def exists(self) -> bool:
        """Whether Kafka would say that the group exists: a row, or a handed-out member id."""
        return self.has_row or bool(self.live.pending)

    @property
    def size(self) -> int:
        """Members, newcomers whose join is parked included; handed-out ids are not members."""
        return len(self.members) + self.live.fresh

    def has(self, member_id: str) -> bool:
        """Whether the id is a member's, a newcomer's included."""
        return member_id in self.members or member_id in self.live.joins

    def row_of(self, member_id: str) -> MemberRow:
        """The member as it wishes to be: its parked change, else its row."""
        join = self.live.joins.get(member_id)
        return self.members[member_id] if join is None else join.row

    def member_or_refuse(self, member_id: str, instance_id: str | None) -> None:
        """Refuse those who are no member, in Kafka's order: the instance id first."""
        if instance_id is not None:
            holder = self.live.instances.get(instance_id)
            if holder is None:
                raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
            if holder != member_id:
                raise Refuse(ErrorCode.FENCED_INSTANCE_ID)
        if not self.has(member_id):
            raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)

    # What becomes

    def change(self) -> Live:
        """The live half, to be changed; copied at the first call of a step."""
        if self._own_live is None:
            self._own_live = self.live = self.live.copy()
        return self._own_live

    def change_members(self) -> dict[str, MemberRow]:
        """The member rows, to be changed; copied at the first call of a step."""
        if self._own_members is None:
            self._own_members = dict(self.members)
            self.members = self._own_members
        return self._own_members

    def set_members(self, members: dict[str, MemberRow]) -> None:
        """All member rows at once, in order of arrival."""
        self._own_members = members
        self.members = members

    def set_row(self, **columns: Any) -> None:
        """Change columns of the group's own row; one that was absent comes into being."""
        if not self.has_row:
            columns.setdefault("details", NOTHING)
        self.row = replace(self.row, **columns)

    def set_details(self, **changes: Any) -> None:
        """Change keys of the row's details; None removes a key."""
        details = {**self.row.details, **changes}
        self.set_row(details={k: v for k, v in details.items() if v is not None})

    def move_to(self, state: str, **columns: Any) -> None:
        """Go to another state along a legal edge."""
        assert state in TRANSITIONS[self.state], f"{self.state} never leads to {state}"
        self.set_row(state=state, **columns)

    def forget_group(self) -> None:
        """Start over as the group that has no row (it was deleted)."""
        self.row = absent_row(self.row.group_id)
        self.set_members({})
        self.revision = 0
        self._own_live = self.live = Live(floor=self.now)
        self.offsets.clear()
        self.offset_deletes.clear()
        self.pending.clear()
        self.deleted = True

    def hear(self, member_id: str) -> None:
        """The member was heard of just now."""
        beat = self.live.beats.get(member_id)
        if beat is not None and self.now > beat.at:
            beat.at = self.now

    # Members that wait

    def park(self, join: Join) -> None:
        """Hold a join until the generation is decided, newcomers counted in."""
        live = self.change()
        member_id = join.row.member_id
        held = live.joins.get(member_id)
        if held is not None:
            live.count(held.names, -1)
        elif not join.is_new:
            live.count(packing.names_of(self.members[member_id].subscription), -1)
        else:
            live.fresh += 1
            live.beats[member_id] = Beat(self.now)
        live.count(join.names, +1)
        live.joins[member_id] = join
        if join.row.instance_id is not None:
            live.instances[join.row.instance_id] = member_id

    def unpark(self, member_id: str) -> Join | None:
        """Stop holding a join without deciding it; its ticket is the caller's to answer.

        A newcomer is no member any more; a known one is again what its row says.
        """
        if member_id not in self.live.joins:
            return None
        live = self.change()
        join = live.joins.pop(member_id)
        live.count(join.names, -1)
        if join.is_new:
            live.fresh -= 1
            self._forget(join.row)
        else:
            live.count(packing.names_of(self.members[member_id].subscription), +1)
        return join

    def remove_row(self, member_id: str) -> MemberRow:
        """Take a member's row away; its parked join must have been taken out before."""
        row = self.change_members().pop(member_id)
        live = self.change()
        live.count(packing.names_of(row.subscription), -1)
        live.unsynced.discard(member_id)
        self._forget(row)
        return row

    def _forget(self, row: MemberRow) -> None:
        live = self.change()
        live.beats.pop(row.member_id, None)
        if row.instance_id is not None and live.instances.get(row.instance_id) == row.member_id:
            del live.instances[row.instance_id]

    def set_round(self, **changes: Any) -> Round:
        """Change fields of the join phase that goes on."""
        live = self.change()
        assert live.round is not None and self.state == PREPARING
        live.round = replace(live.round, **changes)
        return live.round

    # What follows

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
        """How an operator's verb ended, where it led to no generation."""
        self.operations.append(Operated(operation_id, error, detail))

    @property
    def changed_live(self) -> Live | None:
        """The copy this step changed, or None when it changed nothing live."""
        return self._own_live

    def durable(self) -> Durable:
        """The durable half afterwards: the very object of before when nothing changed."""
        row, before = self.row, self.before
        if row is not before.group and before.exists and row == before.group:
            row = before.group
        if row is before.group and self._own_members is None and not self.deleted:
            return before
        members = self.members if self._own_members is not None else before.members
        return Durable(row, members, self.revision)
