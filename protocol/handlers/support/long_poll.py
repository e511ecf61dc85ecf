"""Which ConsumerGroupHeartbeat may wait for news, for how long, and what counts as news (KIP-848).

Only an empty heartbeat of a member that needs no new assignment is held; one that reports or
receives something is answered at once. Why these figures: docs/decisions/0017-held-heartbeats.md.
Nothing waits here.
"""

from dataclasses import dataclass, replace
from math import inf
from typing import Final

from groups.core.consumer.group import ConsumerGroup
from groups.core.group import Rules
from groups.core.replies import ConsumerBeaten
from groups.runtime import views
from protocol.requests.call import Call
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest

HOLD_S_MIN = 0.3
"""The minimum hold: a client with a shorter interval gets news soon anyway."""


PACE = 0.8
"""Share of the shortest interval that members are told: a client that pauses less than that between
a response and its next heartbeat has an interval of its own, and is not held. (Clients jitter.)"""

INTERVAL_MS_MIN = 1_000
"""Members with a shorter interval get news soon enough without a hold."""

MARGIN_S = 0.2
"""The hold ends this long before the interval that the member was told last: librdkafka abandons a
heartbeat, and closes its connection, after that interval."""

INTERVAL: Final = "heartbeat interval"
"""Key of the connection's memory: the last interval, in ms, in a response on it."""

SESSION_SHARE = 1 / 3
"""Maximum share of the session timeout: a client that counts its interval from the response sends
its next heartbeat later by the time of the hold."""

TELLING_SHARE = 1 / 4
"""Share of the interval: a shorter hold does not show whether a client counts from the response."""

HELD: Final = "held"
"""Key of the connection's memory: for how many ms its last heartbeat was held without news. (After
news the next one comes at once, whatever the client's interval.)"""

FROM_ANSWER: Final = "counts from the answer"
"""Key of the connection's memory: whether its client seems to count the interval from the response
(1 or 0). If so, a hold delays its next heartbeat, and it does not abandon a held one."""


def learn(request: ConsumerGroupHeartbeatRequest, call: Call) -> None:
    """A heartbeat has arrived. If the last one was held until the end, the time of this one shows
    whether the client counts its interval from the request or from the response; unless it says
    something, which it does at once."""
    interval_ms, held_ms = call.memory.get(INTERVAL, 0), call.memory.pop(HELD, 0)
    if not interval_ms or held_ms < interval_ms * TELLING_SHARE or reports_more(request):
        return
    late_ms, soon_ms = interval_ms, max(0, interval_ms - held_ms)
    paused_ms = pause_ms(request, call)
    call.memory[FROM_ANSWER] = abs(paused_ms - late_ms) < abs(paused_ms - soon_ms)


def hold_s(request: ConsumerGroupHeartbeatRequest, reply: ConsumerBeaten, call: Call) -> float:
    """How long (in seconds) an empty heartbeat of a member with its full assignment may wait; else
    0."""
    share = call.node.settings.group_consumer_heartbeat_hold_percent / 100
    has_assignment = reply.assignment is not None or reply.should_assign
    if not share or reports_more(request) or reply.error or has_assignment:
        return 0
    group = call.node.coordinator.group(request.group_id)
    if not (
        isinstance(group, ConsumerGroup)
        and reply.member_epoch == request.member_epoch
        and group.is_settled(request.member_id, reply.member_epoch)
    ):
        return 0
    interval_ms = reply.heartbeat_interval_ms
    soon_ms = group.rules.group_consumer_pending_heartbeat_interval_ms or interval_ms
    if interval_ms < INTERVAL_MS_MIN or pause_ms(request, call) < PACE * min(soon_ms, interval_ms):
        return 0
    last_ms = (
        interval_ms if call.memory.get(FROM_ANSWER) else call.memory.get(INTERVAL, interval_ms)
    )
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


def after_hold(group_id: str, reply: ConsumerBeaten, call: Call) -> ConsumerBeaten:
    """The response after a hold without news.

    A client that counts from the response gets the rest of its interval: it sends no more
    heartbeats than others, and is nearly always held. Others get at most twice the last interval:
    so a member whose state has just changed returns to the usual interval in steps, is held in each
    of them, and receives the changes that follow."""
    usual_ms = reply.heartbeat_interval_ms
    if call.memory.get(FROM_ANSWER):
        rules = call.node.coordinator.own.rules_of(group_id)
        soon_ms = rules.group_consumer_pending_heartbeat_interval_ms or usual_ms
        interval_ms = min(usual_ms, max(soon_ms, usual_ms - call.memory.get(HELD, 0)))
    else:
        last_ms = call.memory.get(INTERVAL, usual_ms)
        interval_ms = min(usual_ms, 2 * last_ms)
        if interval_ms != last_ms:
            call.memory.pop(HELD, 0)  # Java's client counts a new interval from the response
    return replace(reply, heartbeat_interval_ms=interval_ms)


def pause_ms(request: ConsumerGroupHeartbeatRequest, call: Call) -> int:
    """How long ago the last heartbeat on the connection was answered; 0 if there was none."""
    now = _now_ms(call)
    return now - call.memory.get(request.api_key, now)


def note_hold(began_s: float, call: Call) -> None:
    """Note how long a heartbeat was held."""
    call.memory[HELD] = round((call.now() - began_s) * 1000)


def note_answer(request: ConsumerGroupHeartbeatRequest, reply: ConsumerBeaten, call: Call) -> None:
    """The pause begins; the member has its interval."""
    call.memory[request.api_key] = _now_ms(call)
    if not reply.error:
        call.memory[INTERVAL] = reply.heartbeat_interval_ms


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
        is_settled = group.is_settled(self.request.member_id, self.reply.member_epoch)
        return not is_settled or self._has_other_topics(group)

    def _has_other_topics(self, group: ConsumerGroup) -> bool:
        node = self.call.node
        entry = node.coordinator.entries.get(self.request.group_id)
        return (
            node.catalogue.changes != self.changes
            and entry is not None
            and views.is_behind(entry, group, node.catalogue)
        )
