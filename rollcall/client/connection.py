"""One connection to one node: requests out, answers matched by correlation id.

Several requests may wait at once; Kafka answers in order. What they mean is not known here, nor
where to connect to (``cluster``).
"""

import asyncio
import ssl
from itertools import count
from typing import Any, Final, Self

from rollcall.client.dialects import Dialect
from rollcall.client.dialects.kafka import KAFKA
from rollcall.wire.codec import decode, encode
from rollcall.wire.declare import Message
from rollcall.wire.errors import WireError
from rollcall.wire.limits import FRAME_BYTES_MAX
from rollcall.wire.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse

CONNECT_S: Final = 10.0
OLDEST: Final = 0
"""ApiVersions in the version that every server answers."""


class Broken(ConnectionError):
    """The connection ended, or what came was not Kafka's protocol."""


class Unspoken(Broken):
    """The node does not know such a request."""


class Connection:
    """Open it with ``open``; every waiting request ends in ``Broken`` when it closes."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        client_id: str,
        dialect: Dialect,
    ) -> None:
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
        ssl_context: ssl.SSLContext | None,
        dialect: Dialect = KAFKA,
    ) -> Self:
        """Connect and learn which versions the node speaks; ``OSError`` if that fails."""
        try:
            async with asyncio.timeout(CONNECT_S):
                streams = await asyncio.open_connection(host, port, ssl=ssl_context)
                connection = cls(*streams, client_id, dialect)
                if dialect.versions is None:
                    await connection._learn_versions()
        except TimeoutError:
            raise Broken(f"{host}:{port} does not answer") from None
        except (ValueError, OverflowError) as error:  # no host's name, no port's number
            raise Broken(f"{host!r}:{port} is nowhere: {error}") from error
        return connection

    async def _learn_versions(self) -> None:
        try:
            answer = await self._call(ApiVersionsRequest(), OLDEST)
        except BaseException:
            self.close()
            raise
        assert isinstance(answer, ApiVersionsResponse)
        self._versions = {k.api_key: (k.min_version, k.max_version) for k in answer.api_keys}

    async def call(self, request: Message, timeout_s: float) -> Any:
        """Ask in the newest version that both sides know; ``OSError`` if no answer comes in time.

        A request without an answer closes the connection: nothing that was sent on it is heard
        after something that is sent on the next.
        """
        try:
            async with asyncio.timeout(timeout_s):
                return await self._call(request, self._version(request))
        except TimeoutError:
            self.close()
            raise Broken("no answer in time") from None

    def _version(self, request: Message) -> int:
        key = request.api_key
        assert key is not None
        first, last = self._versions.get(key, (0, -1))
        mine_first, mine_last = request.versions
        newest = self._dialect.newest(request)
        version = min(last, mine_last, mine_last if newest is None else newest)
        if version < max(first, mine_first):
            raise Unspoken(f"the node does not speak {type(request).__name__}")
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
        """End it; safe to call twice."""
        if not self.is_open:
            return
        self.is_open = False
        self._reading.cancel()
        self._writer.transport.abort()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(Broken("the connection ended"))
