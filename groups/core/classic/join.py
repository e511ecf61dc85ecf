"""JoinGroup: who may join, and what a join does in each state (KIP-62, 345, 394, 814).

The four steps are Kafka's: check the request and the limits, then handle a join without a member
id, with a handed-out one, or of a known member. ``join_phase`` has the rules of the join phase.
"""

from dataclasses import replace
from random import Random
from uuid import UUID

from groups.core.classic import awaited, guards, ownership, static
from groups.core.classic.join_phase import (
    current_generation,
    maybe_complete,
    prepare,
    rebalance_or_go_on,
)
from groups.core.classic.leave import remove_for_size
from groups.core.classic.live import Cause, Join
from groups.core.classic.states import COMPLETING, EMPTY, PREPARING, STABLE
from groups.core.classic.work import Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import JoinGroup
from groups.core.explanation import End
from groups.core.group import Millis
from groups.core.journal import Trigger
from groups.core.replies import Joined
from groups.core.rows import NOTHING, MemberRow
from groups.core.subscription import pack_protocols, packed_size

ID_PREFIX_CHARS_MAX = 128
"""Characters of the client's or instance's name that go into a member id. Names may be 32 KiB
long on the wire, and every heartbeat repeats the id."""


def join_group(work: Work, event: JoinGroup) -> None:
    """Decide one JoinGroup: reply now, or park it."""
    rules = work.rules
    low, high = rules.group_min_session_timeout_ms, rules.group_max_session_timeout_ms
    if not low <= event.session_timeout_ms <= high:
        raise Refuse(ErrorCode.INVALID_SESSION_TIMEOUT)
    if event.member_id and not work.exists:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    member_id = event.member_id or _holder(work, event) or ""
    if not (has_room(work, member_id) and has_room_for(work, event, member_id)):
        remove_for_size(work, event.member_id)
        work.answer(event.ticket, Joined(error=ErrorCode.GROUP_MAX_SIZE_REACHED))
        return
    if not supports(work, event):
        raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    if not event.member_id:
        _join_without_id(work, event)
    elif event.member_id in work.live.pending:
        _join_with_pending_id(work, event)
    else:
        work.member_or_refuse(event.member_id, event.instance_id)
        _rejoin(work, event)


def has_room(work: Work, member_id: str) -> bool:
    """Whether group.max.size allows the join; in a join phase the members that joined first
    stay."""
    most = work.rules.group_max_size
    if work.state == EMPTY and not work.live.joins:
        return True
    if work.state == PREPARING:
        return member_id in work.live.joins or len(work.live.joins) < most
    return work.has(member_id) or work.size < most


def has_room_for(work: Work, event: JoinGroup, member_id: str) -> bool:
    """Whether the members' metadata fit into their limit together: the leader receives all of it,
    and one transaction writes it."""
    before = len(work.row_of(member_id).subscription) if work.has(member_id) else 0
    size = packed_size(event.protocols)
    return work.live.metadata_bytes - before + size <= work.rules.group_metadata_max_bytes


def supports(work: Work, event: JoinGroup) -> bool:
    """Whether these protocols are compatible with the group: all members share one name."""
    if work.state == EMPTY and not work.live.joins:
        return bool(event.protocol_type and event.protocols)
    if event.protocol_type != work.row.protocol_type:
        return False
    offered = {name for name, _ in event.protocols}
    for names in work.live.preferences:
        offered.intersection_update(names)
    return bool(offered)


def _holder(work: Work, event: JoinGroup) -> str | None:
    """The member with the instance id; a static member that returns needs no place of its own."""
    return None if event.instance_id is None else work.live.instances.get(event.instance_id)


def _join_without_id(work: Work, event: JoinGroup) -> None:
    member_id = new_member_id(event.instance_id or event.client_id, work.rng)
    holder = _holder(work, event)
    if holder is not None:
        static.replace_member(work, event, holder, member_row(work, event, member_id))
    elif event.instance_id is None and event.needs_member_id:
        _hand_out(work, event, member_id)
    else:
        _admit(work, event, member_id)


def _hand_out(work: Work, event: JoinGroup, member_id: str) -> None:
    """The client is to join with this id; a rebalance that waited for its earlier one may end."""
    connection = event.ticket and event.ticket.connection
    earlier = work.live.awaited.get(connection)
    if earlier is not None:
        awaited.id_ended(work, earlier, End.PENDING)
    work.hand_out(member_id, event.session_timeout_ms, connection)
    work.answer(event.ticket, Joined(error=ErrorCode.MEMBER_ID_REQUIRED, member_id=member_id))
    maybe_complete(work)


def _join_with_pending_id(work: Work, event: JoinGroup) -> None:
    if event.instance_id is not None:
        # A dynamic member's id with an instance id: Kafka's reply, which does not repeat the id.
        work.answer(event.ticket, Joined(error=ErrorCode.UNKNOWN_SERVER_ERROR))
        return
    live = work.live
    is_awaited = live.awaits(event.member_id)
    since = live.pending[event.member_id].since if is_awaited else None
    work.take_back(event.member_id)
    _admit(work, event, event.member_id, since)


