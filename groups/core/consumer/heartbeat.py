"""ConsumerGroupHeartbeat: join, stay, acknowledge, leave (KIP-848, in the form of Kafka 4.3).

One heartbeat is one atomic decision: check, merge changes, raise the epoch if necessary, compute a
target, reconcile this member only.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final
from uuid import UUID

from groups.core.assignors import weights
from groups.core.assignors.client_side import fault_of
from groups.core.assignors.registry import DEFAULT_NAMES
from groups.core.assignors.types import Parts
from groups.core.consumer import client_rounds, draining, leave, rebalance, target_schedule, targets
from groups.core.consumer.index import Topic
from groups.core.consumer.member import LEFT_FOR_NOW, STABLE, UNREVOKED, Member, by_topic, parts_of
from groups.core.consumer.reconcile import reconcile
from groups.core.consumer.work import Work, first_details
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import ConsumerHeartbeat
from groups.core.facts import Departure
from groups.core.group import JournalEntry, Millis
from groups.core.journal import EntryKind, Trigger
from groups.core.replies import ConsumerBeaten
from groups.core.rows import MemberRow

JOIN = 0
LEAVE = -1


def heartbeat(work: Work, event: ConsumerHeartbeat) -> None:
    """Decide one heartbeat and answer it."""
    validate(event, work.rules.group_consumer_assignors)
    if event.member_epoch < JOIN:
        leave.leave(work, event)
        return
    if event.subscribed_topic_names is not None or event.client_assignors is not None:
        names = event.subscribed_topic_names or ()
        check_size(work, event.member_id, event.instance_id, names, _metadata_bytes(event))
    owned = None if event.owned is None else parts_of(event.owned)
    member = _find(work, event, owned) if event.member_epoch > JOIN else _join(work, event)
    if event.racks is not work.live.racks and event.racks != work.live.racks:
        work.change().racks = event.racks
    merge(work, member, _updated(member, event), event.topics, event.looked_up)
    rebalance.assign_for(work, member)
    _reconcile(work, member, event, owned)


def validate(event: ConsumerHeartbeat, assignors: tuple[str, ...] = DEFAULT_NAMES) -> None:
    """Refuse invalid requests with a message: INVALID_REQUEST, or UNSUPPORTED_ASSIGNOR.

    Handlers check the group id; an invalid regular expression is refused later, when a member would
    get it (``regex_problem``).
    """
    complaints = (
        (event.member_epoch < LEFT_FOR_NOW, "MemberEpoch is invalid."),
        (is_blank(event.member_id) and _names_itself(event), "MemberId can't be empty."),
        (is_blank(event.instance_id), "InstanceId can't be empty."),
        (is_blank(event.rack_id), "RackId can't be empty."),
        (
            event.member_epoch == LEFT_FOR_NOW and event.instance_id is None,
            "InstanceId can't be null when a static member leaves for now.",
        ),
        *(_joining(event) if event.member_epoch == JOIN else ()),
        ((fault := fault_of(event.client_assignors or ())) is not None, fault or ""),
    )
    for wrong, sentence in complaints:
        if wrong:
            raise Refuse(ErrorCode.INVALID_REQUEST, sentence)
    assignor = weights.assignor_of(event.server_assignor)
    if event.server_assignor is not None and assignor not in assignors:
        offered = ", ".join(assignors)
        raise Refuse(
            ErrorCode.UNSUPPORTED_ASSIGNOR,
            f"ServerAssignor {event.server_assignor} is not supported. Supported: {offered}.",
        )


NAMES_MAX: Final = 50_000
"""Names that the members of a group may subscribe to together: each new member has all of them
looked up in the catalogue, 10 ms of the event loop."""


def check_size(
    work: Work, member_id: str, instance_id: str | None, names: Collection[str], size: int
) -> None:
    """Refuse a request that would exceed the limit of the group's metadata. A request that
    decreases a member's metadata is always accepted."""
    subscribed = work.index.names
    if len(subscribed) + len(names) > NAMES_MAX:
        new = len(set(names) - subscribed.keys())
        if new and len(subscribed) + new > NAMES_MAX:
            detail = f"The group's members subscribe to more than {NAMES_MAX} topics together."
            raise Refuse(ErrorCode.GROUP_MAX_SIZE_REACHED, detail)
    member = work.members.get(member_id)
    if member is None and instance_id is not None:
        member = work.holder(instance_id)
    more = size - (0 if member is None else member.metadata_bytes)
    if more > 0 and work.index.metadata_bytes + more > work.rules.group_consumer_metadata_max_bytes:
        detail = "The subscriptions of the group's members are too long together."
        raise Refuse(ErrorCode.GROUP_MAX_SIZE_REACHED, detail)


