"""Time in a commanded group: sessions, and attempts that nobody acknowledges."""

from groups.core.commanded import guards, leave, rebalance
from groups.core.commanded.live import Live
from groups.core.commanded.work import ATTEMPT, Work
from groups.core.events import Tick
from groups.core.group import Millis, Rules
from groups.core.rows import Durable


def tick(work: Work, event: Tick) -> None:
    """Who is silent goes; who does not acknowledge is told again, and in the end expelled."""
    leave.expire(work)
    if not rebalance.is_waiting(work.state) or work.now < _attempt_end(work.live, work.rules):
        return
    late = rebalance.laggards(work.members.values())
    if late and work.row.details[ATTEMPT] > work.rules.rebalance_max_retries:
        leave.give_up(work, late)
    elif late:
        rebalance.try_again(work, late)


def _attempt_end(live: Live, rules: Rules) -> Millis:
    return live.attempt_at + rules.rebalance_backoff_ms


def due(durable: Durable, live: Live, rules: Rules) -> Millis | None:
    """The next instant at which ``tick`` would decide something. O(members)."""
    if live.recovering:
        return live.started_at
    rows = durable.members.values()
    ends = [live.deadline(row) for row in rows]
    if rebalance.is_waiting(durable.group.state) and rebalance.laggards(rows):
        ends.append(_attempt_end(live, rules))
    put_off = guards.due(durable, live, rules)
    ends += [] if put_off is None else [put_off]
    return min(ends, default=None)
