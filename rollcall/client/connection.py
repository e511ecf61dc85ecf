"""One connection to one node: requests out, answers matched by correlation id.

Several requests may wait at once; Kafka answers in order. Their meaning is not known here, nor the
address (``cluster``).
"""

import asyncio
import socket
import ssl
import time
from itertools import count
from typing import Any, Final, Self

from rollcall.client import metrics
from rollcall.client.authentication import authenticate, renewal_s
from rollcall.client.core.codes import Code
from rollcall.client.dialects import Dialect
from rollcall.client.dialects.kafka import KAFKA
from rollcall.client.errors import AuthenticationFailed
from rollcall.client.metrics import Metrics
from rollcall.client.security import NoToken, Sasl, Security
from rollcall.wire.codec import decode, encode
from rollcall.wire.declare import Message
from rollcall.wire.errors import WireError
from rollcall.wire.limits import FRAME_BYTES_MAX
from rollcall.wire.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse

CONNECT_S: Final = 10.0
"""The timeout to connect, including TLS and authentication."""

RENEW_S: Final = 10.0
"""The timeout to renew a session: without a response the connection is replaced."""

OLDEST: Final = 0
"""The version of ApiVersions that every server supports."""


class Broken(ConnectionError):
    """The connection has ended, or received bytes that are not Kafka's protocol."""


