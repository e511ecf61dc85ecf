"""What the journal says of a classic group's changes, in numbers and in words."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from groups.core.classic.group import ClassicGroup
from groups.core.events import LeaveGroup, Leaver, SyncGroup
from groups.core.group import Decision, Rules
from groups.core.rows import Durable, GroupRow, MemberRow
from groups.core.subscription import pack_protocols

SUBSCRIPTION = pack_protocols((("range", b""),))
ROW = GroupRow("g", "classic", "Stable", 7, "consumer", "range", "a", {"synced": True})
SYNCING = GroupRow("g", "classic", "CompletingRebalance", 7, "consumer", "range", "a", {})


def member(name: str) -> MemberRow:
    return MemberRow(name, None, "c", "/h", 10_000, 300_000, 0, SUBSCRIPTION)


def group(row: GroupRow, *names: str) -> ClassicGroup:
    members = {name: member(name) for name in names}
    return ClassicGroup.merge(Durable(row, members, 5), None, Rules(), 0)


def noted(decision: Decision, kind: str) -> Any:
    [entry] = [entry for entry in decision.journal if entry.kind == kind]
    return entry


@pytest.mark.parametrize(
    ("names", "reason", "said"),
    [
        (["b"], None, "a member left"),
        (["b", "c"], None, "2 members left"),
    ],
)
def test_leaving_members_are_counted(names: list[str], reason: str | None, said: str) -> None:
    leavers = tuple(Leaver(name, None, reason) for name in names)
    left = LeaveGroup(ticket=None, members=leavers)

    entry = noted(group(ROW, "a", "b", "c").step([left], 0, Random(1)), "rebalance-started")

    assert entry.reason == said


def partitions(*numbers: int) -> bytes:
    """An assignment of these partitions of a topic, as the consumer protocol writes it."""
    listed = b"".join(number.to_bytes(4, "big") for number in numbers)
    count = len(numbers).to_bytes(4, "big")
    return b"\0\0" + b"\0\0\0\1" + b"\0\1t" + count + listed + b"\xff\xff\xff\xff"


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        (b"", partitions(0, 1), 2),
        (partitions(0, 1), partitions(1, 2), 1),
        (partitions(0, 1), partitions(0), 0),
        (b"what no one can read", partitions(0), 0),
        (partitions(0), partitions(0), 0),
    ],
)
def test_moved_partitions_are_counted(before: bytes, after: bytes, moved: int) -> None:
    row = replace(member("a"), assignment=before)
    syncing = ClassicGroup.merge(Durable(SYNCING, {"a": row}, 5), None, Rules(), 0)
    given = SyncGroup(
        ticket=None, generation_id=7, member_id="a", instance_id=None, assignments={"a": after}
    )

    assert noted(syncing.step([given], 0, Random(1)), "stable").details["moved"] == moved
