"""What may be sent to the web: bytes are counted and clocks run while a request comes."""

import asyncio
import select
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
from daphne.ws_protocol import WebSocketFactory
from django.conf import settings
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from launcher.installation import Installation
from tests.installations import TOKEN
from tests.site.requests import PATIENCE_S, head
from web import http_limits
from web.http_limits import Channel, Factory, Websocket

CREDENTIALS = {
    "token": {"Authorization": f"Bearer {TOKEN}"},
    "session": {"Cookie": f"{settings.SESSION_COOKIE_NAME}=made-up"},
}
BLOCK = bytes(65_536)


class Applications:
    """In the place of daphne's server: requests are counted, and not answered."""

    proxy_forwarded_address_header = server_name = None
    request_buffer_size = 8192
    root_path = ""

    def __init__(self) -> None:
        self.begun = 0

    def protocol_connected(self, _protocol: Any) -> None:
        """A request has begun."""

    protocol_disconnected = protocol_connected

    def create_application(self, _protocol: Any, _scope: Any) -> "asyncio.Queue[Any]":
        """A request is complete, or a websocket has been requested."""
        self.begun += 1
        return asyncio.Queue()

    def log_action(self, *_told: Any) -> None:
        """Nobody reads it."""


class Transport(StringTransport):  # type: ignore[misc]  # twisted is skipped by mypy
    """As a socket's."""

    def loseWriteConnection(self) -> None:
        """This side says no more."""


class Line:
    """A connection to a factory, whose clock goes when a test says so."""

    def __init__(self, factory: Factory, clock: Clock) -> None:
        self.transport = Transport()
        made = factory.buildProtocol(self.transport.getPeer())
        assert made is not None
        self.channel: Channel = made
        self.channel.callLater = clock.callLater
        self.channel.makeConnection(self.transport)

    @property
    def is_open(self) -> bool:
        """Whether it is still open."""
        return not (self.transport.disconnecting or self.transport.disconnected)

    def end(self) -> None:
        """The client has gone."""
        self.channel.connectionLost(Failure(ConnectionDone()))

    def drip(self, clock: Clock, seconds: int) -> None:
        """A byte a second."""
        for _ in range(seconds):
            self.channel.dataReceived(b"a")
            clock.advance(1)


@pytest.fixture
def clock() -> Clock:
    """A clock that the test moves."""
    return Clock()


def factory(most: int = 10) -> Factory:
    """Accepts so many."""
    return Factory(Applications(), most)


