"""What a rebalancing classic group waits for (``groups.core.waiting``). Decides nothing.

Members of an eager protocol have no partitions from the time they join again until their next
assignment; those of a cooperative one keep theirs (KIP-429). Silent members are assumed to have
stopped.
"""

from collections.abc import Iterator
from typing import Final

from groups.core.assignment import count_of
from groups.core.classic.live import JoinPhase, Live, SyncPhase
from groups.core.classic.states import UNASSIGNED
from groups.core.group import Millis, Rules
from groups.core.rows import Durable, MemberRow
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

COOPERATIVE: Final = frozenset({"cooperative-sticky"})
"""Protocols whose members continue to work while they join. This is not known of others."""


def waiting(durable: Durable, live: Live, rules: Rules, now: Millis) -> Waiting | None:
    """What the group waits for; None if it is settled. O(members)."""
    if live.join_phase is not None:
        return _joining(durable, live, live.join_phase, rules, now)
    if live.sync is not None and live.unsynced:
        return _syncing(durable, live, live.sync)
    if live.is_owed(durable.group):
        return _put_off(durable, live, rules)
    return None


def _joining(
    durable: Durable, live: Live, joining: JoinPhase, rules: Rules, now: Millis
) -> Waiting:
    until = joining.deadline(rules.group_quiet_window_ms, bool(live.awaited))
    rows = durable.members
    late = [member_id for member_id in rows if member_id not in live.joins]
    named = [
        Awaited(m, name_of(rows[m]), Act.REJOIN, heard_at, _removed_at(live, rows[m], until))
        for heard_at, m in longest_unheard(late, live.really_heard)
    ]
    return Waiting(
        phase=Phase.JOIN if joining.window is None else Phase.WINDOW,
        since=joining.started_at,
        until=until,
        awaited=tuple(named),
        awaited_count=len(late),
        ready=len(live.joins) - live.fresh,
        newcomers=_newcomers(live),
        newcomers_count=live.fresh,
        handed_out=len(live.awaited),
        still=_still(durable, live, now),
    )


def _removed_at(live: Live, row: MemberRow, join_end: Millis) -> Millis:
    """When a member that does not join is removed: at the end of the join phase, unless it is
    static."""
    session_end = live.session_end(row)
    return session_end if row.instance_id is not None else min(session_end, join_end)


def _syncing(durable: Durable, live: Live, phase: SyncPhase) -> Waiting:
    rows = durable.members
    late = [member_id for member_id in live.unsynced if member_id in rows]
    named = [
        Awaited(
            m,
            name_of(rows[m]),
            Act.SYNC,
            heard_at,
            min(live.session_end(rows[m]), phase.deadline),
        )
        for heard_at, m in longest_unheard(late, live.really_heard)
    ]
    return Waiting(
        phase=Phase.SYNC,
        since=phase.started_at,
        until=phase.deadline,
        awaited=tuple(named),
        awaited_count=len(late),
        ready=len(durable.members) - len(late),
        still=None if durable.group.protocol_name in COOPERATIVE else _all(durable),
    )


def _put_off(durable: Durable, live: Live, rules: Rules) -> Waiting:
    return Waiting(
        phase=Phase.PUT_OFF,
        since=None,
        until=live.put_off_until(durable, rules),
        newcomers=_newcomers(live),
        newcomers_count=live.fresh,
    )


def _newcomers(live: Live) -> tuple[str, ...]:
    named: list[str] = []
    for join in live.joins.values():
        if join.is_new and len(named) < NAMED_MAX:
            named.append(name_of(join.row))
    return tuple(named)


def _still(durable: Durable, live: Live, now: Millis) -> int:
    """The partitions of eager members that have joined, and of silent ones."""
    if durable.group.details.get(UNASSIGNED):
        return _all(durable)
    return sum(count_of(row.assignment) for row in _stopped(durable, live, now))


def _stopped(durable: Durable, live: Live, now: Millis) -> Iterator[MemberRow]:
    is_eager = durable.group.protocol_name not in COOPERATIVE
    for member_id, row in durable.members.items():
        if member_id in live.joins:
            if is_eager:
                yield row
        elif is_silent(live.really_heard(member_id), row.session_timeout_ms, now):
            yield row


def _all(durable: Durable) -> int:
    return sum(count_of(row.assignment) for row in durable.members.values())
