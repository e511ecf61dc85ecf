"""ConsumerGroupHeartbeat: join, stay, acknowledge, leave (KIP-848, in the form of Kafka 4.3).

One heartbeat is one atomic decision: check, merge what changed, raise the epoch if need be,
compute a target, reconcile this member only.
"""

from dataclasses import replace
from uuid import UUID

from groups.core.assignors import NAMES, Parts
from groups.core.consumer import leaving
from groups.core.consumer.member import LEFT_FOR_NOW, UNREVOKED, Member, by_topic, parts_of
from groups.core.consumer.reconcile import reconcile
from groups.core.consumer.work import Timer, Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import ConsumerHeartbeat
from groups.core.group import Beat
from groups.core.replies import ConsumerBeaten
from groups.core.rows import MemberRow

JOIN = 0
LEAVE = -1


def heartbeat(work: Work, event: ConsumerHeartbeat) -> None:
    """Decide one heartbeat and answer it."""
    validate(event, work.rules.group_consumer_assignors)
    if event.member_epoch < JOIN:
        leaving.leave(work, event)
        return
    member = _find(work, event) if event.member_epoch > JOIN else _join(work, event)
    owned = None if event.owned is None else parts_of(event.owned)
    _check_epoch(member, event, owned)
    _merge(work, member, event)
    if work.row.generation > work.target_epoch:
        work.assign()
    _reconcile(work, member, event, owned)


def validate(event: ConsumerHeartbeat, assignors: tuple[str, ...] = NAMES) -> None:
    """Refuse what has no meaning, with a sentence (INVALID_REQUEST)."""
    complaints = (
        (event.member_epoch < LEFT_FOR_NOW, "MemberEpoch is invalid."),
        (_blank(event.instance_id), "InstanceId can't be empty."),
        (_blank(event.rack_id), "RackId can't be empty."),
        (not event.member_id and (event.version or event.member_epoch), "MemberId can't be empty."),
        (
            event.member_epoch == LEFT_FOR_NOW and event.instance_id is None,
            "InstanceId can't be null when a static member leaves for now.",
        ),
        *(_joining(event) if event.member_epoch == JOIN else ()),
    )
    for wrong, sentence in complaints:
        if wrong:
            raise Refuse(ErrorCode.INVALID_REQUEST, sentence)
    if event.server_assignor is not None and event.server_assignor not in assignors:
        offered = ", ".join(assignors)
        raise Refuse(
            ErrorCode.UNSUPPORTED_ASSIGNOR,
            f"ServerAssignor {event.server_assignor} is not supported. Supported: {offered}.",
        )


def _joining(event: ConsumerHeartbeat) -> tuple[tuple[bool, str], ...]:
    return (
        (event.rebalance_timeout_ms == -1, "RebalanceTimeoutMs must be provided in first request."),
        (
            event.owned is None or bool(event.owned),
            "TopicPartitions must be empty when (re-)joining.",
        ),
        (
            event.subscribed_topic_names is None,
            "SubscribedTopicNames must be set in first request.",
        ),
    )


def _blank(value: str | None) -> bool:
    return value is not None and not value.strip()


def _find(work: Work, event: ConsumerHeartbeat) -> Member:
    """The member that beats; the instance id is checked first."""
    if not work.exists:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "The group does not exist.")
    if event.instance_id is not None:
        holder = work.holder(event.instance_id)
        if holder is None:
            raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID, "No member has this instance id.")
        if holder.row.member_id != event.member_id:
            raise Refuse(ErrorCode.FENCED_INSTANCE_ID, "The instance id has another member.")
    member = work.members.get(event.member_id)
    if member is None:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID, "The member is not in the group.")
    return member


def _join(work: Work, event: ConsumerHeartbeat) -> Member:
    """The member that joins: a known one again, a static one come back, or a new one."""
    member = work.members.get(event.member_id)
    most = work.rules.group_consumer_max_size
    if member is None and len(work.members) >= most:
        raise Refuse(ErrorCode.GROUP_MAX_SIZE_REACHED, f"The group has {most} members already.")
    holder = work.holder(event.instance_id) if event.instance_id is not None else None
    if holder is not None and holder.row.member_id != event.member_id:
        if holder.epoch != LEFT_FOR_NOW:
            raise Refuse(ErrorCode.UNRELEASED_INSTANCE_ID, "The instance id is still in use.")
        return _come_back(work, event, holder)
    if member is None:
        return _newcomer(work, event)
    if member.epoch == LEFT_FOR_NOW:
        return replace(member, epoch=JOIN, previous_epoch=JOIN)
    return member


