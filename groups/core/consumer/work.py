"""One step's working copy of a consumer group, and the results of the step.

It has operations, not rules: nothing is copied before it changes, and then once per step. The rules
are in ``heartbeat``, ``rebalance``, ``leave`` and ``offsets``.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Any, Final

from groups.core import drains, rounds
from groups.core.assignors.types import NOTHING, Part, Parts
from groups.core.consumer import ownership
from groups.core.consumer.index import Index, Topic
from groups.core.consumer.live import Live as Live
from groups.core.consumer.live import Open
from groups.core.consumer.live import Timer as Timer
from groups.core.consumer.member import UNRELEASED, Member
from groups.core.consumer.partition_moves import Moves
from groups.core.consumer.states import ASSIGNING, RECONCILING
from groups.core.explanation import Explanation
from groups.core.facts import Departure
from groups.core.group import Beat, Decision, Group, JournalEntry, Millis, Rules
from groups.core.journal import EntryKind
from groups.core.rounds import Outcome
from groups.core.rows import Details, GroupRow, MemberRow
from groups.core.step import WorkingCopy
from groups.core.values import SharedDict, quick, replaced, shared

KIND: Final = "consumer"

VACATED = "vacated"
"""A detail of an empty group's row: to clients that believe to be its members the group does not
exist (docs/decisions/0030-refused-joins-of-empty-groups.md)."""

CLIENT_REASON = "cause_said"
"""A detail of the row: the reason that the client sent whose request is the cause, if any."""


class Work(WorkingCopy[Live, Member]):
    """A consumer group during one step; discarded if its batch fails."""

    kind = KIND

    def __init__(
        self,
        row: GroupRow,
        members: Mapping[str, Member],
        index: Index,
        live: Live,
        rules: Rules,
        now: Millis,
        rng: Random,
    ) -> None:
        super().__init__(row, members, live, rules, now, rng)
        self.index = index
        self.touched: dict[str, None] = {}
        self.written: dict[str, None] = {}
        self.owners: dict[str, int] = {}
        self._own_index: Index | None = None
        self._own_moves: Moves | None = None
        self.moved: dict[str, Millis | None] = {}
        self.newcomers: set[str] = set()
        self.is_retargeted = False
        self.own_open = False

    # -- state

    @property
    def is_there(self) -> bool:
        """Whether the group exists for clients that believe to be its members."""
        return self.exists and VACATED not in self.row.details

    @property
    def rebalances(self) -> bool:
        """Whether members are moving to a target, or one is being computed."""
        return self.row.state in (ASSIGNING, RECONCILING)

    @property
    def expires_since_empty(self) -> bool:
        """Each commit's own age counts."""
        return False

    def topics_in_use(self) -> Collection[str]:
        """Every name that a member subscribes to."""
        return self.index.names

    def occupy(self) -> None:
        """The group is used again."""
        if VACATED in self.row.details:
            self.set_row(details={k: v for k, v in self.row.details.items() if k != VACATED})

    @property
    def target_epoch(self) -> int:
        """The group epoch for which the target was computed."""
        return int(self.row.details.get("target_epoch", 0))

    def holder(self, instance_id: str) -> Member | None:
        """The member with this instance id."""
        member_id = self.index.instances.get(instance_id)
        return None if member_id is None else self.members[member_id]

    def is_free_for(self, member_id: str) -> "Free":
        """Returns whether no other member holds a partition."""
        return Free(self.index.holders, member_id)

    # -- changes

    def change_moves(self) -> Moves:
        """The moved partitions, for changes."""
        if self._own_moves is None:
            self._own_moves = self.change().moves = self.live.moves.copy()
        return self._own_moves

    def forget_moves(self) -> None:
        """The moves were journaled, or the group is empty."""
        if self.live.moves.freed or self.live.moves.handed or self.live.moves.unowned:
            self._own_moves = self.change().moves = Moves()

    def change_open(self) -> SharedDict[str, Open]:
        """What is awaited of members, for changes."""
        if not self.own_open:
            live = self.change()
            live.open, self.own_open = live.open.copy(), True
        return self.live.open

    def released_at(self, member: Member) -> Millis | None:
        """The time since which a member that waits for partitions could have them; None: another
        one still holds some, or it waits for none."""
        return released_at(member, self.index, self.live)

    def change_index(self) -> Index:
        """The index, for changes."""
        if self._own_index is None:
            self._own_index = self.index = self.index.copy()
        return self._own_index

    def put(self, member: Member) -> None:
        """Set a member; its row is written from its values at the end of the step."""
        member_id = member.row.member_id
        before = self.members.get(member_id)
        if member is not before and member != before:
            if member_id not in self.moved:
                waits = before is not None and member_id in self.live.open
                self.moved[member_id] = self.released_at(before) if waits and before else None
            self.change_members()[member_id] = member
            self.change_index().swap(before, member, self.target_epoch)
            self.touched[member_id] = None
            if before is None:
                self.newcomers.add(member_id)
                self.facts.append(ownership.began(member, self.row.generation, self.client))
            self._watch(member_id, before.holds if before else NOTHING, member.holds)

    def _watch(self, member_id: str, had: Parts, has: Parts) -> None:
        """Record which partitions changed their holder, for the journal."""
        freed, given = had - has, has - had
        if freed or given:
            self.owners[member_id] = self.row.generation
        if freed:
            self.change_moves().free(freed, member_id, self.now, self.now)
        if given and (self.live.moves.freed or self.live.moves.handed):
            self.change_moves().give(given, member_id, self.now)

    def round_ended(self, epoch: int, outcome: Outcome, why: Explanation | None) -> None:
        """The rebalance to this epoch has ended. Members of this protocol work on while they
        wait."""
        moved, idle = self.row.details.get("moved", 0), self.live.moves.idle(self.now)
        members = len(self.members)
        fact = rounds.of(epoch, outcome, (why,), members, moved=moved, idle=idle)
        self.facts.append(fact)

    def put_written(self, member: Member) -> None:
        """Set a member whose partitions are unchanged and whose row is already up to date."""
        member_id = member.row.member_id
        self.change_members()[member_id] = member
        self.written[member_id] = None

    def take(
        self,
        member_id: str,
        departure: Departure,
        since: Millis | None = None,
    ) -> Member:
        """Remove a member, its partitions and its timers.

        ``since``: from when on it did not work on its partitions (None: now), for the journal. One
        that is replaced in the same step gives up only what it had to revoke.
        """
        self.ended(member_id, departure)
        drains.gone(self, self.members[member_id].drain, departure)
        self.owners.pop(member_id, None)
        member = self.change_members().pop(member_id)
        freed = member.revoking if departure is Departure.REPLACED else member.holds
        if freed:
            silent_since = self.now if since is None else since
            self.change_moves().free(freed, member_id, silent_since, self.now)
        self.change_index().swap(member, None, self.target_epoch)
        self.touched[member_id] = None
        live = self.change()
        for kept in (live.beats, live.timers, live.calls, live.syncs):
            kept.pop(member_id, None)
        return member

    def hear(self, member_id: str) -> None:
        """The member sent something now."""
        beat = self.live.beats.get(member_id)
        if beat is None:
            self.change().beats[member_id] = Beat(self.now)
        else:
            beat.at = self.now

    def arm(self, member: Member) -> None:
        """Start the rebalance timer: the member must revoke partitions."""
        self.change().timers[member.row.member_id] = self.timer(member)

    def timer(self, member: Member) -> Timer:
        """A timer with the member's rebalance timeout, from now."""
        timeout = member.row.rebalance_timeout_ms
        return Timer(self.now + timeout, timeout, member.revoking)

    def disarm(self, member_id: str) -> None:
        """Stop the rebalance timer, if it runs."""
        if member_id in self.live.timers:
            del self.change().timers[member_id]

    def set_details(self, **changes: Any) -> None:
        """Change keys of the row's details. None is a value here: "none yet", "not any more"."""
        self.set_row(details={**self.row.details, **changes})

    def set_catalogue(self, topics: Mapping[str, Topic]) -> None:
        """Set the subscribed topics."""
        self.change_index().catalogue = topics
        self.set_details(topics={name: list(topics[name]) for name in sorted(topics)})

    def set_matches(self, matches: Mapping[str, tuple[str, ...]]) -> None:
        """Set the names that match the patterns."""
        self.change_index().match(matches)
        self.set_details(matches={regex: list(matches[regex]) for regex in sorted(matches)})

    def keep_client_reason(self, client_reason: str) -> None:
        """Keep the client's reason until the rebalance has ended, also after a change of owner."""
        if client_reason or CLIENT_REASON in self.row.details:
            self.set_details(**{CLIENT_REASON: client_reason})

    def note(
        self,
        kind: EntryKind,
        moved: int | None = None,
        frozen: bool | None = None,
        facts: Details | None = None,
        **fields: Any,
    ) -> None:
        """Add a journal entry with the current epoch."""
        fields.setdefault("generation_before", self.row.generation)
        fields.setdefault("generation_after", self.row.generation)
        details = {"members": len(self.members), **(facts or {})}
        if moved is not None:
            details["moved"] = moved
        if frozen is not None:
            details["frozen"] = frozen
        self.journal.append(JournalEntry(kind, details=details, **fields))

    def set_target(self, epoch: int, **facts: Any) -> None:
        """Set the epoch of the members' targets."""
        self.is_retargeted = True
        self.set_details(target_epoch=epoch, **facts)
        members = self.members.values()
        self.change_index().unsettled = sum(not m.is_settled(epoch) for m in members)

    # -- results

    def decision(self, group: Group) -> Decision:
        """The results of the step; the facts end with what members own after it."""
        if self.owners:
            self.facts += ownership.owned(self.owners, self.members, self.index)
        return super().decision(group)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing changed, durable or live (beats do not count)."""
        return self._own_live is None and not self.touched and self._own_index is None

    def saved(
        self, before: GroupRow, rows: Mapping[str, MemberRow]
    ) -> tuple[GroupRow, Mapping[str, MemberRow], Mapping[str, Member]]:
        """The group's row, the members' rows, and the members with them.

        Unchanged values stay the same objects, by which the store finds what to write.
        """
        row = before if self.row is before or self.row == before else self.row
        members, after = self.change_members(), shared(rows)
        for member_id in self.written.keys() - self.touched.keys():
            after[member_id] = members[member_id].row
        for member_id in self.touched:
            if member_id not in members:
                after.pop(member_id, None)
                continue
            saved = members[member_id].saved()
            old = rows.get(member_id)
            if old is not saved.row and old == saved.row:
                saved = replaced(saved, row=old)
            members[member_id], after[member_id] = saved, saved.row
        same = all(after.get(m) is rows.get(m) for m in chain(self.touched, self.written))
        return row, rows if same else after, members


def released_at(member: Member, index: Index, live: Live) -> Millis | None:
    """``Work.released_at``, of committed values."""
    if member.state != UNRELEASED:
        return None
    at, freed = 0, live.moves.freed
    for part in member.target - member.assigned:
        if part in index.holders:
            return None
        if part in freed:
            at = max(at, freed[part].at)
    return at


@quick
@dataclass(frozen=True, slots=True)
class Free:
    """Whether a partition may be assigned to a member."""

    holders: Mapping[Part, str]
    member_id: str

    def __call__(self, part: Part) -> bool:
        return self.holders.get(part, self.member_id) == self.member_id


def first_details() -> Details:
    """The details of a new group."""
    return {"target_epoch": 0, "settled_epoch": 0, "topics": {}, "assignor": None}
