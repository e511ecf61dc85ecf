"""From chunks of bytes to frames: what stands between the socket and a request.

A frame is an int32 length and as many bytes. This file keeps the bytes of the
frame that is not whole yet and nothing else: no socket, no clock, no request.
"""

from struct import Struct

from protocol.wire.errors import FrameError
from protocol.wire.limits import FRAME_BYTES_MAX

_length = Struct(">i").unpack_from
_LENGTH_BYTES = 4


class FrameBuffer:
    """Splits a stream into frames of at most ``limit`` bytes.

    ``limit`` may be raised while frames come (a peer that has authenticated may
    send more). At most one frame and one chunk are held at a time.
    """

    __slots__ = ("_held", "_wanted", "limit")

    def __init__(self, limit: int = FRAME_BYTES_MAX) -> None:
        self.limit = limit
        self._held = bytearray()
        self._wanted = _LENGTH_BYTES

    def __len__(self) -> int:
        """How many bytes of an unfinished frame are held."""
        return len(self._held)

    def feed(self, data: bytes) -> list[bytes]:
        """Take what the socket gave; give the frames that are now whole, without their lengths.

        Raises FrameError (a WireError) as soon as a length is read that is zero, negative or
        over the limit, and again at each later call; it carries the frames in front of it.
        """
        if not self._held:
            size = len(data)
            if size > _LENGTH_BYTES and 0 < _length(data)[0] == size - _LENGTH_BYTES <= self.limit:
                return [data[_LENGTH_BYTES:]]
            return self._split(data)
        self._held += data
        if len(self._held) < self._wanted:
            return []
        whole = bytes(self._held)
        self._held.clear()
        return self._split(whole)

    def _split(self, data: bytes) -> list[bytes]:
        """Cut ``data`` into frames and hold what is left over."""
        frames: list[bytes] = []
        start, end = 0, len(data)
        self._wanted = _LENGTH_BYTES
        while end - start >= _LENGTH_BYTES:
            length = _length(data, start)[0]
            if not 0 < length <= self.limit:
                self._held += data[start : start + _LENGTH_BYTES]
                raise FrameError(_reason(length, self.limit), frames)
            if end - start < length + _LENGTH_BYTES:
                self._wanted = length + _LENGTH_BYTES
                break
            start += _LENGTH_BYTES
            frames.append(data[start : start + length])
            start += length
        self._held += data[start:]
        return frames


_STRANGERS = {0x1603: "a TLS handshake", 0x1503: "a TLS alert", 0x4745: "an HTTP GET"}


def _reason(length: int, limit: int) -> str:
    """Why a length is refused; other protocols on this port are called by name (KIP-498)."""
    stranger = _STRANGERS.get(length >> 16)
    hint = f"; the peer may have sent {stranger}" if stranger else ""
    return f"a frame of {length} bytes; 1 to {limit} are allowed{hint}"
