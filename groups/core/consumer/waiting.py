"""What a rebalancing consumer group waits for (``groups.core.waiting``). Decides nothing.

No member stops all of its work here: idle are partitions without a holder, and those of silent
members.
"""

from collections.abc import Iterator, Mapping

from groups.core.consumer import client_rounds, guards
from groups.core.consumer.index import Index
from groups.core.consumer.live import Live
from groups.core.consumer.member import LEFT_FOR_NOW, UNRELEASED, Member
from groups.core.consumer.sessions import Sessions
from groups.core.consumer.states import ASSIGNING, RECONCILING
from groups.core.group import Millis, Rules
from groups.core.rows import Durable
from groups.core.waiting import (
    NAMED_MAX,
    Act,
    Awaited,
    Phase,
    Waiting,
    is_silent,
    longest_unheard,
    name_of,
)


def waiting(
    durable: Durable,
    members: Mapping[str, Member],
    index: Index,
    live: Live,
    rules: Rules,
    now: Millis,
) -> Waiting | None:
    """What the group waits for; None if it is settled. O(members)."""
    row = durable.group
    is_put_off = guards.is_put_off(row)
    if row.state not in (ASSIGNING, RECONCILING) and not is_put_off:
        return None
    sessions = Sessions(live, index, rules)
    late = _late(durable, members, index, live)
    held_up = [name_of(member.row) for member in members.values() if _is_held_up(member, index)]
    return Waiting(
        phase=_phase(row.state, is_put_off),
        since=live.since,
        until=guards.due(row, live, rules) if is_put_off else _until(live),
        awaited=tuple(_named(members, late, sessions)),
        awaited_count=len(late),
        ready=len(members) - len(late),
        newcomers=tuple(held_up[:NAMED_MAX]),
        newcomers_count=len(held_up),
        still=_still(members, index, sessions, now, late),
    )


def _phase(state: str, is_put_off: bool) -> Phase:
    if is_put_off:
        return Phase.PUT_OFF
    return Phase.ASSIGN if state == ASSIGNING else Phase.RECONCILE


def _until(live: Live) -> Millis | None:
    """The first deadline of a member, or when another one is asked to assign."""
    timers = (*live.timers.values(), *live.calls.values(), *live.syncs.values())
    ends = [timer.deadline for timer in timers]
    if live.client_round.assigning_id is not None:
        ends.append(live.client_round.until)
    return min(ends, default=None)


Late = Mapping[str, tuple[Act, Millis | None]]
"""The act that is awaited of each member, and its deadline."""


def _late(durable: Durable, members: Mapping[str, Member], index: Index, live: Live) -> Late:
    target_epoch = durable.group.details.get("target_epoch", 0)
    found: dict[str, tuple[Act, Millis | None]] = {}
    for member_id, member in members.items():
        act = _act(member, live, durable, target_epoch)
        if act is None and _may_have_all(member, index):
            act = (Act.HEARTBEAT, None)
        if act is not None:
            found[member_id] = act
    return found


def _may_have_all(member: Member, index: Index) -> bool:
    """Whether the member waited for partitions that are all free now: its next heartbeat gets
    them."""
    if member.state != UNRELEASED:
        return False
    return not any(part in index.holders for part in member.target - member.assigned)


def _named(members: Mapping[str, Member], late: Late, sessions: Sessions) -> Iterator[Awaited]:
    for heard_at, member_id in longest_unheard(late, sessions.really_heard):
        member, (act, end) = members[member_id], late[member_id]
        session_end = sessions.end(member)
        until = session_end if end is None else min(session_end, end)
        partitions = len(member.revoking) if act is Act.REVOKE else 0
        yield Awaited(member_id, name_of(member.row), act, heard_at, until, partitions)


def _act(
    member: Member, live: Live, durable: Durable, target_epoch: int
) -> tuple[Act, Millis | None] | None:
    """The act that is awaited of the member, and its deadline; None: none."""
    member_id = member.row.member_id
    for timers, act in (
        (live.timers, Act.REVOKE),
        (live.calls, Act.REJOIN),
        (live.syncs, Act.SYNC),
    ):
        if member_id in timers:
            return act, timers[member_id].deadline
    if (
        client_rounds.is_open(live.client_round, durable.group)
        and live.client_round.assigning_id == member_id
    ):
        return Act.ASSIGN, live.client_round.until
    if member.epoch == LEFT_FOR_NOW:
        return Act.RETURN, None
    if member.epoch != target_epoch:
        return Act.HEARTBEAT, None
    return None


def _is_held_up(member: Member, index: Index) -> bool:
    """Whether the member waits for partitions that others have not revoked."""
    return member.state == UNRELEASED and not _may_have_all(member, index)


def _still(
    members: Mapping[str, Member], index: Index, sessions: Sessions, now: Millis, late: Late
) -> int:
    usual = sessions.interval_ms
    subscribed = sum(count for _, count in index.catalogue.values())
    unowned = max(0, subscribed - len(index.holders))
    silent = (
        len(member.holds)
        for member_id, member in members.items()
        if is_silent(
            sessions.really_heard(member_id),
            sessions.timeout_ms(member),
            now,
            0 if member_id in late else usual,
        )
    )
    return unowned + sum(silent)
