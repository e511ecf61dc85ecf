"""Which partitions a member's assignment names: ConsumerProtocolAssignment, v0 to v3.

These bytes are the clients' own affair and pass through the coordinator unread; only to
show them, to count what moved, and where a group changes between the protocols (KIP-848),
does Rollcall look inside. Bytes of another embedded protocol (Connect, Streams) are simply
not readable.
"""

import struct
from collections.abc import Iterable
from itertools import groupby

_VERSION = struct.Struct(">h")
_COUNT = struct.Struct(">i")
_LENGTH = struct.Struct(">h")

Parts = frozenset[tuple[str, int]]


def partitions_of(assignment: bytes) -> Parts | None:
    """The (topic, partition) pairs of one assignment; None when the bytes cannot be read.

    No bytes at all are no partitions: what a member has before its first assignment.
    """
    if not assignment:
        return frozenset()
    try:
        return _read(assignment)[0]
    except (ValueError, struct.error):
        return None


def count_of(assignment: bytes) -> int:
    """How many partitions an assignment names, without putting them together; 0 where it cannot be
    read."""
    try:
        return _counted(assignment) if assignment else 0
    except (ValueError, struct.error):
        return 0


def has_user_data(assignment: bytes) -> bool:
    """Whether an assignment that can be read carries something of the group's own assignor."""
    if not assignment:
        return False
    at = _read(assignment)[1]
    return len(assignment) >= at + _COUNT.size and _COUNT.unpack_from(assignment, at)[0] > 0


def assignment_of(parts: Iterable[tuple[str, int]], version: int) -> bytes:
    """The bytes of an assignment of these (topic name, partition) pairs, without user data.

    All versions so far look the same; a client reads the one that its own metadata have.
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


def _read(assignment: bytes) -> tuple[Parts, int]:
    """The partitions, and where the user data begins."""
    (version,) = _VERSION.unpack_from(assignment, 0)
    at = _VERSION.size
    found: set[tuple[str, int]] = set()
    topics, at = _count(assignment, at)
    if version < 0:
        raise ValueError("not a version")
    for _ in range(topics):
        (length,) = _LENGTH.unpack_from(assignment, at)
        at += _LENGTH.size
        if length < 0 or at + length > len(assignment):
            raise ValueError("a name that is longer than the bytes")
        topic = assignment[at : at + length].decode()
        partitions, at = _count(assignment, at + length)
        found.update((topic, p) for p in struct.unpack_from(f">{partitions}i", assignment, at))
        at += 4 * partitions
    return frozenset(found), at


def _counted(assignment: bytes) -> int:
    found, (topics, at) = 0, _count(assignment, _VERSION.size)
    for _ in range(topics):
        (length,) = _LENGTH.unpack_from(assignment, at)
        if length < 0:
            raise ValueError("a name of less than nothing")
        partitions, at = _count(assignment, at + _LENGTH.size + length)
        found += partitions
        at += 4 * partitions
    if at > len(assignment):
        raise ValueError("more partitions than bytes")
    return found


def _count(assignment: bytes, at: int) -> tuple[int, int]:
    """An array's length and where its items begin. A count beyond the bytes is a lie."""
    (count,) = _COUNT.unpack_from(assignment, at)
    if count < 0 or count > len(assignment) - at:
        raise ValueError("more items than bytes")
    return count, at + _COUNT.size
