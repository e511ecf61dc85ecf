"""Splits chunks of bytes into frames, and parses the header of each.

A frame is an int32 length and as many bytes; a ``FrameBuffer`` holds those of an incomplete frame.
A header has two forms: with tagged fields if the message's version is flexible (KIP-482), otherwise
without. ``codec`` has the bodies. No socket, no clock.
"""

from collections.abc import Callable
from struct import Struct, error
from typing import NamedTuple

from rollcall.wire.errors import FrameError, WireError
from rollcall.wire.limits import FRAME_BYTES_MAX, FRAME_ELEMENTS_MAX
from rollcall.wire.primitives import repaired, skip_tags

_length = Struct(">i").unpack_from
_LENGTH_BYTES = 4
_request = Struct(">hhih")
_response = Struct(">ii")
_response_flexible = Struct(">iix")
_header = tuple.__new__  # takes a third of the time of calling the class


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
    except (IndexError, error):
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
