"""The application behind a connection: decode, call the handler, encode; one request at a time.

A channels consumer with a loop of its own: the dispatch of channels switches threads for each
message, which costs fifteen times the work itself (docs/hot-path.md).
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from channels.consumer import AsyncConsumer

from groups.core.events import Ticket
from groups.event_loop import Durations
from groups.node import NodeSettings
from protocol import apis
from protocol.apis import UNAUTHENTICATED
from protocol.authorization import enforcement
from protocol.handlers.api_versions import unsupported_version_body
from protocol.handlers.support import validation
from protocol.limits.request_limits import LOOKED_AT_BYTES, exceeded, refused
from protocol.limits.request_meter import RequestMeter
from protocol.requests.api_row import API_VERSIONS, Api
from protocol.requests.call import Call
from protocol.requests.refusals import Refusal
from rollcall.wire.codec import (
    RequestHeader,
    decode,
    encode,
    encode_large,
    is_large,
    parse_header,
    response_frame,
)
from rollcall.wire.disposal import discard
from rollcall.wire.errors import WireError
from rollcall.wire.limits import REPLY_BYTES_MAX

logger = logging.getLogger(__name__)

OF_ONE_GROUP = frozenset({11, 14, 15, 68, 69, 10001, 10010})
"""APIs whose reply may describe a single group, so it may be as long as the limits of a group
allow."""

PARKED = frozenset(key.to_bytes(2, "big") for key in (11, 14))
"""JoinGroup and SyncGroup may wait for minutes. Their memory then counts against the limit of their
group (``group.metadata.max.bytes``), and no longer against the limit of the node's long
requests."""

LARGE_FRAME_BYTES = 16 * 1024
"""Frames of this size and more are decoded and processed in a thread beside the event loop: the
worst content costs 0.16 us a byte to decode and three times as much to answer, so a smaller frame
takes 10 ms at most."""

SMALL_FRAME_BYTES = 4 * 1024
"""Smaller requests have small replies, except those of APIs that are ``is_bulky``."""

HUGE_FRAME_BYTES = 512 * 1024
"""The reply to a request of this size may be as long, with few elements: a thread encodes it."""

Message = dict[str, Any]
T = TypeVar("T")


Serve = Callable[[Any, bytes], Awaitable[bytes | None]]
"""Returns the reply to a connection's frame, or None if there is no reply."""


class RequestConsumer(AsyncConsumer):  # type: ignore[misc]  # channels is untyped
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
        """Serve one request after another until the connection cancels this task."""
        connection = scope["connection"]
        turns = connection.server.turns
        while True:
            frame = (await receive())["frame"]
            is_long = len(frame) >= LARGE_FRAME_BYTES
            connection.requests += 1
            if turns.is_over:
                await turns.next()
            if is_long and frame[:2] in PARKED:
                connection.long_one_done(len(frame))
                is_long = False
            serve = self._metered if connection.server.node.quotas.of_clients else self._serve
            try:
                if is_long:
                    reply = await self._long(serve, connection, frame)
                else:
                    reply = await serve(connection, frame)
            except WireError as error:
                logger.info("closing %s: %s", connection.peer, error)
                return
            await send({"type": "kafka.reply", "frame": reply})
            if connection.authentication.is_refused:
                return
            if is_long:
                connection.long_one_done(len(frame))
            if connection.is_blocked:
                await connection.unblocked()

    async def _long(self, serve: Serve, connection: Any, frame: bytes) -> bytes | None:
        """``serve``, with more frequent garbage collections, so that one does not stop the
        interpreter for long."""
        requests = connection.server.long_requests
        requests.begin()
        try:
            return await serve(connection, frame)
        finally:
            requests.end()

    async def _metered(self, connection: Any, frame: bytes) -> bytes | None:
        """``_serve``, with its use counted for the client's quotas."""
        meter = RequestMeter(connection.server.metering, len(frame))
        reply = await meter.run(self._serve(connection, frame, meter))
        meter.written(reply)
        return reply

    async def _serve(
        self, connection: Any, frame: bytes, meter: RequestMeter | None = None
    ) -> bytes | None:
        header, offset = parse_header(frame, connection.is_flexible)
        api = _api(connection, header.api_key)
        version = header.api_version
        if not api.min_version <= version <= api.max_version:
            return _unsupported(api, header)
        server, is_long = connection.server, len(frame) >= LARGE_FRAME_BYTES
        settings = server.node.settings
        flexible, waste = version >= api.replies_flexible_since, list[Any]()
        beside = server.beside if meter is None else meter.side(server.beside)
        try:
            if is_long:
                reading = partial(_read, api, version, frame, offset, settings)
                request, response = await _beside(beside, reading)
                waste.append(request)
            else:
                request, response = _read(api, version, frame, offset, settings)
            call = self._call(connection, header, is_long)
            if meter is not None and connection.apis is not UNAUTHENTICATED:
                meter.begin(call, api.key, header.client_id)
            if response is None:
                response = await self._handled(server, api, request, call)
            _pause(connection, call, response, meter)
            if response is None:
                return None
            if (api.is_bulky or len(frame) >= SMALL_FRAME_BYTES) and is_large(response):
                async with server.reply_bytes.turn:
                    await server.reply_bytes.room()
                    if not is_large(response, version):
                        return _reply(api, header, response, flexible)
                    waste.append(response)
                    return await _beside(beside, partial(_long, api, header, response, flexible))
            if len(frame) >= HUGE_FRAME_BYTES:
                return await _beside(beside, partial(_long, api, header, response, flexible))
            reply = _reply(api, header, response, flexible)
            connection.answered(frame, header, request, response, reply)
            return reply
        finally:
            if waste:  # after this task has dropped its references
                server.loop.call_soon(_discard, server.beside, waste)

    async def _handled(self, server: Any, api: Api, request: Any, call: Call) -> Any:
        """The handler's answer."""
        is_open, began = not call.access.is_on, monotonic()
        serving = api.handle(request, call) if is_open else enforcement.serve(api, request, call)
        response = await serving
        _count(server.served[api.name], response, monotonic() - began)
        return response

    def _call(self, connection: Any, header: RequestHeader, is_long: bool) -> Call:
        server = connection.server
        return Call(
            node=server.node,
            pending_replies=server.pending_replies,
            version=header.api_version,
            client_id=validation.shown(header.client_id or ""),
            client_host=connection.client_host,
            ticket=Ticket(connection.number, connection.requests),
            new_future=server.loop.create_future,
            hold=connection.hold,
            release=connection.pauses.release,
            turns=server.turns,
            side=server.beside,
            is_large=is_long,
            now=server.loop.time,
            sit=partial(server.seats.take, connection.number),
            note_id=partial(server.handed_out.note, connection.number),
            memory=connection.memory,
            pace=connection.pace,
            served=apis.advertised,
            session=connection.session,
        )


