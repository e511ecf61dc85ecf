"""The fast path: a classic heartbeat answered from memory, without a step and without SQL.

It reads only the committed view, so no member is notified of a rebalance that is rolled back, and
only while the node's lease is valid. Other requests go to the queue.
"""

from struct import Struct

from groups.core.acls.bindings import AclOperation, ResourceType
from groups.core.errors import ErrorCode
from groups.core.group import Beat, Millis
from groups.runtime.runtime import CoordinatorRuntime
from protocol.fast_paths.short_frames import KEY_BYTES, request_in
from protocol.limits.metering import ClientMeter
from protocol.requests.access import Open
from rollcall.wire.messages.heartbeat import HeartbeatRequest

HEARTBEAT = (12).to_bytes(KEY_BYTES, "big")
"""The first bytes of such a frame: the API key."""
HEAD_BYTES = 8
"""Length, key and version."""

# Length, correlation id, [tags], [throttle time], error code, [tags]: a reply has no other parts.
# The correlation id is only repeated, so it may be read as unsigned.
_V0 = Struct(">iIh")
_V1 = Struct(">iIih")
_V4 = Struct(">iIxihx")

QUEUED = (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_INSTANCE_ID)
"""Answered by the queue: maybe this node lost the slot; and it notes who claims an instance id."""


def heartbeat_reply(version: int, correlation_id: int, code: int) -> bytes:
    """The whole reply frame of a Heartbeat, length included."""
    if version >= 4:
        return _V4.pack(12, correlation_id, 0, code)
    if version >= 1:
        return _V1.pack(10, correlation_id, 0, code)
    return _V0.pack(6, correlation_id, code)


