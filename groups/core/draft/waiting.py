"""What a rebalancing group of the 0.9 draft waits for (``groups.core.waiting``). Decides nothing.

A consumer that was told of a rebalance gives up all partitions before it joins; suspects are not
awaited.
"""

from collections.abc import Iterable

from groups.core.assignment import count_of
from groups.core.draft import guards
from groups.core.draft.live import JoinPhase, Live
from groups.core.draft.states import STABLE
from groups.core.draft.work import OWED
from groups.core.group import Millis, Rules, last_heard
from groups.core.rows import Durable, MemberRow
from groups.core.waiting import (
    NAMED_MAX,
    Act,
    Awaited,
    Phase,
    Waiting,
    is_silent,
    longest_silent,
    name_of,
)


def waiting(durable: Durable, live: Live, rules: Rules, now: Millis) -> Waiting | None:
    """What the group waits for; None if it is settled. O(members)."""
    if live.join_phase is not None:
        return _joining(durable, live, live.join_phase, now)
    if durable.group.state == STABLE and OWED in durable.group.details:
        return Waiting(Phase.PUT_OFF, None, guards.due(durable, live, rules))
    return None


def _joining(durable: Durable, live: Live, joining: JoinPhase, now: Millis) -> Waiting:
    late = [
        Awaited(
            consumer_id, name_of(row), Act.REJOIN, _heard_at(live, consumer_id), live.deadline(row)
        )
        for consumer_id, row in durable.members.items()
        if live.is_awaited(consumer_id)
    ]
    return Waiting(
        phase=Phase.JOIN,
        since=joining.started_at,
        until=max((one.until for one in late), default=None),
        awaited=longest_silent(late),
        awaited_count=len(late),
        ready=len(live.joins),
        newcomers=tuple(name_of(join.row) for join in live.newcomers[:NAMED_MAX]),
        newcomers_count=len(live.newcomers),
        still=sum(count_of(row.assignment) for row in _stopped(durable, live, now)),
    )


def _heard_at(live: Live, consumer_id: str) -> Millis:
    return last_heard(live.beats[consumer_id], live.floor)


def _stopped(durable: Durable, live: Live, now: Millis) -> Iterable[MemberRow]:
    for consumer_id, row in durable.members.items():
        heard_at = _heard_at(live, consumer_id)
        if not live.is_awaited(consumer_id) or is_silent(heard_at, row.session_timeout_ms, now):
            yield row
