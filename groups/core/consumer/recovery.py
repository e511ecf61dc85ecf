"""Restores a consumer group's live state after a reload. No rule is here.

After a takeover sessions and timers continue where earlier owners left them.
"""

from collections.abc import Mapping
from dataclasses import replace

from groups.core.assignors.types import Parts
from groups.core.consumer import awaited, classic_heartbeats, client_rounds, target_schedule
from groups.core.consumer.index import Index
from groups.core.consumer.live import Live, Timer
from groups.core.consumer.member import UNREVOKED, Member
from groups.core.consumer.sessions import Sessions
from groups.core.consumer.states import ASSIGNING, RECONCILING
from groups.core.earlier import Earlier, floor_of
from groups.core.group import Beat, Millis, Rules, forgiven, forgiven_beats
from groups.core.rows import GroupRow
from groups.core.values import SharedDict


def kept(
    row: GroupRow,
    members: Mapping[str, Member],
    index: Index,
    live: Live,
    now: Millis,
    earlier: Earlier | None = None,
) -> Live:
    """The live state after a reload: the part that the rows still allow."""
    beats = {member_id: live.beats.get(member_id, Beat(now)) for member_id in members}
    revoking = [m for m in members if members[m].state == UNREVOKED and m not in index.classic]
    schedule = target_schedule.reloaded(live.schedule)
    called = [
        m for m in index.classic if classic_heartbeats.must_join(row, schedule, index, members[m])
    ]
    episode, awaits = live.episode, SharedDict((m, o) for m, o in live.open.items() if m in members)
    if episode is None:
        episode, awaits = awaited.after_takeover(row, members, now)
    return replace(
        live,
        episode=episode,
        open=awaits,
        beats=SharedDict(beats),
        timers={m: _timer(members[m], live.timers.get(m), now, REVOKE, earlier) for m in revoking},
        calls={m: _timer(members[m], live.calls.get(m), now, CALL, earlier) for m in called},
        syncs={m: timer for m, timer in live.syncs.items() if m in index.classic},
        since=live.since if row.state in (ASSIGNING, RECONCILING) else None,
        schedule=schedule,
        client_round=client_rounds.reloaded(live.client_round, members),
    )


def rearmed(live: Live, rules: Rules, now: Millis, missed: Millis) -> Live:
    """Extend every session and timer by the missed time."""
    return replace(
        live,
        floor=forgiven(live.floor, now, missed),
        beats=SharedDict(forgiven_beats(live.beats, now, missed)),
        timers=_later(live.timers, now, missed),
        calls=_later(live.calls, now, missed),
        syncs=_later(live.syncs, now, missed),
        client_round=client_rounds.rearmed(live.client_round, rules, now, missed),
    )


def taken_over(
    members: Mapping[str, Member], index: Index, rules: Rules, now: Millis, earlier: Earlier | None
) -> Live:
    """The live state for a new owner, of what was noted about members' sessions."""
    live = Live(now, settled_at=now)
    if earlier is not None:
        sessions = Sessions(live, index, rules)
        for member_id, member in members.items():
            live.beats[member_id] = earlier.beat(member_id, sessions.timeout_ms(member), now)
        live.floor = floor_of(live.beats, now)
    return live


def waits(members: Mapping[str, Member], live: Live) -> dict[str, Millis]:
    """Since when members have had to revoke partitions, or to join again."""
    found = {}
    for what, timers in ((REVOKE, live.timers), (CALL, live.calls)):
        for member_id, timer in timers.items():
            name = _wait(what, members[member_id], timer.revoking)
            found[name] = timer.deadline - timer.timeout_ms
    return found


REVOKE, CALL = "revoke", "call"


def _wait(what: str, member: Member, revoking: Parts) -> str:
    """The name of a timer (``Group.waits``): another one has another epoch, or other partitions."""
    return f"{what}/{member.epoch}/{len(revoking)}/{member.row.member_id}"


def _timer(
    member: Member, before: Timer | None, now: Millis, what: str, earlier: Earlier | None
) -> Timer:
    """The running timer, if it was for the same partitions; otherwise a new one, with the time that
    earlier owners left of it, or the full time."""
    if before is not None and before.revoking == member.revoking:
        return before
    timeout, began = member.row.rebalance_timeout_ms, now
    if earlier is not None:
        began = earlier.wait(_wait(what, member, member.revoking), timeout, now)
    return Timer(began + timeout, timeout, member.revoking)


def _later(timers: Mapping[str, Timer], now: Millis, missed: Millis) -> dict[str, Timer]:
    def later(timer: Timer) -> Timer:
        began = forgiven(timer.deadline - timer.timeout_ms, now, missed)
        return replace(timer, deadline=began + timer.timeout_ms)

    return {member_id: later(timer) for member_id, timer in timers.items()}