class FastPath:
    """One connection's fast path.

    A member repeats the same heartbeat with another correlation id. The last one is kept decoded,
    and a frame is compared with it before it is parsed. The result is kept too: while no view of
    the node changes, the same beat is set and the same bytes are sent (figures: docs/hot-path.md).
    """

    __slots__ = (
        "_after",
        "_beat",
        "_before",
        "_code",
        "_coordinator",
        "_generation",
        "_instance",
        "_member",
        "_meter",
        "_swaps",
        "_tail",
        "_version",
        "_views",
        "beats",
        "client_id",
        "group_id",
        "head",
        "is_calm",
    )

    def __init__(self, coordinator: CoordinatorRuntime, meter: ClientMeter) -> None:
        self._coordinator = coordinator
        self._meter = meter
        self._views = coordinator.heartbeat_views
        self.head = b""
        """The length, key and version of the last heartbeat. Empty before the first."""
        self._tail = b""  # what follows the correlation id
        self._version = 0
        self.client_id: str | None = ""
        self.group_id = ""
        self._member = ""
        self._instance: str | None = None
        self._generation = -1
        # The reply to it, around the correlation id, at this value of the views' change count.
        self._swaps = -1
        self._beat: Beat | None = None
        self._before = b""
        self._after = b""
        self.beats = 0
        """Heartbeats answered with ``_code`` that the node's count does not contain yet
        (``settle``)."""
        self._code = ErrorCode.NONE
        self.is_calm = False
        """Whether the last answer had no news: the heartbeat was valid, and there is no
        rebalance."""

    def again(self, data: bytes) -> bytes | None:
        """The reply, if ``data``, which begins with ``head``, is exactly one frame that repeats the
        last heartbeat."""
        # 0-3 length, 4-7 key and version, 8-11 correlation id, then the bytes that do not change.
        if data[12:] != self._tail:
            return None
        coordinator = self._coordinator
        now = coordinator.monotonic()
        if now >= coordinator.lease_until:
            return None
        if self._views.swaps != self._swaps:
            return self._look(data[8:12], now - coordinator.missed)
        beat = self._beat
        if beat is not None:
            beat.at = now - coordinator.missed
        self.beats += 1
        return self._before + data[8:12] + self._after

    def answer(self, frame: bytes) -> bytes | None:
        """The reply, if the frame (without its length, its key is ``HEARTBEAT``) is a heartbeat
        that memory can answer."""
        found = request_in(frame, HeartbeatRequest)
        if found is None:
            return None
        header, request = found
        self.head = len(frame).to_bytes(4, "big") + frame[:4]
        self._tail = frame[8:]
        self._version = header.api_version
        self.client_id = header.client_id
        self.group_id = request.group_id
        self._member = request.member_id
        self._instance = request.group_instance_id
        self._generation = request.generation_id
        self._swaps = -1
        now = self._coordinator.monotonic()
        if now >= self._coordinator.lease_until:
            return None
        return self._look(frame[4:8], now - self._coordinator.missed)

    @property
    def heartbeat_member(self) -> tuple[str, str]:
        """The group and member of the last heartbeat; empty before the first."""
        return self.group_id, self._member

    def verdict(self) -> ErrorCode:
        """The right answer to the last heartbeat now, if it was held since it arrived. Does not set
        the beat: a heartbeat counts when it arrives."""
        coordinator = self._coordinator
        if not coordinator.owns(self.group_id):
            return ErrorCode.NOT_COORDINATOR
        view = self._views.get(self.group_id)
        if view is None or not coordinator.holds_lease:
            return ErrorCode.COORDINATOR_NOT_AVAILABLE
        return view.find(self._member, self._instance, self._generation)[0]

    def session_s(self) -> float:
        """The session timeout of the last heartbeat's member; 0 if unknown."""
        group = self._coordinator.group(self.group_id)
        row = None if group is None else group.durable.members.get(self._member)
        return 0.0 if row is None else row.session_timeout_ms / 1000

    def assignor(self) -> str | None:
        """The protocol that the group of the last heartbeat has chosen; None if unknown."""
        group = self._coordinator.group(self.group_id)
        return None if group is None else group.durable.group.protocol_name

    def reply(self, correlation_id: bytes, code: ErrorCode) -> bytes:
        """The complete reply frame to the last heartbeat."""
        return heartbeat_reply(self._version, int.from_bytes(correlation_id, "big"), code)

    def settle(self) -> None:
        """Add the heartbeats that were answered here to the node's count."""
        self._coordinator.tallies.heartbeats[self._code] += self.beats
        self.beats = 0

    def _look(self, correlation_id: bytes, now: Millis) -> bytes | None:
        """Look the member up again: views, and quotas, may have changed."""
        if self._meter.counts(self.client_id):
            return None  # the queue counts its use
        view = self._views.get(self.group_id)
        if view is None:
            return None
        code, beat = view.find(self._member, self._instance, self._generation)
        if code in QUEUED:
            return None
        if beat is not None:
            beat.at = now
        self._beat = beat
        if code is not self._code:
            self.settle()
            self._code = code
        self.beats += 1
        self.is_calm = code is ErrorCode.NONE
        reply = heartbeat_reply(self._version, 0, code)
        self._before, self._after = reply[:4], reply[8:]
        self._swaps = self._views.swaps
        return self._before + correlation_id + self._after


class JudgedFastPath(FastPath):
    """With an authorizer: the client must be allowed to send heartbeats. This is checked when the
    heartbeat is new, and when a view or a rule has changed (``HeartbeatViews.swaps``); a repeated
    heartbeat costs the same as without an authorizer."""

    __slots__ = ("_access",)

    def __init__(self, coordinator: CoordinatorRuntime, meter: ClientMeter, access: Open) -> None:
        super().__init__(coordinator, meter)
        self._access = access

    def _look(self, correlation_id: bytes, now: Millis) -> bytes | None:
        if not self._access.may(AclOperation.READ, ResourceType.GROUP, self.group_id):
            return None  # the queue refuses it
        return super()._look(correlation_id, now)

    def verdict(self) -> ErrorCode:
        """Also whether the client may still send heartbeats: a rule may have been removed while
        this one was held."""
        if not self._access.may(AclOperation.READ, ResourceType.GROUP, self.group_id):
            return ErrorCode.GROUP_AUTHORIZATION_FAILED
        return super().verdict()
