"""Which ConsumerGroupHeartbeat may wait for news, for how long, and what counts as news (KIP-848).

Held are an empty heartbeat of a member that needs no new assignment, and any but the first of a
member that has no partition yet; others report or receive something and are answered at once. Why
these figures: docs/decisions/0017-held-heartbeats.md. Nothing waits here.
"""

from dataclasses import dataclass, replace
from math import inf
from typing import Final

from groups.core.consumer.group import ConsumerGroup
from groups.core.group import Millis, Rules
from groups.core.replies import ConsumerBeaten
from groups.runtime import views
from protocol.requests.call import Call
from protocol.requests.pace import PacedClient
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest

HOLD_S_MIN = 0.3
"""The minimum hold: a client with a shorter interval gets news soon anyway."""

PACE = 0.8
"""Share of the shortest interval that members are told, or of what a hold has left of the last one:
a client that pauses less than that between a response and its next heartbeat has an interval of its
own, and is not held. (Clients jitter.)"""

INTERVAL_MS_MIN = 1_000
"""Members with a shorter usual interval get news soon enough without a hold."""

MARGIN_S = 0.2
"""The hold ends this long before the interval that the member was told last: librdkafka abandons a
heartbeat, and closes its connection, after that interval."""

INTERVAL: Final = "heartbeat interval"
"""Key of the connection's memory: the last interval, in ms, in a response on it."""

AGAIN: Final = "the same interval"
"""Key of the connection's memory: whether the response before had that interval, too."""

SESSION_SHARE = 1 / 3
"""Maximum share of the session timeout: a client that counts its interval from the response sends
its next heartbeat later by the time of the hold."""

TELLING_SHARE = 1 / 4
"""Share of the interval: a shorter hold does not show whether a client counts from the response."""

TELLING_MS: Final = 1_500
"""A shorter interval does not show it either: librdkafka looks at its timers every half second."""

HELD: Final = "held"
"""Key of the connection's memory: for how many ms its last heartbeat was held without news. (After
news the next one comes at once, whatever the client's interval.)"""


QUIET_MS: Final = 6_000
"""A group is quiet when it has had no new target for so long. Until then its members are told the
short interval, whatever their clients count it from: another change is likely, as in a rolling
deploy."""


def learn(request: ConsumerGroupHeartbeatRequest, call: Call) -> int:
    """A heartbeat has arrived; return for how many ms the last one was held without news.

    If that was until the end of its hold, the time of this one shows whether the client counts its
    interval from the request or from the response; unless it says something, which it does at once.
    (A client that counts from the response does not abandon a held heartbeat.)"""
    session = call.session
    software = session.software, session.software_version
    call.pace.is_of(PacedClient(request.group_id, call.client_id, *software))
    interval_ms, held_ms = call.memory.get(INTERVAL, 0), call.memory.pop(HELD, 0)
    tells = interval_ms >= TELLING_MS and held_ms >= interval_ms * TELLING_SHARE
    if not tells or reports_more(request):
        return held_ms
    late_ms, soon_ms = interval_ms, max(0, interval_ms - held_ms)
    paused_ms = pause_ms(request, call)
    call.pace.counts(from_answer=abs(paused_ms - late_ms) < abs(paused_ms - soon_ms))
    return held_ms


def hold_s(
    request: ConsumerGroupHeartbeatRequest, reply: ConsumerBeaten, held_ms: int, call: Call
) -> float:
    """How long (in seconds) the heartbeat of a member for which there is no news may wait; else 0.
    ``held_ms``: for how long the last one was held."""
    share = call.node.settings.group_consumer_heartbeat_hold_percent / 100
    has_assignment = reply.assignment is not None or reply.should_assign
    if not share or request.member_epoch <= 0 or reply.error or has_assignment:
        return 0
    group = call.node.coordinator.group(request.group_id)
    if not isinstance(group, ConsumerGroup):
        return 0
    is_same = reply.member_epoch == request.member_epoch and not reports_more(request)
    is_settled = is_same and group.is_settled(request.member_id, reply.member_epoch)
    if not is_settled and not group.expects_first(request.member_id):
        return 0
    interval_ms = reply.heartbeat_interval_ms
    told_ms = call.memory.get(INTERVAL, interval_ms)
    soon_ms = group.rules.group_consumer_pending_heartbeat_interval_ms or interval_ms
    rest_ms = told_ms - held_ms if held_ms < told_ms else interval_ms
    due_ms = min(soon_ms, interval_ms, rest_ms)
    is_early = not reports_more(request) and pause_ms(request, call) < PACE * due_ms
    if group.rules.group_consumer_heartbeat_interval_ms < INTERVAL_MS_MIN or is_early:
        return 0
    last_ms = interval_ms if call.pace.from_answer else told_ms
    interval_s = min(interval_ms, last_ms) / 1000
    session_s = group.rules.group_consumer_session_timeout_ms / 1000
    seconds = min(interval_s * share, interval_s - MARGIN_S, session_s * SESSION_SHARE)
    return seconds if seconds >= HOLD_S_MIN else 0


