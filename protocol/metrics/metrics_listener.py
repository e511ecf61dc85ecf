"""A node's own HTTP port: ``/metrics``, ``/livez`` and ``/readyz``, and nothing else.

A few lines of HTTP/1.1 on the node's loop: a scrape is one small request every 15 seconds. Each
connection gets one response and is closed; the number of connections, the length of a request and
its time are limited.
"""

import asyncio
import logging
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Protocol

logger = logging.getLogger(__name__)

REQUEST_BYTES_MAX: Final = 8 * 1024
REQUEST_S_MAX: Final = 5.0
CONNECTIONS_MAX: Final = 16

PLAIN: Final = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class MetricsAddress:
    """Where to listen; port 0: any free one. ``token``: required for ``/metrics``; "": none."""

    host: str
    port: int
    token: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """One response."""

    status: HTTPStatus
    body: bytes
    content_type: str = PLAIN


class Report(Protocol):
    """The content of the responses (``protocol.metrics.node_report``)."""

    async def metrics(self, accept: str) -> Answer:
        """All series, in a format that the client accepts."""

    def readiness(self, *, verbose: bool) -> Answer:
        """Whether the node serves."""


class BadRequest(Exception):
    """The bytes are not an HTTP request."""


class MetricsListener:
    """The listener. ``bound`` is its port, 0 until ``start``."""

    def __init__(self, address: MetricsAddress, report: Report) -> None:
        self.address = address
        self.report = report
        self.bound = 0
        self._open = 0
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Listen. Raises ``OSError`` if that is not possible."""
        host, port = self.address.host, self.address.port
        self._server = await asyncio.start_server(self._client, host, port, limit=REQUEST_BYTES_MAX)
        self.bound = self._server.sockets[0].getsockname()[1]
        logger.info("metrics at http://%s:%d/metrics", host, self.bound)

    async def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            if self._open <= CONNECTIONS_MAX:
                async with asyncio.timeout(REQUEST_S_MAX):
                    await self._serve(reader, writer)
        except (TimeoutError, OSError, asyncio.IncompleteReadError) as error:
            logger.debug("metrics: %s", error)
        finally:
            self._open -= 1
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        is_head = False
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            method, target, headers = parsed(head)
            is_head = method == "HEAD"
            answer = await self._answer(method, target, headers)
        except (asyncio.LimitOverrunError, BadRequest):
            answer = Answer(HTTPStatus.BAD_REQUEST, b"bad request\n")
        writer.write(packed(answer, with_body=not is_head))
        with suppress(ConnectionError):
            await writer.drain()

    async def _answer(self, method: str, target: str, headers: Mapping[str, str]) -> Answer:
        path, _, query = target.partition("?")
        if path not in ("/metrics", "/livez", "/readyz"):
            return Answer(HTTPStatus.NOT_FOUND, b"not found: /metrics, /livez, /readyz\n")
        if method not in ("GET", "HEAD"):
            return Answer(HTTPStatus.METHOD_NOT_ALLOWED, b"GET only\n")
        if path == "/livez":
            return Answer(HTTPStatus.OK, b"ok\n")
        if path == "/readyz":
            is_verbose = "verbose" in (part.partition("=")[0] for part in query.split("&"))
            return self.report.readiness(verbose=is_verbose)
        if not self._may(headers.get("authorization", "")):
            return Answer(HTTPStatus.UNAUTHORIZED, b"a bearer token is needed\n")
        return await self.report.metrics(headers.get("accept", ""))

    def _may(self, header: str) -> bool:
        kind, _, token = header.partition(" ")
        is_same = secrets.compare_digest(self.address.token.encode(), token.strip().encode())
        return not self.address.token or (kind.lower() == "bearer" and is_same)


def parsed(head: bytes) -> tuple[str, str, dict[str, str]]:
    """Method, target and headers (names in lower case) of a request; raises ``BadRequest``."""
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise BadRequest(first)
    pairs = (line.partition(":") for line in lines)
    return words[0], words[1], {name.strip().lower(): value.strip() for name, _, value in pairs}


def packed(answer: Answer, *, with_body: bool = True) -> bytes:
    """The bytes of a response."""
    status = answer.status
    challenge = 'WWW-Authenticate: Bearer realm="rollcall"\r\n'
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {answer.content_type}\r\n"
        f"Content-Length: {len(answer.body)}\r\nCache-Control: no-store\r\n"
        f"{challenge if status is HTTPStatus.UNAUTHORIZED else ''}Connection: close\r\n\r\n"
    )
    return head.encode("latin-1") + (answer.body if with_body else b"")
