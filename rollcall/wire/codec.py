"""Converts bytes to messages and back: the functions that the rest of Rollcall calls.

A frame is an int32 length and as many bytes, a header and a body; a ``FrameBuffer`` holds those of
an incomplete one. A header has two forms: with tagged fields if the message's version is flexible
(KIP-482), otherwise without. The codec of a body is compiled when a version of a message is first
used and kept for the life of the process; there are at most a few hundred, one per declared
version. No socket, no clock.
"""

import struct
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeVar

from rollcall.wire.declare import Message
from rollcall.wire.decoding import REPAIRED, Decoder, compile_decoder
from rollcall.wire.encoding import Encoder, compile_encoder
from rollcall.wire.errors import FrameError, WireError
from rollcall.wire.kept import Kept
from rollcall.wire.kinds import Array, Struct
from rollcall.wire.limits import FRAME_BYTES_MAX, FRAME_ELEMENTS_MAX
from rollcall.wire.primitives import repaired, skip_tags

LARGE_ELEMENTS = 500
"""Array elements from which on writing a message takes milliseconds; 50,000 take 50 ms."""

PIECES_MAX = 10_000
"""Pieces of a large message before they are joined: half a megabyte."""

_length = struct.Struct(">i").unpack_from
_LENGTH_BYTES = 4
_request = struct.Struct(">hhih")
_response = struct.Struct(">ii")
_response_flexible = struct.Struct(">iix")
_header = tuple.__new__  # takes a third of the time of calling the class

M = TypeVar("M", bound=Message)
C = TypeVar("C")


class FrameBuffer:
    """Splits a stream into frames of at most ``limit`` bytes, returned one at a time.

    ``limit`` may be raised in between (for a peer that has authenticated). ``held`` are fed bytes
    that were not taken yet: callers that do not take frames should not feed more.
    """

    __slots__ = ("held", "limit")

    def __init__(self, limit: int = FRAME_BYTES_MAX) -> None:
        self.limit = limit
        self.held = bytearray()

    def only(self, data: bytes) -> bytes | None:
        """The frame, if ``data`` is exactly one and nothing is held: it need not be fed."""
        size = len(data) - _LENGTH_BYTES
        if 0 < size <= self.limit and _length(data)[0] == size and not self.held:
            return data[_LENGTH_BYTES:]
        return None

    def feed(self, data: bytes) -> None:
        """Add bytes from the socket."""
        self.held += data

    @property
    def length(self) -> int:
        """The length of the next frame; 0 if it is not known yet."""
        return int(_length(self.held)[0]) if len(self.held) >= _LENGTH_BYTES else 0

    @property
    def has_frame(self) -> bool:
        """Whether ``take`` returns a frame or raises an error."""
        if len(self.held) < _LENGTH_BYTES:
            return False
        length = _length(self.held)[0]
        return not 0 < length <= self.limit or len(self.held) >= length + _LENGTH_BYTES

    def take(self) -> bytes | None:
        """The next frame without its length, or None while it is incomplete.

        Raises FrameError (a WireError) if its length is zero, negative or over the limit, as soon
        as that is known, and at each later call.
        """
        if len(self.held) < _LENGTH_BYTES:
            return None
        length = _length(self.held)[0]
        if not 0 < length <= self.limit:
            raise FrameError(_reason(length, self.limit))
        end = length + _LENGTH_BYTES
        if len(self.held) < end:
            return None
        with memoryview(self.held) as held, held[_LENGTH_BYTES:end] as frame:
            whole = bytes(frame)
        del self.held[:end]
        return whole


_STRANGERS = {0x1603: "a TLS handshake", 0x1503: "a TLS alert", 0x4745: "an HTTP GET"}


def _reason(length: int, limit: int) -> str:
    """Why a length is refused; names other protocols whose clients try this port (KIP-498)."""
    stranger = _STRANGERS.get(length >> 16)
    hint = f"; the peer may have sent {stranger}" if stranger else ""
    return f"a frame of {length} bytes; 1 to {limit} are allowed{hint}"


class RequestHeader(NamedTuple):
    """The API, its version, and the client's ids of the request and of itself."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None


def parse_header(frame: bytes, flexible: Callable[[int, int], bool]) -> tuple[RequestHeader, int]:
    """A request's header, and the offset of its body.

    ``flexible`` returns by API key and version whether tagged fields follow; it is also called
    with unknown keys and versions. The client id is a string with an int16 length in both forms.
    Raises WireError if the header is invalid.
    """
    try:
        api_key, api_version, correlation_id, size = _request.unpack_from(frame)
        offset = _request.size
        client_id = None
        if size >= 0:
            offset += size
            raw = frame[_request.size : offset]
            try:
                client_id = raw.decode()
            except UnicodeDecodeError:
                client_id = repaired(raw)
        if flexible(api_key, api_version):
            if frame[offset]:
                offset, _ = skip_tags(frame, offset, FRAME_ELEMENTS_MAX)
            else:
                offset += 1
    except (IndexError, struct.error):
        raise WireError("request header: truncated") from None
    except WireError as refused:
        raise WireError(f"request header: {refused}") from None
    if offset > len(frame):
        raise WireError("request header: truncated")
    return _header(RequestHeader, (api_key, api_version, correlation_id, client_id)), offset


def response_frame(correlation_id: int, body: bytes, flexible: bool) -> bytes:
    """A whole response: length, header, body.

    ``flexible`` is False for every version of ApiVersions: its client does not know the supported
    versions yet (KIP-511).
    """
    if flexible:
        return _response_flexible.pack(len(body) + 5, correlation_id) + body
    return _response.pack(len(body) + 4, correlation_id) + body


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
