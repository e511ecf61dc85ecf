"""Follows the journal for all streams of a process: one query a second, while there are streams.

Everything here runs on the loop that serves requests; queries run in a thread, which returns its
connection before anything waits.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Final

from channels.db import database_sync_to_async
from django.db import Error as DatabaseError

from console.api.events import rows
from console.api.events.holders import readable
from console.api.events.streams import AWAY, ENDS, FORBIDDEN, WENT_BACK, Stream, of_event
from console.journal_subjects import EVERY_KIND
from console.queries import journal_rows
from console.queries.journal_position import Position
from console.queries.journal_rows import JournalRow

logger = logging.getLogger(__name__)

LOOK_S: Final = 1.0
RIGHTS_S: Final = 2.0
"""A stream outlives its session by at most this time and the duration of a check."""

AWAY_S: Final = 10.0
"""If the database is unavailable for longer, the streams end: their rights cannot be checked."""

KEEP_ALIVE_S: Final = 15.0
"""Proxies usually close connections that are silent for a minute."""

RETRY_MS: Final = 2_000

CATCHING_UP_MAX: Final = 2
"""Streams that read missed entries at the same time: the web has few connections."""

beyond = database_sync_to_async(journal_rows.beyond, thread_sensitive=False)
end = database_sync_to_async(journal_rows.end, thread_sensitive=False)
is_behind = database_sync_to_async(journal_rows.is_behind, thread_sensitive=False)
texts = database_sync_to_async(rows.texts, thread_sensitive=False)
kinds_of = database_sync_to_async(readable, thread_sensitive=False)


class Follower:
    """The open streams, and the task that reads for them."""

    def __init__(self) -> None:
        self.streams: set[Stream] = set()
        self._task: asyncio.Task[None] | None = None
        self._knows: asyncio.Event
        self._catching_up: asyncio.Semaphore

    async def events(self, stream: Stream) -> AsyncGenerator[str, None]:
        """The events of a stream, until it ends."""
        self._enter(stream)
        try:
            yield f"retry: {RETRY_MS}\n{stream.still_here()}"
            await self._knows.wait()
            async for text in self._missed(stream):
                yield text
            while not stream.ended:
                is_news = await stream.rung(KEEP_ALIVE_S)
                text = stream.taken() if is_news else stream.still_here()
                if text and not stream.ended:
                    yield text
        except DatabaseError:
            stream.end(AWAY)
        finally:
            self._leave(stream)
        yield of_event("end", f'{{"code": "{stream.ended}", "detail": "{ENDS[stream.ended]}"}}')

    def _enter(self, stream: Stream) -> None:
        self.streams.add(stream)
        if self._task is None or self._task.done():
            self._knows, self._catching_up = asyncio.Event(), asyncio.Semaphore(CATCHING_UP_MAX)
            self._task = asyncio.create_task(self._run())

    def _leave(self, stream: Stream) -> None:
        self.streams.discard(stream)
        if not self.streams and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _missed(self, stream: Stream) -> AsyncIterator[str]:
        """Entries before those that the follower adds to the stream. Other tasks run while the
        client reads a page."""
        while not stream.ended:
            async with self._catching_up:
                stream.listen(True)
                page = await beyond(stream.position)
                if not page:
                    return
                stream.listen(False)
                wanted = [entry.seq for entry in page if stream.wants(entry)]
                by_seq = await texts(wanted, stream.kinds)
            yield "".join(stream.event_text(each, by_seq.get(each.seq, "")) for each in page)

    # -- reading

    async def _run(self) -> None:
        try:
            await self._looks()
        except Exception:
            logger.exception("the stream of the journal ended")
            self._end(tuple(self.streams), AWAY)
            self._knows.set()

    async def _looks(self) -> None:
        succeeded_at = looked_at = time.monotonic()
        position: Position | None = None
        while True:
            try:
                if position is None:
                    position = await end(time.monotonic())
                    self._knows.set()
                await self._look(position)
                if time.monotonic() - looked_at >= RIGHTS_S:
                    looked_at = time.monotonic()
                    await self._look_at_rights()
                succeeded_at = time.monotonic()
            except DatabaseError as error:
                logger.warning("the journal cannot be followed just now: %s", error)
                if time.monotonic() - succeeded_at >= AWAY_S:
                    self._end(tuple(self.streams), AWAY)
                    self._knows.set()
            await asyncio.sleep(LOOK_S)

    async def _look(self, position: Position) -> None:
        while page := await beyond(position):
            await self._deliver(page)
            now = time.monotonic()
            for entry in page:
                position.note(entry.seq, now)
        position.forget(time.monotonic())
        if await is_behind(position):
            self._end(tuple(self.streams), WENT_BACK)
            there = await end(time.monotonic())
            position.greatest, position.gaps = there.greatest, there.gaps

    async def _deliver(self, page: Sequence[JournalRow]) -> None:
        streams = tuple(self.streams)
        seqs = [e.seq for e in page if any(stream.wants(e) for stream in streams)]
        by_seq = await texts(seqs, EVERY_KIND)  # each stream takes those of its kinds
        # Streams that were opened meanwhile read this page themselves.
        gone = set(seqs) - by_seq.keys()
        existing = [entry for entry in page if entry.seq not in gone]
        for stream in streams:
            stream.put(existing, by_seq)

    async def _look_at_rights(self) -> None:
        streams = tuple(self.streams)  # later ones have just been judged
        kinds = await kinds_of({stream.holder for stream in streams})
        for stream in streams:
            if stream.holder in kinds:
                stream.kinds = kinds[stream.holder]
            else:
                stream.end(FORBIDDEN)

    def _end(self, streams: Sequence[Stream], why: str) -> None:
        for stream in streams:
            stream.end(why)


FOLLOWER = Follower()
"""The follower of this process."""
