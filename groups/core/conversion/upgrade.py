"""A classic group becomes a consumer group when a member of the consumer protocol joins it.

The classic members stay with their partitions, as classic members of a consumer group; those that
have to revoke some are told in the response to their next heartbeat. How the new member joins, and
what the group does afterwards, is not decided here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from groups.core.assignment import has_user_data, partitions_of
from groups.core.assignors.types import NOTHING, Parts
from groups.core.classic.awaited import left_off
from groups.core.classic.group import ClassicGroup
from groups.core.classic.ownership import interrupted
from groups.core.classic.states import COMPLETING, PREPARING
from groups.core.classic.work import Work
from groups.core.consumer import guards, ownership
from groups.core.consumer.group import ConsumerGroup
from groups.core.consumer.heartbeat import JOIN, validate
from groups.core.consumer.index import Index, Topic
from groups.core.consumer.member import Member
from groups.core.consumer.states import EMPTY, STABLE_GROUP
from groups.core.consumer.work import CLIENT_REASON, Live, first_details
from groups.core.conversion import policy
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import ConsumerHeartbeat
from groups.core.explanation import Because, Episode
from groups.core.facts import Fact, Owns
from groups.core.group import Answer, Beat, Decision, Millis
from groups.core.journal import Trigger
from groups.core.replies import ConsumerBeaten, Operated
from groups.core.rows import Details, Durable, GroupRow, MemberRow
from groups.core.subscription import metadata_of, protocol_names, subscription_of
from groups.core.values import SharedDict

PROTOCOL_TYPE = "consumer"

REASON = "a member of the consumer protocol joined"


def names_of(group: ClassicGroup) -> frozenset[str]:
    """Every topic that the members subscribe to or are assigned, as far as it can be decoded: a
    heartbeat needs these of the catalogue to convert the group."""
    names: set[str] = set()
    for row in _rows(group):
        subscription = subscription_of(_metadata(group, row))
        names.update(subscription.topics if subscription is not None else ())
        names.update(topic for topic, _ in partitions_of(row.assignment) or ())
    return frozenset(names)


def decide(group: ClassicGroup, event: ConsumerHeartbeat, now: Millis, rng: Random) -> Decision:
    """A heartbeat of the consumer protocol to a classic group: convert the group and add the
    member, or refuse the heartbeat and change nothing."""
    work = Work(group.durable, group.live, group.rules, now, rng)
    goes_on = left_off(work)
    try:
        after = _upgraded(group, event, now, goes_on)
    except Refuse as no:
        return _refused(group, event, no)
    decision = after.step([event], now, rng)
    if _leaves_off(group, after, decision):
        after = _upgraded(group, event, now, goes_on, is_at_rest=False)
        decision = after.step([event], now, rng)
    assert isinstance(decision.group, ConsumerGroup)
    if all(member.is_classic for member in decision.group.members.values()):
        return replace(decision, group=group, journal=(), facts=())  # it was refused
    entry = policy.converted(
        group, after, Trigger.MEMBER_JOINED, REASON, _joined_by(decision), event.client_id
    )
    interrupted(work)
    return replace(
        decision,
        answers=(*group.let_go(ErrorCode.REBALANCE_IN_PROGRESS), *decision.answers),
        journal=(entry, *decision.journal),
        operations=(*_ended(group), *decision.operations),
        facts=(*work.facts, *_facts(group, after, event, now), *decision.facts),
    )


def _facts(
    group: ClassicGroup, after: ConsumerGroup, event: ConsumerHeartbeat, now: Millis
) -> Iterator[Fact]:
    """New members with parked joins are members now, and each owns what it has in the consumer
    group."""
    generation = after.durable.group.generation
    for join in group.live.joins.values():
        if join.is_new:
            yield ownership.began(after.members[join.row.member_id], generation, join.client)
    names = {topic_id: name for name, (topic_id, _) in event.topics.items()}
    for member_id, member in after.members.items():
        yield Owns(member_id, generation, ownership.named(member.holds, names))


def _leaves_off(group: ClassicGroup, after: ConsumerGroup, decision: Decision) -> bool:
    """Whether a rebalance was in progress that would not continue: a static member has replaced a
    classic one, which needs no new epoch."""
    is_on = group.durable.group.state in (PREPARING, COMPLETING)
    return is_on and decision.group.durable.group.generation == after.durable.group.generation


def _refused(group: ClassicGroup, event: ConsumerHeartbeat, no: Refuse) -> Decision:
    if event.ticket is None:
        return Decision(group)
    reply = ConsumerBeaten(error=no.code, detail=no.detail)
    return Decision(group, answers=(Answer(event.ticket, reply),))


def _joined_by(decision: Decision) -> str:
    """The new member's id: it is the only member of the consumer protocol."""
    members = decision.group.durable.members
    return next(member_id for member_id, row in members.items() if not row.subscription)


def _ended(group: ClassicGroup) -> Iterator[Operated]:
    """The operations that waited for a generation: they are complete now."""
    for operation_id in group.durable.group.details.get("operations", ()):
        detail = "the group became a consumer group, and its members join again"
        yield Operated(operation_id, ErrorCode.NONE, detail, group.durable.group.generation)