def _admit(
    work: Work, event: JoinGroup, member_id: str, awaited_since: Millis | None = None
) -> None:
    """A new member: park its join; the group rebalances."""
    row = member_row(work, event, member_id)
    if work.state == EMPTY:
        work.set_row(protocol_type=event.protocol_type)
    elif work.live.join_phase is not None and work.live.join_phase.window is not None:
        window = replace(work.live.join_phase.window, grew=True, last_join=work.now)
        work.set_join_phase(window=window)
    work.change().next_position += 1
    work.park(parked(work, event, row, is_new=True, awaited_since=awaited_since))
    rebalance_or_go_on(work, _cause(Trigger.MEMBER_JOINED, event, member_id))


def _rejoin(work: Work, event: JoinGroup) -> None:
    """A known member joins: park it, or reply with the current generation."""
    member_id = event.member_id
    row = member_row(work, event, member_id)
    same = work.row_of(member_id).subscription == row.subscription
    work.hear(member_id)
    if work.state == PREPARING:
        _park_known(work, event, row)
        maybe_complete(work)
    elif member_id in work.live.joins:
        _park_known(work, event, row)  # a rebalance was put off, and the member waits for it
    elif same and _is_a_retry(work, member_id):
        ownership.repeated(work, member_id)
        work.answer(event.ticket, current_generation(work, member_id))
    elif work.state in (COMPLETING, STABLE):
        trigger = Trigger.LEADER_REJOINED if same else Trigger.METADATA_CHANGED
        cause = _cause(trigger, event, member_id)
        if guards.holds(work, cause.trigger):
            _rejoin_held(work, event, row, cause)
            return
        _park_known(work, event, row)
        prepare(work, cause)
    else:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)


def _rejoin_held(work: Work, event: JoinGroup, row: MemberRow, cause: Cause) -> None:
    """The rebalance has to wait: a member that can keep its assignment continues with it meanwhile.

    The leader is told to skip the assignment, if its version can; an assignment that it sends is
    ignored.
    """
    is_leader = cause.trigger == Trigger.LEADER_REJOINED
    if not is_leader and not guards.may_go_on(row, work.row.protocol_name):
        _park_known(work, event, row)
        guards.put_off(work, cause)
        return
    static.settle(work, row)
    guards.owe(work, cause)
    answer = current_generation(work, row.member_id)
    leads = row.member_id == work.row.leader
    skips = leads and event.can_skip_assignment
    work.answer(event.ticket, replace(answer, skip_assignment=skips))


def _is_a_retry(work: Work, member_id: str) -> bool:
    """Whether an unchanged join only repeats a request whose reply was lost. The leader's in Stable
    does not: with it a leader requests a rebalance, and Kafka starts one."""
    if work.state == COMPLETING:
        return True
    return work.state == STABLE and member_id != work.row.leader


def _park_known(work: Work, event: JoinGroup, row: MemberRow) -> None:
    """Park a member's join; an earlier parked one is answered and replaced."""
    held = work.live.joins.get(row.member_id)
    if held is not None:
        work.answer(
            held.ticket,
            Joined(error=ErrorCode.REBALANCE_IN_PROGRESS, member_id=row.member_id),
        )
    work.park(parked(work, event, row, is_new=held is not None and held.is_new))


def parked(
    work: Work,
    event: JoinGroup,
    row: MemberRow,
    *,
    is_new: bool,
    awaited_since: Millis | None = None,
) -> Join:
    """The join to park; a repeated one keeps the time of the first."""
    held = work.live.joins.get(row.member_id)
    names = tuple(name for name, _ in event.protocols)
    first, client = work.now, event.client
    if held is not None:
        first, client, awaited_since = held.first, held.client, held.awaited_since
    return Join(row, names, event.ticket, first, work.now, is_new, client, awaited_since)


def member_row(work: Work, event: JoinGroup, member_id: str) -> MemberRow:
    """The member's row from this join; a known one keeps its position and assignment."""
    before = work.row_of(member_id) if work.has(member_id) else None
    instance_id = event.instance_id
    if before is not None and instance_id is None:
        instance_id = before.instance_id  # it never changes, even if the request omits it
    return MemberRow(
        member_id=member_id,
        instance_id=instance_id,
        client_id=event.client_id,
        client_host=event.client_host,
        session_timeout_ms=event.session_timeout_ms,
        rebalance_timeout_ms=event.rebalance_timeout_ms,
        position=work.live.next_position if before is None else before.position,
        subscription=pack_protocols(event.protocols),
        assignment=b"" if before is None else before.assignment,
        details=NOTHING,
    )


def new_member_id(prefix: str, rng: Random) -> str:
    """A new member id, as Kafka forms it: the client's or instance's name and a UUID."""
    return f"{prefix[:ID_PREFIX_CHARS_MAX]}-{UUID(int=rng.getrandbits(128), version=4)}"


def _cause(trigger: str, event: JoinGroup, member_id: str) -> Cause:
    words: dict[str, str] = {
        Trigger.MEMBER_JOINED: "a new member joined",
        Trigger.LEADER_REJOINED: "the leader joined again",
        Trigger.METADATA_CHANGED: "a member changed its protocols or metadata",
    }
    client_reason = event.reason or ""
    return Cause(trigger, words[trigger], member_id, event.client_id, client_reason=client_reason)
