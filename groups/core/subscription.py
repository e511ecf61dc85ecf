"""What a classic member brings along: its protocols, and the subscription in the metadata of each.

The protocols are (name, metadata) pairs, in the member's row as bytes. Packing is deterministic:
two members' protocols are identical (names, order and metadata bytes) exactly if their bytes are
equal.

Metadata is ConsumerProtocolSubscription, v0 to v3. The bytes belong to the clients, and the
coordinator passes them on unread. It decodes them only to protect offsets from deletion (KIP-496),
and for classic members of a consumer group (KIP-848). Undecodable metadata never prevents a join to
a classic group: such a member counts as subscribed to every topic.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from groups.core.values import quick

_VERSION = struct.Struct(">h")
_COUNT = struct.Struct(">i")
_LENGTH = struct.Struct(">h")
_PACKED = struct.Struct(">I")

Protocols = Sequence[tuple[str, bytes]]


def pack_protocols(protocols: Protocols) -> bytes:
    """Pack (name, metadata) pairs in the member's order of preference."""
    parts = [_PACKED.pack(len(protocols))]
    for name, metadata in protocols:
        encoded = name.encode()
        parts += (_PACKED.pack(len(encoded)), encoded, _PACKED.pack(len(metadata)), metadata)
    return b"".join(parts)


def packed_size(protocols: Protocols) -> int:
    """The length of the result of ``pack_protocols``."""
    parts = (2 * _PACKED.size + len(name.encode()) + len(metadata) for name, metadata in protocols)
    return _PACKED.size + sum(parts)


def unpack_protocols(packed: bytes) -> tuple[tuple[str, bytes], ...]:
    """The pairs that were packed; none for empty bytes."""
    return tuple(_pairs(packed)) if packed else ()


def protocol_names(packed: bytes) -> tuple[str, ...]:
    """The protocol names alone, in order of preference."""
    return tuple(name for name, _ in unpack_protocols(packed))


def metadata_of(packed: bytes, protocol_name: str | None) -> bytes:
    """The metadata for one protocol; empty if the member does not list it."""
    if not packed or protocol_name is None:
        return b""
    for name, metadata in _pairs(packed):
        if name == protocol_name:
            return metadata
    return b""


def _pairs(packed: bytes) -> Iterator[tuple[str, bytes]]:
    (count,) = _PACKED.unpack_from(packed, 0)
    at = _PACKED.size
    for _ in range(count):
        name, at = _field(packed, at)
        metadata, at = _field(packed, at)
        yield name.decode(), metadata


def _field(packed: bytes, at: int) -> tuple[bytes, int]:
    (length,) = _PACKED.unpack_from(packed, at)
    start = at + _PACKED.size
    return packed[start : start + length], start + length


class _Unreadable(Exception):
    """The bytes cannot be decoded."""


@quick
@dataclass(frozen=True, slots=True)
class Subscription:
    """One complete subscription. ``owned`` are (topic name, partition): the member's partitions as
    it reports them; before v1 (KIP-429) there was no such field, and all revoked everything to
    join."""

    version: int
    topics: tuple[str, ...]
    owned: frozenset[tuple[str, int]] = frozenset()
    rack_id: str | None = None


def topics_of(metadata: bytes) -> frozenset[str] | None:
    """The topic names of one subscription; None if the bytes cannot be decoded.

    Every version begins with a version number and the topics. Later ones only append fields, which
    are ignored, as in Kafka.
    """
    try:
        return _read(metadata)
    except (_Unreadable, struct.error):
        return None


def topics_of_all(metadatas: Iterable[bytes]) -> frozenset[str] | None:
    """The topics of several subscriptions together; None ("every topic") if one cannot be
    decoded."""
    topics: set[str] = set()
    for metadata in set(metadatas):
        some = topics_of(metadata)
        if some is None:
            return None
        topics |= some
    return frozenset(topics)


def subscription_of(metadata: bytes) -> Subscription | None:
    """One complete subscription; None if the bytes cannot be decoded."""
    try:
        return _Reader(metadata).subscription()
    except (_Unreadable, struct.error):
        return None


def owned_count(metadata: bytes) -> int:
    """How many partitions a subscription names as the member's own, without creating them; 0 if it
    cannot be decoded."""
    try:
        return _Reader(metadata).owned_count()
    except (_Unreadable, struct.error):
        return 0


def _read(metadata: bytes) -> frozenset[str]:
    return frozenset(_Reader(metadata).begin()[1])


class _Reader:
    """The bytes, and the current offset."""

    def __init__(self, metadata: bytes) -> None:
        self.metadata = metadata
        self.at = 0

    def begin(self) -> tuple[int, tuple[str, ...]]:
        """The version and the topics, which every version begins with."""
        (version,) = self._take(_VERSION)
        if version < 0:
            raise _Unreadable
        # Each topic takes at least two bytes: a larger count is invalid, not a reason to loop.
        return version, tuple(self._name() for _ in range(self._count(_LENGTH.size)))

    def owned_count(self) -> int:
        """The number of partitions in ``owned``; nothing else is decoded."""
        (version,) = self._take(_VERSION)
        if version < 1:
            return 0
        for _ in range(self._count(_LENGTH.size)):
            self._skip_name()
        self._skip_bytes()
        found = 0
        for _ in range(self._count(_LENGTH.size + _COUNT.size)):
            self._skip_name()
            found += (number := self._count(_COUNT.size))
            self.at += number * _COUNT.size
        return found

    def subscription(self) -> Subscription:
        """The complete subscription; fields of later versions are ignored."""
        version, topics = self.begin()
        owned: set[tuple[str, int]] = set()
        rack_id = None
        self._skip_bytes()  # user data of the client's assignor
        if version >= 1:
            for _ in range(self._count(_LENGTH.size + _COUNT.size)):
                topic = self._name()
                owned.update((topic, p) for p in self._partitions())
        if version >= 2:
            self._take(_COUNT)  # the generation in which it owned them
        if version >= 3:
            rack_id = self._nullable_name()
        return Subscription(version, topics, frozenset(owned), rack_id)

    def _take(self, field: struct.Struct) -> tuple[int, ...]:
        values: tuple[int, ...] = field.unpack_from(self.metadata, self.at)
        self.at += field.size
        return values

    def _count(self, bytes_each: int) -> int:
        (count,) = self._take(_COUNT)
        if count < 0 or count > (len(self.metadata) - self.at) // bytes_each:
            raise _Unreadable
        return count

    def _partitions(self) -> tuple[int, ...]:
        return self._take(struct.Struct(f">{self._count(_COUNT.size)}i"))

    def _name(self) -> str:
        name = self._nullable_name()
        if name is None:
            raise _Unreadable
        return name

    def _nullable_name(self) -> str | None:
        (length,) = self._take(_LENGTH)
        if length == -1:
            return None
        # What is not UTF-8 is read as by Kafka, and U+0000, which no row can hold, in the same way:
        # no topic has such a name.
        return self._slice(length).decode(errors="replace").replace("\0", "\ufffd")

    def _skip_name(self) -> None:
        (length,) = self._take(_LENGTH)
        if length < 0:
            raise _Unreadable
        self.at += length

    def _skip_bytes(self) -> None:
        (length,) = self._take(_COUNT)
        if length != -1:
            self._slice(length)

    def _slice(self, length: int) -> bytes:
        end = self.at + length
        if length < 0 or end > len(self.metadata):
            raise _Unreadable
        found = self.metadata[self.at : end]
        self.at = end
        return found
