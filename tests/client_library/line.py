"""A line between members and a coordinator of this process, which a test can hurt.

Addresses in answers are put right, so that every connection comes this way.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

Bytes = Callable[[bytes], bytes | None]
Answer = Callable[[int, int, bytes], bytes]
Asked = dict[bytes, tuple[int, int]]
"""The API's key and the version of what was asked, by correlation id."""


class Line:
    """``cut``: API keys whose requests end their connection unheard. ``late``: API keys whose
    requests wait for an event, with all after them on their connection. ``spoil``: what becomes of
    an answer's frame, its size included; None: it is never sent. ``lie``: what becomes of the
    answer to a request of this API's key and version."""

    def __init__(self, to: str) -> None:
        self._host, _, port = to.rpartition(":")
        self._to = int(port)
        self.port = 0
        self.cut: set[int] = set()
        self.late: dict[int, asyncio.Event] = {}
        self.ended = 0
        self.spoil: Bytes = lambda frame: frame
        self.lie: Answer = lambda key, version, frame: frame
        self.open = 0
        self._carrying: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until either side ends it."""
        self.open += 1
        beyond, there = await asyncio.open_connection(self._host, self._to)
        asked: Asked = {}
        ways = [self._requests(reader, there, asked), self._answers(beyond, writer, asked)]
        tasks = [asyncio.ensure_future(each) for each in ways]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            for end in (writer, there):
                end.transport.abort()
                end.close()
            self.open -= 1
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _requests(
        self, reader: asyncio.StreamReader, there: asyncio.StreamWriter, asked: Asked
    ) -> None:
        async for frame in _frames(reader):
            key, version = (int.from_bytes(frame[at : at + 2], "big") for at in (4, 6))
            asked[frame[8:12]] = key, version
            if key in self.cut:
                self.ended += 1
                return
            if key in self.late:
                await self.late[key].wait()
            there.write(frame)

    async def _answers(
        self, beyond: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: Asked
    ) -> None:
        old, new = (b"127.0.0.1" + port.to_bytes(4, "big") for port in (self._to, self.port))
        async for frame in _frames(beyond):
            told = self.lie(*asked.pop(frame[4:8]), frame.replace(old, new))
            spoilt = self.spoil(told)
            if spoilt is not None:
                writer.write(spoilt)

    def took(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self.carry(reader, writer))
        self._carrying.add(task)
        task.add_done_callback(self._carrying.discard)


async def _frames(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    with suppress(OSError, asyncio.IncompleteReadError):
        while True:
            size = await reader.readexactly(4)
            yield size + await reader.readexactly(int.from_bytes(size, "big"))


@asynccontextmanager
async def line_to(address: str) -> AsyncIterator[Line]:
    """A line, and an end to all its connections."""
    line = Line(address)
    server = await asyncio.start_server(line.took, "127.0.0.1", 0)
    line.port = server.sockets[0].getsockname()[1]
    try:
        yield line
    finally:
        server.close()
        carrying = list(line._carrying)
        for task in carrying:
            task.cancel()
        await asyncio.gather(*carrying, return_exceptions=True)
