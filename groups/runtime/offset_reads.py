"""Fetches of offsets, many of them by one statement.

When a node has started or taken slots over, each of its members fetches its offsets. A statement
for each fetch is most of a fetch's cost, so the fetches that arrive while a statement runs are read
by the next one. A statement starts after the fetches that it answers have arrived: they find
whatever was acknowledged before.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from psycopg_pool import AsyncConnectionPool

from groups.event_loop import Slices
from groups.postgres.connections import Connection
from groups.store import offsets
from groups.store.offsets import FEW_ROWS, Partition, Read, Some

AT_ONCE: Final = 2
"""Statements: one that waits for PostgreSQL does not delay the fetches after it. The other
connections of the readers' pool are left to larger fetches."""

PARTITIONS_MAX: Final = 500
"""Of a fetch that is read in this way. A fetch of more pays for a statement of its own."""


class Waiter(Protocol):
    """Whoever waits for a fetch; an ``asyncio.Future[Read]`` is one."""

    def done(self) -> bool:
        """Whether it waits no more."""
        ...

    def set_result(self, read: Read, /) -> None:
        """What was found."""
        ...

    def set_exception(self, error: Exception, /) -> None:
        """Why nothing could be read."""
        ...

    def cancel(self) -> Any:
        """Nothing will be read any more."""
        ...


@dataclass(frozen=True, slots=True)
class _Fetch:
    request: Some
    waiter: Waiter


class OffsetReads:
    """The small fetches of one node. ``run`` executes them."""

    def __init__(self, readers: AsyncConnectionPool[Connection]) -> None:
        self._readers = readers
        self.waiting = deque[_Fetch]()
        self._arrived = asyncio.Event()

    async def read(self, group_id: str, partitions: Sequence[Partition], *, stable: bool) -> Read:
        """What the group has committed of these, at most ``PARTITIONS_MAX``, partitions; where it
        is to be ``stable``, also which of them a transaction may still commit.

        Raises psycopg's errors and PoolTimeout when the database does not answer.
        """
        read = asyncio.Future[Read]()
        self.add(Some(group_id, partitions, stable), read)
        return await read

    def add(self, request: Some, waiter: Waiter) -> None:
        """The same for somebody who does not wait in a task: it is called, and must not raise."""
        self.waiting.append(_Fetch(request, waiter))
        self._arrived.set()

    async def run(self) -> None:
        """Execute them until cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(AT_ONCE):
                    tasks.create_task(self._execute())
        finally:
            for fetch in self.waiting:
                fetch.waiter.cancel()

    async def _execute(self) -> None:
        while True:
            await self._arrived.wait()
            if taken := self._take():
                await self._read(taken)

    async def _read(self, taken: Sequence[_Fetch]) -> None:
        try:
            await self._answer(taken, await self._found(taken))
        except asyncio.CancelledError:
            for each in taken:
                each.waiter.cancel()
            raise

    async def _found(self, taken: Sequence[_Fetch]) -> Sequence[Read | Exception]:
        try:
            return await offsets.of_partitions(self._readers, [each.request for each in taken])
        except Exception as error:  # whoever fetches decides what it means
            return [error] * len(taken)

    async def _answer(self, taken: Sequence[_Fetch], found: Sequence[Read | Exception]) -> None:
        """Who waits may answer its client at once."""
        slices = Slices()
        for each, read in zip(taken, found, strict=True):
            if slices.is_over:
                await slices.pause()
            if each.waiter.done():
                continue
            if isinstance(read, Exception):
                each.waiter.set_exception(read)
            else:
                each.waiter.set_result(read)

    def _take(self) -> list[_Fetch]:
        """The next ones that nobody has given up, of as many partitions as a statement reads."""
        taken, partitions = list[_Fetch](), 0
        while self.waiting:
            partitions += len(self.waiting[0].request.partitions)
            if taken and partitions > FEW_ROWS:
                return taken
            fetch = self.waiting.popleft()
            if not fetch.waiter.done():
                taken.append(fetch)
        self._arrived.clear()
        return taken