class Refusing(Broken):
    """The node refuses, and to ask again has no use; ``code`` is Kafka's number."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


class Unspoken(Refusing):
    """The node does not support the request."""


class Connection:
    """Created by ``open``; every waiting request raises ``Broken`` when it closes."""

    _renew_at: float | None = None
    """By the monotonic clock; None: the session lasts as long as the connection."""

    _is_there = False
    """Whether it is open: with TLS, authentication, and reported to metrics."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        client_id: str,
        dialect: Dialect,
        node: str = "",
        sasl: Sasl | None = None,
        measured: Metrics = metrics.NONE,
    ) -> None:
        self.node = node
        self._sasl = sasl
        self._metrics = measured
        self._reader = reader
        self._writer = writer
        self._client_id = client_id.encode()
        self._dialect = dialect
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._versions = dialect.versions or {}
        self.is_open = True
        self._reading = asyncio.ensure_future(self._read())

    @classmethod
    async def open(
        cls,
        host: str,
        port: int,
        client_id: str,
        security: Security | None,
        dialect: Dialect = KAFKA,
        measured: Metrics = metrics.NONE,
    ) -> Self:
        """Connect, get the node's versions, and authenticate; raises ``OSError`` if that fails,
        ``AuthenticationFailed`` if a retry would not help."""
        security = security or Security()
        node, began = f"{host}:{port}", time.monotonic()
        try:
            async with asyncio.timeout(CONNECT_S):
                streams = await _streams(host, port, security.context)
                connection = cls(*streams, client_id, dialect, node, security.sasl, measured)
                await connection._begin()
        except TimeoutError:
            raise Broken(f"{node} does not answer") from None
        except ssl.SSLCertVerificationError as error:
            why = f"{node} shows a certificate that is not trusted: {error.verify_message}"
            raise AuthenticationFailed(why) from error
        except (ValueError, OverflowError) as error:  # an invalid host name or port
            raise Broken(f"{host!r}:{port} is nowhere: {error}") from error
        connection._is_there = True
        metrics.report(measured.connected, node, time.monotonic() - began)
        return connection

    async def _begin(self) -> None:
        """Everything before the first request; on an error the connection is closed."""
        try:
            if self._dialect.versions is None:
                answer = await self._call(ApiVersionsRequest(), OLDEST)
                assert isinstance(answer, ApiVersionsResponse)
                versions = {k.api_key: (k.min_version, k.max_version) for k in answer.api_keys}
                self._versions = versions
            await self._authenticate(again=False)
        except BaseException:
            self.close()
            raise

    async def renew(self) -> None:
        """If the session ends soon, authenticate again before any other request (KIP-368).
        ``OSError`` or ``AuthenticationFailed``: the connection is closed."""
        if self._renew_at is None or time.monotonic() < self._renew_at:
            return
        try:
            async with asyncio.timeout(RENEW_S):
                await self._authenticate(again=True)
        except TimeoutError:
            self.close()
            raise Broken("the session could not be renewed in time") from None
        except BaseException:
            self.close()
            raise

    async def _authenticate(self, *, again: bool) -> None:
        if self._sasl is None:
            return
        began = time.monotonic()
        try:
            lifetime_ms = await authenticate(self._request, self._sasl)
        except Unspoken:
            raise AuthenticationFailed(f"{self.node} knows no SASL") from None
        except NoToken as error:
            raise Broken(str(error)) from error
        self._renew_at = began + renewal_s(lifetime_ms) if lifetime_ms else None
        took_s = time.monotonic() - began
        mechanism = self._sasl.mechanism
        metrics.report(self._metrics.authenticated, self.node, mechanism, took_s, again)

    async def _request(self, request: Message) -> Any:
        """For callers with their own timeout."""
        return await self._call(request, self._version(request))

    async def call(self, request: Message, timeout_s: float) -> Any:
        """Send a request in the newest version that both sides support; ``OSError`` without a
        response in time.

        A request without a response closes the connection, so that its requests cannot arrive after
        those of the next connection.
        """
        name, began = type(request).__name__.removesuffix("Request"), time.monotonic()
        version = self._version(request)
        try:
            async with asyncio.timeout(timeout_s):
                answer = await self._call(request, version)
        except BaseException as error:
            metrics.report(self._metrics.unanswered, name, time.monotonic() - began)
            if not isinstance(error, TimeoutError):
                raise
            self.close()
            raise Broken("no answer in time") from None
        metrics.report(self._metrics.answered, name, version, time.monotonic() - began)
        return answer

    def _version(self, request: Message) -> int:
        key = request.api_key
        assert key is not None
        first, last = self._versions.get(key, (0, -1))
        mine_first, mine_last = request.versions
        newest = self._dialect.newest(request)
        version = min(last, mine_last, mine_last if newest is None else newest)
        if version < max(first, mine_first):
            why = f"the node does not speak {type(request).__name__}"
            raise Unspoken(Code.UNSUPPORTED_VERSION, why)
        return version

    async def _call(self, request: Message, version: int) -> Any:
        if not self.is_open:
            raise Broken("closed")
        number = next(self._numbers)
        key = request.api_key
        assert key is not None
        head = key.to_bytes(2, "big") + version.to_bytes(2, "big") + number.to_bytes(4, "big")
        head += len(self._client_id).to_bytes(2, "big") + self._client_id
        tags: bytes = b"\0" if request.flexible(version) else b""
        payload = head + tags + encode(request, version)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        self._writer.write(len(payload).to_bytes(4, "big") + payload)
        try:
            raw = await self._waiting[number]
        finally:
            self._waiting.pop(number, None)
        response = self._dialect.apis[key].response
        flexible = response.flexible(version) and response is not ApiVersionsResponse
        try:
            return decode(response, version, raw, 5 if flexible else 4)
        except WireError as error:
            self.close()
            raise Broken(str(error)) from error

    async def _read(self) -> None:
        try:
            while True:
                size = int.from_bytes(await self._reader.readexactly(4), "big")
                if not 4 <= size <= FRAME_BYTES_MAX:
                    break
                raw = await self._reader.readexactly(size)
                waiting = self._waiting.get(int.from_bytes(raw[:4], "big"))
                if waiting is not None and not waiting.done():
                    waiting.set_result(raw)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Close it; may be called twice."""
        if not self.is_open:
            return
        self.is_open = False
        if self._is_there:
            metrics.report(self._metrics.disconnected, self.node)
        self._reading.cancel()
        self._writer.transport.abort()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(Broken("the connection ended"))


async def _streams(
    host: str, port: int, context: ssl.SSLContext | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """To the first address of the name that accepts. Each has its part of the time: a host without
    power answers nothing, and would keep the client from all addresses after its own."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    failure: OSError = Broken(f"{host} has no address")
    for family, kind, protocol, _, address in found:
        reaching = socket.socket(family, kind, protocol)
        try:
            reaching.setblocking(False)
            async with asyncio.timeout(CONNECT_S / len(found)):
                await loop.sock_connect(reaching, address)
            name = host if context is not None else None
            return await asyncio.open_connection(sock=reaching, ssl=context, server_hostname=name)
        except BaseException as error:
            reaching.close()
            if not isinstance(error, OSError) or isinstance(error, ssl.SSLError):
                raise
            failure = error
    raise failure
