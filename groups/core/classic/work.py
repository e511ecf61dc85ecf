"""The working copy of a classic group during one step, and the results of the step.

This file has the operations by which rules change a group, and no rule.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from groups.core.classic.live import AWAITED_MS, HANDED_OUT_MAX, HandedOutId, Join, JoinPhase, Live
from groups.core.classic.states import COMPLETING, EMPTY, PREPARING, TRANSITIONS
from groups.core.errors import ErrorCode, Refuse
from groups.core.facts import Departure
from groups.core.group import Beat, Millis
from groups.core.replies import Operated
from groups.core.rows import MemberRow
from groups.core.step import RowsWorkingCopy
from groups.core.subscription import metadata_of, owned_count, protocol_names, topics_of_all
from groups.core.values import replaced

KIND: Final = "classic"

CONSUMER_PROTOCOL_TYPE: Final = "consumer"
"""The protocol type whose metadata are subscriptions that can be decoded."""

NONE: Final = ErrorCode.NONE  # a look-up in an enumeration takes 0.1 us


def stranger(
    members: Mapping[str, MemberRow], live: Live, member_id: str, instance_id: str | None
) -> ErrorCode:
    """Why the request's sender is no member, in Kafka's order: the instance id first; NONE: it is
    one."""
    if instance_id is not None:
        holder = live.instances.get(instance_id)
        if holder is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        if holder != member_id:
            return ErrorCode.FENCED_INSTANCE_ID
    is_one = member_id in members or member_id in live.joins
    return NONE if is_one else ErrorCode.UNKNOWN_MEMBER_ID


class Work(RowsWorkingCopy[Live]):
    """One step's working copy of a classic group; discarded if the batch fails."""

    kind = KIND
    transitions = TRANSITIONS

    @cached_property
    def unparked(self) -> dict[str, Millis]:
        """Members whose parked joins this step has dropped, and when they had joined."""
        return {}

    # State

    @property
    def exists(self) -> bool:
        """Whether the group exists as in Kafka: it has a row, or has handed out a member id."""
        return self.has_row or bool(self.live.pending)

    @property
    def size(self) -> int:
        """The number of members, with new ones whose join is parked, without handed-out ids."""
        return len(self.members) + self.live.fresh

    def has(self, member_id: str) -> bool:
        """Whether this is the id of a member, including new ones whose join is parked."""
        return member_id in self.members or member_id in self.live.joins

    def row_of(self, member_id: str) -> MemberRow:
        """The member with its parked changes, if any."""
        join = self.live.joins.get(member_id)
        return self.members[member_id] if join is None else join.row

    def member_or_refuse(self, member_id: str, instance_id: str | None) -> None:
        """Refuse requests whose sender is no member."""
        if code := stranger(self.members, self.live, member_id, instance_id):
            raise Refuse(code)

    @property
    def has_members(self) -> bool:
        """Whether anybody is in the group, or waits to be: new members of a frozen group."""
        return self.state != EMPTY or bool(self.live.joins)

    @property
    def rebalances(self) -> bool:
        """Whether a rebalance goes on."""
        return self.state in (PREPARING, COMPLETING)

    def topics_in_use(self) -> frozenset[str] | None:
        """The topics that members consume. A group with members of another protocol type than
        "consumer", or before its first generation, may use any topic."""
        if self.state == EMPTY:
            return frozenset()
        name = self.row.protocol_name
        if self.row.protocol_type != CONSUMER_PROTOCOL_TYPE or name is None:
            return None
        return topics_of_all(metadata_of(row.subscription, name) for row in self.members.values())

    # Changes

    def forget_group(self) -> None:
        """Continue as the group without a row: it was deleted; handed-out member ids go with it."""
        if self.has_row:
            self.forget(Live(floor=self.now))
        else:
            live = self.change()
            live.pending.clear()
            live.awaited.clear()

    def hear(self, member_id: str) -> None:
        """The member sent something now."""
        beat = self.live.beats.get(member_id)
        if beat is not None:
            beat.at = self.now

    # Handed-out member ids

    def hand_out(self, member_id: str, session_timeout_ms: int, connection: int | None) -> None:
        """Hand out a member id, and wait for it instead of an earlier one of the connection; if
        there are too many, forget the oldest."""
        live = self.change()
        live.pending[member_id] = HandedOutId(self.now, session_timeout_ms, connection)
        live.awaited.pop(connection, None)
        phase = live.join_phase
        if phase is None or self.now < phase.started_at + AWAITED_MS:
            live.awaited[connection] = member_id
        if len(live.pending) > HANDED_OUT_MAX:
            self.take_back(next(iter(live.pending)))

    def take_back(self, member_id: str) -> None:
        """The id was used, or is forgotten."""
        self.await_no_more(member_id)
        del self.change().pending[member_id]

    def await_no_more(self, member_id: str) -> None:
        """The id may still be used, but no rebalance waits for it."""
        live = self.live
        if member_id in live.pending and live.awaits(member_id):
            del self.change().awaited[live.pending[member_id].connection]

    # Waiting members

    def park(self, join: Join) -> None:
        """Hold a join until the generation is decided; a new member counts from now on."""
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
        """Stop holding a join without deciding it; the caller answers its ticket.

        A new member is not a member any more; a known one is again as in its row.
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
            self.unparked[member_id] = join.first
        return join

    def remove_row(self, member_id: str, departure: Departure) -> MemberRow:
        """Remove a member's row; its parked join must have been removed before."""
        self.ended(member_id, departure)
        row = self.change_members().pop(member_id)
        live = self.change()
        self._count_row(row, -1)
        live.unsynced.pop(member_id, None)
        live.told.pop(member_id, None)
        self._forget(row)
        return row

    def stopped_at(self, member_id: str) -> Millis | None:
        """Since when it has joined again, unless it still owns partitions then (KIP-429)."""
        at = self.live.rejoined.get(member_id, self.unparked.get(member_id))
        if at is None or self.row.protocol_name is None:
            return at
        subscription = self.members[member_id].subscription
        keeps = owned_count(metadata_of(subscription, self.row.protocol_name))
        return None if keeps else at

    def _count_row(self, row: MemberRow, by: int) -> None:
        self.change().count(protocol_names(row.subscription), row, by)

    def _forget(self, row: MemberRow) -> None:
        live = self.change()
        live.beats.pop(row.member_id, None)
        if row.instance_id is not None and live.instances.get(row.instance_id) == row.member_id:
            del live.instances[row.instance_id]

    def set_join_phase(self, **changes: Any) -> JoinPhase:
        """Change fields of the current join phase."""
        live = self.change()
        assert live.join_phase is not None and self.state == PREPARING
        live.join_phase = replaced(live.join_phase, **changes)
        return live.join_phase

    # Results

    def operated(
        self, operation_id: int, error: ErrorCode, detail: str, *, changed: bool = True
    ) -> None:
        """The result of an operation that led to no generation."""
        self.operations.append(Operated(operation_id, error, detail, changed=changed))
