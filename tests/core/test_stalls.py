"""A stall, or a doubt about rows, adds at most its own length to any deadline of a group."""

from random import Random

from groups.core.classic.group import ClassicGroup
from groups.core.events import JoinGroup, Tick
from groups.core.group import Rules
from groups.core.rows import Durable, GroupRow, MemberRow
from groups.core.subscription import pack_protocols
from tests.core.commanded.conversation import Conversation

SESSION_MS = 45_000
EVERY_MS = 40_000
STALL_MS = 1_000


def settled() -> ClassicGroup:
    """A Stable group of one member."""
    row = GroupRow("g", "classic", "Stable", 7, "consumer", "range", "m", {"synced": True})
    subscription = pack_protocols((("range", b""),))
    member = MemberRow("m", None, "c", "/h", SESSION_MS, 300_000, 0, subscription)
    group = ClassicGroup.merge(Durable(row, {"m": member}, 5), None, Rules(), 0)
    return stepped(group, 0)


def stepped(group: ClassicGroup, now: int) -> ClassicGroup:
    """The group after a tick."""
    after = group.step([Tick()], now, Random(1)).group
    assert isinstance(after, ClassicGroup)
    return after


def test_regular_stalls_keep_no_dead_member() -> None:
    """One in every forty seconds, and a session of forty-five."""
    group, now = settled(), 0
    while group.durable.members:
        assert now <= 3 * EVERY_MS, "each stall gave it a whole session"
        now += EVERY_MS
        group = stepped(group.rearm(now, STALL_MS), now)


def test_a_long_stall_ends_no_session() -> None:
    """Nobody could be heard in an hour: each has as much left as before."""
    group = settled().rearm(3_600_000 + 10_000, 3_600_000)
    assert group.due(3_610_000) == 3_600_000 + SESSION_MS


def test_a_new_members_guard_continues_through_reloads() -> None:
    """A round whose write fails again and again ends all the same, with a new member that has
    gone away put out in five minutes of its own."""
    event = JoinGroup(
        ticket=None,
        member_id="",
        instance_id=None,
        client_id="c",
        client_host="/h",
        session_timeout_ms=SESSION_MS,
        rebalance_timeout_ms=600_000,
        protocol_type="consumer",
        protocols=(("range", b""),),
    )
    group = settled().step([event], 0, Random(1)).group
    assert group.live.joins
    due = group.due(0)
    for now in range(3_000, 90_000, 3_000):
        group = group.rearm(now, 1_000)
    after = group.due(90_000)
    assert due is not None and after is not None and after <= due + 30_000


def test_a_stall_is_no_time_in_which_a_consumer_could_have_acknowledged() -> None:
    talk = Conversation()
    talk.say("register a session=30s")
    due, later = talk.group.due(talk.now), talk.now + 1_500
    assert due == talk.now + talk.rules.rebalance_backoff_ms
    assert talk.group.rearm(later, 1_000).due(later) == due + 1_000
