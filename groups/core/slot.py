"""Which slot a group id falls into: the one function that nodes, rows and tools agree on."""

from zlib import crc32

SLOTS = 64
"""Hash buckets of group ids (docs/architecture.md, *Slots*). Fixed for the life of a database: a
group's slot is stored beside it."""


def slot_of(group_id: str) -> int:
    """The slot of a group id: CRC-32 of its UTF-8 bytes, modulo ``SLOTS``."""
    return crc32(group_id.encode()) % SLOTS
