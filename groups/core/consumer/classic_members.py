"""Members of the classic protocol in a group of the consumer protocol (KIP-848, migration).

JoinGroup and SyncGroup do for them what a heartbeat does for others: the subscription and the owned
partitions are read from the metadata in the join, and the assignment is returned in the same
format. No request is held: the coordinator assigns, so there is no leader to wait for.
``classic_heartbeats`` tells them when to join again, ``leave`` removes them.
"""

from collections.abc import Mapping
from dataclasses import replace

from groups.core.assignment import assignment_for
from groups.core.assignors.types import Part, Parts
from groups.core.consumer import classic_heartbeats, draining, heartbeat, leave, rebalance, targets
from groups.core.consumer.index import Topic
from groups.core.consumer.member import UNREVOKED, Member
from groups.core.consumer.reconcile import reconcile
from groups.core.consumer.work import Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import JoinGroup, SyncGroup
from groups.core.facts import Departure
from groups.core.replies import Joined, Synced
from groups.core.rows import MemberRow
from groups.core.subscription import (
    Subscription,
    pack_protocols,
    packed_size,
    subscription_of,
    unpack_protocols,
)

PROTOCOL_TYPE = "consumer"

DISABLED = "disabled"
"""The value of group.consumer.migration.policy that forbids mixed groups."""


def join_group(work: Work, event: JoinGroup) -> None:
    """Decide one JoinGroup and answer it; it is never held."""
    rules = work.rules
    low, high = rules.group_min_session_timeout_ms, rules.group_max_session_timeout_ms
    if not low <= event.session_timeout_ms <= high:
        raise Refuse(ErrorCode.INVALID_SESSION_TIMEOUT)
    if not work.exists:
        raise Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    if rules.group_consumer_migration_policy == DISABLED and not work.index.classic:
        raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    if not _has_place(work, event) and len(work.members) >= rules.group_consumer_max_size:
        raise Refuse(ErrorCode.GROUP_MAX_SIZE_REACHED)
    _check_protocols(work, event)
    if not event.member_id and event.instance_id is None and event.needs_member_id:
        # The id is not stored: a client that brings it joins as a new member.
        required = Joined(error=ErrorCode.MEMBER_ID_REQUIRED, member_id=heartbeat.new_id(work))
        work.answer(event.ticket, required)
        return
    before = _known(work, event)
    subscription = subscription_of(event.protocols[0][1])
    if subscription is None:
        raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    size = packed_size(event.protocols)
    heartbeat.check_size(work, event.member_id, event.instance_id, subscription.topics, size)
    member = _seat(work, event, before)
    changed = _described(member, event, subscription)
    heartbeat.merge(
        work, member, changed, event.topics, event.looked_up, client_reason=event.reason or ""
    )
    rebalance.assign_for(work, member)
    _move(work, event, subscription, member)


def _has_place(work: Work, event: JoinGroup) -> bool:
    """Whether the join needs no new place: its sender is a member, or replaces a static one."""
    is_held = event.instance_id is not None and work.holder(event.instance_id) is not None
    return is_held or event.member_id in work.members


def _known(work: Work, event: JoinGroup) -> Member | None:
    """The member that joins, or that it replaces; None for a new one.

    UNKNOWN_MEMBER_ID and FENCED_INSTANCE_ID as in a classic group, and for the id of a member of
    the other protocol.
    """
    if event.instance_id is None:
        member = work.members.get(event.member_id)
        if member is not None and not member.is_classic:
            raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
        return member
    holder = work.holder(event.instance_id)
    if event.member_id:
        if holder is None:
            raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
        if holder.row.member_id != event.member_id:
            raise Refuse(ErrorCode.FENCED_INSTANCE_ID)
        if not holder.is_classic:
            raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    return holder


def _check_protocols(work: Work, event: JoinGroup) -> None:
    """INCONSISTENT_GROUP_PROTOCOL if the join is not of a consumer, or shares no protocol name with
    the other classic members. Kafka checks this before it looks up the member."""
    shared = {name for name, _ in event.protocols}
    for names in work.index.protocols:
        shared.intersection_update(names)
    if event.protocol_type != PROTOCOL_TYPE or not shared:
        raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def _seat(work: Work, event: JoinGroup, before: Member | None) -> Member:
    """The member before this join: known, static under its new id, or new."""
    if before is None:
        row = _row(event, event.member_id or heartbeat.new_id(work), work)
        return draining.returned(work, Member(row))
    if before.row.member_id == event.member_id:
        return before
    rebalance.remove(work, before.row.member_id, Departure.REPLACED)
    row = replace(before.row, member_id=heartbeat.new_id(work))
    return replace(leave.away(before), row=row, epoch=0, previous_epoch=0)


