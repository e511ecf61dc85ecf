"""A proxy that counts requests by API, and changes nothing.

It reads the length and the key of each request on its way to the node; replies pass unread.
"""

import asyncio
from collections import Counter

CHUNK_BYTES = 64 * 1024


class CountingProxy:
    """``async with CountingProxy() as it``: listens at once on ``it.port``.

    ``upstream`` is HOST:PORT of the node, to be set before the first client comes; ``counts``
    maps API keys to requests.
    """

    def __init__(self) -> None:
        self.upstream = ""
        self.counts: Counter[int] = Counter()
        self.port = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "CountingProxy":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_error: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        host, _, port = self.upstream.rpartition(":")
        up_reader, up_writer = await asyncio.open_connection(host, int(port))
        back = asyncio.create_task(_pass_on(up_reader, writer))
        try:
            await self._count(reader, up_writer)
        except (OSError, asyncio.IncompleteReadError):
            pass  # either side has gone, and now the other goes
        finally:
            back.cancel()
            up_writer.close()
            writer.close()

    async def _count(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            length = await reader.readexactly(4)
            request = await reader.readexactly(int.from_bytes(length, "big"))
            self.counts[int.from_bytes(request[:2], "big")] += 1
            writer.write(length + request)
            await writer.drain()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(CHUNK_BYTES):
        writer.write(data)
        await writer.drain()
    writer.close()
