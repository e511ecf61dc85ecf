"""What a connection of the web may send, and for how long: counted while it comes.

daphne takes a request whole before anybody asks who sends it. Here the bytes of its body are
counted as they arrive, a request has to be whole in time whatever drips, and of more connections
than there may be the one is closed that has waited longest for a request. No path and no person is
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
"""Of who brings credentials, whatever they are worth: no form and no document here is larger."""

STRANGERS_BODY_BYTES_MAX: Final = 65_536
"""Of everybody else: there is nothing to say but a name and a password."""

HEADERS_S: Final = 10
"""From the first byte of a request, or from the opening of its connection, to the end of its
headers."""

BODY_S: Final = 30
"""From there to the end of its body: 1 MiB by a slow line."""

IDLE_S: Final = 60
"""Between two requests."""

UNREAD_S: Final = 60
"""From the end of an answer that is not read to its last byte: requests behind it wait so long."""

CHUNK_BYTES_MIN: Final = 64
"""A body has no more chunks than if each were so long: one of a byte costs as much work as any."""

HEARD_BYTES, HEARD_BYTES_A_SECOND = 4_096, 128
"""Of a websocket: pages say nothing but that they are there, a hundred bytes in twenty seconds."""

UNREAD_EVENTS_S: Final = 20
"""The same of server-sent events, which have no last byte: so long nothing at all is read."""

LINGER_S, LINGER_BYTES = 2, 4 * BODY_BYTES_MAX
"""Who is refused in the middle of a body is read from for so long, and so much: closed at once, the
connection would be reset, and nobody would read why."""

MEDIA_TYPE = "application/problem+json"


class Channel(HTTPChannel):  # type: ignore[misc]  # twisted.web.http is skipped by mypy
    """One connection: a request after the other."""

    factory: "Factory"
    is_refused = False
    _unread: Any = None
    _read: asyncio.Event | None = None
    _is_idle = False
    _dropped = 0

    def connectionMade(self) -> None:  # noqa: N802  (Twisted's names)
        """The clock runs from now on."""
        self.timeOut = HEADERS_S
        super().connectionMade()

    def connectionLost(self, reason: Any) -> None:  # noqa: N802
        """It is over."""
        self._taken()
        self.factory.left(self)
        super().connectionLost(reason)

    def resetTimeout(self) -> None:  # noqa: N802
        """What drips buys no time."""

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        """Bytes of a request; of one that was refused they are only taken off the line."""
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
        """What follows is the body."""
        self.setTimeout(BODY_S)
        super().allHeadersReceived()

    def allContentReceived(self) -> None:  # noqa: N802
        """The request is whole: somebody works on it."""
        self.factory.works(self)
        super().allContentReceived()

    def requestDone(self, request: Any) -> None:  # noqa: N802
        """It was answered; perhaps the next one is here already. It waits until the client has read
        this answer: what nobody reads is in our memory."""
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
        """The client does not read: nothing more is read from it."""
        super().pauseProducing()
        self._networkProducer.pauseProducing()
        self._read = asyncio.Event()

    async def is_read(self) -> None:
        """Wait until the client has taken what was written, but for what the system keeps; one that
        takes nothing is closed, and its application hears that it has gone."""
        if self._read is None:
            return
        try:
            async with asyncio.timeout(UNREAD_EVENTS_S):
                await self._read.wait()
        except TimeoutError:
            self.transport.abortConnection()

    def resumeProducing(self) -> None:  # noqa: N802
        """It has read everything."""
        super().resumeProducing()
        self._taken()
        request, self._unread = self._unread, None
        if request is not None:
            self.setTimeout(None)
            self.requestDone(request)

    def refuse(self, status: HTTPStatus, code: str, detail: str) -> None:
        """Say so, in the middle of a request, and read no more of it."""
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
        """How long its body may be."""
        session = settings.SESSION_COOKIE_NAME.encode()
        known = self.requestHeaders.hasHeader(b"authorization") or session in self.received_cookies
        return BODY_BYTES_MAX if known else STRANGERS_BODY_BYTES_MAX

    def gotLength(self, length: int | None) -> None:  # noqa: N802
        """What its headers say, if they do: None for a body in chunks."""
        super().gotLength(length)
        self._is_chunked = length is None
        if length is not None and length > self.body_bytes_max:
            self._too_large()

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802
        """What came of it."""
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
        """Hand it to the application, unless it was refused."""
        channel = self.channel
        if channel.is_refused:
            return None
        deferred = super().process()
        if self.transport is None:  # it has become a websocket, which is counted elsewhere
            channel.factory.left(channel)
        return deferred


class Websocket(WebSocketProtocol):  # type: ignore[misc]  # daphne is untyped
    """A websocket whose client has nothing to say."""

    _opened_at: float | None = None
    _heard = 0

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        """The request that made it one, which ``Request`` hands over; then what is sent. Where that
        is too much its frames are not looked at: a thousand small ones take a tenth of a second."""
        now = time.monotonic()
        if self._opened_at is None:
            self._opened_at = now
        else:
            self._heard += len(data)
            if self._heard > HEARD_BYTES + HEARD_BYTES_A_SECOND * (now - self._opened_at):
                self.transport.abortConnection()
                return
        super().dataReceived(data)


class Factory(HTTPFactory):  # type: ignore[misc]
    """Accepts connections, ``most`` of them at a time."""

    protocol: Callable[[], Any] = Channel

    def __init__(self, server: Any, most: int) -> None:
        super().__init__(server)
        self.most = most
        self._waiting: dict[Channel, None] = {}
        self._working: set[Channel] = set()

    def buildProtocol(self, addr: Any) -> Channel | None:  # noqa: N802
        """A newcomer's connection; in place of the one that has waited longest for a request where
        there are too many. None, which closes it, where all are at work."""
        if len(self._waiting) + len(self._working) >= self.most and not self._drop_oldest():
            return None
        made: Channel = super().buildProtocol(addr)
        made.requestFactory = Request
        self._waiting[made] = None
        return made

    def _drop_oldest(self) -> bool:
        oldest = next(iter(self._waiting), None)
        if oldest is None:
            return False
        self.left(oldest)
        oldest.transport.abortConnection()
        return True

    def works(self, channel: Channel) -> None:
        """A whole request has come."""
        if channel in self._waiting:
            del self._waiting[channel]
            self._working.add(channel)

    def waits(self, channel: Channel) -> None:
        """It was answered."""
        if channel in self._working:
            self._working.discard(channel)
            self._waiting[channel] = None

    def left(self, channel: Channel) -> None:
        """The connection is no HTTP connection any more."""
        self._waiting.pop(channel, None)
        self._working.discard(channel)
