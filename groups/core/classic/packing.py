"""The protocols of a classic member in its row: (name, metadata) pairs as bytes.

Packing is deterministic: two members' protocols are identical (names, order and metadata bytes)
exactly if their packed bytes are equal. ``groups.core.subscription`` decodes the metadata.
"""

import struct
from collections.abc import Iterator, Sequence

_COUNT = struct.Struct(">I")

Protocols = Sequence[tuple[str, bytes]]


def pack(protocols: Protocols) -> bytes:
    """Pack (name, metadata) pairs in the member's order of preference."""
    parts = [_COUNT.pack(len(protocols))]
    for name, metadata in protocols:
        encoded = name.encode()
        parts += (_COUNT.pack(len(encoded)), encoded, _COUNT.pack(len(metadata)), metadata)
    return b"".join(parts)


def size_of(protocols: Protocols) -> int:
    """The length of the result of ``pack``."""
    parts = (2 * _COUNT.size + len(name.encode()) + len(metadata) for name, metadata in protocols)
    return _COUNT.size + sum(parts)


def unpack(packed: bytes) -> tuple[tuple[str, bytes], ...]:
    """The pairs that were packed; none for empty bytes."""
    return tuple(_pairs(packed)) if packed else ()


def names_of(packed: bytes) -> tuple[str, ...]:
    """The protocol names alone, in order of preference."""
    return tuple(name for name, _ in unpack(packed))


def metadata_of(packed: bytes, protocol_name: str | None) -> bytes:
    """The metadata for one protocol; empty if the member does not list it."""
    if not packed or protocol_name is None:
        return b""
    for name, metadata in _pairs(packed):
        if name == protocol_name:
            return metadata
    return b""


def _pairs(packed: bytes) -> Iterator[tuple[str, bytes]]:
    (count,) = _COUNT.unpack_from(packed, 0)
    at = _COUNT.size
    for _ in range(count):
        name, at = _field(packed, at)
        metadata, at = _field(packed, at)
        yield name.decode(), metadata


def _field(packed: bytes, at: int) -> tuple[bytes, int]:
    (length,) = _COUNT.unpack_from(packed, at)
    start = at + _COUNT.size
    return packed[start : start + length], start + length
