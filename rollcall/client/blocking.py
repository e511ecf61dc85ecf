"""``BlockingMember``: the same member for programs without asyncio.

A thread of its own runs the event loop, so that heartbeats go on while the program works. Nothing
is decided here: every method hands over to ``Member`` and waits.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from rollcall.client.core.pausing import Order
from rollcall.client.core.words import Change, Partitions, Token, TopicPartition
from rollcall.client.member import CLOSE_S, Member

T = TypeVar("T")
PlainCallback = Callable[[Partitions], None]


class BlockingMember:
    """Takes what ``Member`` takes; callbacks are plain functions and run in a thread of their own.

    ``with BlockingMember(...) as member`` joins and, at the end, leaves.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        for name in ("on_assigned", "on_revoked", "on_lost", "on_paused", "on_resumed"):
            if options.get(name) is not None:
                options[name] = _elsewhere(options[name])
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._following: Any = None
        self._next: Future[Change] | None = None
        try:
            self._member: Member = self._run(_made(args, options))
        except BaseException:
            self._stop()
            raise

    def __enter__(self) -> Self:
        self._run(self._member.start())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self, timeout_s: float = CLOSE_S) -> None:
        """Give up everything, call back, leave. A loop over ``changes`` hears nothing more."""
        if self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._member._changes.leave)
        self._run(self._member.close(timeout_s))
        self._stop()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def subscribe(
        self,
        topics: Iterable[str] | Mapping[str, int] = (),
        pattern: str | None = None,
        *,
        blacklist: str | None = None,
        threads: int = 1,
    ) -> None:
        """See ``Member.subscribe``."""
        subscribe = self._member.subscribe
        self._do(lambda: subscribe(topics, pattern, blacklist=blacklist, threads=threads))

    def unsubscribe(self) -> None:
        """See ``Member.unsubscribe``."""
        self._do(self._member.unsubscribe)

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """See ``Member.assign``."""
        self._do(lambda: self._member.assign(partitions))

    @property
    def assigned(self) -> Partitions:
        """See ``Member.assigned``."""
        return self._do(lambda: self._member.assigned)

    @property
    def workable(self) -> Partitions:
        """See ``Member.workable``."""
        return self._do(lambda: self._member.workable)

    @property
    def paused(self) -> bool:
        """See ``Member.paused``."""
        return self._member.paused

    @property
    def order(self) -> Order | None:
        """See ``Member.order``."""
        return self._member.order

    def token(self, partition: TopicPartition) -> Token:
        """See ``Member.token``."""
        return self._do(lambda: self._member.token(partition))

    def thread(self, partition: TopicPartition) -> int:
        """See ``Member.thread``."""
        return self._do(lambda: self._member.thread(partition))

    def note(self, partition: TopicPartition, offset: int) -> None:
        """See ``Member.note``."""
        self._do(lambda: self._member.note(partition, offset))

    def commit(self, offsets: Mapping[TopicPartition, int] | None = None) -> None:
        """See ``Member.commit``."""
        self._run(self._member.commit(offsets))

    def committed(
        self, partitions: Iterable[TopicPartition] | None = None
    ) -> dict[TopicPartition, int | None]:
        """See ``Member.committed``."""
        return self._run(self._member.committed(partitions))

    def changes(self, timeout_s: float | None = None) -> Iterator[Change]:
        """What comes and goes; ends when nothing has for ``timeout_s`` (None: never so).

        As in ``Member.changes``, a change counts as handled when the next one is asked for.
        """
        if self._following is None:
            self._following = self._member.changes()
        while True:
            if self._next is None:
                self._next = self._begin(_advance(self._following))
            try:
                change = self._next.result(timeout_s)
            except NotYet:
                return
            except StopIterationForThreads:
                self._next = None
                return
            self._next = None
            yield change

    def _begin(self, doing: Coroutine[Any, Any, T]) -> "Future[T]":
        return asyncio.run_coroutine_threadsafe(doing, self._loop)

    def _run(self, doing: Coroutine[Any, Any, T]) -> T:
        return self._begin(doing).result()

    def _do(self, doing: Callable[[], T]) -> T:
        async def there() -> T:
            return doing()

        return self._run(there())


class StopIterationForThreads(Exception):
    """The end of the changes; StopAsyncIteration cannot cross from a coroutine."""


async def _advance(following: Any) -> Change:
    with suppress(StopAsyncIteration):
        change: Change = await anext(following)
        return change
    raise StopIterationForThreads


async def _made(args: Any, options: Any) -> Member:
    return Member(*args, **options)


def _elsewhere(callback: PlainCallback) -> Callable[[Partitions], Coroutine[Any, Any, None]]:
    """The callback as a coroutine that does not hold up the event loop."""

    async def call(partitions: Partitions) -> None:
        await asyncio.to_thread(callback, partitions)

    return call
