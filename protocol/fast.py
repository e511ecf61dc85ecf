"""The fast path: a classic heartbeat answered from memory, without a step and without SQL.

It reads the committed face only, so nobody hears of a rebalance that is rolled back, and
only while the node's lease holds. What it does not recognise it leaves to the queue.
"""

from struct import Struct, unpack_from

from groups.coordinator import Coordinator
from groups.core.errors import ErrorCode
from groups.core.group import Face
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.wire.codec import decode
from protocol.wire.errors import WireError
from protocol.wire.headers import parse_header

HEARTBEAT = 12
HEARTBEAT_VERSION_MAX = HeartbeatRequest.versions[1]

# Length, correlation id, [tags], [throttle time], error code, [tags]: a reply has no other parts.
_V0 = Struct(">iih")
_V1 = Struct(">iiih")
_V4 = Struct(">iixihx")

_HEAD = Struct(">hhi")


def heartbeat_reply(version: int, correlation_id: int, code: int) -> bytes:
    """The whole reply frame of a Heartbeat, length included."""
    if version >= 4:
        return _V4.pack(12, correlation_id, 0, code)
    if version >= 1:
        return _V1.pack(10, correlation_id, 0, code)
    return _V0.pack(6, correlation_id, code)


class FastPath:
    """One connection's fast path.

    A member repeats the same heartbeat to the byte, but for the correlation id. The last one
    is kept decoded, and compared before anything is parsed (figures: docs/hot-path.md).
    """

    __slots__ = (
        "_coordinator",
        "_generation",
        "_group",
        "_instance",
        "_last",
        "_member",
        "_version",
    )

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator
        self._last = b""
        self._version = 0
        self._group = ""
        self._member = ""
        self._instance: str | None = None
        self._generation = -1

    def again(self, data: bytes) -> bytes | None:
        """The reply, where ``data`` is exactly one frame that repeats the last heartbeat."""
        # 0-3 length, 4-7 key and version, 8-11 correlation id, then what does not change.
        if data[12:] != self._last or not self._last:
            return None
        length, key, version, correlation_id = unpack_from(">ihhi", data)
        if key != HEARTBEAT or version != self._version or length != len(data) - 4:
            return None
        return self._reply(correlation_id)

    def answer(self, frame: bytes) -> bytes | None:
        """The reply, where the frame (without its length) is a heartbeat that memory can answer."""
        if len(frame) < 10:
            return None
        key, version, correlation_id = _HEAD.unpack_from(frame)
        if key != HEARTBEAT or not 0 <= version <= HEARTBEAT_VERSION_MAX:
            return None
        try:
            _header, body = parse_header(frame, _flexible)
            request = decode(HeartbeatRequest, version, frame, body)
        except WireError:
            return None  # the queue says what is wrong with it
        self._last = frame[8:]
        self._version = version
        self._group = request.group_id
        self._member = request.member_id
        self._instance = request.group_instance_id
        self._generation = request.generation_id
        return self._reply(correlation_id)

    def _reply(self, correlation_id: int) -> bytes | None:
        coordinator = self._coordinator
        face: Face | None = coordinator.faces.get(self._group)
        now = coordinator.clock()
        if face is None or now >= coordinator.lease_until:
            return None
        code = face.heartbeat(self._member, self._instance, self._generation, now)
        if code is ErrorCode.UNKNOWN_MEMBER_ID:
            return None  # perhaps the slot is not ours any more: the queue knows
        return heartbeat_reply(self._version, correlation_id, code)


class NoFastPath:
    """For connections whose every frame goes to the queue."""

    __slots__ = ()

    def again(self, data: bytes) -> bytes | None:
        """Nothing is answered here."""
        return None

    def answer(self, frame: bytes) -> bytes | None:
        """Nothing is answered here."""
        return None


def _flexible(_key: int, version: int) -> bool:
    return bool(HeartbeatRequest.flexible(version))
