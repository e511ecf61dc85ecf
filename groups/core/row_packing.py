"""The format of topics and partitions in rows of groups where only the coordinator assigns (the 0.9
draft, commanded groups).

It is that of the classic protocol (a "consumer" subscription with the strategy's name, an
assignment of ConsumerProtocolAssignment v0), so that all readers of members' rows, from the admin
to Kafka's tools, can read these too. No rules.
"""

import struct
from collections.abc import Iterable, Mapping
from functools import lru_cache

from groups.core.assignment import Parts, assignment_of, partitions_of
from groups.core.subscription import pack_protocols, topics_of, unpack_protocols

_NO_USER_DATA = struct.pack(">i", -1)


def _text(value: str) -> bytes:
    encoded = value.encode()
    return struct.pack(">h", len(encoded)) + encoded


def pack_topics(strategy: str, topics: Iterable[str]) -> bytes:
    """Pack a consumer's subscribed topics."""
    names = sorted(set(topics))
    body = b"".join(map(_text, names))
    subscription = struct.pack(">hi", 0, len(names)) + body + _NO_USER_DATA
    return pack_protocols(((strategy, subscription),))


@lru_cache(maxsize=4096)
def topics_in(subscription: bytes) -> frozenset[str]:
    """Unpack subscribed topics."""
    ((_, metadata),) = unpack_protocols(subscription)
    found = topics_of(metadata)
    assert found is not None, "a subscription that we did not pack"
    return frozenset(found)


def by_topic(parts: Iterable[tuple[str, int]]) -> Mapping[str, tuple[int, ...]]:
    """Pairs of topic and partition, grouped and sorted."""
    grouped: dict[str, list[int]] = {}
    for topic, partition in sorted(parts):
        grouped.setdefault(topic, []).append(partition)
    return {topic: tuple(partitions) for topic, partitions in grouped.items()}


def pack_parts(parts: Iterable[tuple[str, int]]) -> bytes:
    """Pack a consumer's partitions."""
    return assignment_of(parts, 0)


@lru_cache(maxsize=4096)
def parts_in(assignment: bytes) -> Parts:
    """Unpack partitions."""
    found = partitions_of(assignment)
    assert found is not None, "an assignment that we did not pack"
    return found
