"""The embedded words of classic consumers, written by the tests themselves."""

import struct
from collections.abc import Iterable

Owned = Iterable[tuple[str, int]]


def subscription(
    topics: Iterable[str], owned: Owned = (), version: int = 3, rack_id: str | None = None
) -> bytes:
    """ConsumerProtocolSubscription, v0 to v3."""
    names = list(topics)
    out = struct.pack(">hi", version, len(names)) + b"".join(map(_string, names))
    out += struct.pack(">i", -1)
    if version >= 1:
        by_topic: dict[str, list[int]] = {}
        for topic, p in sorted(owned):
            by_topic.setdefault(topic, []).append(p)
        out += struct.pack(">i", len(by_topic))
        for topic, parts in by_topic.items():
            out += _string(topic) + struct.pack(f">i{len(parts)}i", len(parts), *parts)
    if version >= 2:
        out += struct.pack(">i", 5)
    if version >= 3:
        out += struct.pack(">h", -1) if rack_id is None else _string(rack_id)
    return out


def _string(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack(">h", len(encoded)) + encoded
