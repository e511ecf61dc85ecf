"""What a classic group's leader would assign: stock clients' assignors, by their names, and the
bytes in which members say what they want and own."""

import struct
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from groups.core.assignors.range import assign_ranges
from groups.core.assignors.types import NOWHERE, Parts, Subscriber
from groups.core.assignors.uniform import assign_uniformly

COOPERATIVE: Final = "cooperative-sticky"

Leader = Callable[[Sequence[Subscriber], Mapping[str, int]], Mapping[str, Parts]]


def _range(members: Sequence[Subscriber], counts: Mapping[str, int]) -> Mapping[str, Parts]:
    return assign_ranges(members, counts, NOWHERE)


def _sticky(members: Sequence[Subscriber], counts: Mapping[str, int]) -> Mapping[str, Parts]:
    ordered = sorted(members, key=lambda one: one.member_id)
    return assign_uniformly(ordered, counts, NOWHERE)


def _cooperative(members: Sequence[Subscriber], counts: Mapping[str, int]) -> Mapping[str, Parts]:
    """A partition that changes its owner is assigned to nobody until that has given it up."""
    held = {part: member.member_id for member in members for part in member.held}
    return {
        member_id: frozenset(p for p in parts if held.get(p, member_id) == member_id)
        for member_id, parts in _sticky(members, counts).items()
    }


def _round_robin(members: Sequence[Subscriber], counts: Mapping[str, int]) -> Mapping[str, Parts]:
    ordered = sorted(members, key=lambda one: one.instance_id or one.member_id)
    shares: dict[str, list[tuple[str, int]]] = {one.member_id: [] for one in members}
    at = 0
    for topic in sorted(counts):
        if not any(topic in one.topics for one in ordered):
            continue
        for number in range(counts[topic]):
            while topic not in ordered[at % len(ordered)].topics:
                at += 1
            shares[ordered[at % len(ordered)].member_id].append((topic, number))
            at += 1
    return {member_id: frozenset(parts) for member_id, parts in shares.items()}


LEADERS: Final[Mapping[str, Leader]] = {
    "range": _range,
    "roundrobin": _round_robin,
    "sticky": _sticky,
    COOPERATIVE: _cooperative,
}
"""Stickiness is that of the coordinator's own assignor: balanced first, then as few moves as
possible."""

SERVER_SIDE: Final = ("range", "uniform")
"""The coordinator's own, for the consumer protocol."""


@lru_cache(1_000)
def subscription(topics: tuple[str, ...], owned: Parts) -> bytes:
    """ConsumerProtocolSubscription, version 1 (KIP-429): topics, and the partitions owned."""
    names = [_text(name) for name in topics]
    by_topic: dict[str, list[int]] = {}
    for topic, number in sorted(owned):
        by_topic.setdefault(topic, []).append(number)
    parts = [
        _text(topic) + struct.pack(f">i{len(numbers)}i", len(numbers), *numbers)
        for topic, numbers in by_topic.items()
    ]
    head = struct.pack(">hi", 1, len(names)) + b"".join(names) + struct.pack(">i", -1)
    return head + struct.pack(">i", len(parts)) + b"".join(parts)


def _text(name: str) -> bytes:
    encoded = name.encode()
    return struct.pack(">h", len(encoded)) + encoded
