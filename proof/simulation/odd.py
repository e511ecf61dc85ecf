"""Odd values: what clients may send but hardly ever do, at and beyond the limits.

These pass the protocol's own validation (``protocol.handlers.support.validation``), except for the
notes that are too long. What the validation rejects, and PostgreSQL would, ``intruders`` send past
it.
"""

from typing import Final
from zlib import crc32

INSTANCE_ID_CHARS_MAX: Final = 249
"""Kafka's limit, and that of ``protocol.handlers.support.validation``, which needs Django; members
of chaos do not."""

ESCAPE: Final = "\uf8ff"
"""The protocol's handlers encode U+0000 with this prefix, which a client's own text may also
have."""

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
"""Names of topics that do not exist."""


def instance(number: int) -> str:
    """An instance id of the maximum length."""
    return f"i{number}".ljust(INSTANCE_ID_CHARS_MAX, "\N{PARTY POPPER}")


def digest(note: str) -> int:
    """A hash of a note, for the history."""
    return crc32(note.encode())