def _metadata_bytes(event: ConsumerHeartbeat) -> int:
    """The approximate size in bytes of a member with this request's metadata."""
    own = sum(len(each.name) + len(each.metadata) for each in event.client_assignors or ())
    names = sum(map(len, event.subscribed_topic_names or ()))
    return names + len(event.subscribed_topic_regex or "") + own


def _joining(event: ConsumerHeartbeat) -> tuple[tuple[bool, str], ...]:
    return (
        (event.rebalance_timeout_ms == -1, "RebalanceTimeoutMs must be provided in first request."),
        (
            event.owned is None or bool(event.owned),
            "TopicPartitions must be empty when (re-)joining.",
        ),
        (
            event.subscribed_topic_names is None and event.subscribed_topic_regex is None,
            "SubscribedTopicNames or SubscribedTopicRegex must be set in first request.",
        ),
    )


def is_blank(value: str | None) -> bool:
    """Whether a name is present but blank: only spaces and control characters, as Java trims."""
    return value is not None and (not value or (value[0] <= " " and not value.strip(_TRIMMED)))


_TRIMMED = "".join(map(chr, range(0x21)))


def _names_itself(event: ConsumerHeartbeat) -> bool:
    """Whether the request must bring a member id: from v1 on every one does (KIP-1082)."""
    return event.version > 0 or event.member_epoch > JOIN or event.member_epoch == LEAVE


def _find(work: Work, event: ConsumerHeartbeat, owned: Parts | None) -> Member:
    """The member of the heartbeat; the instance id is checked first, its request last."""
    if not work.is_there:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "The group does not exist.")
    if event.instance_id is not None:
        holder = work.holder(event.instance_id)
        if holder is None:
            raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID, "No member has this instance id.")
        if holder.row.member_id != event.member_id:
            raise Refuse(ErrorCode.FENCED_INSTANCE_ID, "The instance id has another member.")
    member = work.members.get(event.member_id)
    if member is None or member.is_classic:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID, "The member is not in the group.")
    _check_epoch(member, event, owned)
    if event.regex_problem is not None:
        raise Refuse(ErrorCode.INVALID_REGULAR_EXPRESSION, event.regex_problem)
    return member


def _join(work: Work, event: ConsumerHeartbeat) -> Member:
    """The member that joins: a known one, a static one that returns, or a new one."""
    member = work.members.get(event.member_id)
    holder = work.holder(event.instance_id) if event.instance_id is not None else None
    most = work.rules.group_consumer_max_size
    if member is None and holder is None and len(work.members) >= most:
        raise Refuse(ErrorCode.GROUP_MAX_SIZE_REACHED, f"The group has {most} members already.")
    other = holder if holder is not None and holder.row.member_id != event.member_id else None
    if other is not None and other.epoch != LEFT_FOR_NOW and not other.is_classic:
        raise Refuse(ErrorCode.UNRELEASED_INSTANCE_ID, "The instance id is still in use.")
    if event.regex_problem is not None:  # no refusal after this
        raise Refuse(ErrorCode.INVALID_REGULAR_EXPRESSION, event.regex_problem)
    if other is not None:
        if member is not None:  # it has one place only: the partitions of its own go to others
            leave.remove(work, [member], Trigger.MEMBER_LEFT, "it took a static member's place")
        return _come_back(work, event, other)
    if member is None:
        return _newcomer(work, event)
    if member.is_classic:
        member = _upgraded(work, member)
    elif member.epoch == LEFT_FOR_NOW:
        member = replace(member, epoch=JOIN, previous_epoch=JOIN)
    if event.instance_id is not None and member.row.instance_id != event.instance_id:
        return replace(member, row=replace(member.row, instance_id=event.instance_id))
    return member


def _newcomer(work: Work, event: ConsumerHeartbeat) -> Member:
    member_id = event.member_id or new_id(work)
    if not work.exists:
        epoch = work.row.generation + 1
        work.set_row(protocol_type="consumer", generation=epoch, details=first_details())
        work.journal.append(JournalEntry(EntryKind.GROUP_CREATED, generation_after=epoch))
    work.occupy()
    row = MemberRow(
        member_id,
        event.instance_id,
        event.client_id,
        event.client_host,
        work.rules.group_consumer_session_timeout_ms,
        event.rebalance_timeout_ms,
        work.index.next_position,
    )
    return draining.returned(work, Member(row))


