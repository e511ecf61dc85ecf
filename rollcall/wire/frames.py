"""From chunks of bytes to frames: what stands between the socket and a request.

A frame is an int32 length and as many bytes. This file keeps the bytes of the
frame that is not whole yet and nothing else: no socket, no clock, no request.
"""

from struct import Struct

from rollcall.wire.errors import FrameError
from rollcall.wire.limits import FRAME_BYTES_MAX

_length = Struct(">i").unpack_from
_LENGTH_BYTES = 4


class FrameBuffer:
    """Splits a stream into frames of at most ``limit`` bytes, given one at a time.

    ``limit`` may be raised while frames come (a peer that has authenticated may
    send more). ``held`` is what was fed and not yet taken: who takes no frame should feed no more.
    """

    __slots__ = ("held", "limit")

    def __init__(self, limit: int = FRAME_BYTES_MAX) -> None:
        self.limit = limit
        self.held = bytearray()

    def only(self, data: bytes) -> bytes | None:
        """The frame, where ``data`` is exactly one and nothing is held: it need not be fed."""
        size = len(data) - _LENGTH_BYTES
        if 0 < size <= self.limit and _length(data)[0] == size and not self.held:
            return data[_LENGTH_BYTES:]
        return None

    def feed(self, data: bytes) -> None:
        """Hold what the socket gave."""
        self.held += data

    @property
    def length(self) -> int:
        """Of the next frame, as it says itself; 0 where that is not known yet."""
        return int(_length(self.held)[0]) if len(self.held) >= _LENGTH_BYTES else 0

    @property
    def has_frame(self) -> bool:
        """Whether ``take`` has something to say: a whole frame, or what is wrong with the next."""
        if len(self.held) < _LENGTH_BYTES:
            return False
        length = _length(self.held)[0]
        return not 0 < length <= self.limit or len(self.held) >= length + _LENGTH_BYTES

    def take(self) -> bytes | None:
        """The next frame without its length, or None while it is not whole.

        Raises FrameError (a WireError) where its length is zero, negative or over the limit, as
        soon as that can be read, and again at each later call.
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
    """Why a length is refused; other protocols on this port are called by name (KIP-498)."""
    stranger = _STRANGERS.get(length >> 16)
    hint = f"; the peer may have sent {stranger}" if stranger else ""
    return f"a frame of {length} bytes; 1 to {limit} are allowed{hint}"
