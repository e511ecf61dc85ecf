"""What every fast path does first: the frames that it looks at at all, and the request in one.

Whatever is not usual goes to the queue, which answers with the error.
"""

from struct import Struct
from typing import Final, TypeVar

from rollcall.wire.codec import RequestHeader, decode, parse_header
from rollcall.wire.declare import Message
from rollcall.wire.errors import WireError

KEY_BYTES: Final = 2
"""Every frame begins with the API key."""
CORRELATION_ID: Final = slice(4, 8)
FRAME_BYTES_MAX: Final = 4 * 1024
"""The maximum length of a frame on a fast path: it is kept for comparison with the next one, and
counts for none of the limits of long requests. A member's ids are much shorter; longer frames go to
the queue."""

_VERSION: Final = Struct(">2xh")

M = TypeVar("M", bound=Message)


def request_in(frame: bytes, kind: type[M]) -> tuple[RequestHeader, M] | None:
    """The header and the request in a frame, without its length; None: the frame is too long, or
    does not hold such a request of a supported version."""
    if not _VERSION.size <= len(frame) <= FRAME_BYTES_MAX:
        return None
    (version,), (first, last) = _VERSION.unpack_from(frame), kind.versions
    if not first <= version <= last:
        return None
    try:
        header, body = parse_header(frame, lambda _key, version: bool(kind.flexible(version)))
        return header, decode(kind, version, frame, body)
    except WireError:
        return None
