"""What a rebalancing commanded group waits for (``groups.core.waiting``). Decides nothing.

A member that has acknowledged stop-fetcher works on nothing until start-fetcher.
"""

from groups.core.assignment import count_of
from groups.core.commanded import guards
from groups.core.commanded.live import Live
from groups.core.commanded.rebalance import is_waiting, laggards
from groups.core.commanded.states import PREPARING, STABLE
from groups.core.commanded.work import QUEUED
from groups.core.group import Millis, Rules
from groups.core.rows import Durable, MemberRow
from groups.core.waiting import Act, Awaited, Phase, Waiting, is_silent, longest_silent, name_of


def waiting(durable: Durable, live: Live, rules: Rules, now: Millis) -> Waiting | None:
    """What the group waits for; None if it is settled. O(members)."""
    row = durable.group
    if is_waiting(row.state):
        return _acknowledging(durable, live, rules, now)
    if row.state == STABLE and QUEUED in row.details:
        return Waiting(Phase.PUT_OFF, None, guards.due(durable, live, rules))
    return None


def _stands_still(row: MemberRow, live: Live, stops: bool, now: Millis) -> bool:
    """Whether a consumer works on nothing: it has stopped, has yet to start, or is silent."""
    if bool(row.commands) is not stops:
        return True
    heard_at = live.beats[row.member_id].at
    return bool(row.commands) and is_silent(heard_at, row.session_timeout_ms, now)


def _acknowledging(durable: Durable, live: Live, rules: Rules, now: Millis) -> Waiting:
    stops = durable.group.state == PREPARING
    late = [
        Awaited(
            row.member_id,
            name_of(row),
            Act.ACKNOWLEDGE,
            live.beats[row.member_id].heard_at,
            live.deadline(row),
        )
        for row in laggards(durable.members.values())
    ]
    rows = durable.members.values()
    still = sum(count_of(row.assignment) for row in rows if _stands_still(row, live, stops, now))
    return Waiting(
        phase=Phase.STOP if stops else Phase.START,
        since=live.attempt_at,
        until=live.attempt_at + rules.rebalance_backoff_ms if late else None,
        awaited=longest_silent(late),
        awaited_count=len(late),
        ready=len(rows) - len(late),
        still=still,
    )
