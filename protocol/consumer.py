"""The application behind a connection: decode, hand to the handler, encode; one at a time.

A channels consumer with a loop of its own: the stock dispatch makes a thread hop per
message, which costs fifteen times the work itself (docs/hot-path.md).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from channels.consumer import AsyncConsumer

from groups.core.events import Ticket
from protocol.apis import Api, is_flexible
from protocol.call import Call
from protocol.handlers.api_versions import unsupported_version_body
from protocol.wire.codec import decode, encode
from protocol.wire.errors import WireError
from protocol.wire.headers import RequestHeader, parse_header, response_frame

logger = logging.getLogger(__name__)

API_VERSIONS = 18

LARGE_FRAME_BYTES = 256 * 1024
"""Frames from here on are decoded off the loop: the worst content costs 0.16 us a byte, so a
smaller one takes less than the 50 ms that the lease can spare."""

Message = dict[str, Any]


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
        while True:
            frame = (await receive())["frame"]
            connection.requests += 1
            try:
                reply = await self._serve(connection, frame)
            except WireError as error:
                logger.info("closing %s: %s", connection.peer, error)
                return
            await send({"type": "kafka.reply", "frame": reply})
            if connection.muted is not None:
                await connection.muted

    async def _serve(self, connection: Any, frame: bytes) -> bytes | None:
        header, offset = parse_header(frame, partial(is_flexible, connection.apis))
        api = connection.apis.get(header.api_key)
        if api is None:
            raise WireError(f"no API has the key {header.api_key}")
        version = header.api_version
        if not api.min_version <= version <= api.max_version:
            return _unsupported(api, header)
        request = await _decode(api, version, frame, offset)
        call = self._call(connection, header)
        response = await api.handle(request, call)
        if call.throttle_ms:
            connection.mute(call.throttle_ms)
        if response is None:
            return None
        flexible = api.key != API_VERSIONS and bool(api.response.flexible(version))
        return response_frame(header.correlation_id, encode(response, version), flexible)

    def _call(self, connection: Any, header: RequestHeader) -> Call:
        server = connection.server
        return Call(
            node=server.node,
            desk=server.desk,
            version=header.api_version,
            client_id=(header.client_id or "").replace("\0", "\ufffd"),
            client_host=f"/{connection.peer}",
            ticket=Ticket(connection.number, connection.requests),
            new_future=asyncio.get_running_loop().create_future,
            hold=connection.hold,
            release=connection.release,
            now=server.loop.time,
            sit=partial(server.seats.take, connection.number),
            note_id=partial(server.handed_out.note, connection.number),
            memory=connection.memory,
        )


async def _decode(api: Api, version: int, frame: bytes, offset: int) -> Any:
    if len(frame) < LARGE_FRAME_BYTES:
        return decode(api.request, version, frame, offset)
    # A stalled loop is a missed lease: a frame that may take long is decoded beside it.
    decoding = partial(decode, api.request, version, frame, offset)
    return await asyncio.get_running_loop().run_in_executor(None, decoding)


def _unsupported(api: Api, header: RequestHeader) -> bytes:
    """KIP-511: an ApiVersions request of an unknown version is answered in version 0, so that
    the client learns what to ask; any other one cannot be answered."""
    if api.key != API_VERSIONS:
        raise WireError(f"{api.name} has no version {header.api_version}")
    return response_frame(header.correlation_id, unsupported_version_body(), False)
