"""Functions for compiled codecs: the long, rare and invalid forms of Kafka's primitives.

The usual case (a short string, no tagged fields) is inline code in the compiled function. A reader
takes the frame and an offset and returns the value and the offset after it. Readers do not check
that they stay inside the frame: offsets only grow, so one check at the end of a message finds every
overrun; slices past the end are empty and cheap.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NoReturn
from uuid import UUID

from rollcall.wire.errors import WireError
from rollcall.wire.limits import (
    STRING_BYTES_MAX,
    TAGGED_FIELD_BYTES_MAX,
    TAGGED_FIELDS_MAX,
    UVARINT_BYTES_MAX,
)


def refuse_null() -> NoReturn:
    """A length below zero, where this version has no null."""
    raise WireError("null, or a negative length, where a value is required")


def refuse_count(count: int, left: int) -> NoReturn:
    """More elements than the rest of the frame, or any frame, can hold."""
    raise WireError(f"{count} elements: more than {left} bytes or the frame's budget can hold")


def refuse_truncated() -> NoReturn:
    """The message ended before its last field."""
    raise WireError("truncated")


def refuse_tag_size() -> NoReturn:
    """A tagged field's size is not that of its value."""
    raise WireError("a tagged field's size and its value differ")


def read_uvarint(data: bytes, offset: int) -> tuple[int, int]:
    """An unsigned 32-bit number in groups of seven bits, the lowest first."""
    value = 0
    for position in range(UVARINT_BYTES_MAX):
        byte = data[offset + position]
        value |= (byte & 0x7F) << 7 * position
        if byte < 0x80:
            if value > 0xFFFF_FFFF:
                break
            return value, offset + position + 1
    raise WireError("a varint of more than 32 bits")


def read_text(data: bytes, offset: int) -> tuple[str, int]:
    """A compact string of any length; null is refused."""
    size, offset = read_uvarint(data, offset)
    if size == 0:
        refuse_null()
    end = offset + size - 1
    if size - 1 > STRING_BYTES_MAX:
        raise WireError(f"a string of {size - 1} bytes; at most {STRING_BYTES_MAX} are allowed")
    return data[offset:end].decode(), end


def read_repaired(data: bytes, offset: int) -> tuple[str, int]:
    """The same of a message whose texts need not be UTF-8."""
    raw, offset = read_blob(data, offset)
    return repaired(raw), offset


def repaired(raw: bytes) -> str:
    """A text that may not be UTF-8, as Kafka reads it: U+FFFD in the place of what is none.

    Clients whose strings are bytes send such texts: Go's, and those upon librdkafka, for which the
    metadata of an offset is any bytes. U+FFFD takes three bytes, and a text that would not fit into
    a response any more is refused.
    """
    text = raw.decode(errors="replace")
    if len(text.encode()) > STRING_BYTES_MAX:
        raise WireError("a text that is not UTF-8, and too long with U+FFFD in its place")
    return text


def read_blob(data: bytes, offset: int) -> tuple[bytes, int]:
    """Compact bytes of any length; null is refused."""
    size, offset = read_uvarint(data, offset)
    if size == 0:
        refuse_null()
    end = offset + size - 1
    return data[offset:end], end


def read_tag_count(data: bytes, offset: int, budget: int) -> tuple[int, int, int]:
    """How many tagged fields follow, the offset of the first, and the budget without them."""
    count, offset = read_uvarint(data, offset)
    if count > TAGGED_FIELDS_MAX:
        raise WireError(f"{count} tagged fields; at most {TAGGED_FIELDS_MAX} are allowed")
    if count > budget:
        refuse_count(count, len(data) - offset)
    return count, offset, budget - count


def read_tag(data: bytes, offset: int) -> tuple[int, int, int]:
    """One tagged field's number, the offset of its value and the offset after it.

    The order of tags is not checked, and of two with the same number the later one wins, as in the
    readers that Kafka generates.
    """
    tag, offset = read_uvarint(data, offset)
    size, offset = read_uvarint(data, offset)
    if size > TAGGED_FIELD_BYTES_MAX:
        raise WireError(f"a tagged field of {size} bytes; {TAGGED_FIELD_BYTES_MAX} are allowed")
    if offset + size > len(data):
        refuse_truncated()
    return tag, offset, offset + size


def skip_tags(data: bytes, offset: int, budget: int) -> tuple[int, int]:
    """Skip unknown tagged fields; returns the offset and the rest of the budget."""
    count, offset, budget = read_tag_count(data, offset, budget)
    for _ in range(count):
        _, _, offset = read_tag(data, offset)
    return offset, budget


@lru_cache(maxsize=4096)
def uuid_of(raw: bytes) -> UUID:
    """A UUID from its sixteen bytes; cached, since the same topic ids occur again and again."""
    return UUID(bytes=raw)


def uvarint(value: int) -> bytes:
    """The bytes of an unsigned number in groups of seven bits."""
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)


class Sizes(dict[int, bytes]):
    """From a length to its compact form, the uvarint of length + 1.

    Common lengths are looked up, others computed.
    """

    def __init__(self, what: str, most: int) -> None:
        super().__init__((length, uvarint(length + 1)) for length in range(1024))
        self.what = what
        self.most = most

    def __missing__(self, length: int) -> bytes:
        if length > self.most:
            raise ValueError(f"{self.what} of {length} is more than {self.most}")
        return uvarint(length + 1)


TEXT_SIZES = Sizes("a string", STRING_BYTES_MAX)
SIZES = Sizes("a length", 0x7FFF_FFFE)


def tagged(tag: int, value: Sequence[bytes]) -> bytes:
    """One tagged field: its number, the size of its value, its value."""
    joined = b"".join(value)
    return uvarint(tag) + uvarint(len(joined)) + joined