def reports_more(request: ConsumerGroupHeartbeatRequest) -> bool:
    """Whether a heartbeat reports more than that the member is alive."""
    return (
        request.member_epoch <= 0
        or request.topic_partitions is not None
        or request.subscribed_topic_names is not None
        or request.subscribed_topic_regex is not None
        or request.server_assignor is not None
        or request.rebalance_timeout_ms != -1
        or request.client_assignors is not None
    )


def held_after_ms(rules: Rules) -> float:
    """A settled member without a heartbeat here for this long may be held; infinite if none is ever
    held."""
    interval_ms = rules.group_consumer_heartbeat_interval_ms
    soon_ms = rules.group_consumer_pending_heartbeat_interval_ms or interval_ms
    return inf if interval_ms < INTERVAL_MS_MIN else PACE * min(soon_ms, interval_ms)


def named(request: ConsumerGroupHeartbeatRequest, reply: ConsumerBeaten, call: Call) -> Millis:
    """The interval to name in the response, in ms, where the group's decision names ``usual_ms``.

    A client that counts from the response gets the rest of its interval after a hold: it sends no
    more heartbeats than others, and is nearly always held. Others get the short one while the group
    is not quiet; then, after a hold, twice the last one at most, so that a hold may be as long as
    the next interval, and each of these two times: a member hears nothing after its hold until the
    longer interval is over, and Java's counts a changed one from the response."""
    usual_ms = reply.heartbeat_interval_ms
    if reply.error or request.member_epoch <= 0:
        return usual_ms
    group = call.node.coordinator.group(request.group_id)
    if not isinstance(group, ConsumerGroup):
        return usual_ms
    soon_ms = group.rules.group_consumer_pending_heartbeat_interval_ms or usual_ms
    last_ms, held_ms = call.memory.get(INTERVAL, usual_ms), call.memory.get(HELD)
    if held_ms is not None and call.pace.from_answer:
        return min(usual_ms, max(soon_ms, usual_ms - held_ms))
    if soon_ms < usual_ms and _is_restless(group, call) and call.pace.may_come_soon(call.now()):
        return soon_ms
    if held_ms is None:
        return usual_ms
    return min(usual_ms, 2 * last_ms if call.memory.get(AGAIN) else last_ms)


def _is_restless(group: ConsumerGroup, call: Call) -> bool:
    changed_at = group.target_at
    return changed_at is not None and call.node.coordinator.clock() - changed_at < QUIET_MS


def pause_ms(request: ConsumerGroupHeartbeatRequest, call: Call) -> int:
    """How long ago the last heartbeat on the connection was answered; 0 if there was none."""
    now = _now_ms(call)
    return now - call.memory.get(request.api_key, now)


def note_hold(began_s: float, call: Call) -> None:
    """Note how long a heartbeat was held."""
    call.memory[HELD] = round((call.now() - began_s) * 1000)


def answered(
    request: ConsumerGroupHeartbeatRequest, reply: ConsumerBeaten, call: Call
) -> ConsumerBeaten:
    """The response, with the interval that it names. The pause begins."""
    interval_ms, last_ms = named(request, reply, call), call.memory.get(INTERVAL)
    if interval_ms != last_ms and not call.pace.from_answer:
        call.memory.pop(HELD, 0)  # Java's client counts a new interval from the response
    call.memory[request.api_key] = _now_ms(call)
    if not reply.error:
        call.memory[INTERVAL], call.memory[AGAIN] = interval_ms, interval_ms == last_ms
    return replace(reply, heartbeat_interval_ms=interval_ms)


def _now_ms(call: Call) -> int:
    return round(call.now() * 1000)


@dataclass(frozen=True, slots=True)
class News:
    """Whether a held heartbeat would be answered differently now. ``changes``: the catalogue's
    change count before the group decided."""

    reply: ConsumerBeaten
    request: ConsumerGroupHeartbeatRequest
    call: Call
    changes: int

    def __call__(self) -> bool:
        coordinator, group_id = self.call.node.coordinator, self.request.group_id
        if not coordinator.owns(group_id) or not coordinator.holds_lease:
            return True
        group = coordinator.group(group_id)
        if not isinstance(group, ConsumerGroup):
            return True
        member_id = self.request.member_id
        is_settled = group.is_settled(member_id, self.reply.member_epoch)
        waits = is_settled or group.expects_first(member_id)
        return not waits or self._has_other_topics(group)

    def _has_other_topics(self, group: ConsumerGroup) -> bool:
        node = self.call.node
        entry = node.coordinator.entries.get(self.request.group_id)
        return (
            node.catalogue.changes != self.changes
            and entry is not None
            and views.is_behind(entry, group, node.catalogue)
        )