def new_id(work: Work) -> str:
    """A new member id, as Kafka forms it in these groups: bare."""
    return str(UUID(int=work.rng.getrandbits(128), version=4))


def _come_back(work: Work, event: ConsumerHeartbeat, left: Member) -> Member:
    """A static member takes its own place under a new id, partitions and target included."""
    rebalance.remove(work, left.row.member_id, Departure.REPLACED)
    row = replace(left.row, member_id=event.member_id or new_id(work))
    back = replace(left, row=row, epoch=JOIN, previous_epoch=JOIN)
    return _upgraded(work, back) if left.is_classic else back


def _upgraded(work: Work, member: Member) -> Member:
    """A member that used the classic protocol until now; the partitions that it had to revoke are
    free, and no join or sync of it is awaited."""
    live = work.change()
    for timers in (live.calls, live.syncs):
        timers.pop(member.row.member_id, None)
    timeout = work.rules.group_consumer_session_timeout_ms
    row = replace(member.row, subscription=b"", session_timeout_ms=timeout)
    return replace(leave.away(member), row=row, epoch=JOIN, previous_epoch=JOIN)


def _check_epoch(member: Member, event: ConsumerHeartbeat, owned: Parts | None) -> None:
    """Fence old and unknown epochs; the previous epoch is a retry after a lost reply."""
    if event.member_epoch == member.epoch:
        return
    if not _has_lost_answer(member, event, owned):
        raise Refuse(
            ErrorCode.FENCED_MEMBER_EPOCH,
            f"The member epoch is {member.epoch}, not {event.member_epoch}.",
        )


def _has_lost_answer(member: Member, event: ConsumerHeartbeat, owned: Parts | None) -> bool:
    return (
        event.member_epoch == member.previous_epoch < member.epoch
        and owned is not None
        and owned <= member.assigned
    )


def is_sign_of_life(member: Member, holder: str | None, event: ConsumerHeartbeat) -> bool:
    """Whether a heartbeat that is not decided shows that this member is alive: it stays, or joins
    again. A goodbye (an epoch below 0) does not. ``holder``: the member that has the instance id
    of the request."""
    own_id = member.row.member_id
    if event.member_epoch <= JOIN:
        return event.member_epoch == JOIN and holder in (None, own_id)
    if member.is_classic or (event.instance_id is not None and holder != own_id):
        return False
    owned = None if event.owned is None else parts_of(event.owned)
    return event.member_epoch == member.epoch or _has_lost_answer(member, event, owned)


def merge(
    work: Work,
    member: Member,
    changed: Member,
    facts: Mapping[str, Topic],
    looked_up: frozenset[str] | None,
    client_reason: str = "",
) -> None:
    """Store what a request changes; a new subscription, new topics or another assignor increase the
    epoch by one.

    ``facts`` and ``looked_up`` are the catalogue as the handler saw it (``ConsumerHeartbeat``).
    """
    if changed is not work.members.get(member.row.member_id):
        work.put(changed)
    topics, epoch = _catalogue(work, facts, looked_up), work.row.generation
    if changed.topics != member.topics or _is_another_pattern(work, member, changed):
        joins = member.epoch == JOIN and not member.topics and not member.regex
        trigger = Trigger.MEMBER_JOINED if joins else Trigger.SUBSCRIPTION_CHANGED
        rebalance.bump(
            work, trigger, "a member's subscription is new", changed, client_reason=client_reason
        )
    elif topics is not None:
        rebalance.bump(work, Trigger.TOPICS_CHANGED, "topics or partition counts changed", changed)
    elif changed.client_assignors != member.client_assignors:
        # KIP-848: a client-side assignor's new metadata may change its assignment.
        rebalance.bump(
            work, Trigger.ASSIGNOR_CHANGED, "a member's assignor has something new to say", changed
        )
    if topics is not None:
        work.set_catalogue(topics)
    if _assignors(changed) != _assignors(member):
        _choose(work, changed, is_raised=work.row.generation != epoch)


def _choose(work: Work, changed: Member, *, is_raised: bool) -> None:
    """The members' choice of an assignor, after a change of one member's; as in Kafka since 4.4 it
    raises the epoch if the group is assigned by another one now, in a new group than the default.
    """
    stored, name = work.row.details["assignor"], rebalance.choice(work)
    if name == stored:
        return
    work.set_details(assignor=name)
    before = stored or work.rules.group_consumer_assignors[0]
    if name != before and not is_raised:
        reason = f"the members chose the assignor {name} instead of {before}"
        rebalance.bump(work, Trigger.ASSIGNOR_CHANGED, reason, changed)


