"""A consumer group becomes a classic group when its last member of the consumer protocol is gone.

The remaining classic members keep their partitions and rebalance, as after any departure; if a
static member has replaced the last one without a rebalance, the group is Stable. An empty group
takes the protocol of the member that joins. What the classic group does afterwards is not decided
here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random

from groups.core.assignment import assignment_for
from groups.core.classic import awaited, recovery
from groups.core.classic.descriptions import described_as
from groups.core.classic.group import ClassicGroup, check_change
from groups.core.classic.join_phase import prepare, rebalance_or_go_on, select_protocol
from groups.core.classic.live import Cause, Live, Told
from groups.core.classic.states import EMPTY, REBALANCES, STABLE
from groups.core.classic.work import Work
from groups.core.consumer.classic_members import PROTOCOL_TYPE, named_parts
from groups.core.consumer.group import ConsumerGroup
from groups.core.consumer.member import Member
from groups.core.consumer.states import RECONCILING, STABLE_GROUP
from groups.core.consumer.work import VACATED
from groups.core.conversion import policy
from groups.core.errors import ErrorCode
from groups.core.events import JoinGroup
from groups.core.facts import Owns, owned_in
from groups.core.group import Answer, Decision, JournalEntry, Millis
from groups.core.journal import EntryKind, Trigger
from groups.core.replies import Joined, Operated
from groups.core.rows import NOTHING, Durable, GroupRow, MemberRow
from groups.core.step import check_step
from groups.core.subscription import protocol_names, subscription_of, unpack_protocols
from groups.core.values import SharedDict

REASON = "the last member of the consumer protocol has gone"
EMPTY_REASON = "a member of the classic protocol joined the empty group"

UNDRAINED = "the group became a classic one, whose leader assigns: nobody is drained any more"


def decide_empty(group: ConsumerGroup, event: JoinGroup, now: Millis, rng: Random) -> Decision:
    """A classic join of a consumer group without members: it becomes a classic one if that accepts
    the join. If the join names an unknown member, the group does not exist for its former members
    afterwards."""
    after = _empty(group, event, now)
    decision = after.step([event], now, rng)
    assert isinstance(decision.group, ClassicGroup)
    live = decision.group.live
    if not (live.joins or live.pending or decision.group.durable.members):
        refused = replace(decision, group=group, journal=(), facts=())
        return refused if _is_out_of_bounds(decision) else replace(refused, group=_vacated(group))
    member_id, client_reason = event.member_id or None, event.reason or ""
    entry = policy.converted(
        group, after, Trigger.MEMBER_JOINED, EMPTY_REASON, member_id, event.client_id, client_reason
    )
    return replace(decision, journal=(entry, *decision.journal))


def _empty(group: ConsumerGroup, event: JoinGroup, now: Millis) -> ClassicGroup:
    """The classic group for the join: an absent one if the join names a member, which is looked up
    before anything else."""
    row, rules = group.durable.group, group.rules
    if event.member_id:
        return ClassicGroup.absent(row.group_id, rules, now)
    empty = GroupRow(row.group_id, "classic", EMPTY, row.generation, PROTOCOL_TYPE, details=NOTHING)
    durable = Durable(empty, {}, group.durable.revision)
    return ClassicGroup(durable, recovery.fresh(durable, now, rules), rules)


def _is_out_of_bounds(decision: Decision) -> bool:
    """Whether the join was refused before the group was looked up."""
    codes = (answer.reply.error for answer in decision.answers)
    return ErrorCode.INVALID_SESSION_TIMEOUT in codes


def _vacated(group: ConsumerGroup) -> ConsumerGroup:
    row = group.durable.group
    if VACATED in row.details:
        return group
    after = replace(row, details={**row.details, VACATED: True})
    return ConsumerGroup.merge(
        replace(group.durable, group=after), group.live, group.rules, group.live.floor
    )


def follow(before: ConsumerGroup, decision: Decision, now: Millis, rng: Random) -> Decision:
    """The decision, converted if it leaves only classic members in the group."""
    group = decision.group
    assert isinstance(group, ConsumerGroup)
    if decision.deleted or not _is_due(group):
        return decision
    change = _Change(before, group, decision)
    work = Work(change.durable, change.live(now), group.rules, now, rng)
    if not change.is_undisturbed:
        cause = change.cause
        work.set_details(must_rebalance=cause.trigger)
        change.rebalance(work, cause)
    live = work.live if work.changed_live is None else work.changed_live
    after = ClassicGroup(work.durable(), live, group.rules)
    answers = tuple(map(change.answer, decision.answers))
    check_step(before.durable, after.durable, answers, check_change)
    return replace(
        decision,
        group=after,
        answers=(*answers, *work.answers),
        journal=(*change.journal(after), *work.journal),
        operations=(*decision.operations, *change.ended_drains(), *work.operations),
        facts=(*decision.facts, *_owns(change.durable), *work.facts),
    )


def _owns(durable: Durable) -> Iterator[Owns]:
    """What the members have as members of the classic group."""
    for member_id, row in durable.members.items():
        yield Owns(member_id, durable.group.generation, owned_in(row.assignment))


def _is_due(group: ConsumerGroup) -> bool:
    """Whether only classic members are left, and the conversion is allowed."""
    members, rules = group.members, group.rules
    return (
        bool(members)
        and all(member.is_classic for member in members.values())
        and policy.allows(rules, policy.DOWNGRADE)
        and len(members) <= rules.group_max_size
    )


@dataclass(frozen=True, slots=True)
class _Change:
    """A consumer group before and after the decision that left only classic members."""

    before: ConsumerGroup
    after: ConsumerGroup
    decision: Decision

    @property
    def has_departed(self) -> bool:
        """Whether a member was removed; otherwise a static one replaced the last one."""
        return len(self.after.members) < len(self.before.members)

    @property
    def behind(self) -> str | None:
        """The first member that has not reached the group's epoch; None: all have."""
        members = sorted(self.after.members.values(), key=lambda member: member.row.position)
        late = (member for member in members if member.epoch < self.generation)
        return next((member.row.member_id for member in late), None)

    @property
    def is_undisturbed(self) -> bool:
        """Whether the group may be Stable: no rebalance is needed, and every member has its
        assignment, or the leader will join again because its generation is outdated."""
        if self.has_departed or self.start is not None:
            return False
        state = self.after.durable.group.state
        return state == STABLE_GROUP or (state == RECONCILING and self.behind is not None)

    @property
    def generation(self) -> int:
        """The group epoch; a departure raised it only to let members join again, which the next
        generation does here."""
        group = self.before if self.has_departed else self.after
        return group.durable.group.generation

    @property
    def start(self) -> JournalEntry | None:
        """The entry by which the decision journaled the new epoch."""
        entries = (entry for entry in self.decision.journal if entry.kind.startswith("rebalance-"))
        return next(
            (entry for entry in entries if entry.kind != EntryKind.REBALANCE_COMPLETED), None
        )

    @property
    def cause(self) -> Cause:
        """The cause of the classic members' rebalance."""
        start = self.start
        if start is None or not self.has_departed:
            reason = "a static member came back by the classic protocol"
            return Cause(Trigger.MEMBER_REPLACED, reason)
        trigger = start.trigger if start.trigger in REBALANCES else Trigger.MEMBER_LEFT
        who = (start.member_id, start.client_id)
        return Cause(trigger, start.reason, *who, start.left, start.client_reason)

    @property
    def durable(self) -> Durable:
        """The rows of the classic group, Stable in this generation."""
        rows = sorted(map(self._row, self.after.members.values()), key=lambda row: row.position)
        row = GroupRow(
            self.after.durable.group.group_id,
            "classic",
            STABLE,
            self.generation,
            PROTOCOL_TYPE,
            select_protocol(_preferences(rows)),
            self.behind or rows[0].member_id,
            {"synced": True},
        )
        members = {row.member_id: row for row in rows}
        return Durable(row, members, self.after.durable.revision)

    def _row(self, member: Member) -> MemberRow:
        """A member's row, with its assignment in the format that it reads."""
        subscription = subscription_of(unpack_protocols(member.row.subscription)[0][1])
        topics = {**self.before.topics, **self.after.topics}
        parts, target = named_parts(member.assigned, topics), named_parts(member.target, topics)
        details = NOTHING if self.is_undisturbed or parts == target else described_as(target)
        return replace(member.row, assignment=assignment_for(parts, subscription), details=details)

    def live(self, now: Millis) -> Live:
        """The live state: sessions continue; there was nothing else."""
        before = self.after.live
        live = recovery.fresh(self.durable, now, self.after.rules)
        live.beats = SharedDict((m, before.beats[m]) for m in self.after.members)
        live.floor, live.settled_at = before.floor, before.settled_at
        live.recovering = False
        rows = self.durable.members.items()
        live.told = SharedDict((m, Told(row.assignment, has_all=True)) for m, row in rows)
        return live

    def rebalance(self, work: Work, cause: Cause) -> None:
        """The consumer group's rebalance, if there was one, goes on in a join phase, also in a
        frozen group, with the departure as its next cause. Otherwise one begins, or is put off."""
        episode = None if self.before.live.episode is None else self.after.left_off(work.now)
        if episode is None:
            rebalance_or_go_on(work, cause)
            return
        prepare(work, cause)
        if work.live.join_phase is not None:
            awaited.go_on(work, episode, cause)

    @property
    def drained(self) -> list[Member]:
        """The drained members."""
        return [member for member in self.after.members.values() if member.drain is not None]

    def undrained(self) -> Iterator[JournalEntry]:
        """The end of each drain: the leader of a classic group assigns to all members."""
        for member in self.drained:
            yield JournalEntry(
                EntryKind.MEMBER_UNDRAINED,
                trigger=self.cause.trigger,
                reason=UNDRAINED,
                member_id=member.row.member_id,
                client_id=member.row.client_id,
                generation_before=self.generation,
                generation_after=self.generation,
            )

    def ended_drains(self) -> Iterator[Operated]:
        """The end of operations of members that had not given up their partitions."""
        for member in self.drained:
            if member.drain is not None and not member.drain.is_over:
                yield Operated(member.drain.operation_id, ErrorCode.INVALID_REQUEST, UNDRAINED)

    def answer(self, answer: Answer) -> Answer:
        """The reply to a static member that has just joined, with the classic group's values."""
        reply = answer.reply
        if not isinstance(reply, Joined) or reply.error is not ErrorCode.NONE:
            return answer
        name = self.durable.group.protocol_name
        joined = replace(reply, generation_id=self.generation, protocol_name=name)
        return Answer(answer.ticket, joined)

    def journal(self, group: ClassicGroup) -> Iterable[JournalEntry]:
        """The decision's entries, with the conversion in place of the new epoch."""
        start = self.start
        trigger = start.trigger if start is not None else Trigger.MEMBER_REPLACED
        who: tuple[str | None, str | None, str] = (None, None, "")
        if start is not None:
            who = (start.member_id, start.client_id, start.client_reason)
        kept = (entry for entry in self.decision.journal if entry is not start)
        return (
            *kept,
            *self.undrained(),
            policy.converted(self.before, group, trigger, REASON, *who),
        )


def _preferences(rows: Iterable[MemberRow]) -> dict[tuple[str, ...], int]:
    return Counter(protocol_names(row.subscription) for row in rows)
