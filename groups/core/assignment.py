"""Which partitions a member's assignment names: ConsumerProtocolAssignment, v0 to v3.

The bytes belong to the clients, and the coordinator passes them on unread. Rollcall decodes them
only to show them, to count moved partitions, and to convert a group between the protocols
(KIP-848). Bytes of another embedded protocol (Connect, Streams) cannot be decoded.
"""

import struct
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Final

from groups.core.subscription import Subscription

_VERSION = struct.Struct(">h")
_COUNT = struct.Struct(">i")
_LENGTH = struct.Struct(">h")

Parts = frozenset[tuple[str, int]]


def partitions_of(assignment: bytes) -> Parts | None:
    """The (topic, partition) pairs of one assignment; None if the bytes cannot be decoded.

    Empty bytes, as before a member's first assignment, are no partitions.
    """
    found = numbers_of(assignment)
    if found is None:
        return None
    return frozenset([(topic, p) for topic, numbers in found.items() for p in numbers])


def numbers_of(assignment: bytes) -> dict[str, tuple[int, ...]] | None:
    """The partitions of one assignment by topic, as the bytes name them; None if they cannot be
    decoded. Topics without partitions are left out. It makes no set, so it takes less time than
    ``partitions_of``."""
    if not assignment:
        return {}
    try:
        return _numbers(assignment)[0]
    except (ValueError, struct.error):
        return None


def count_of(assignment: bytes) -> int:
    """The number of partitions in an assignment, without creating them; 0 if it cannot be
    decoded."""
    try:
        return sum(_counted(assignment).values())
    except (ValueError, struct.error):
        return 0


def counts_by_topic(assignment: bytes) -> Mapping[str, int]:
    """The same for each topic, by name; none if it cannot be decoded."""
    try:
        return {topic.decode(): count for topic, count in _counted(assignment).items()}
    except (ValueError, struct.error):
        return {}


def has_user_data(assignment: bytes) -> bool:
    """Whether a readable assignment contains user data of the group's assignor."""
    if not assignment:
        return False
    at = _numbers(assignment)[1]
    return len(assignment) >= at + _COUNT.size and _COUNT.unpack_from(assignment, at)[0] > 0


def assignment_of(parts: Iterable[tuple[str, int]], version: int) -> bytes:
    """The bytes of an assignment of these (topic name, partition) pairs, without user data.

    All versions so far have the same format; a client expects the version of its own metadata.
    """
    topics = [
        (name, [p for _, p in some]) for name, some in groupby(sorted(parts), lambda at: at[0])
    ]
    packed = [_VERSION.pack(version), _COUNT.pack(len(topics))]
    for name, partitions in topics:
        encoded = name.encode()
        packed += (_LENGTH.pack(len(encoded)), encoded, _COUNT.pack(len(partitions)))
        packed.append(struct.pack(f">{len(partitions)}i", *partitions))
    packed.append(_COUNT.pack(-1))
    return b"".join(packed)


VERSION_MAX: Final = 3
"""The newest known version of the embedded assignment."""


def assignment_for(parts: Iterable[tuple[str, int]], subscription: Subscription | None) -> bytes:
    """The same for the member with this subscription, in the version that it reads."""
    version = min(subscription.version, VERSION_MAX) if subscription is not None else 0
    return assignment_of(parts, version)


def _numbers(assignment: bytes) -> tuple[dict[str, tuple[int, ...]], int]:
    """The partitions by topic, and the offset of the user data."""
    (version,) = _VERSION.unpack_from(assignment, 0)
    if version < 0:
        raise ValueError("not a version")
    found: dict[str, tuple[int, ...]] = {}
    topics, at = _count(assignment, _VERSION.size)
    for _ in range(topics):
        (length,) = _LENGTH.unpack_from(assignment, at)
        at += _LENGTH.size
        if length < 0 or at + length > len(assignment):
            raise ValueError("a name that is longer than the bytes")
        topic = assignment[at : at + length].decode()
        partitions, at = _count(assignment, at + length)
        numbers = struct.unpack_from(f">{partitions}i", assignment, at)
        at += 4 * partitions
        if numbers:
            found[topic] = found[topic] + numbers if topic in found else numbers
    return found, at


def _counted(assignment: bytes) -> dict[bytes, int]:
    """By the names' bytes: few who count need to read them."""
    found: dict[bytes, int] = {}
    if not assignment:
        return found
    topics, at = _count(assignment, _VERSION.size)
    for _ in range(topics):
        (length,) = _LENGTH.unpack_from(assignment, at)
        if length < 0:
            raise ValueError("a name of less than nothing")
        at += _LENGTH.size + length
        topic = assignment[at - length : at]
        partitions, at = _count(assignment, at)
        found[topic] = found.get(topic, 0) + partitions
        at += 4 * partitions
    if at > len(assignment):
        raise ValueError("more partitions than bytes")
    return found


def _count(assignment: bytes, at: int) -> tuple[int, int]:
    """An array's length, and the offset of its items. A count larger than the rest is invalid."""
    (count,) = _COUNT.unpack_from(assignment, at)
    if count < 0 or count > len(assignment) - at:
        raise ValueError("more items than bytes")
    return count, at + _COUNT.size
