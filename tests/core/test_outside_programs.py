"""A program outside this repository drives the rules of a classic group by these names alone."""

from random import Random

from groups.core.classic import packing
from groups.core.classic.group import ClassicGroup
from groups.core.events import Tick
from groups.core.group import Group, Millis, Rules
from groups.core.rows import Durable, GroupRow, MemberRow

SESSION_MS = 45_000


def group_of_one() -> Group:
    """A stable group whose only member was never heard of again."""
    row = GroupRow("g", "classic", "Stable", 7, "consumer", "range", "m0", {"synced": True})
    packed = packing.pack((("range", b""),))
    member = MemberRow("m0", None, "c", "/h", SESSION_MS, 300_000, 0, packed)
    return ClassicGroup.merge(Durable(row, {"m0": member}, 5), None, Rules(), 0)


def test_a_silent_member_ends_after_its_session_however_often_the_node_stood_still() -> None:
    group, now = group_of_one(), 0
    while group.durable.members and now < 10 * SESSION_MS:
        now += 1_000
        if now % 40_000 == 0:
            group = group.rearm(Millis(now))
        if (due := group.due(now)) is not None and due <= now:
            group = group.step([Tick()], now, Random(1)).group

    assert not group.durable.members
    assert SESSION_MS <= now <= 2 * SESSION_MS