def _newcomer(work: Work, event: ConsumerHeartbeat) -> Member:
    member_id = event.member_id or _new_id(work)
    positions = (m.row.position for m in work.members.values())
    if not work.exists:
        work.exists = True
        work.set_row(protocol_type="consumer", generation=work.row.generation + 1)
        work.set_details(target_epoch=0, topics={}, assignor=None)
    row = MemberRow(
        member_id,
        event.instance_id,
        event.client_id,
        event.client_host,
        work.rules.group_consumer_session_timeout_ms,
        event.rebalance_timeout_ms,
        1 + max(positions, default=-1),
    )
    return Member(row)


def _new_id(work: Work) -> str:
    return str(UUID(int=work.rng.getrandbits(128), version=4))


def _come_back(work: Work, event: ConsumerHeartbeat, left: Member) -> Member:
    """A static member takes its own place under a new id, partitions and target included."""
    work.take(left.row.member_id)
    row = replace(left.row, member_id=event.member_id or _new_id(work))
    return replace(left, row=row, epoch=JOIN, previous_epoch=JOIN)


def _check_epoch(member: Member, event: ConsumerHeartbeat, owned: Parts | None) -> None:
    """Fence old and foreign epochs; the previous one is a lost answer asked for again."""
    if event.member_epoch in (JOIN, member.epoch):
        return
    lost_answer = (
        event.member_epoch == member.previous_epoch
        and owned is not None
        and owned <= member.assigned
    )
    if not lost_answer:
        raise Refuse(
            ErrorCode.FENCED_MEMBER_EPOCH,
            f"The member epoch is {member.epoch}, not {event.member_epoch}.",
        )


def _merge(work: Work, member: Member, event: ConsumerHeartbeat) -> None:
    """Keep what the request says anew; a changed subscription raises the epoch by one."""
    is_new = member.row.member_id not in work.members
    row = replace(member.row, client_id=event.client_id, client_host=event.client_host)
    if event.rebalance_timeout_ms != -1:
        row = replace(row, rebalance_timeout_ms=event.rebalance_timeout_ms)
    names = event.subscribed_topic_names
    topics = member.topics if names is None else tuple(sorted(set(names)))
    changed = replace(
        member,
        row=row,
        topics=topics,
        assignor=event.server_assignor or member.assignor,
        rack_id=event.rack_id or member.rack_id,
    )
    if is_new or changed != member:
        work.put(changed)
    if not is_new and topics == member.topics and dict(event.topics) == work.catalogue:
        return
    fresh = {
        name: list(event.topics[name])
        for name in sorted({name for m in work.members.values() for name in m.topics})
        if name in event.topics
    }
    if topics != member.topics:
        trigger = "member-joined" if not member.epoch else "subscription-changed"
        work.bump(trigger, "a member's subscription is new", changed)
    elif fresh != {name: list(entry) for name, entry in work.catalogue.items()}:
        work.bump("topics-changed", "topics or partition counts changed", changed)
    if work.row.details.get("topics") != fresh:
        work.set_details(topics=fresh)


def _reconcile(work: Work, member: Member, event: ConsumerHeartbeat, owned: Parts | None) -> None:
    member_id = member.row.member_id
    before = work.members[member_id]
    after = reconcile(before, work.target_epoch, owned, work.is_free_for(member_id))
    if after is not before:
        work.put(after)
        _arm(work, after)
    _hear(work, member_id)
    full = (
        event.rebalance_timeout_ms != -1
        and event.subscribed_topic_names is not None
        and event.owned is not None
    )
    tell = event.member_epoch == JOIN or full or after.assigned != before.assigned
    work.answer(
        event.ticket,
        ConsumerBeaten(
            member_id=member_id,
            member_epoch=after.epoch,
            heartbeat_interval_ms=work.rules.group_consumer_heartbeat_interval_ms,
            assignment=(
                {topic: tuple(parts) for topic, parts in by_topic(after.assigned).items()}
                if tell
                else None
            ),
        ),
    )


def _arm(work: Work, member: Member) -> None:
    """A member that must give something up has its rebalance timeout for it."""
    member_id, timeout = member.row.member_id, member.row.rebalance_timeout_ms
    if member.state == UNREVOKED:
        work.live.timers[member_id] = Timer(work.now + timeout, timeout, member.epoch)
    else:
        work.live.timers.pop(member_id, None)


def _hear(work: Work, member_id: str) -> None:
    beat = work.live.beats.get(member_id)
    if beat is None:
        work.live.beats[member_id] = Beat(work.now)
    else:
        beat.at = max(beat.at, work.now)
