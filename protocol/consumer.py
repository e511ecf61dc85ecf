"""The application behind a connection: decode, hand to the handler, encode; one at a time.

A channels consumer with a loop of its own: the stock dispatch makes a thread hop per
message, which costs fifteen times the work itself (docs/hot-path.md).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from functools import partial
from typing import Any, TypeVar

from channels.consumer import AsyncConsumer

from groups.core.events import Ticket
from protocol.apis import Api, is_flexible
from protocol.call import Call
from protocol.handlers import forms
from protocol.handlers.api_versions import unsupported_version_body
from protocol.wire.codec import decode, encode
from protocol.wire.errors import WireError
from protocol.wire.headers import RequestHeader, parse_header, response_frame
from protocol.wire.size import is_large

logger = logging.getLogger(__name__)

API_VERSIONS = 18

LARGE_FRAME_BYTES = 64 * 1024
"""Frames from here on are decoded beside the loop: the worst content costs 0.16 us a byte, so a
smaller one takes 10 ms at the most."""

SMALL_FRAME_BYTES = 4 * 1024
"""Requests below this have small replies, but for those of APIs that are ``is_bulky``."""

Message = dict[str, Any]
T = TypeVar("T")


class KafkaConsumer(AsyncConsumer):  # type: ignore[misc]  # channels is untyped
    """Serves one connection's requests in order.

    The scope's ``connection`` is the ``KafkaConnection``. When a request cannot even be
    decoded the application ends, and its socket is dropped with it.
    """

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        """Request after request until the connection ends this task."""
        connection = scope["connection"]
        turns = connection.server.turns
        while True:
            frame = (await receive())["frame"]
            connection.requests += 1
            if turns.is_over:
                await turns.next()
            try:
                reply = await self._serve(connection, frame)
            except WireError as error:
                logger.info("closing %s: %s", connection.peer, error)
                return
            await send({"type": "kafka.reply", "frame": reply})
            if connection.is_blocked:
                await connection.unblocked()

    async def _serve(self, connection: Any, frame: bytes) -> bytes | None:
        header, offset = parse_header(frame, partial(is_flexible, connection.apis))
        api = connection.apis.get(header.api_key)
        if api is None:
            raise WireError(f"no API has the key {header.api_key}")
        version = header.api_version
        if not api.min_version <= version <= api.max_version:
            return _unsupported(api, header)
        request = await _decode(api, version, frame, offset, connection.server.beside)
        call = self._call(connection, header)
        response = await api.handle(request, call)
        if call.throttle_ms:
            connection.mute(call.throttle_ms)
        if response is None:
            return None
        flexible = api.key != API_VERSIONS and bool(api.response.flexible(version))
        if (api.is_bulky or len(frame) >= SMALL_FRAME_BYTES) and is_large(response):
            body = await _beside(connection.server.beside, partial(encode, response, version))
        else:
            body = encode(response, version)
        return response_frame(header.correlation_id, body, flexible)

    def _call(self, connection: Any, header: RequestHeader) -> Call:
        server = connection.server
        return Call(
            node=server.node,
            desk=server.desk,
            version=header.api_version,
            client_id=forms.shown(header.client_id or ""),
            client_host=f"/{connection.peer}",
            ticket=Ticket(connection.number, connection.requests),
            new_future=asyncio.get_running_loop().create_future,
            hold=connection.hold,
            release=connection.release,
            turns=server.turns,
            now=server.loop.time,
            sit=partial(server.seats.take, connection.number),
            note_id=partial(server.handed_out.note, connection.number),
            memory=connection.memory,
        )


async def _decode(api: Api, version: int, frame: bytes, offset: int, beside: Executor) -> Any:
    if len(frame) < LARGE_FRAME_BYTES:
        return decode(api.request, version, frame, offset)
    return await _beside(beside, partial(decode, api.request, version, frame, offset))


async def _beside(executor: Executor, work: Callable[[], T]) -> T:
    """Beside the loop, which waits for the interpreter no longer than a thread may keep it."""
    return await asyncio.get_running_loop().run_in_executor(executor, work)


def _unsupported(api: Api, header: RequestHeader) -> bytes:
    """KIP-511: an ApiVersions request of an unknown version is answered in version 0, so that
    the client learns what to ask; any other one cannot be answered."""
    if api.key != API_VERSIONS:
        raise WireError(f"{api.name} has no version {header.api_version}")
    return response_frame(header.correlation_id, unsupported_version_body(), False)