def _row(event: JoinGroup, member_id: str, work: Work) -> MemberRow:
    return MemberRow(
        member_id,
        event.instance_id,
        event.client_id,
        event.client_host,
        event.session_timeout_ms,
        event.rebalance_timeout_ms,
        work.index.next_position,
    )


def _described(member: Member, event: JoinGroup, subscription: Subscription) -> Member:
    """The member with this join's values. Members of this protocol have no pattern, no vote for an
    assignor, and none of their own: nobody could ask them to assign."""
    row = replace(
        member.row,
        client_id=event.client_id,
        client_host=event.client_host,
        session_timeout_ms=event.session_timeout_ms,
        rebalance_timeout_ms=event.rebalance_timeout_ms,
        subscription=pack_protocols(event.protocols),
    )
    topics = tuple(sorted(set(subscription.topics)))
    return replace(
        member,
        row=row,
        topics=topics,
        regex="",
        assignor=None,
        client_assignors=(),
        rack_id=subscription.rack_id or None,
    )


def _move(work: Work, event: JoinGroup, subscription: Subscription, was: Member) -> None:
    """Reconcile the member, reply, and wait for its SyncGroup. ``was``: the member before this
    join."""
    member_id = was.row.member_id
    owned = _parts(subscription.owned, {**work.index.catalogue, **event.topics})
    before = work.members[member_id]
    subscribed = targets.kept_topics(work, was, before) if before.state == UNREVOKED else None
    is_free = work.is_free_for(member_id)
    after = reconcile(before, work.target_epoch, owned, is_free, subscribed)
    if after is not before:
        work.put(after)
    work.hear(member_id)
    live = work.change()
    live.calls.pop(member_id, None)
    live.syncs[member_id] = work.timer(after)
    work.answer(
        event.ticket,
        Joined(
            member_id=member_id,
            generation_id=after.epoch,
            protocol_type=PROTOCOL_TYPE,
            protocol_name=event.protocols[0][0],
        ),
    )


def _parts(owned: frozenset[tuple[str, int]], topics: Mapping[str, Topic]) -> Parts:
    """Partitions by topic id; those of names without a topic are left out."""
    return frozenset((topics[name][0], p) for name, p in owned if name in topics)


def sync_group(work: Work, event: SyncGroup) -> None:
    """Reply with the member's current assignment; assignments from a leader are ignored.

    INCONSISTENT_GROUP_PROTOCOL, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID and ILLEGAL_GENERATION as in
    a classic group; REBALANCE_IN_PROGRESS if the member must join first.
    """
    named = (event.protocol_type, event.protocol_name)
    if event.names_protocol and None in named:
        raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    member = _member(work, event)
    if event.generation_id != member.epoch:
        raise Refuse(ErrorCode.ILLEGAL_GENERATION)
    name, metadata = unpack_protocols(member.row.subscription)[0]
    if event.names_protocol and named != (PROTOCOL_TYPE, name):
        raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    # A member that has to revoke has joined already, and learns here what it may keep.
    live = work.live
    if (
        classic_heartbeats.is_behind(work.row, live.schedule, work.index, member)
        and member.state != UNREVOKED
    ):
        raise Refuse(ErrorCode.REBALANCE_IN_PROGRESS)
    work.hear(event.member_id)
    if event.member_id in work.live.syncs:
        del work.change().syncs[event.member_id]
    subscription = subscription_of(metadata)
    parts = named_parts(member.assigned, work.index.catalogue)
    work.answer(
        event.ticket,
        Synced(
            protocol_type=PROTOCOL_TYPE,
            protocol_name=name,
            assignment=assignment_for(parts, subscription),
        ),
    )


def named_parts(parts: Parts, topics: Mapping[str, Topic]) -> frozenset[Part]:
    """Partitions by topic name, without those of deleted topics."""
    names = {topic_id: name for name, (topic_id, _) in topics.items()}
    return frozenset((names[topic_id], p) for topic_id, p in parts if topic_id in names)


def _member(work: Work, event: SyncGroup) -> Member:
    """The member that sent the request, checked in Kafka's order: the instance id first."""
    if event.instance_id is not None:
        holder = work.holder(event.instance_id)
        if holder is None:
            raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
        if holder.row.member_id != event.member_id:
            raise Refuse(ErrorCode.FENCED_INSTANCE_ID)
    member = work.members.get(event.member_id)
    if member is None or not member.is_classic:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    return member