def _api(connection: Any, key: int) -> Api:
    """The API that the client may ask with this key; raises ``WireError``."""
    api: Api | None = connection.apis.get(key)
    if api is None:
        raise WireError(f"no API has the key {key}")
    if connection.apis is UNAUTHENTICATED:
        connection.authentication.count_request()
    return api


def _pause(connection: Any, call: Call, response: Any, meter: RequestMeter | None) -> None:
    """Stop reading from a client that is over its quota; the reply contains the pause."""
    if meter is not None:
        meter.answered(response, call)
    if call.throttle_ms:
        connection.pauses.mute(call.throttle_ms)


class Served:
    """Counts the requests of one API that a handler answered: durations and error codes (0: none;
    errors of single partitions or groups do not count)."""

    __slots__ = ("durations", "errors")

    def __init__(self) -> None:
        self.durations = Durations()
        self.errors: defaultdict[int, int] = defaultdict(int)


def _count(served: Served, response: Any, seconds: float) -> None:
    served.durations.note(seconds)
    served.errors[getattr(response, "error_code", 0)] += 1


def _read(
    api: Api, version: int, frame: bytes, offset: int, settings: NodeSettings
) -> tuple[Any, Any]:
    """The request, and the reply if it has more elements than a request may."""
    request = decode(api.request, version, frame, offset)
    if len(frame) < LOOKED_AT_BYTES or not (maximum := exceeded(request, settings)):
        return request, None
    refusal = Refusal(api.number_of(maximum.code), maximum.sentence(settings))
    response = refused(request, api.response, version, maximum, refusal)
    waste = [request]
    del request
    discard(waste)
    return None, response


def _long(api: Api, header: RequestHeader, response: Any, flexible: bool) -> bytes:
    """The frame of a long reply."""
    body = encode_large(response, header.api_version)
    _check_length(api, body)
    return response_frame(header.correlation_id, body, flexible)


def _reply(api: Api, header: RequestHeader, response: Any, flexible: bool) -> bytes:
    """The frame of a reply that is not long."""
    body = encode(response, header.api_version)
    _check_length(api, body)
    return response_frame(header.correlation_id, body, flexible)


def _check_length(api: Api, body: bytes) -> None:
    if len(body) > REPLY_BYTES_MAX and api.key not in OF_ONE_GROUP:
        raise WireError(f"{api.name}: a reply of {len(body)} bytes")


def _discard(executor: Executor, waste: list[Any]) -> None:
    """Run it in the thread, or here if the server is shutting down and the thread has ended."""
    try:
        executor.submit(discard, waste)
    except RuntimeError:
        waste.clear()


async def _beside(executor: Executor, work: Callable[[], T]) -> T:
    """Run the work in a thread; the event loop waits at most for the switch interval."""
    return await asyncio.get_running_loop().run_in_executor(executor, work)


def _unsupported(api: Api, header: RequestHeader) -> bytes:
    """KIP-511: an ApiVersions request of an unknown version is answered in version 0, so that
    the client learns the supported versions; any other request cannot be answered."""
    if api.key != API_VERSIONS:
        raise WireError(f"{api.name} has no version {header.api_version}")
    return response_frame(header.correlation_id, unsupported_version_body(apis.advertised()), False)
