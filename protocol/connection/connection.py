"""One client's connection: it splits bytes into frames, runs the fast paths, and keeps the order of
replies.

If no request is pending on the connection, a heartbeat is answered from the committed view
(``protocol.fast_paths.heartbeat_fast_path``), at once or after a hold
(``protocol.fast_paths.heartbeat_hold``), and a plain commit or fetch of offsets is submitted
(``protocol.fast_paths.commit_fast_path``, ``protocol.fast_paths.fetch_fast_path``). Every other
frame goes to the connection's application queue, in order. This file decides nothing.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from protocol.apis import APIS, UNAUTHENTICATED
from protocol.connection.connection_authentication import BYTES_MAX, Authentication
from protocol.connection.connection_limits import LONG_BYTES, LongFrames, TimeLimits, hung_up
from protocol.connection.connection_pauses import Pauses, release
from protocol.fast_paths.commit_fast_path import OFFSET_COMMIT, CommitFastPath, JudgedCommitFastPath
from protocol.fast_paths.consumer_fast_path import CONSUMER_HEARTBEAT, SETTLED_KEY, ConsumerFastPath
from protocol.fast_paths.fetch_fast_path import OFFSET_FETCH, FetchFastPath
from protocol.fast_paths.heartbeat_fast_path import (
    HEAD_BYTES,
    HEARTBEAT,
    FastPath,
    JudgedFastPath,
)
from protocol.fast_paths.heartbeat_hold import Hold
from protocol.fast_paths.host import Host
from protocol.fast_paths.short_frames import KEY_BYTES
from protocol.handlers.support import validation
from protocol.limits.metering import ClientMeter
from protocol.requests.api_row import Api
from protocol.requests.pace import Pace
from protocol.requests.session import Session
from rollcall.wire.codec import FrameBuffer, RequestHeader, parse_header
from rollcall.wire.errors import FrameError, WireError

logger = logging.getLogger(__name__)

QUEUED_FRAMES_MAX = 8
QUEUED_BYTES_MAX = 64 * 1024
"""Reading pauses beyond either: the requests of a client that writes faster than it is answered
stay in its socket buffer, not in our memory. The rest of the last read (at most 256 KiB) is not
split into frames until there is room."""

FRAMES_A_TURN = 8
"""Frames of one connection that are processed in one turn of the event loop."""

ELSEWHERE_S = 5.0
"""How old a connection is that is closed because this node, cut off from its database, cannot tell
its client where a group is. Stock clients ask a node to which they are connected, and would ask
this one until their sessions end. While no node reaches the database, no client connects anew more
often than that."""

WRITE_BUFFER_MAX = 64 * 1024
"""Bytes of replies that a client has not read; beyond this its requests are neither read nor
served. The last reply may be longer: for a client that reads nothing, one long reply is written
here and one in the kernel (``protocol.connection.unsent``)."""


class KafkaConnection(asyncio.Protocol):
    """The protocol object that daphne's server keeps; see its three-method seam."""

    # With more than thirty attributes in a dict Python finds each more slowly: a commit took 7 %
    # more of the node's CPU.
    __slots__ = (
        *("server", "number", "session", "apis", "peer", "client_host", "memory", "pace"),
        "requests",
        *("authentication", "pauses", "pending", "_is_submitted", "_queue", "_sizes"),
        "fast_paths",
        *("_queued_bytes", "_fast", "_hold", "_commit", "_fetch", "_settled", "_meter"),
        *("_frames", "_long", "_times", "_last_frame_at", "_transport", "_is_admitted"),
        *("_reading", "_goes_on", "_writable", "_writable_again", "_doomed"),
    )

    def __init__(
        self,
        server: Host,
        number: int,
        apis: Mapping[int, Api] = APIS,
        session: Session | None = None,
    ) -> None:
        self.server = server
        self.number = number
        self.session = session or Session()
        self.session.look_elsewhere = self._look_elsewhere
        self.requests = 0
        self.peer = self.client_host = ""
        self.pending = 0
        self._is_submitted = False  # a commit or a fetch that no task waits for
        self.memory: dict[int | str | None, int] = {}
        self.pace = Pace(server.paces)
        self._sizes: deque[int] = deque()
        self._queued_bytes = 0
        self._frames = FrameBuffer(server.frame_bytes_max)
        self._meter = ClientMeter(server.metering, self.session)
        self._commit = self._commit_path()
        self._fetch = FetchFastPath(
            *(server, self.session, self._meter),
            *(self._write_noted, self._submitted_ended, self.handle_exception),
        )
        self._settled = ConsumerFastPath(server, self.session, self._meter, self.memory)
        self._fast = self._heartbeat_path()
        self.authentication = Authentication(
            server.loop, self._authentication_changed, is_needed=apis is UNAUTHENTICATED
        )
        self._speak(apis)
        self._long = LongFrames(server.request_bytes, self._room_granted)
        self._times = TimeLimits(server, number)
        self._is_admitted = False
        self._transport: asyncio.Transport | None = None
        self._queue: asyncio.Queue[dict[str, Any]] | None = None
        self.pauses = Pauses(server.loop, self._balance)
        self._writable = True
        self._goes_on = False
        self._writable_again: asyncio.Future[None] | None = None
        self._reading = True
        self._doomed = False
        self._last_frame_at = 0.0

    def _speak(self, apis: Mapping[int, Api]) -> None:
        """Set the table of APIs that the client may request from now on.

        The fast paths are of the standard table; requests of another table go to the queue.
        """
        server = self.server
        self._fast.settle()
        self.apis = apis
        self.fast_paths = FAST_PATHS if apis is APIS else {}
        self._fast = self._heartbeat_path()
        views = server.coordinator.heartbeat_views
        self._hold = Hold(self._fast, views, server.ends, self._write, server.hold_s_max, self.pace)
        needed = self.authentication.is_needed
        self._frames.limit = BYTES_MAX if needed else server.frame_bytes_max

    def _heartbeat_path(self) -> FastPath:
        coordinator, access = self.server.coordinator, self.session.access
        if access.is_on:
            return JudgedFastPath(coordinator, self._meter, access)
        return FastPath(coordinator, self._meter)

    def _commit_path(self) -> CommitFastPath:
        make = JudgedCommitFastPath if self.session.access.is_on else CommitFastPath
        return make(
            *(self.server, self.number, self.session, self._meter),
            *(self._write, self._submitted_ended),
        )

    def settle(self) -> None:
        """Add the heartbeats that were answered here to the node's count."""
        self._fast.settle()

    # -- asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client connected."""
        # uvloop's transports have the methods of asyncio.Transport but not its type.
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=WRITE_BUFFER_MAX)
        peer = transport.get_extra_info("peername")
        self.peer = peer[0] if peer else ""
        self.session.address = self.peer
        self.client_host = f"/{self.peer}"  # as Java prints an address, and Kafka therefore too
        self._commit.connected(self.client_host)
        self._settled.connected(self.client_host)
        self.server.protocol_connected(self)
        wait_ms = self.server.admission.enter(self, self.server.loop_ms)
        if wait_ms is None:
            logger.info("closing %s: too many connections", self.peer)
            self.abort()
            return
        self._is_admitted = True
        if wait_ms:
            self.pauses.mute(wait_ms)
        if self.server.node.quotas.of_addresses:
            self._count_newcomer()

    def _count_newcomer(self) -> None:
        """A connection of an address that has too many is closed after a pause, without being read,
        as in Kafka."""
        pause_ms = self.server.metering.connection_pause_ms(self.peer)
        if pause_ms:
            logger.info("closing %s: too many connections a second", self.peer)
            self.server.loop.call_later(pause_ms / 1000, self._turn_away)
            self.pauses.mute(pause_ms)

    def _turn_away(self) -> None:
        """The pause of a connection beyond the limit is over: close it."""
        self._doomed = True
        self._balance()

    @property
    def has_spoken(self) -> bool:
        """Whether a complete request has arrived and the client need not authenticate first: other
        connections have little time, and are closed first when there is no room."""
        return self._last_frame_at > 0 and not self.authentication.is_needed

    @property
    def is_open(self) -> bool:
        """Whether it has not ended; the server keeps ended ones for a moment."""
        return self._transport is not None

    @property
    def connected_at(self) -> float:
        """The time of the loop's clock, in seconds."""
        return self._times.connected_at

    @property
    def heartbeat_member(self) -> tuple[str, str]:
        """Group and member of the last heartbeat that the fast path read; empty before one."""
        return self._fast.heartbeat_member

    def data_received(self, data: bytes) -> None:
        """Bytes arrived: answer what can be answered at once, queue the rest in order."""
        if self._hold.correlation_id is not None:
            self._hold.interrupt()
        if (
            data[:HEAD_BYTES] == self._fast.head
            and self.pending == 0
            and self._writable
            and not self._frames.held
        ):
            reply = self._fast.again(data)
            if reply is not None:
                self._last_frame_at = now = self.server.loop.time()
                if not (self._hold.s_max and self._hold.takes_again(data[8:12], now)):
                    self._transport.write(reply)  # type: ignore[union-attr]
                return
        frame = self._frames.only(data)
        if frame is not None and self._reading and not self._is_submitted:
            self._last_frame_at = self.server.loop.time()
            self._frame_received(frame)
            return
        try:
            self._frames.feed(data)
            self._take_frames()
        except MemoryError:
            # A line, and not asyncio's traceback for each: who sends much, sends it often.
            logger.warning("closing %s: there is no memory for what it sent", self.peer)
            self.abort()

    def _take_frames(self) -> None:
        """Answer or queue complete frames: a few in one turn of the event loop, and only while
        there is room for them."""
        now = self.server.loop.time()
        for _ in range(FRAMES_A_TURN):
            frame = self._next_frame() if self._has_room() else None
            if frame is None:
                break
            self._last_frame_at = now
            self._times.partial_since = None
            self._frame_received(frame)
            if not self._frames.held:
                break
        if self._frames.held:
            self._left_over(now)
        elif not self._reading:
            self._balance()

    def _next_frame(self) -> bytes | None:
        try:
            return self._frames.take()
        except FrameError as error:
            logger.info("closing %s: %s", self.peer, error)
            self._doomed = True
            return None

    def _left_over(self, now: float) -> None:
        """Incomplete frames have a time limit; complete frames wait for room."""
        if not self._frames.has_frame:
            if self._times.partial_since is None:
                self._times.partial_since = now
            if not self._long.reserved and self._frames.length >= LONG_BYTES:
                self._reserve(self._frames.length)
        self._balance()

    def _reserve(self, size: int) -> None:
        if not self._long.reserve(size, len(self._frames.held)):
            logger.info("closing %s: too many wait with long requests", self.peer)
            self.abort()

    def _room_granted(self) -> None:
        self._times.partial_since = self.server.loop.time()
        self._balance()

    def _go_on(self) -> None:
        self._goes_on = False
        if self._transport is not None:
            self._take_frames()

    def pause_writing(self) -> None:
        """The client does not read its replies: stop reading its requests."""
        self._writable = False
        self._writable_again = self.server.loop.create_future()
        self._times.stalled_since = self.server.loop.time()
        self._balance()

    def resume_writing(self) -> None:
        """The client reads again."""
        self._writable = True
        self._note_unread()
        if self._writable_again is not None:
            release(self._writable_again)
        self._times.stalled_since = None
        self._balance()

    def eof_received(self) -> bool:
        """The client has closed its side: close this one, in turn if thousands do so at once."""
        self.server.closing.add(self)
        return True

    def connection_lost(self, exc: BaseException | None) -> None:
        """The connection has ended: nothing is written to it any more."""
        self._transport = None
        self._hold.forget()
        self.server.ended.add(self)

    def release(self) -> None:
        """It has ended: cancel its application and its tickets, and return what it used. Called
        once, in the same turn of the loop unless many end at once."""
        self._fast.settle()
        self.authentication.end()
        if self._is_admitted:
            self.server.admission.leave(self)
        self._frames.held.clear()  # at once, since only gc frees a connection
        self._long.forget()
        self.server.reply_bytes.note(self, 0)
        self._commit.forget()
        self._fetch.forget()
        self.server.protocol_disconnected(self)
        self.server.cancel_application(self)

    # -- frames

    def _frame_received(self, frame: bytes) -> None:
        hold = self._hold
        if self._last_frame_at < hold.waited_until:
            hold.followed_by(frame[:KEY_BYTES])
        if self.pending == 0 and self._writable:
            takes = self.fast_paths.get(frame[:KEY_BYTES])
            if takes is not None and takes(self, frame):
                return
        if self._queue is None:
            self.session.client_id = _client_id(frame)
            self._queue = self.server.open_application(self)
            if self._queue is None:
                return
        self._put(self._queue, frame)

    def _put(self, queue: "asyncio.Queue[dict[str, Any]]", frame: bytes) -> None:
        """Hand a frame to the application; a request that waits for news ends."""
        if len(frame) >= LONG_BYTES:
            self._long.complete(len(frame))
        if self.pending:  # requests in progress do not count: a parked join may be large
            self._sizes.append(len(frame))
            self._queued_bytes += len(frame)
        self.pending += 1
        queue.put_nowait({"type": "kafka.request", "frame": frame})
        if self.pauses.held is not None:
            self.pauses.release()
        self._balance()

    def long_one_done(self, size: int) -> None:
        """A long request has ended: release its memory."""
        if self._transport is not None:  # otherwise its memory was released when it ended
            self._long.done(size)

    def _beats(self, frame: bytes) -> bool:
        """Whether the frame is a heartbeat that the fast path has answered or holds."""
        hold, reply = self._hold, self._fast.answer(frame)
        hold.meets(self.session)
        if reply is None:
            hold.passes(self._last_frame_at)
            return False
        if not (hold.s_max and hold.takes_new(frame[4:8], self._last_frame_at)):
            self._transport.write(reply)  # type: ignore[union-attr]
        return True

    def _beats_settled(self, frame: bytes) -> bool:
        """Whether a settled member's heartbeat was answered from memory."""
        reply = self._settled.answer(frame, self._last_frame_at)
        if reply is None:
            self._settled.leave_to_queue()
            return False
        self.requests += 1
        self._transport.write(reply)  # type: ignore[union-attr]
        return True

    def _commits(self, frame: bytes) -> bool:
        """Whether the frame is a commit that the fast path has submitted."""
        self.pending = 1  # until it has ended, maybe at once
        self._is_submitted = True
        if self._commit.take(frame, self.requests + 1):
            self.requests += 1
            return True
        self.pending = 0
        self._is_submitted = False
        return False

    def _fetches(self, frame: bytes) -> bool:
        """Whether the frame is a fetch that the fast path has submitted."""
        if not self._fetch.take(frame):
            return False
        self.requests += 1
        self.pending = 1
        self._is_submitted = True
        return True

    def _submitted_ended(self) -> None:
        self.pending = 0
        self._is_submitted = False
        if self._frames.held or not self._reading:
            self._balance()

    def _balance(self) -> None:
        """Read while there is room, otherwise pause reading."""
        if self._transport is None:
            return
        if self._doomed and not self.pending:
            self.close()
            return
        wanted = self._has_room()
        if self._frames.held and self._frames.has_frame:
            if wanted and not self._goes_on:
                self._goes_on = True
                self.server.loop.call_soon(self._go_on)
            wanted = False  # frames that were read come before those that were not
        if wanted != self._reading and not self._transport.is_closing():
            self._reading = wanted
            self._times.partial_since = self.server.loop.time() if self._frames.held else None
            (self._transport.resume_reading if wanted else self._transport.pause_reading)()

    def _has_room(self) -> bool:
        """Whether one more frame may be processed: none for a client that does not read its
        replies."""
        return (
            self._writable
            and not self._is_submitted
            and self.pending <= QUEUED_FRAMES_MAX
            and self._queued_bytes <= QUEUED_BYTES_MAX
            and not self._doomed
            and self.pauses.muted is None
            and not self._long.awaits_room
        )

    # -- authentication

    def _authentication_changed(self, is_valid: bool) -> None:
        if self._hold.correlation_id is not None:
            self._hold.end()
        self._speak(APIS if is_valid else UNAUTHENTICATED)

    def refused(self) -> None:
        """Authentication has failed: the connection is closed after the reply, and requests that
        came behind are not served."""
        self._doomed = self.authentication.is_refused = True

    async def rights_changed(self) -> None:
        """The rules of access are others now: a held heartbeat is answered if its client may not
        send it any more, and a request that waits ends with the connection."""
        if self._hold.correlation_id is not None:
            self._hold.view_changed()
        may_still = self.session.may_still
        if may_still is not None and not await may_still() and self.session.may_still is may_still:
            logger.info("closing %s: it may not wait for this any more", self.peer)
            self.close()

    def _look_elsewhere(self) -> None:
        """Close the connection, in turn, so that its client chooses among all nodes again."""
        if self.server.loop.time() - self._times.connected_at >= ELSEWHERE_S:
            self.server.closing.add(self)

    # -- the application's side

    def is_flexible(self, key: int, version: int) -> bool:
        """Whether the header of a request of this API and version has tagged fields, by the current
        table of APIs."""
        api = self.apis.get(key)
        return api is not None and version >= api.flexible_since

    async def hold(self, seconds: float) -> None:
        """Wait, but no longer than until the next frame has arrived."""
        if self.pending <= 1:
            await self.pauses.hold(seconds)

    @property
    def is_blocked(self) -> bool:
        """Whether no further request may be served now: the client is muted, or does not read its
        replies."""
        return self.pauses.muted is not None or not self._writable

    async def unblocked(self) -> None:
        """Wait until the next request may be served."""
        while self.is_blocked:
            await (self.pauses.muted or self._writable_again)  # type: ignore[misc]

    def _write(self, frame: bytes) -> None:
        # A committer writes replies too: a connection that is just closing must not fail its batch.
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(frame)

    def _write_noted(self, frame: bytes) -> None:
        self._write(frame)
        if len(frame) >= LONG_BYTES:
            self._note_unread()

    def answered(
        self, frame: bytes, header: RequestHeader, request: Any, response: Any, reply: bytes
    ) -> None:
        """The application is about to send this response to this frame: a fast path may learn from
        it."""
        if header.api_key == SETTLED_KEY:
            self._settled.learn(frame, header, request, response, reply)

    def handle_reply(self, message: dict[str, Any]) -> None:
        """One request is done: write its reply, if it has one."""
        self.pending -= 1
        if self._sizes:
            self._queued_bytes -= self._sizes.popleft()
        frame = message["frame"]
        if frame is not None:
            self._write_noted(frame)
        self._balance()

    def _note_unread(self) -> None:
        if self._transport is not None:
            self.server.reply_bytes.note(self, self._transport.get_write_buffer_size())

    def handle_exception(self, exception: BaseException) -> None:
        """The application failed: the order of replies is lost, so the connection is closed."""
        logger.error("closing %s", self.peer, exc_info=exception)
        self.close()

    def check_timeouts(self) -> None:
        """Close a stuck or silent connection; called every two seconds."""
        now, times, transport = self.server.loop.time(), self._times, self._transport
        if transport is not None and times.look(transport.get_write_buffer_size(), now):
            self._note_unread()
        found = None if self._reading or transport is None else transport.get_extra_info("socket")
        if times.is_stalled(now) or hung_up(found):
            self.abort()
        elif times.is_late(now, self._long, is_reading=self._reading) or self._is_silent(now):
            self.close()

    def _is_silent(self, now: float) -> bool:
        if not self.has_spoken:
            return self._times.is_silent(now, self.server.first_s_max)
        return not self.pending and now - self._last_frame_at > self.server.idle_s_max

    def close(self) -> None:
        """Close when everything written has been sent."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        if self._transport is not None:
            self._transport.abort()


FAST_PATHS: Final[Mapping[bytes, Callable[[KafkaConnection, bytes], bool]]] = {
    HEARTBEAT: KafkaConnection._beats,
    OFFSET_COMMIT: KafkaConnection._commits,
    OFFSET_FETCH: KafkaConnection._fetches,
    CONSUMER_HEARTBEAT: KafkaConnection._beats_settled,
}
"""What may answer a frame before the queue, by its API key: whether it has."""


def _client_id(frame: bytes) -> str:
    """The client id of a connection's first queued frame; the queue answers malformed frames."""
    try:
        header, _ = parse_header(frame, lambda _key, _version: False)
    except WireError:
        return ""
    return validation.shown(header.client_id or "")
