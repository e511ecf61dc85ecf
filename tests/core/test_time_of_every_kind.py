"""Time in every kind of group: a member's session, and time that does not count."""

from random import Random
from typing import Any

from groups.core import events
from groups.core.group import Group
from tests.core.every_kind import ABSENT, EVERY, NOW, RULES, SESSION_MS, decided, emptied, settled

HEARD = NOW + 3_000


def with_heartbeat(kind: str) -> Any:
    """A settled group whose member sent a heartbeat a while after the group began."""
    group, member_id = settled(kind)
    group.live.beats[member_id].at = HEARD
    return group


def heard_at(group: Group, now: int) -> int:
    (session,) = group.sessions(now)
    assert session.timeout_ms == SESSION_MS
    return session.heard_at


@EVERY
def test_a_session_ends_a_timeout_after_the_last_sign_of_life(kind: str) -> None:
    group = with_heartbeat(kind)
    end = HEARD + SESSION_MS
    assert heard_at(group, end) == HEARD
    (member_id,) = group.durable.members
    for now, stays in ((end - 1, True), (end, False)):
        after = group.step([events.Tick()], now, Random(1)).group
        assert (member_id in after.durable.members) is stays, now


@EVERY
def test_time_without_reception_does_not_count(kind: str) -> None:
    group, now = with_heartbeat(kind), HEARD + 20_000
    assert heard_at(group.rearm(now, 1_000), now) == HEARD + 1_000
    assert heard_at(group.rearm(now), now) == HEARD, "nothing was missed"
    soon = HEARD + 500
    assert heard_at(group.rearm(soon, 1_000), soon) == soon, "never more than its whole time"
    assert heard_at(group, now) == HEARD, "the value before may still be in use"


@EVERY
def test_after_a_takeover_every_member_has_a_full_session(kind: str) -> None:
    group = with_heartbeat(kind)
    taken = type(group).merge(group.durable, None, RULES, 100_000)
    assert heard_at(taken, 100_000) == 100_000
    reloaded = type(group).merge(group.durable, group.live, RULES, 100_000)
    assert heard_at(reloaded, 100_000) == HEARD, "the same owner has only read the rows again"


@EVERY
def test_a_group_requests_a_tick_when_a_deadline_is_due(kind: str) -> None:
    group = with_heartbeat(kind)
    ticked: Any = decided(group, events.Tick()).group
    due = ticked.due(NOW)
    assert due is not None and due <= HEARD + SESSION_MS
    if group.durable.group.state == "Stable":
        assert due == HEARD + SESSION_MS
    assert emptied(kind).due(NOW) is None
    assert ABSENT[kind]().due(NOW) is None


@EVERY
def test_unchanged_parts_are_the_same_objects_under_a_new_revision(kind: str) -> None:
    group = with_heartbeat(kind)
    due = group.due(NOW)
    after = group.with_revision(9)
    assert (after.durable.revision, after.due(NOW)) == (9, due)
    assert after.durable.group is group.durable.group and after.live is group.live
    assert after.durable.members is group.durable.members


@EVERY
def test_nobody_waits_in_a_settled_group(kind: str) -> None:
    group = with_heartbeat(kind)
    lost = events.Ticket(8, 8)
    (answer,) = group.resume([lost])
    assert answer.ticket == lost and answer.reply.error != 0
    assert list(group.resume([])) == [] and group.let_go(answer.reply.error) == ()
