"""Limits what a connection of the web may send, and for how long, while the bytes arrive.

daphne reads a request completely before it is authenticated. Here the bytes of its body are counted
as they arrive, a request has to be complete in time even if bytes trickle in, and if there are too
many connections, the one that has waited longest for a request is closed. Paths and users are not
known here.
"""

import asyncio
import json
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.ws_protocol import WebSocketProtocol
from django.conf import settings
from twisted.web.http import HTTPChannel

BODY_BYTES_MAX: Final = 1_048_576
"""For requests with credentials, valid or not: no form and no document here is larger."""

STRANGERS_BODY_BYTES_MAX: Final = 65_536
"""For all other requests: they send no more than a name and a password."""

HEADERS_S: Final = 10
"""From the first byte of a request, or from the opening of its connection, to the end of its
headers."""

BODY_S: Final = 30
"""From there to the end of its body: 1 MiB by a slow line."""

IDLE_S: Final = 60
"""Between two requests."""

UNREAD_S: Final = 60
"""From the end of a response that is not read until its last byte is read: pipelined requests wait
so long."""

CHUNK_BYTES_MIN: Final = 64
"""The number of a body's chunks is limited as if each had this size: a chunk of one byte costs as
much work as any other."""

RECEIVED_BYTES, RECEIVED_BYTES_A_SECOND = 4_096, 128
"""For a websocket: pages only report that they are there, a hundred bytes in twenty seconds."""

UNREAD_EVENTS_S: Final = 20
"""The same for server-sent events, which have no last byte: how long nothing at all is read."""

LINGER_S, LINGER_BYTES = 2, 4 * BODY_BYTES_MAX
"""How long, and how much, is read from a client that is refused in the middle of a body: if the
connection were closed at once, it would be reset, and the client would not read the reason."""

MEDIA_TYPE = "application/problem+json"


class Channel(HTTPChannel):  # type: ignore[misc]  # twisted.web.http is skipped by mypy
    """One connection with its requests, one after the other."""

    factory: "Factory"
    is_refused = False
    _unread: Any = None
    _read: asyncio.Event | None = None
    _is_idle = False
    _dropped = 0

    def connectionMade(self) -> None:  # noqa: N802  (Twisted's names)
        """Start the timeout."""
        self.timeOut = HEADERS_S
        super().connectionMade()

    def connectionLost(self, reason: Any) -> None:  # noqa: N802
        """The connection has ended."""
        self._taken()
        self.factory.left(self)
        super().connectionLost(reason)

    def resetTimeout(self) -> None:  # noqa: N802
        """Do nothing: bytes that trickle in do not extend the timeout."""

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        """Process bytes of a request; bytes of a refused request are discarded."""
        if self.is_refused:
            self._dropped += len(data)
            if self._dropped > LINGER_BYTES:
                self.transport.abortConnection()
            return
        if self._is_idle:
            self._is_idle = False
            self.setTimeout(HEADERS_S)
        super().dataReceived(data)

    def allHeadersReceived(self) -> None:  # noqa: N802
        """The body follows."""
        self.setTimeout(BODY_S)
        super().allHeadersReceived()

    def allContentReceived(self) -> None:  # noqa: N802
        """The request is complete and is processed."""
        self.factory.works(self)
        super().allContentReceived()

    def requestDone(self, request: Any) -> None:  # noqa: N802
        """The request was answered; the next one may be here already. It waits until the client has
        read this response: unread responses are in our memory."""
        if self._waitingForTransport and self.persistent:
            self._unread = request
            self.setTimeout(UNREAD_S)
            self.factory.waits(self)
            return
        super().requestDone(request)
        if self.persistent and not self._handlingRequest:
            self._is_idle = True
            self.setTimeout(IDLE_S)
            self.factory.waits(self)

    def _taken(self) -> None:
        read, self._read = self._read, None
        if read is not None:
            read.set()

    def pauseProducing(self) -> None:  # noqa: N802
        """The client does not read: stop reading from it."""
        super().pauseProducing()
        self._networkProducer.pauseProducing()
        self._read = asyncio.Event()

    async def is_read(self) -> None:
        """Wait until the client has read what was written, except for the system's buffers. If it
        reads nothing, the connection is closed, and its application is notified."""
        if self._read is None:
            return
        try:
            async with asyncio.timeout(UNREAD_EVENTS_S):
                await self._read.wait()
        except TimeoutError:
            self.transport.abortConnection()

    def resumeProducing(self) -> None:  # noqa: N802
        """The client has read everything."""
        super().resumeProducing()
        self._taken()
        request, self._unread = self._unread, None
        if request is not None:
            self.setTimeout(None)
            self.requestDone(request)

    def refuse(self, status: HTTPStatus, code: str, detail: str) -> None:
        """Send the error in the middle of a request, and read no more of it."""
        self.is_refused = True
        problem = {"type": "about:blank", "title": status.phrase, "status": status, "code": code}
        body = json.dumps({**problem, "detail": detail}).encode()
        head = (
            f"HTTP/1.1 {status:d} {status.phrase}",
            f"Content-Type: {MEDIA_TYPE}",
            f"Content-Length: {len(body)}",
            "Connection: close",
        )
        self.transport.write("\r\n".join([*head, "", ""]).encode() + body)
        self.setTimeout(None)
        self.transport.loseWriteConnection()
        self.callLater(LINGER_S, self.transport.abortConnection)


