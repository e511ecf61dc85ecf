"""One step's working copy of a consumer group, and what the step has gathered so far.

Means, not rules: nothing is copied before it is changed, and then once per step. The rules are
in ``heartbeat``, ``leave`` and ``offsets``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from random import Random
from typing import Any

from groups.core.assignors import NOTHING, Assignor, Part, Parts, table, weights
from groups.core.assignors.task import Question
from groups.core.consumer import client_rounds, guards, target_schedule, targets
from groups.core.consumer.index import Index, Topic
from groups.core.consumer.live import Live as Live
from groups.core.consumer.live import Timer as Timer
from groups.core.consumer.member import Member
from groups.core.consumer.partition_moves import Moves, Name
from groups.core.errors import ErrorCode
from groups.core.events import OffsetWrite, Ticket
from groups.core.group import Answer, Beat, JournalEntry, Millis, Rules
from groups.core.journal import EntryKind
from groups.core.replies import Operated, Reply
from groups.core.rows import Details, GroupRow, MemberRow
from groups.core.shared import SharedDict, shared
from groups.core.transactional_offsets import Pending

EMPTY = "Empty"
ASSIGNING = "Assigning"
RECONCILING = "Reconciling"
STABLE_GROUP = "Stable"

VACATED = "vacated"
"""A detail of the row of an empty group that is no group to those who want to go on in it
(docs/decisions/0030-refused-joins-of-empty-groups.md)."""

NO_CAUSE = ("", "", None, None)
"""What started a rebalance of a row that does not say so."""

CAUSE_SAID = "cause_said"
"""A detail of the row: what the client said whose doing is the cause, where it said anything."""

NAMED_MAX = 50
"""Ids that one journal entry names; the rest is counted."""


class Work:
    """A consumer group while one step decides; thrown away if its batch fails."""

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
        self.row = row
        self.members = members
        self.index = index
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
        self.deleted = False
        self.question: Question | None = None
        self.touched: dict[str, None] = {}
        self.written: dict[str, None] = {}
        self._own_members: SharedDict[str, Member] | None = None
        self._own_index: Index | None = None
        self._own_live: Live | None = None
        self._own_moves: Moves | None = None

    # -- what is

    @property
    def exists(self) -> bool:
        """Whether the group has a row, or will have one by this step."""
        return bool(self.row.details)

    @property
    def is_there(self) -> bool:
        """Whether whoever believes to be its member finds the group."""
        return self.exists and VACATED not in self.row.details

    def occupy(self) -> None:
        """Somebody uses the group again."""
        if VACATED in self.row.details:
            self.set_row(details={k: v for k, v in self.row.details.items() if k != VACATED})

    @property
    def target_epoch(self) -> int:
        """The group epoch for which the target was computed."""
        return int(self.row.details.get("target_epoch", 0))

    def holder(self, instance_id: str) -> Member | None:
        """The member that has an instance id."""
        member_id = self.index.instances.get(instance_id)
        return None if member_id is None else self.members[member_id]

    def is_free_for(self, member_id: str) -> "Free":
        """Whether nobody else holds a partition."""
        return Free(self.index.holders, member_id)

    # -- what becomes

    def change(self) -> Live:
        """The live half, to be changed."""
        if self._own_live is None:
            self._own_live = self.live = self.live.copy()
        return self._own_live

    def change_moves(self) -> Moves:
        """What has changed hands, to be added to."""
        if self._own_moves is None:
            self._own_moves = self.change().moves = self.live.moves.copy()
        return self._own_moves

    def forget_moves(self) -> None:
        """It was told, or there is nobody left to tell of."""
        if self.live.moves.freed or self.live.moves.handed or self.live.moves.unowned:
            self._own_moves = self.change().moves = Moves()

    def change_index(self) -> Index:
        """The index, to be changed."""
        if self._own_index is None:
            self._own_index = self.index = self.index.copy()
        return self._own_index

    def change_members(self) -> SharedDict[str, Member]:
        """The members, to be changed."""
        if self._own_members is None:
            self.members = self._own_members = shared(self.members)
        return self._own_members

    def put(self, member: Member) -> None:
        """Set a member; its row is written from its facts at the end of the step."""
        member_id = member.row.member_id
        before = self.members.get(member_id)
        if member != before:
            self.change_members()[member_id] = member
            self.change_index().swap(before, member, self.target_epoch)
            self.touched[member_id] = None
            self._watch(member_id, before.holds if before else NOTHING, member.holds)

    def _watch(self, member_id: str, had: Parts, has: Parts) -> None:
        """Note what changed hands, for the journal."""
        freed, given = had - has, has - had
        if freed:
            self.change_moves().free(freed, member_id, self.now)
        if given and (self.live.moves.freed or self.live.moves.handed):
            self.change_moves().give(given, member_id, self.now)

    def put_written(self, member: Member) -> None:
        """Set a member that holds what it held, and whose row says so already."""
        member_id = member.row.member_id
        self.change_members()[member_id] = member
        self.written[member_id] = None

    def take(
        self, member_id: str, since: Millis | None = None, *, comes_back: bool = False
    ) -> Member:
        """Remove a member, what it held and its timers.

        ``since``: from when on nobody worked on what it held (None: from now on), for the journal.
        One that ``comes_back`` under another id in the same step gives nothing up.
        """
        member = self.change_members().pop(member_id)
        if member.holds and not comes_back:
            self.change_moves().free(member.holds, member_id, self.now if since is None else since)
        self.change_index().swap(member, None, self.target_epoch)
        self.touched[member_id] = None
        live = self.change()
        for kept in (live.beats, live.timers, live.calls, live.syncs):
            kept.pop(member_id, None)
        client_rounds.gone(self, member_id)
        return member

    def hear(self, member_id: str) -> None:
        """The member was heard of just now."""
        beat = self.live.beats.get(member_id)
        if beat is None:
            self.change().beats[member_id] = Beat(self.now)
        else:
            beat.at = self.now

    def arm(self, member: Member) -> None:
        """Start the rebalance timer: the member must give something up."""
        self.change().timers[member.row.member_id] = self.timer(member)

    def timer(self, member: Member) -> Timer:
        """The member's rebalance timeout, from now on."""
        timeout = member.row.rebalance_timeout_ms
        return Timer(self.now + timeout, timeout, member.revoking)

    def disarm(self, member_id: str) -> None:
        """Stop the rebalance timer where one runs."""
        if member_id in self.live.timers:
            del self.change().timers[member_id]

    def set_row(self, **columns: Any) -> None:
        """Change columns of the group's row."""
        self.row = replace(self.row, **columns)

    def set_details(self, **facts: Any) -> None:
        """Change facts of the group's row."""
        self.set_row(details={**self.row.details, **facts})

    def set_catalogue(self, topics: Mapping[str, Topic]) -> None:
        """The subscribed topics as they are from now on."""
        self.change_index().catalogue = topics
        self.set_details(topics={name: list(topics[name]) for name in sorted(topics)})

    def set_matches(self, matches: Mapping[str, tuple[str, ...]]) -> None:
        """What the patterns stand for from now on."""
        self.change_index().match(matches)
        self.set_details(matches={regex: list(matches[regex]) for regex in sorted(matches)})

    def bump(
        self,
        trigger: str,
        reason: str,
        member: Member | None = None,
        left: Iterable[str] = (),
        *,
        waits: bool = True,
        client_reason: str = "",
    ) -> None:
        """Raise the group epoch by one, and say why. A rebalance that ``waits`` may be put off."""
        epoch = self.row.generation
        self.set_row(generation=epoch + 1)
        held = waits and bool(self.members) and guards.holds(self)
        if held != guards.is_put_off(self.row):
            self.set_details(put_off=trigger if held else None)
        if self.live.since is None and not held:
            self.change().since = self.now
            who = (member.row.member_id, member.row.client_id) if member else (None, None)
            self.set_details(cause=[trigger, reason, *who])
            self.note_said(client_reason)
        kind = EntryKind.REBALANCE_PUT_OFF if held else EntryKind.REBALANCE_STARTED
        self.note(
            kind if self.members else EntryKind.EMPTIED,
            frozen=self.rules.guards.frozen if held else None,
            trigger=trigger,
            reason=reason,
            member_id=member.row.member_id if member else None,
            client_id=member.row.client_id if member else None,
            client_reason=client_reason,
            generation_before=epoch,
            left=tuple(left)[:NAMED_MAX],
        )

    def note_said(self, client_reason: str) -> None:
        """Remember it until the rebalance has ended, through a change of owner."""
        if client_reason or CAUSE_SAID in self.row.details:
            self.set_details(**{CAUSE_SAID: client_reason})

    def note(
        self,
        kind: EntryKind,
        moved: int | None = None,
        frozen: bool | None = None,
        facts: Details | None = None,
        **fields: Any,
    ) -> None:
        """Write a journal entry about the epoch that is."""
        fields.setdefault("generation_before", self.row.generation)
        details = {"members": len(self.members), **(facts or {})}
        if moved is not None:
            details["moved"] = moved
        if frozen is not None:
            details["frozen"] = frozen
        self.journal.append(
            JournalEntry(kind, generation_after=self.row.generation, details=details, **fields)
        )

    def assign(self, *, by_members: bool = True) -> None:
        """Work the target of the present epoch out for every member, or have it worked out.

        An assignor that fails lets the whole step fail: nothing of it remains. ``by_members``
        False: although members have an assignor of their own, none of them can be waited for.
        """
        self._forget_topics()
        if by_members and client_rounds.begin(self):
            self._keep_what_there_is()
            return
        name = self.vote()
        foreign = self.rules.plugged_in.get(name)
        question = self.question_for(name, foreign or table()[name])
        if target_schedule.is_elsewhere(foreign is not None, targets.size_of(self), self.rules):
            self.question = question
            target_schedule.asked(self, question)
            self._keep_what_there_is()
        else:
            targets.go_by(self, question, question.answer())

    def _keep_what_there_is(self) -> None:
        """The target comes later; a group that has none yet has an empty one until then."""
        if not self.target_epoch:
            self.set_target(guards.first_target(self.rules))

    def question_for(self, name: str, assign: Assignor) -> Question:
        """What an assignor is asked about the group as it is. Members are told of when somebody
        looks: the event loop does not wait for that where the answer comes from elsewhere."""
        catalogue = self.index.catalogue
        members = targets.Told([self.members[m] for m in sorted(self.members)], self.index)
        counts = dict(catalogue[topic] for topic in sorted(catalogue))
        return Question(self.row.generation, name, assign, members, counts, self.live.racks)

    def set_target(self, epoch: int, **facts: Any) -> None:
        """The members' targets are those of this epoch from now on."""
        self.set_details(target_epoch=epoch, **facts)
        members = self.members.values()
        self.change_index().unsettled = sum(not m.is_settled(epoch) for m in members)

    def _forget_topics(self) -> None:
        """Drop what nobody subscribes to any more: no handler looks after it from now on."""
        used, matches = self.index.regexes, self.index.matches
        if not matches.keys() <= used.keys():
            self.set_matches({regex: matches[regex] for regex in matches if regex in used})
        names, known = self.index.names, self.index.catalogue
        if not known.keys() <= names.keys():
            self.set_catalogue({name: topic for name, topic in known.items() if name in names})

    def vote(self) -> str:
        """The assignor that most members ask for, ties by the configured order; else the first."""
        offered = self.rules.group_consumer_assignors
        votes = dict.fromkeys(offered, 0)
        for member in self.members.values():
            wanted = weights.assignor_of(member.assignor)
            if wanted in votes:
                votes[wanted] += 1
        return max(offered, key=votes.__getitem__)

    def choice(self) -> str:
        """The assignor that the group is to be assigned by, be it a server's or its members'."""
        elected = client_rounds.election(self)
        return self.vote() if elected is None else elected.name

    def settle(self) -> None:
        """The state follows from the members; when a rebalance has ended the journal says so."""
        state = self.derived()
        if state == STABLE_GROUP and self.row.generation > self.row.details.get("settled_epoch", 0):
            self._complete()
        if state == EMPTY and self.live.since is not None:
            self.change().since = None
            self.forget_moves()
        if state != self.row.state:
            self.set_row(state=state)

    def _complete(self) -> None:
        since = self.live.since
        trigger, reason, member_id, client_id = self.row.details.get("cause", NO_CAUSE)
        self.note(
            EntryKind.REBALANCE_COMPLETED,
            trigger=trigger,
            reason=reason,
            member_id=member_id,
            client_id=client_id,
            client_reason=self.row.details.get(CAUSE_SAID, ""),
            generation_before=self.row.details.get("settled_epoch", 0),
            duration_ms=None if since is None else self.now - since,
            moved=self.row.details.get("moved", 0),
            facts=self.live.moves.told(self.members, self._partition_namer()),
        )
        self.forget_moves()
        self.set_details(settled_epoch=self.row.generation, moved=0)
        live = self.change()
        live.since, live.settled_at = None, self.now

    def _partition_namer(self) -> Name:
        """Partitions as people know them: by the topic's name, where it still has one."""
        names = {topic_id: name for name, (topic_id, _) in self.index.catalogue.items()}
        return lambda part: f"{names.get(part[0], part[0])}-{part[1]}"

    def derived(self) -> str:
        """Kafka's state of a consumer group."""
        if not self.members:
            return EMPTY
        if self.row.generation > self.target_epoch:
            return ASSIGNING
        return RECONCILING if self.index.unsettled else STABLE_GROUP

    # -- what follows

    def answer(self, ticket: Ticket | None, reply: Reply) -> None:
        """Send a reply once the batch has committed."""
        if ticket is not None:
            self.answers.append(Answer(ticket, reply))

    def operated(
        self, operation_id: int, error: ErrorCode, detail: str, *, changed: bool = True
    ) -> None:
        """How an operator's verb ended."""
        generation = self.row.generation if error is ErrorCode.NONE else None
        operated = Operated(operation_id, error, detail, generation, changed=changed)
        self.operations.append(operated)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing changed, durable or live (beats are facts, not changes)."""
        return self._own_live is None and not self.touched and self._own_index is None

    def saved(
        self, before: GroupRow, rows: Mapping[str, MemberRow]
    ) -> tuple[GroupRow, Mapping[str, MemberRow], Mapping[str, Member]]:
        """The group's row, the members' rows, and the members with them.

        What is as it was before stays the same object: that is how the store knows.
        """
        row = before if self.row == before else self.row
        members, after = self.change_members(), shared(rows)
        for member_id in self.written.keys() - self.touched.keys():
            after[member_id] = members[member_id].row
        for member_id in self.touched:
            if member_id not in members:
                after.pop(member_id, None)
                continue
            saved = members[member_id].saved()
            old = rows.get(member_id)
            if old == saved.row:
                saved = replace(saved, row=old)
            members[member_id], after[member_id] = saved, saved.row
        same = all(after.get(m) is rows.get(m) for m in chain(self.touched, self.written))
        return row, rows if same else after, members


@dataclass(frozen=True, slots=True)
class Free:
    """The question whether a partition may be given to a member."""

    holders: Mapping[Part, str]
    member_id: str

    def __call__(self, part: Part) -> bool:
        return self.holders.get(part, self.member_id) == self.member_id


def absent_row(group_id: str, rules: Rules) -> GroupRow:
    """What stands for the row of a group that has none: it has no details."""
    return GroupRow(group_id, "consumer", EMPTY, rules.generations_after)


def first_details() -> Details:
    """The details of a group that has just come into being."""
    return {"target_epoch": 0, "settled_epoch": 0, "topics": {}, "assignor": None}
