"""Limits how many requests are processed at a time: each occupies a thread.

More wait for a moment, those of each address in turn, and are then told to come again. An answer
that goes on for hours (server-sent events) has no thread, and gives its place back as it begins.
ASGI only: what a request is about is not looked at.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

from groups.places import Crowded, Place, Places
from web.forwarded import address_of

REQUESTS_MAX = "WEB_REQUESTS_MAX"

WAIT_S: Final = 2.0
"""As long as the wait for a connection to the database."""

WAITING_MAX: Final = 10_000
"""Requests that wait for a place: no bound of its own, since each has one of the connections, of
which there are fewer by default."""

COME_AGAIN: Final = {
    "type": "about:blank",
    "title": "Service Unavailable",
    "status": 503,
    "detail": "Too many requests are in progress.",
    "code": "unavailable",
}

EVENTS: Final = b"text/event-stream"

Application = Callable[[Any, Any, Any], Awaitable[None]]


def is_endless(message: Any) -> bool:
    """Whether the message starts a response that never ends by itself."""
    headers = message.get("headers", ()) if message["type"] == "http.response.start" else ()
    return any(k.lower() == b"content-type" and v.startswith(EVENTS) for k, v in headers)


class Concurrency:
    """Runs an application with at most ``most`` requests at a time."""

    def __init__(self, application: Application, most: int) -> None:
        self.application = application
        self._places = Places(most, WAITING_MAX)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Wait for a place, then run the application."""
        try:
            async with asyncio.timeout(WAIT_S):
                await self._places.take(address_of(scope))
        except (TimeoutError, Crowded):
            await _come_again(send)
            return
        place = Place(self._places)

        async def sending(message: Any) -> None:
            if is_endless(message):
                place.give()
            await send(message)

        work = asyncio.ensure_future(self.application(scope, receive, sending))
        work.add_done_callback(lambda _work: place.give())
        # A client that disconnects ends nothing: a thread cannot be stopped, and if nothing waited
        # for
        await asyncio.shield(work)


async def _come_again(send: Any) -> None:
    headers = [(b"content-type", b"application/problem+json"), (b"retry-after", b"1")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(COME_AGAIN).encode()})
