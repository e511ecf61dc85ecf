"""What may be sent to the web: bytes are counted and clocks run while a request comes."""

import select
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from coordinator_site import http_limits
from coordinator_site.http_limits import Channel, Factory
from rollcall.installation import Installation
from tests.installations import TOKEN
from tests.site.requests import PATIENCE_S, head

CREDENTIALS = {
    "token": {"Authorization": f"Bearer {TOKEN}"},
    "session": {"Cookie": f"{settings.SESSION_COOKIE_NAME}=made-up"},
}
BLOCK = bytes(65_536)


class Applications:
    """In the place of daphne's server: nobody is served."""

    def protocol_connected(self, _protocol: Any) -> None:
        """A request has begun."""

    protocol_disconnected = protocol_connected


class Line:
    """A connection to a factory, whose clock goes when a test says so."""

    def __init__(self, factory: Factory, clock: Clock) -> None:
        self.transport = StringTransport()
        made = factory.buildProtocol(self.transport.getPeer())
        assert made is not None
        self.channel: Channel = made
        self.channel.callLater = clock.callLater
        self.channel.makeConnection(self.transport)

    @property
    def is_open(self) -> bool:
        """Whether nobody has closed it."""
        return not (self.transport.disconnecting or self.transport.disconnected)

    def drip(self, clock: Clock, seconds: int) -> None:
        """A byte a second."""
        for _ in range(seconds):
            self.channel.dataReceived(b"a")
            clock.advance(1)


@pytest.fixture
def clock() -> Clock:
    """A clock that stands."""
    return Clock()


def factory(most: int = 10) -> Factory:
    """Accepts so many."""
    return Factory(Applications(), most)


def test_headers_that_drip_are_waited_for_no_longer_than_others(clock: Clock) -> None:
    line = Line(factory(), clock)
    line.channel.dataReceived(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX-a: ")

    line.drip(clock, http_limits.HEADERS_S - 1)
    assert line.is_open
    line.drip(clock, 1)
    assert not line.is_open


def test_a_connection_on_which_nothing_comes_is_closed(clock: Clock) -> None:
    line = Line(factory(), clock)

    clock.advance(http_limits.HEADERS_S)

    assert not line.is_open


def test_a_body_that_drips_has_its_time_and_no_more(clock: Clock) -> None:
    line = Line(factory(), clock)
    clock.advance(http_limits.HEADERS_S - 1)
    line.channel.dataReceived(head("POST", "/livez", {"Content-Length": "1000"}))

    line.drip(clock, http_limits.BODY_S - 1)
    assert line.is_open
    line.drip(clock, 1)
    assert not line.is_open


def test_of_too_many_connections_the_one_goes_that_waited_longest(clock: Clock) -> None:
    crowded = factory(2)
    first, second, third = (Line(crowded, clock) for _ in range(3))

    assert first.transport.disconnected
    assert second.is_open
    assert third.is_open


def test_a_newcomer_is_not_let_in_where_all_are_at_work(clock: Clock) -> None:
    crowded = factory(1)
    crowded.works(Line(crowded, clock).channel)

    assert crowded.buildProtocol(None) is None


def sent(
    web: str, path: str, size: int, headers: Mapping[str, str], *, chunked: bool
) -> tuple[int, int]:
    """Send a body of that size until an answer comes; its status, and how much was sent before.

    By a plain socket, from which what was said can be read after a write has failed: asyncio's
    transports end with the write.
    """
    found = urlsplit(web)
    told = {"Content-Type": "application/json", **headers}
    told |= {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": str(size)}
    with socket.create_connection((found.hostname, found.port), PATIENCE_S) as line:
        line.sendall(head("POST", path, told))
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
def test_a_body_of_who_brings_credentials_has_a_mebibyte(
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
def test_a_body_of_a_stranger_has_64_kibibytes(
    installation: Installation, path: str, *, chunked: bool
) -> None:
    most = http_limits.STRANGERS_BODY_BYTES_MAX

    assert sent(installation.web, path, most, {}, chunked=chunked)[0] != 413
    assert sent(installation.web, path, most + 1, {}, chunked=chunked)[0] == 413
