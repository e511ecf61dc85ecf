"""Time in every kind of group: a member's session, and time that does not count."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from groups.core import events
from groups.core.earlier import Earlier, Interruption, Noted, Service
from groups.core.group import Group
from groups.core.kinds import KINDS
from groups.core.rows import Durable
from tests.core.consumer.test_recovery import in_the_middle
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
def test_of_which_nothing_is_known_every_member_has_a_full_session(kind: str) -> None:
    group = with_heartbeat(kind)
    taken = type(group).merge(group.durable, None, RULES, 100_000)
    assert heard_at(taken, 100_000) == 100_000
    reloaded = type(group).merge(group.durable, group.live, RULES, 100_000)
    assert heard_at(reloaded, 100_000) == HEARD, "the same owner has only read the rows again"


def earlier(group: Group, now: int, served_ms: int, *, is_noted: bool = True) -> Earlier:
    """What a new owner finds at ``now`` of its own clock; the old one's clock is service time."""
    interruption = Interruption(served_ms, 0, is_noted)
    silences = {s.member_id: Noted(70_000, s.heard_at) for s in group.sessions(served_ms)}
    return Earlier(Service(served_ms - now, (interruption,)), silences, group.waits())


@EVERY
def test_silence_continues_under_a_new_owner(kind: str) -> None:
    group, end, now = with_heartbeat(kind), HEARD + 12_000, 100_000
    known = earlier(group, now, end)
    taken = type(group).merge(group.durable, None, RULES, now, known)
    (session,) = taken.sessions(now)
    assert heard_at(taken, now) == now - 12_000
    assert session.silence is not None and session.silence.heard_at == now - 70_000
    (member_id,) = group.durable.members
    left_ms = SESSION_MS - 12_000
    for at, stays in ((now + left_ms - 1, True), (now + left_ms, False)):
        after = taken.step([events.Tick()], at, Random(1)).group
        gone = member_id not in after.durable.members or member_id in suspects(after)
        assert gone is not stays, at


def suspects(group: Any) -> set[str]:
    return group.live.suspects if group.durable.group.kind == "draft" else set()


@EVERY
def test_after_a_crash_a_member_has_its_session_once(kind: str) -> None:
    group, end, now = with_heartbeat(kind), HEARD + 12_000, 100_000
    known = earlier(group, now, end, is_noted=False)
    taken: Any = type(group).merge(group.durable, None, RULES, now, known)
    assert heard_at(taken, now) == now
    rearmed = taken.rearm(now + 2_000, 1_000)
    (session,) = rearmed.sessions(now + 2_000)
    assert session.heard_at == now + 1_000
    assert session.silence == (now - 70_000, now - 12_000 + 1_000, now + 1_000)


def rebalancing(kind: str, state: str, **details: Any) -> Group:
    """A group that was loaded in this state."""
    group, member_id = settled(kind)
    row = replace(group.durable.group, state=state, leader=member_id, details=details)
    return loaded(replace(group.durable, group=row), NOW)


def loaded(durable: Durable, now: int, known: Earlier | None = None) -> Group:
    """What a new owner makes of these rows, which its first step brings to an end."""
    rules = replace(RULES, rebalance_backoff_ms=10_000)
    group = KINDS[durable.group.kind].merge(durable, None, rules, now, known)
    return group.step([events.Tick()], now, Random(1)).group


def commanding() -> Group:
    group, _ = settled("commanded")
    return loaded(group.durable, NOW)


WAITING: dict[str, Callable[[], Group]] = {
    "classic join": lambda: rebalancing(
        "classic", "PreparingRebalance", must_rebalance="member-left"
    ),
    "classic sync": lambda: rebalancing("classic", "CompletingRebalance", synced=False),
    "draft": lambda: rebalancing("draft", "PreparingRebalance", owed="operator", topics={"t": 1}),
    "commanded": commanding,
    "consumer": lambda: loaded(in_the_middle()[0].group.durable, NOW),
}


@pytest.mark.parametrize("name", WAITING)
def test_what_a_group_waits_for_continues_under_a_new_owner(name: str) -> None:
    group, served_ms, now = WAITING[name](), NOW + 1_000, 100_000
    assert list(group.waits().values()) == [NOW]
    for is_noted, began in ((True, now - 1_000), (False, now)):
        known = earlier(group, now, served_ms, is_noted=is_noted)
        taken = loaded(group.durable, now, known)
        assert taken.waits() == dict.fromkeys(group.waits(), began)
        waits = taken.waiting(now)
        assert waits is not None and waits.since in (began, None)
    unknown = replace(earlier(group, now, served_ms), waits={"another": NOW})
    assert list(loaded(group.durable, now, unknown).waits().values()) == [now]


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