def _upgraded(
    group: ClassicGroup,
    event: ConsumerHeartbeat,
    now: Millis,
    goes_on: Episode | None,
    *,
    is_at_rest: bool = True,
) -> ConsumerGroup:
    """The group as a consumer group, before the heartbeat. Unless ``is_at_rest`` it has no topics
    yet, so that the heartbeat creates an epoch and a target. ``goes_on``: its rebalance.

    GROUP_ID_NOT_FOUND if it cannot be converted, COORDINATOR_NOT_AVAILABLE if members have joined
    with topics that the handler has not looked up.
    """
    validate(event, group.rules.group_consumer_assignors)
    if event.member_epoch != JOIN:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "The group is not a consumer group.")
    rows = tuple(_rows(group))
    if rows:
        _check(group, len(rows))
        missing = () if event.looked_up is None else names_of(group) - event.looked_up
        if missing:
            raise Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE, "Members have joined meanwhile.")
    change = _Change(group, event.topics, is_at_rest, goes_on)
    members = {row.member_id: change.member(row) for row in rows}
    _check_owners(members)
    durable = change.durable(members)
    index = Index.of(members.values(), durable.group.details)
    before = group.live
    waits = before.joins.keys() | before.syncs.keys()  # these are not silent
    beats = {m: Beat(now) if m in waits else before.beats[m] for m in members}
    live = Live(before.floor, SharedDict(beats), settled_at=before.settled_at)
    if goes_on is not None:
        live.episode, live.since = goes_on, goes_on.since
    return ConsumerGroup(durable, members, index, live, group.rules)


def _check(group: ClassicGroup, size: int) -> None:
    complaints = (
        (not policy.allows(group.rules, policy.UPGRADE), "the migration policy forbids a change"),
        (group.durable.group.protocol_type != PROTOCOL_TYPE, "its members are no consumers"),
        (size > group.rules.group_consumer_max_size, "it has too many members for a change"),
    )
    for wrong, why in complaints:
        if wrong:
            detail = f"The group is not a consumer group: {why}."
            raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, detail)


def _check_owners(members: Mapping[str, Member]) -> None:
    """A classic leader may assign a partition to several members; a consumer group cannot."""
    owned = sum(len(member.assigned) for member in members.values())
    if owned != len(NOTHING.union(*(member.assigned for member in members.values()))):
        detail = "The group is not a consumer group: a partition has two members."
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, detail)


def _rows(group: ClassicGroup) -> Iterator[MemberRow]:
    """The members' rows with their parked changes, and new members with parked joins."""
    joins = group.live.joins
    for row in group.assigned():
        join = joins.get(row.member_id)
        yield row if join is None else replace(join.row, assignment=row.assignment)
    yield from (join.row for join in joins.values() if join.is_new)


def _metadata(group: ClassicGroup, row: MemberRow) -> bytes:
    """A member's metadata for the group's protocol, or for its first one if the group has none
    yet."""
    name = group.durable.group.protocol_name
    names = protocol_names(row.subscription)
    return metadata_of(row.subscription, name if name in names else names[0])


@dataclass(frozen=True, slots=True)
class _Change:
    """A classic group, and the catalogue as the handler saw it."""

    group: ClassicGroup
    topics: Mapping[str, Topic]
    is_at_rest: bool
    goes_on: Episode | None

    @property
    def epoch(self) -> int:
        """The generation becomes the epoch. There is a target before the next epoch, also in a
        frozen group (``first_target``)."""
        generation = self.group.durable.group.generation
        return max(guards.first_target(self.group.rules), generation)

    def member(self, row: MemberRow) -> Member:
        """A classic member as a member of a consumer group, with its partitions."""
        subscription = subscription_of(_metadata(self.group, row))
        had = partitions_of(row.assignment)
        if subscription is None or had is None:
            detail = "The group is not a consumer group: what a member says cannot be read."
            raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, detail)
        if has_user_data(row.assignment):
            detail = "The group is not a consumer group: its assignor's user data would be lost."
            raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, detail)
        assigned: Parts = frozenset(
            (self.topics[name][0], p) for name, p in had if name in self.topics
        )
        return Member(
            replace(row, assignment=b""),
            self.epoch,
            self.epoch,
            assigned=assigned,
            target=assigned,
            topics=tuple(sorted(set(subscription.topics))),
            rack_id=subscription.rack_id or None,
            since=dict.fromkeys(assigned, self.epoch),
        ).saved()

    def durable(self, members: Mapping[str, Member]) -> Durable:
        """The rows of a group at rest, with the generation as its epoch."""
        before = self.group.durable
        details = dict(first_details())
        if members:
            names = {name for member in members.values() for name in member.topics}
            used = sorted(names & self.topics.keys()) if self.is_at_rest else ()
            known = {name: list(self.topics[name]) for name in used}
            settled = self.epoch if self.goes_on is None else self.epoch - 1
            details |= {"target_epoch": self.epoch, "settled_epoch": settled, "topics": known}
        details |= {} if self.goes_on is None else _began_by(self.goes_on.causes[0])
        row = GroupRow(
            before.group.group_id,
            "consumer",
            STABLE_GROUP if members else EMPTY,
            self.epoch,
            PROTOCOL_TYPE,
            details=details,
        )
        return Durable(row, {m: member.row for m, member in members.items()}, before.revision)


def _began_by(first: Because) -> Details:
    """The first cause of the rebalance that goes on, as the row has it."""
    who = first.named[0] if first.named else (None, None)
    said = {CLIENT_REASON: first.client_reason} if first.client_reason else {}
    return {"cause": [first.trigger, first.reason, *who], **said}
