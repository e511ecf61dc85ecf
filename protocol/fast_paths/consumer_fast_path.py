"""Answers the empty heartbeat of a settled member of the consumer protocol from memory.

The queue answers first, and this module keeps the request and the reply. The same bytes get the
same reply while the group would decide the same (``ConsumerGroup.is_calm``), the catalogue, the
group's settings and the lease are unchanged, and no quota counts the client. A heartbeat that may
wait for news goes to the queue, which holds it (``handlers.support.long_poll``). Figures:
docs/hot-path.md.
"""

from dataclasses import dataclass
from math import inf
from typing import Any

from groups.core.consumer.group import ConsumerGroup
from groups.core.events import ConsumerHeartbeat
from groups.core.group import Beat, Group, Rules
from groups.runtime.runtime import CoordinatorRuntime
from protocol.fast_paths.host import Host
from protocol.fast_paths.short_frames import CORRELATION_ID, FRAME_BYTES_MAX
from protocol.handlers.support import long_poll, validation
from protocol.limits.metering import ClientMeter
from protocol.requests.session import Session
from rollcall.wire.codec import RequestHeader
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)

SETTLED_KEY = 68
CONSUMER_HEARTBEAT = SETTLED_KEY.to_bytes(2, "big")
"""The first bytes of such a frame: the API key."""
API = "ConsumerGroupHeartbeat"


@dataclass(slots=True)
class Settled:
    """A heartbeat that had no news. ``head`` and ``tail``: the frame around its correlation id;
    ``reply`` likewise. ``changes``: the catalogue's change count before the group got its topics;
    ``rules``: the group's settings, which the reply contains. ``group``: the value of the group for
    which the reply is right, and the member's ``beat`` in it. ``held_after_ms``: a member without a
    heartbeat for this long may be held."""

    head: bytes
    tail: bytes
    reply: tuple[bytes, bytes]
    event: ConsumerHeartbeat
    group_id: str
    client_id: str | None
    changes: int
    rules: Rules
    held_after_ms: float
    group: Group | None = None
    beat: Beat | None = None


class ConsumerFastPath:
    """The fast path of one connection. ``memory`` is the connection's own (``Call.memory``)."""

    __slots__ = ("_changes", "_host", "_memory", "_meter", "_server", "_session", "_settled")

    def __init__(
        self,
        server: Host,
        session: Session,
        meter: ClientMeter,
        memory: dict[int | str | None, int],
    ) -> None:
        self._server = server
        self._session = session
        self._meter = meter
        self._memory = memory
        self._host = ""
        self._changes = server.node.catalogue.changes
        """The catalogue's change count when a heartbeat went to the queue: topics may change while
        it waits, and the group has not got those changes."""
        self._settled: Settled | None = None

    def connected(self, client_host: str) -> None:
        """Set the client's address, which is in the member's row."""
        self._host = client_host

    # -- what the queue has answered

    def leave_to_queue(self) -> None:
        """A heartbeat goes to the queue now, where the group gets its topics later."""
        self._changes = self._server.node.catalogue.changes

    def learn(
        self,
        frame: bytes,
        header: RequestHeader,
        request: ConsumerGroupHeartbeatRequest,
        response: ConsumerGroupHeartbeatResponse,
        reply: bytes,
    ) -> None:
        """The queue has answered this frame; keep the reply if it had no news."""
        self._settled = None
        node, memory = self._server.node, self._memory
        group = node.coordinator.group(request.group_id)
        if (
            len(frame) > FRAME_BYTES_MAX
            or self._session.access.is_on
            or long_poll.HELD in memory
            or long_poll.reports_more(request)
            or request.rack_id is not None
            or response.error_code
            or response.assignment is not None
            or not isinstance(group, ConsumerGroup)
            or response.heartbeat_interval_ms != group.rules.group_consumer_heartbeat_interval_ms
        ):
            return
        self._settled = Settled(
            head=frame[: CORRELATION_ID.start],
            tail=frame[CORRELATION_ID.stop :],
            reply=(reply[: CORRELATION_ID.start], reply[CORRELATION_ID.stop :]),
            event=_event(request, header, self._host),
            group_id=request.group_id,
            client_id=header.client_id,
            changes=self._changes,
            rules=group.rules,
            held_after_ms=self._held_after_ms(group),
        )

    def _held_after_ms(self, group: ConsumerGroup) -> float:
        if not self._server.node.settings.group_consumer_heartbeat_hold_percent:
            return inf
        return long_poll.held_after_ms(group.rules)

    # -- the same again

    def answer(self, frame: bytes, now_s: float) -> bytes | None:
        """The reply to a frame (without its length, its key is ``CONSUMER_HEARTBEAT``) that repeats
        the last one; None: it goes to the queue."""
        settled = self._settled
        if settled is None or frame[8:] != settled.tail or frame[:4] != settled.head:
            return None
        server, coordinator = self._server, self._server.node.coordinator
        now, now_ms = coordinator.monotonic(), round(now_s * 1000)
        if (
            now >= coordinator.lease_until
            or now_ms - self._memory.get(SETTLED_KEY, 0) >= settled.held_after_ms
            or server.node.catalogue.changes != settled.changes
            or self._meter.counts(settled.client_id)
            or not self._is_calm(settled, coordinator)
        ):
            return None
        assert settled.beat is not None
        settled.beat.at = now - coordinator.missed
        self._memory[SETTLED_KEY] = now_ms
        server.count(API)
        return settled.reply[0] + frame[CORRELATION_ID] + settled.reply[1]

    def _is_calm(self, settled: Settled, coordinator: CoordinatorRuntime) -> bool:
        """Whether the committed group would answer the same; checked again for each new value."""
        entry = coordinator.entries.get(settled.group_id)
        if entry is None or entry.suspended:
            return False
        group = entry.group
        if group is settled.group:
            return True
        if (
            not isinstance(group, ConsumerGroup)
            or group.rules is not settled.rules
            or not group.is_calm(settled.event)
        ):
            return False
        settled.group, settled.beat = group, group.beat_of(settled.event)
        return settled.beat is not None


def _event(
    request: ConsumerGroupHeartbeatRequest, header: RequestHeader, client_host: str
) -> ConsumerHeartbeat:
    """The event of the request, without the catalogue."""
    nothing: dict[str, Any] = {
        "rack_id": None,
        "rebalance_timeout_ms": -1,
        "subscribed_topic_names": None,
        "server_assignor": None,
        "owned": None,
    }
    return ConsumerHeartbeat(
        member_id=request.member_id,
        member_epoch=request.member_epoch,
        instance_id=request.instance_id,
        client_id=validation.shown(header.client_id or ""),
        client_host=client_host,
        version=header.api_version,
        **nothing,
    )