def _assignors(member: Member) -> tuple[object, ...]:
    return member.assignor, member.client_assignors


def _is_another_pattern(work: Work, member: Member, changed: Member) -> bool:
    """Whether a pattern was removed, or replaced by one whose topics are known. The topics of a new
    pattern arrive later (``patterns``); until then the member keeps its partitions."""
    if changed.regex == member.regex:
        return False
    return not changed.regex or changed.regex in work.index.matches


def _updated(member: Member, event: ConsumerHeartbeat) -> Member:
    """The member with the request's changes; the same object if there are none."""
    row, names, regex = member.row, event.subscribed_topic_names, event.subscribed_topic_regex
    timeout = event.rebalance_timeout_ms
    updated = (
        event.client_id,
        event.client_host,
        row.rebalance_timeout_ms if timeout == -1 else timeout,
        member.topics if names is None else tuple(sorted(set(names))),
        event.server_assignor or member.assignor,
        event.rack_id or member.rack_id,
        member.regex if regex is None else regex,
        member.client_assignors if event.client_assignors is None else event.client_assignors,
    )
    client_id, client_host, timeout, topics, assignor, rack_id, regex, own = updated
    of_row = (row.client_id, row.client_host, row.rebalance_timeout_ms)
    before = (member.topics, member.assignor, member.rack_id, member.regex)
    if updated == (*of_row, *before, member.client_assignors):
        return member
    if updated[:3] != of_row:
        row = replace(
            row, client_id=client_id, client_host=client_host, rebalance_timeout_ms=timeout
        )
    return replace(
        member,
        row=row,
        topics=topics,
        assignor=assignor,
        rack_id=rack_id,
        regex=regex,
        client_assignors=own,
    )


def _catalogue(
    work: Work, facts: Mapping[str, Topic], looked_up: frozenset[str] | None
) -> Mapping[str, Topic] | None:
    """The current subscribed topics; None if the group already has them.

    Topics that the handler did not look up stay as they were. Topics without subscribers are
    removed, but that is not a change.
    """
    names, current = work.index.names, work.index.catalogue
    if facts is current or (facts == current and facts.keys() <= names.keys()):
        return None
    queried = names.keys() if looked_up is None else looked_up
    now = {name: facts[name] for name in names if name in facts}
    now |= {n: current[n] for n in names if n in current and n not in facts and n not in queried}
    return None if now == {n: t for n, t in current.items() if n in names} else now


def _reconcile(work: Work, member: Member, event: ConsumerHeartbeat, owned: Parts | None) -> None:
    member_id = member.row.member_id
    before = work.members[member_id]
    subscribed = targets.kept_topics(work, member, before) if before.state == UNREVOKED else None
    is_free = work.is_free_for(member_id)
    after = reconcile(before, work.target_epoch, owned, is_free, subscribed)
    if after is not before:
        work.put(after)
        if after.state == UNREVOKED:
            work.arm(after)
        else:
            work.disarm(member_id)
    work.hear(member_id)
    has_changed = after is not before
    is_news = has_changed and event.member_epoch != JOIN
    subscribes = (event.subscribed_topic_names, event.subscribed_topic_regex) != (None, None)
    full = event.rebalance_timeout_ms != -1 and subscribes and event.owned is not None
    is_given = has_changed and after.assigned != before.assigned
    sends_assignment = event.member_epoch == JOIN or full or is_given
    assignment = None
    if sends_assignment:
        assignment = {topic: tuple(parts) for topic, parts in by_topic(after.assigned).items()}
    work.answer(
        event.ticket,
        ConsumerBeaten(
            member_id=member_id,
            member_epoch=after.epoch,
            heartbeat_interval_ms=_interval(work, after, is_news=is_news),
            assignment=assignment,
            should_assign=client_rounds.offer(work, after),
        ),
    )


def _interval(work: Work, member: Member, *, is_news: bool) -> Millis:
    """The usual interval, or a short one for a member that waits for partitions or must revoke
    some: convergence takes round trips, not intervals (docs/architecture.md, *Short intervals*).

    A member whose state has just changed also gets a short interval: further changes may follow,
    and a held heartbeat receives them at once (docs/decisions/0017-held-heartbeats.md).
    """
    usual = work.rules.group_consumer_heartbeat_interval_ms
    pending = work.rules.group_consumer_pending_heartbeat_interval_ms
    is_settled = member.state == STABLE and not is_news and not target_schedule.is_coming(work)
    if member.regex and member.regex not in work.index.matches:
        is_settled = False  # its topics are found a moment later
    return usual if is_settled or not pending else min(usual, pending)
