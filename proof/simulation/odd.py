"""Odd values: what clients may send and hardly ever do, at and beyond the limits.

Those here are let in by the wire's own checks (``protocol.handlers.support.validation``), but for
the notes that are too long. What the checks refuse, and PostgreSQL would, is sent past them by
``intruders``.
"""

from typing import Final
from zlib import crc32

INSTANCE_ID_CHARS_MAX: Final = 249
"""Of Kafka, and of ``protocol.handlers.support.validation``, which needs Django; members of chaos
have none."""

ESCAPE: Final = "\uf8ff"
"""What the wire's handlers write for U+0000 begins with this, and so may a client's own text."""

NOTE_UNITS: Final = 4_096
"""``offset.metadata.max.bytes`` counts UTF-16 units."""

NOTES: Final = (
    "",
    "x" * NOTE_UNITS,
    "x" * (NOTE_UNITS + 1),
    "\0",
    f"{ESCAPE}0{ESCAPE}e\0",
    "\N{PARTY POPPER}" * (NOTE_UNITS // 2),
    "'); DROP TABLE rollcall_offset; --\\x00{NULL,\"}",
)
"""Notes of committed offsets."""

STORABLE: Final = tuple(note for note in NOTES if len(note.encode("utf-16-le")) <= 2 * NOTE_UNITS)
"""Those that are not too long."""

GROUPS: Final = (
    "null",
    " ",
    "g" * 249,
    "a'b\"c\\d%s{}",
    "\N{PARTY POPPER}" * 60,
    "\u202egroup",
    "-1",
)
"""Names of groups."""

NAME: Final = "\N{PARTY POPPER}a'b\"c\\\\d%s{} \u202e"
"""Of a group, or the end of one."""

TOPICS: Final = ("", "no such topic", "\N{PARTY POPPER}" * 62, "x" * 249)
"""Names of topics that nobody has made."""


def instance(number: int) -> str:
    """An instance id as long as one may be."""
    return f"i{number}".ljust(INSTANCE_ID_CHARS_MAX, "\N{PARTY POPPER}")


def digest(note: str) -> int:
    """What stands for a note in the history."""
    return crc32(note.encode())
