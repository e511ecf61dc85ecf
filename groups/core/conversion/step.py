"""A step of a group, in which its kind may change. Only this file connects the kinds.

Each event is decided by the rules of the group's kind at that moment; the decisions of several
kinds in one step are combined, and commit together. ``upgrade`` and ``downgrade`` define when a
group changes between the classic and the consumer protocol.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from random import Random
from typing import Final

from groups.core import beside, transactional_offsets
from groups.core.assignors.task import AssignmentTask
from groups.core.classic.group import ClassicGroup
from groups.core.classic.states import EMPTY
from groups.core.consumer.group import ConsumerGroup
from groups.core.conversion import downgrade, upgrade
from groups.core.errors import ErrorCode
from groups.core.events import (
    ConsumerHeartbeat,
    DraftCommit,
    DraftHeartbeat,
    DraftJoin,
    Event,
    ExpireOffsets,
    InstallAssignment,
    JoinGroup,
    LeaveGroup,
    OffsetCommit,
    OffsetDelete,
    OffsetWrite,
    RegisterConsumer,
    ResetOffsets,
    RestoreOffsets,
    SyncGroup,
    TopicsChanged,
    TopicsMatched,
    TxnOffsetCommit,
)
from groups.core.group import Decision, Group, Millis
from groups.core.kinds import CHANGES, CLASSIC, CREATE, CREATED_BY, DRAFT, KINDS
from groups.core.offset_rules import plain_commits


def decide(group: Group, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
    """``group.step``, changes of kind, and what is the same for every kind."""
    first = type(events[0]) if events else None
    if first is OffsetCommit:
        plain = plain_commits(group, events, now)
        if plain is not None:
            return plain
    elif first in beside.RULES:
        return beside.decide(group, events[0])
    if not _may_change(group, events):
        return group.step(events, now, rng)
    decisions: list[Decision] = []
    while events:
        run = _run(group, events)
        decisions.append(_decide(group, run, now, rng))
        group, events = decisions[-1].group, events[len(run) :]
    return together(decisions)


def creates_group(event: Event) -> bool:
    """Whether an absent group may exist after the event."""
    joins = not isinstance(event, ConsumerHeartbeat) or event.member_epoch == 0
    return isinstance(event, CREATE) and joins


def kind_for(event: Event) -> str:
    """The kind of group that decides an event to an absent group."""
    kind = CREATED_BY.get(type(event), CLASSIC)
    return kind if kind in KINDS else CLASSIC


LONG_STEP_MIN: Final = 1_000
"""From this total of members, partitions and waiting requests on, a step is too long for the event
loop: in the worst case 35 us for each of them, so 35 ms."""

BYTES_A_MEMBER: Final = 64
"""So many bytes of an assignment (sixteen partitions) take as long as a member."""

OF_ONE_MEMBER: Final = (DraftHeartbeat, DraftCommit, OffsetCommit, OffsetDelete, TxnOffsetCommit)
"""Events that concern only their sender, or no member."""


def may_take_long(group: Group, events: Sequence[Event]) -> bool:
    """Whether the rules may have to process all members of a large group for these events.

    Never for heartbeats of the draft and for offsets; for heartbeats of the consumer protocol, and
    for the topics that its patterns match, only if they name as many topics.
    """
    is_consumer, named = isinstance(group, ConsumerGroup), 0
    for event in events:  # no generator: every step runs this
        if is_consumer and isinstance(event, ConsumerHeartbeat) and event.member_epoch >= 0:
            named += len(event.subscribed_topic_names or ())
        elif isinstance(event, OF_ONE_MEMBER):
            continue
        elif isinstance(group, ConsumerGroup) and isinstance(event, TopicsMatched):
            named += len(event.topics) + len(group.topics)
        elif is_consumer and _keeps_everybody(event):
            continue
        else:
            return group.breadth + sum(map(_breadth, events)) >= LONG_STEP_MIN
    return named >= LONG_STEP_MIN


def _breadth(event: Event) -> int:
    """The number of members, topics and partitions that the event names."""
    match event:
        case DraftJoin(counts=counts, topics=topics):
            return len(topics) + sum(counts.values())
        case RegisterConsumer(counts=counts) | TopicsChanged(counts=counts):
            return len(counts) + sum(counts.values())
        case InstallAssignment(targets=targets):
            return sum(map(len, targets.values()))
        case SyncGroup(assignments=assignments):
            return len(assignments) + sum(map(len, assignments.values())) // BYTES_A_MEMBER
        case LeaveGroup(members=leaving):
            return len(leaving)
        case ExpireOffsets(ages=offsets) | RestoreOffsets(offsets=offsets):
            return len(offsets)
        case ResetOffsets(offsets=offsets, gone=gone):
            return len(offsets) + len(gone)
    return 0


def runs_foreign_code(group: Group, events: Sequence[Event]) -> bool:
    """Whether the rules may call an installation's own strategy for these events."""
    if not group.rules.strategies or all(isinstance(event, OF_ONE_MEMBER) for event in events):
        return False
    own = {name for name, _ in group.rules.strategies}
    row = group.durable.group
    if row.kind == DRAFT and row.protocol_name in own:
        return True
    return any(isinstance(event, DraftJoin) and event.strategy in own for event in events)


