"""Time in a commanded group: sessions, and commands without an acknowledgement."""

from groups.core import commands
from groups.core.commanded import guards, leave, rebalance
from groups.core.commanded.live import Live
from groups.core.commanded.work import ATTEMPT, Work
from groups.core.events import Tick
from groups.core.facts import DEPARTURES, Departure
from groups.core.group import Millis, Rules
from groups.core.journal import Trigger
from groups.core.rebalance_cause import Cause
from groups.core.rows import Durable, MemberRow


def tick(work: Work, event: Tick) -> None:
    """Remove silent consumers; send unacknowledged commands again, and finally expel their
    consumers."""
    _expire(work)
    if not rebalance.is_waiting(work.state) or work.now < _attempt_end(work.live, work.rules):
        return
    late = rebalance.laggards(work.members.values())
    if late and work.row.details[ATTEMPT] > work.rules.rebalance_max_retries:
        leave.give_up(work, late)
    elif late:
        rebalance.try_again(work, late)


def _expire(work: Work) -> None:
    """Remove consumers that were silent for a session (the design: their ephemeral nodes end),
    including expelled ones."""
    rows = [row for row in work.members.values() if work.now >= work.live.deadline(row)]
    for row in rows:
        leave.remove(work, row.member_id, Trigger.SESSION_EXPIRED, _how(row))
    silent = [row for row in rows if not commands.is_expelled(row)]
    for row in rows:
        if commands.is_expelled(row):
            leave.gone(work, Cause.of(row.details[commands.EXPELLED]))
    if silent:
        who = "a consumer was" if len(silent) == 1 else f"{len(silent)} consumers were"
        first = silent[0]
        reason = f"{who} not heard of in time"
        cause = Cause(Trigger.SESSION_EXPIRED, reason, first.member_id, first.client_id)
        leave.gone(work, cause, silent)


def _how(row: MemberRow) -> Departure:
    """How the life of a silent consumer ended: an expelled one was removed for another reason."""
    expelled = row.details.get(commands.EXPELLED)
    return Departure.EXPIRED if expelled is None else DEPARTURES[Cause.of(expelled).trigger]


def _attempt_end(live: Live, rules: Rules) -> Millis:
    return live.attempt_at + rules.rebalance_backoff_ms


def due(durable: Durable, live: Live, rules: Rules, earliest: Millis | None) -> Millis | None:
    """The next time at which ``tick`` would decide something; ``earliest``: the first session's
    end."""
    if live.recovering:
        return live.started_at
    rows = durable.members.values()
    ends = [] if earliest is None else [earliest]
    if rebalance.is_waiting(durable.group.state) and rebalance.laggards(rows):
        ends.append(_attempt_end(live, rules))
    put_off = guards.due(durable, live, rules)
    ends += [] if put_off is None else [put_off]
    return min(ends, default=None)