class Request(WebRequest):  # type: ignore[misc]  # daphne is untyped
    """A request whose body is counted."""

    channel: Channel
    _taken = 0
    _chunks = 0
    _is_chunked = False

    @property
    def body_bytes_max(self) -> int:
        """The maximum size of its body."""
        session = settings.SESSION_COOKIE_NAME.encode()
        has_credentials = (
            self.requestHeaders.hasHeader(b"authorization") or session in self.received_cookies
        )
        return BODY_BYTES_MAX if has_credentials else STRANGERS_BODY_BYTES_MAX

    def gotLength(self, length: int | None) -> None:  # noqa: N802
        """The length in its headers: None for a body in chunks."""
        super().gotLength(length)
        self._is_chunked = length is None
        if length is not None and length > self.body_bytes_max:
            self._too_large()

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802
        """Count a part of the body."""
        self._taken += len(data)
        self._chunks += self._is_chunked
        if self.channel.is_refused:
            return
        most = self.body_bytes_max
        if self._taken > most or self._chunks > most // CHUNK_BYTES_MIN:
            self._too_large()
        else:
            super().handleContentChunk(data)

    def _too_large(self) -> None:
        most = self.body_bytes_max
        detail = (
            f"A request body has at most {most} bytes here, in {most // CHUNK_BYTES_MIN} chunks."
        )
        self.channel.refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", detail)

    def process(self) -> Any:
        """Pass it to the application, unless it was refused."""
        channel = self.channel
        if channel.is_refused:
            return None
        deferred = super().process()
        if self.transport is None:  # it has become a websocket, which is counted elsewhere
            channel.factory.left(channel)
        return deferred


class Websocket(WebSocketProtocol):  # type: ignore[misc]  # daphne is untyped
    """A websocket whose client has nothing to send."""

    _opened_at: float | None = None
    _received = 0

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        """Process the upgrade request, which ``Request`` passes on; then the frames. If the client
        sends too much, its frames are not parsed: a thousand small ones take a tenth of a
        second."""
        now = time.monotonic()
        if self._opened_at is None:
            self._opened_at = now
        else:
            self._received += len(data)
            if self._received > RECEIVED_BYTES + RECEIVED_BYTES_A_SECOND * (now - self._opened_at):
                self.transport.abortConnection()
                return
        super().dataReceived(data)


class Factory(HTTPFactory):  # type: ignore[misc]
    """Accepts at most ``most`` connections at a time."""

    protocol: Callable[[], Any] = Channel

    def __init__(self, server: Any, most: int) -> None:
        super().__init__(server)
        self.most = most
        self._waiting: dict[Channel, None] = {}
        self._working: set[Channel] = set()

    def buildProtocol(self, addr: Any) -> Channel | None:  # noqa: N802
        """A new connection. If there are too many, it replaces the one that has waited longest for
        a request; if all have a request, None, which closes the new one."""
        if len(self._waiting) + len(self._working) >= self.most and not self._drop_oldest():
            return None
        channel: Channel = super().buildProtocol(addr)
        channel.requestFactory = Request
        self._waiting[channel] = None
        return channel

    def _drop_oldest(self) -> bool:
        oldest = next(iter(self._waiting), None)
        if oldest is None:
            return False
        self.left(oldest)
        oldest.transport.abortConnection()
        return True

    def works(self, channel: Channel) -> None:
        """The connection has a complete request."""
        if channel in self._waiting:
            del self._waiting[channel]
            self._working.add(channel)

    def waits(self, channel: Channel) -> None:
        """The request was answered."""
        if channel in self._working:
            self._working.discard(channel)
            self._waiting[channel] = None

    def left(self, channel: Channel) -> None:
        """The connection is not an HTTP connection any more."""
        self._waiting.pop(channel, None)
        self._working.discard(channel)