def test_slowly_sent_headers_do_not_extend_the_timeout(clock: Clock) -> None:
    line = Line(factory(), clock)
    line.channel.dataReceived(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX-a: ")

    line.drip(clock, http_limits.HEADERS_S - 1)
    assert line.is_open
    line.drip(clock, 1)
    assert not line.is_open


def test_an_idle_connection_is_closed(clock: Clock) -> None:
    line = Line(factory(), clock)

    clock.advance(http_limits.HEADERS_S)

    assert not line.is_open


def test_a_slowly_sent_body_has_a_timeout(clock: Clock) -> None:
    line = Line(factory(), clock)
    clock.advance(http_limits.HEADERS_S - 1)
    line.channel.dataReceived(head("POST", "/livez", {"Content-Length": "1000"}))

    line.drip(clock, http_limits.BODY_S - 1)
    assert line.is_open
    line.drip(clock, 1)
    assert not line.is_open


def test_of_too_many_connections_the_longest_idle_is_closed(clock: Clock) -> None:
    crowded = factory(2)
    first, second, third = (Line(crowded, clock) for _ in range(3))

    assert first.transport.disconnected
    assert second.is_open
    assert third.is_open


def test_a_new_connection_is_refused_when_all_are_busy(clock: Clock) -> None:
    crowded = factory(1)
    crowded.works(Line(crowded, clock).channel)

    assert crowded.buildProtocol(None) is None


ASKED = head("GET", "/livez", {})


def test_after_an_unread_response_no_further_request_is_served(clock: Clock) -> None:
    """What the client pipelines stays outside; in a minute it is closed."""
    made = factory()
    line = Line(made, clock)
    line.channel.dataReceived(ASKED * 3)
    line.channel.pauseProducing()  # as the transport does when its buffer is full
    assert line.transport.producerState == "paused", "it may send for ever"
    line.channel.requestDone(line.channel.requests[0])

    assert made.server.begun == 1
    clock.advance(http_limits.UNREAD_S)
    assert not line.is_open


def test_after_a_late_read_the_next_request_is_served(clock: Clock) -> None:
    made = factory()
    line = Line(made, clock)
    line.channel.dataReceived(ASKED * 2)
    line.channel.pauseProducing()
    line.channel.requestDone(line.channel.requests[0])
    line.channel.resumeProducing()

    assert made.server.begun == 2
    line.channel.requestDone(line.channel.requests[0])
    assert line.transport.producerState == "producing"
    clock.advance(http_limits.IDLE_S - 1)
    assert line.is_open


def test_a_connection_with_an_unread_response_is_closed_for_a_new_one(clock: Clock) -> None:
    crowded = factory(1)
    deaf = Line(crowded, clock)
    deaf.channel.dataReceived(ASKED)
    deaf.channel.pauseProducing()
    deaf.channel.requestDone(deaf.channel.requests[0])

    assert Line(crowded, clock).is_open
    assert deaf.transport.disconnected


def test_the_number_of_chunks_of_a_body_is_limited(clock: Clock) -> None:
    """Each costs as much work as one of thousands of bytes."""
    line = Line(factory(), clock)
    line.channel.dataReceived(head("POST", "/livez", {"Transfer-Encoding": "chunked"}))
    tiny, most = b"1\r\nx\r\n", http_limits.STRANGERS_BODY_BYTES_MAX // http_limits.CHUNK_BYTES_MIN
    refused = []
    for part in (tiny * most, tiny):
        line.channel.dataReceived(part)
        refused.append(line.channel.is_refused)
    assert refused == [False, True]
    line.end()


def websocket() -> tuple[Websocket, StringTransport]:
    """One whose handshake has arrived; it is not accepted yet."""
    made = WebSocketFactory(Applications())
    made.protocol = Websocket
    protocol, transport = made.buildProtocol(None), StringTransport()
    protocol._raw_query_string = b""
    protocol.makeConnection(transport)
    fields = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    fields["Sec-WebSocket-Key"] = "x3JJHMbDL1EzLkh9GBhXDw=="
    protocol.dataReceived(head("GET", "/ws/groups/?group_id=g", fields))
    protocol.setTrackTimings(False)
    return protocol, transport


TINY = bytes.fromhex("818100000000") + b"x"
"""A whole message of one letter."""


async def test_a_websocket_that_sends_is_closed_and_not_read() -> None:
    protocol, transport = websocket()
    assert not transport.disconnected

    protocol.dataReceived(TINY * http_limits.RECEIVED_BYTES)

    assert transport.disconnected


async def test_a_websocket_that_answers_pings_stays() -> None:
    protocol, transport = websocket()
    for _ in range(http_limits.RECEIVED_BYTES // len(TINY)):
        protocol.dataReceived(TINY)
    assert not transport.disconnected
    protocol.dataReceived(TINY * http_limits.RECEIVED_BYTES_A_SECOND)
    assert transport.disconnected


def sent(
    web: str, path: str, size: int, headers: Mapping[str, str], *, chunked: bool
) -> tuple[int, int]:
    """Send a body of that size until an answer comes; its status, and how much was sent before.

    By a plain socket, from which what was said can be read after a write has failed: asyncio's
    transports end with the write.
    """
    found = urlsplit(web)
    fields = {"Content-Type": "application/json", **headers}
    fields |= {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": str(size)}
    with socket.create_connection((found.hostname, found.port), PATIENCE_S) as line:
        line.sendall(head("POST", path, fields))
        taken = 0
        with suppress(ConnectionError):  # closed; what was said is there to be read
            while taken < size and not select.select([line], [], [], 0)[0]:
                part = BLOCK[: size - taken]
                line.sendall(b"%x\r\n%b\r\n" % (len(part), part) if chunked else part)
                taken += len(part)
            if chunked and taken == size:
                line.sendall(b"0\r\n\r\n")
        with line.makefile("rb") as answer:
            return int(answer.readline().split()[1]), taken


@pytest.mark.parametrize("chunked", [True, False], ids=["chunked", "with its length"])
@pytest.mark.parametrize("credentials", CREDENTIALS)
def test_an_authenticated_body_is_limited_to_a_mebibyte(
    installation: Installation, credentials: str, *, chunked: bool
) -> None:
    path, headers = "/api/v1/groups/one/rebalances", CREDENTIALS[credentials]
    most = http_limits.BODY_BYTES_MAX

    assert sent(installation.web, path, most, headers, chunked=chunked)[0] != 413
    assert sent(installation.web, path, most + 1, headers, chunked=chunked)[0] == 413
    status, taken = sent(installation.web, path, 64 * most, headers, chunked=chunked)
    assert status == 413
    assert taken < 32 * most


@pytest.mark.parametrize("chunked", [True, False], ids=["chunked", "with its length"])
@pytest.mark.parametrize("path", ["/livez", "/admin/login/", "/nowhere"])
def test_an_anonymous_body_is_limited_to_64_kibibytes(
    installation: Installation, path: str, *, chunked: bool
) -> None:
    most = http_limits.STRANGERS_BODY_BYTES_MAX

    assert sent(installation.web, path, most, {}, chunked=chunked)[0] != 413
    assert sent(installation.web, path, most + 1, {}, chunked=chunked)[0] == 413