def _run(group: Group, events: Sequence[Event]) -> Sequence[Event]:
    """The next events up to a possible change of kind: one, or several that remove no member from
    a consumer group, so that events of a large group cost no more than in other kinds."""
    if not isinstance(group, ConsumerGroup) or not group.members:
        return events[:1]
    kept = takewhile(_keeps_everybody, events)
    return tuple(kept) or events[:1]


def _keeps_everybody(event: Event) -> bool:
    """Whether the event removes no member from a consumer group."""
    match event:
        case ConsumerHeartbeat(member_epoch=epoch):
            return epoch >= 0
        case JoinGroup(instance_id=instance_id):
            return instance_id is None
    return isinstance(event, SyncGroup | OffsetCommit | TxnOffsetCommit | TopicsMatched)


def _may_change(group: Group, events: Sequence[Event]) -> bool:
    """Whether any of these events can change the group's kind; in most steps none can."""
    for event in events:  # no generator: every step runs this
        if (type(group), type(event)) in CHANGES:
            return True
    if isinstance(group, ClassicGroup):
        return any(isinstance(event, ConsumerHeartbeat) for event in events)
    if isinstance(group, ConsumerGroup):
        if group.has_classic_members or not group.has_row:
            return True
        return any(isinstance(event, JoinGroup) for event in events)
    return False


def _decide(group: Group, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
    adopted = _adopted(group, events[0], now)
    if adopted is not group:
        decision = _decide_as(adopted, events, now, rng)
        return replace(decision, group=group) if decision.group is adopted else decision
    decision = _decide_as(_of_kind(group, events[0], now), events, now, rng)
    after = decision.group
    if isinstance(group, ClassicGroup) and isinstance(after, ConsumerGroup) and not after.has_row:
        return replace(decision, group=group)  # it was refused, and nothing was created
    return decision


def _adopted(group: Group, event: Event, now: Millis) -> Group:
    """The group as the event's member finds it: of another kind if it is empty (``CHANGES``)."""
    kind = CHANGES.get((type(group), type(event)))
    durable = group.durable
    if kind is None or durable.members or durable.group.state != EMPTY:
        return group
    if group.let_go(ErrorCode.NOT_COORDINATOR):  # requests are parked in it
        return group
    if not durable.exists:
        return KINDS[kind].absent(durable.group.group_id, group.rules, now)
    row = replace(
        durable.group, kind=kind, protocol_type="", protocol_name=None, leader=None, details={}
    )
    return KINDS[kind].merge(replace(durable, group=row), None, group.rules, now)


def _decide_as(group: Group, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
    event = events[0]
    if isinstance(group, ClassicGroup) and isinstance(event, ConsumerHeartbeat):
        return upgrade.decide(group, event, now, rng)
    if isinstance(group, ConsumerGroup):
        if isinstance(event, JoinGroup) and group.has_row and not group.members:
            return downgrade.decide_empty(group, event, now, rng)
        decision = group.step(events, now, rng)
        return downgrade.follow(group, decision, now, rng)
    return group.step(events, now, rng)


def _of_kind(group: Group, event: Event, now: Millis) -> Group:
    """A group that does not exist gets the kind that the event creates; member ids that were
    handed out for a classic group are forgotten."""
    kind = KINDS[kind_for(event)]
    if isinstance(group, kind):
        return group
    if isinstance(group, ClassicGroup):
        is_nothing = not group.has_row and not group.live.joins
    else:
        is_nothing = isinstance(group, ConsumerGroup) and not group.has_row
    if not is_nothing:
        return group
    return kind.absent(group.durable.group.group_id, group.rules, now)


def together(decisions: Sequence[Decision]) -> Decision:
    """Combine consecutive decisions. Of conflicting writes the last counts."""
    if len(decisions) == 1:
        return decisions[0]
    offsets: dict[tuple[str, int], OffsetWrite] = {}
    deletes: dict[tuple[str, int], None] = {}
    waiting: transactional_offsets.Pending = {}
    question: AssignmentTask | None = None
    for decision in decisions:
        if decision.deleted:
            offsets, deletes, waiting, question = {}, {}, {}, None
        if decision.question is not None:
            question = decision.question
        for at in decision.offset_deletes:
            deletes[at] = None
            offsets.pop(at, None)
            transactional_offsets.forget(waiting, at)
        for write in decision.offsets:
            offsets[write.topic, write.partition] = write
            deletes.pop((write.topic, write.partition), None)
        transactional_offsets.supersede(waiting, decision.offsets)
        for put in decision.pending:
            waiting[put.producer_id, put.write.topic, put.write.partition] = put
    return replace(
        decisions[-1],
        answers=tuple(answer for one in decisions for answer in one.answers),
        journal=tuple(entry for one in decisions for entry in one.journal),
        operations=tuple(operated for one in decisions for operated in one.operations),
        offsets=tuple(offsets.values()),
        offset_deletes=tuple(deletes),
        pending=tuple(waiting.values()),
        hung_up=tuple(consumer for one in decisions for consumer in one.hung_up),
        deleted=any(one.deleted for one in decisions),
        question=question,
        facts=tuple(fact for one in decisions for fact in one.facts),
    )
