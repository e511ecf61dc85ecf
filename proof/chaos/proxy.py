"""A TCP proxy with faults: cuts, delays, stalls one way, doubles frames.

One listener before one server. Its behaviour depends only on its current ``Weather``, which a fault
changes and restores. It parses Kafka's frames only to double one.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

CHUNK_BYTES = 65_536
LENGTH_BYTES = 4
CORRELATION_AT = 4
"""The position of a request's correlation id after its length; in a response it comes first."""


@dataclass(slots=True)
class Weather:
    """The current faults of a proxy.

    ``delay_s`` delays every chunk; ``up`` and ``down``, when not set, block all bytes to the server
    or from it (the other side sees a silent peer); ``turns_away`` says for a client's port whether
    its new connection is refused; ``doubles``: so many requests are sent twice, in a row, and the
    second response is dropped.
    """

    delay_s: float
    up: asyncio.Event
    down: asyncio.Event
    turns_away: Callable[[int], bool] = lambda _port: False
    doubles: int = 0

    @classmethod
    def fair(cls) -> "Weather":
        """No fault."""
        up, down = asyncio.Event(), asyncio.Event()
        up.set()
        down.set()
        return cls(0.0, up, down)


class Link:
    """One connection through the proxy; ``peer_port`` is the client's."""

    def __init__(self, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self.client = client
        self.server = server
        self.peer_port: int = client.get_extra_info("peername")[1]
        self.swallow: set[bytes] = set()

    def cut(self) -> None:
        """Reset both sides at once."""
        for writer in (self.client, self.server):
            writer.transport.abort()


class Proxy:
    """``port`` is where it listens; ``frames``: the bytes are Kafka's protocol."""

    def __init__(self, target: int, *, frames: bool) -> None:
        self.target = target
        self.frames = frames
        self.weather = Weather.fair()
        self.links: set[Link] = set()
        self.doubled = 0
        self.port = 0
        self._server: asyncio.Server | None = None
        self._passing: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen on a free port of the loopback address."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Cut all connections and stop listening."""
        if self._server is not None:
            self._server.close()
        self.cut()
        for task in list(self._passing):
            task.cancel()
        await asyncio.gather(*self._passing, return_exceptions=True)

    def cut(self, which: Callable[[Link], bool] = lambda _link: True) -> int:
        """Reset the connections for which ``which`` holds; returns how many."""
        found = [link for link in self.links if which(link)]
        for link in found:
            link.cut()
        return len(found)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.weather.turns_away(writer.get_extra_info("peername")[1]):
            writer.transport.abort()
            return
        try:
            upstream, server = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        link = Link(writer, server)
        self.links.add(link)
        both = [
            asyncio.create_task(self._up(reader, link)),
            asyncio.create_task(self._down(upstream, link)),
        ]
        self._passing.update(both)
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.links.discard(link)
            link.cut()
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)
            self._passing.difference_update(both)

    async def _up(self, reader: asyncio.StreamReader, link: Link) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            while data := await self._read(reader):
                await self._hold(self.weather.up)
                if self.frames and self.weather.doubles > 0 and len(data) > CORRELATION_AT * 3:
                    self.weather.doubles -= 1
                    self.doubled += 1
                    link.swallow.add(_correlation_of_request(data))
                    data += data
                link.server.write(data)
                await link.server.drain()

    async def _down(self, reader: asyncio.StreamReader, link: Link) -> None:
        seen: set[bytes] = set()
        with suppress(OSError, asyncio.IncompleteReadError):
            while data := await self._read(reader):
                await self._hold(self.weather.down)
                if self.frames and (number := data[4:8]) in link.swallow:
                    if number in seen:
                        link.swallow.discard(number)
                        seen.discard(number)
                        continue
                    seen.add(number)
                link.client.write(data)
                await link.client.drain()

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        """A frame with its length, or the bytes that have arrived; empty at the end."""
        if not self.frames:
            return await reader.read(CHUNK_BYTES)
        length = await reader.readexactly(LENGTH_BYTES)
        return length + await reader.readexactly(int.from_bytes(length, "big"))

    async def _hold(self, way: asyncio.Event) -> None:
        if self.weather.delay_s:
            await asyncio.sleep(self.weather.delay_s)
        await way.wait()


def _correlation_of_request(frame: bytes) -> bytes:
    at = LENGTH_BYTES + CORRELATION_AT
    return frame[at : at + 4]
