"""Converts bytes to messages and back: the functions that the rest of Rollcall calls.

A codec is compiled when a version of a message is first used and kept for the life of the process;
there are at most a few hundred, one per declared version.
"""

import struct
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from rollcall.wire.declare import Message
from rollcall.wire.decoding import REPAIRED, Decoder, compile_decoder
from rollcall.wire.encoding import Encoder, compile_encoder
from rollcall.wire.errors import WireError
from rollcall.wire.kept import Kept
from rollcall.wire.kinds import Array, Struct
from rollcall.wire.limits import FRAME_ELEMENTS_MAX

LARGE_ELEMENTS = 500
"""Array elements from which on writing a message takes milliseconds; 50,000 take 50 ms."""

PIECES_MAX = 10_000
"""Pieces of a large message before they are joined: half a megabyte."""

M = TypeVar("M", bound=Message)
C = TypeVar("C")


class _Versions(dict[int, C]):
    """The codecs of one class by version, each compiled when first asked for."""

    def __init__(self, compiler: Callable[[type[Message], int], C], cls: type[Message]) -> None:
        self.compiler = compiler
        self.cls = cls

    def __missing__(self, version: int) -> C:
        first, last = self.cls.versions
        if not first <= version <= last:
            raise ValueError(f"{self.cls.__name__} has versions {first} to {last}, not {version}")
        codec = self[version] = self.compiler(self.cls, version)
        return codec


class _Codecs(dict[type[Message], _Versions[C]]):
    def __init__(self, compiler: Callable[[type[Message], int], C]) -> None:
        self.compiler = compiler

    def __missing__(self, cls: type[Message]) -> _Versions[C]:
        versions = self[cls] = _Versions(self.compiler, cls)
        return versions


_decoders: _Codecs[Decoder] = _Codecs(compile_decoder)
_repairing_decoders: _Codecs[Decoder] = _Codecs(partial(compile_decoder, reads=REPAIRED))
_encoders: _Codecs[Encoder] = _Codecs(compile_encoder)
_large_encoders: _Codecs[Encoder] = _Codecs(partial(compile_encoder, pieces_max=PIECES_MAX))


def decode(
    cls: type[M],
    version: int,
    data: bytes,
    offset: int = 0,
    *,
    elements_max: int = FRAME_ELEMENTS_MAX,
) -> M:
    """Read a message that begins at ``offset``; bytes after it are ignored, as in Kafka.

    ``data`` must be ``bytes``. Fields that the version lacks hold their defaults. If a text is not
    UTF-8, the message is read again with U+FFFD in the place of what is none, as Kafka does.
    Raises WireError for anything malformed or over a limit, and ValueError for
    a version that the declaration does not know (the caller's mistake).
    """
    decoder: Callable[[bytes, int, int], M] = _decoders[cls][version]
    try:
        return decoder(data, offset, elements_max)
    except UnicodeDecodeError:
        decoder = _repairing_decoders[cls][version]
    except _MALFORMED as error:
        raise _unreadable(cls, version, error) from None
    try:
        return decoder(data, offset, elements_max)
    except _MALFORMED as error:
        raise _unreadable(cls, version, error) from None


_MALFORMED = (IndexError, struct.error, WireError)


def _unreadable(cls: type[Message], version: int, error: Exception) -> WireError:
    why = str(error) if isinstance(error, WireError) else "truncated"
    return WireError(f"{cls.__name__} v{version}: {why}")


def encode(message: Message, version: int) -> bytes:
    """Write a message's body. Fields that the version lacks are omitted.

    Raises ValueError for a number out of its range, a string that is too long or
    an unknown version; TypeError for None where the version has no null, or a
    value of another type.
    """
    encoder = _encoders[type(message)][version]
    try:
        return encoder(message)
    except (struct.error, AttributeError) as error:
        raise _unwritable(message, version, error) from error


def encode_large(message: Message, version: int) -> bytes:
    """The same for a message with many elements: slower, with a few times the memory of its bytes
    instead of thirty times."""
    encoder = _large_encoders[type(message)][version]
    try:
        return encoder(message)
    except (struct.error, AttributeError) as error:
        raise _unwritable(message, version, error) from error


def _unwritable(message: Message, version: int, error: Exception) -> Exception:
    kind = TypeError if isinstance(error, AttributeError) else ValueError
    return kind(f"{type(message).__name__} v{version}: {error}")


def is_large(message: Message, version: int | None = None) -> bool:
    """Whether the message has so many elements, at all nesting levels, that it is written in a
    thread. With a version: not counting those of which this version's encoding is kept."""
    return _left(message, version, LARGE_ELEMENTS) < 0


def _left(value: Struct, version: int | None, room: int) -> int:
    """``room`` minus the elements of this value; the count ends below zero."""
    for field in value.wire_fields:
        if not isinstance(field.kind, Array):
            continue
        items = getattr(value, field.name) or ()
        if isinstance(items, Kept) and version in items.encodings:
            continue
        room -= len(items)
        if isinstance(field.kind.element, type):
            for item in items:
                if room < 0:
                    return room
                room = _left(item, version, room)
    return room
