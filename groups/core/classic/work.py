"""The group while one step decides: a private working copy, and what the step gathered.

This file holds the means by which rules change a group, and no rule.
"""

from dataclasses import replace
from typing import Any

from groups.core.classic import packing
from groups.core.classic.live import HANDED_OUT_MAX, HandedOutId, Join, JoinPhase, Live
from groups.core.classic.states import EMPTY, PREPARING, TRANSITIONS
from groups.core.errors import ErrorCode, Refuse
from groups.core.group import Beat, Rules
from groups.core.replies import Operated
from groups.core.rows import GroupRow, MemberRow
from groups.core.step import ABSENT, Gathered


def absent_row(group_id: str, rules: Rules) -> GroupRow:
    """What stands for the row of a group that has none."""
    generation = rules.generations_after
    return GroupRow(group_id, "classic", EMPTY, generation, details={ABSENT: True})


class Work(Gathered[Live]):
    """One step's working copy of a classic group; thrown away if the batch fails."""

    transitions = TRANSITIONS

    # What is

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

    def forget_group(self) -> None:
        """Start over as the group that has no row (it was deleted)."""
        self.forget(absent_row(self.row.group_id, self.rules), Live(floor=self.now))

    def hear(self, member_id: str) -> None:
        """The member was heard of just now."""
        beat = self.live.beats.get(member_id)
        if beat is not None:
            beat.at = self.now

    # Ids that were handed out

    def hand_out(self, member_id: str, session_timeout_ms: int) -> None:
        """The id is awaited from now on; where too many are out, the oldest is forgotten."""
        live = self.change()
        live.pending[member_id] = HandedOutId(self.now, session_timeout_ms)
        live.awaited += 1
        if len(live.pending) > HANDED_OUT_MAX:
            self.take_back(next(iter(live.pending)))

    def take_back(self, member_id: str) -> None:
        """The id came back, or nobody waits for it any more."""
        live = self.change()
        live.awaited -= live.pending.pop(member_id).is_awaited

    def await_no_more(self, member_id: str) -> None:
        """The id may still come back, but no rebalance waits for it."""
        pending = self.live.pending.get(member_id)
        if pending is not None and pending.is_awaited:
            live = self.change()
            live.pending[member_id] = replace(pending, is_awaited=False)
            live.awaited -= 1

    # Members that wait

    def park(self, join: Join) -> None:
        """Hold a join until the generation is decided, newcomers counted in."""
        live = self.change()
        member_id = join.row.member_id
        held = live.joins.get(member_id)
        if held is not None:
            live.count(held.names, held.row, -1)
        elif not join.is_new:
            self._count_row(self.members[member_id], -1)
        else:
            live.fresh += 1
            live.beats[member_id] = Beat(self.now)
        live.count(join.names, join.row, +1)
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
        live.count(join.names, join.row, -1)
        if join.is_new:
            live.fresh -= 1
            self._forget(join.row)
        else:
            self._count_row(self.members[member_id], +1)
        return join

    def remove_row(self, member_id: str) -> MemberRow:
        """Take a member's row away; its parked join must have been taken out before."""
        row = self.change_members().pop(member_id)
        live = self.change()
        self._count_row(row, -1)
        live.unsynced.pop(member_id, None)
        self._forget(row)
        return row

    def _count_row(self, row: MemberRow, by: int) -> None:
        self.change().count(packing.names_of(row.subscription), row, by)

    def _forget(self, row: MemberRow) -> None:
        live = self.change()
        live.beats.pop(row.member_id, None)
        if row.instance_id is not None and live.instances.get(row.instance_id) == row.member_id:
            del live.instances[row.instance_id]

    def set_join_phase(self, **changes: Any) -> JoinPhase:
        """Change fields of the join phase that goes on."""
        live = self.change()
        assert live.join_phase is not None and self.state == PREPARING
        live.join_phase = replace(live.join_phase, **changes)
        return live.join_phase

    # What follows

    def operated(
        self, operation_id: int, error: ErrorCode, detail: str, *, changed: bool = True
    ) -> None:
        """How an operator's verb ended, where it led to no generation."""
        self.operations.append(Operated(operation_id, error, detail, changed=changed))
