"""``BlockingMember``: the same member for programs without asyncio.

A thread of its own runs the event loop, so that heartbeats continue while the program works.
Nothing is decided here: every method calls ``Member`` and waits.
"""

import asyncio
import inspect
import os
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, NoReturn, Self, TypeVar

from rollcall.client import calling, checks
from rollcall.client.change_stream import Following
from rollcall.client.core.events import Change, Partitions, Token, TopicPartition
from rollcall.client.core.pausing import Order
from rollcall.client.errors import Closed, MemberError
from rollcall.client.member import CLOSE_S, Member
from rollcall.client.threads import in_thread

T = TypeVar("T")


class BlockingMember:
    """Takes the arguments of ``Member``; callbacks are plain functions and run in threads of their
    own.

    ``with BlockingMember(...) as member`` joins and, at the end, leaves. Threads may share it,
    except for ``changes``, which only one may follow at a time; a forked process may not use it.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        for name in ("on_assigned", "on_revoked", "on_lost", "on_paused", "on_resumed"):
            if options.get(name) is not None:
                options[name] = _elsewhere(name, options[name])
        self._process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._is_open = True
        self._is_stopping = False
        self._is_ended = False
        self._begun: dict[Future[Any], Coroutine[Any, Any, Any]] = {}
        self._turn = threading.Lock()
        self._following: Following | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True, name="rollcall-member")
        self._thread.start()
        try:
            self._member: Member = self._run(lambda: _made(args, options))
        except BaseException:
            self._stop()
            raise

    # Member's arguments, for help().
    __init__.__signature__ = inspect.signature(Member.__init__)  # type: ignore[attr-defined]

    # -- life cycle

    def start(self) -> None:
        """See ``Member.start``."""
        self._run(self._member.start)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if os.getpid() == self._process:  # a forked process that leaves the block ends nothing
            self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a member cannot be passed to another process: create it there")

    def close(self, timeout_s: float | None = CLOSE_S) -> None:
        """See ``Member.close``. A loop over ``changes`` gets no more changes. A signal handler may
        call it, too."""
        checks.seconds("timeout_s", timeout_s)
        if not self._is_open:
            return
        with self._ending():
            self._do(self._member._delivery.changes.leave)
            self._run(lambda: self._member.close(timeout_s))
            if calling.is_within(self._member):
                self._begin(self._close_then_stop)
                return
        self._stop()

    def abandon(self) -> None:
        """See ``Member.abandon``."""
        if self._is_open:
            with self._ending():
                self._do(self._member.abandon)
            self._stop()

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """Another thread may end it meanwhile, and then there is nothing left to do."""
        try:
            yield
        except Closed:
            if os.getpid() != self._process:
                raise

    @property
    def failure(self) -> MemberError | None:
        """See ``Member.failure``."""
        return self._do(lambda: self._member.failure)

    # -- assignment

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

    def stop(self) -> None:
        """See ``Member.stop``."""
        self.close()

    def assignment(self) -> Partitions:
        """See ``Member.assignment``."""
        return self.assigned

    @property
    def workable(self) -> Partitions:
        """See ``Member.workable``."""
        return self._do(lambda: self._member.workable)

    @property
    def paused(self) -> bool:
        """See ``Member.paused``."""
        return self._do(lambda: self._member.paused)

    @property
    def order(self) -> Order | None:
        """See ``Member.order``."""
        return self._do(lambda: self._member.order)

    def token(self, partition: TopicPartition) -> Token:
        """See ``Member.token``."""
        return self._do(lambda: self._member.token(partition))

    def thread(self, partition: TopicPartition) -> int:
        """See ``Member.thread``."""
        return self._do(lambda: self._member.thread(partition))

    @property
    def member_id(self) -> str:
        """See ``Member.member_id``."""
        return self._do(lambda: self._member.member_id)

    @property
    def epoch(self) -> int:
        """See ``Member.epoch``."""
        return self._do(lambda: self._member.epoch)

    # -- offsets

    def note(self, partition: TopicPartition, offset: int) -> None:
        """See ``Member.note``."""
        self._do(lambda: self._member.note(partition, offset))

    def commit(self, offsets: Mapping[TopicPartition, int] | None = None) -> None:
        """See ``Member.commit``."""
        self._run(lambda: self._member.commit(offsets))

    def committed(
        self, partitions: Iterable[TopicPartition] | None = None
    ) -> dict[TopicPartition, int | None]:
        """See ``Member.committed``."""
        return self._run(lambda: self._member.committed(partitions))

    # -- changes

    def changes(self, timeout_s: float | None = None) -> Iterator[Change]:
        """Changes of the assignment; ends if there is none for ``timeout_s`` (None: never).

        As in ``Member.changes``, a change counts as handled when the next one is requested, or the
        loop ends. After a timeout it may be called again, and continues; a change waits five
        seconds for that, then the loop counts as ended.
        """
        checks.seconds("timeout_s", timeout_s)
        if not self._turn.acquire(blocking=False):
            raise RuntimeError("another loop follows this member already")
        is_left = True
        try:
            following = self._follow()
            while following is not None:
                change = self._next(following, timeout_s)
                if change is None:
                    is_left = following.is_left
                    return
                yield change
        finally:
            try:
                if is_left:
                    self._leave()
            finally:
                self._turn.release()

    def __iter__(self) -> Iterator[Change]:
        return self.changes()

    def _follow(self) -> Following | None:
        """The loop that ended by its timeout, or a new one."""
        if self._following is None or self._following.is_left:
            self._following = self._do(self._member._following) if self._is_open else None
        return self._following

    def _next(self, following: Following, timeout_s: float | None) -> Change | None:
        """The next change; None: no more, or not in this time."""

        async def there() -> Change | None:
            try:
                return await following.next(timeout_s)
            except TimeoutError:
                following.pause()
                return None

        try:
            return self._run(there)
        except Closed:
            return None

    def _leave(self) -> None:
        """Without waiting: the garbage collector may end the loop, and the program may be at its
        end, where the thread runs no more."""
        following, self._following = self._following, None
        if following is not None and os.getpid() == self._process:
            self._soon(following.leave)

    # -- the thread

    def _begin(self, make: Callable[[], Coroutine[Any, Any, T]]) -> "asyncio.Future[T] | Any":
        """Start it in the thread; raises ``Closed`` if the thread has ended.

        Without a lock: a signal handler that closes the member may interrupt this at any point, and
        would wait for it.
        """
        if os.getpid() != self._process:
            raise Closed("the member was made by another process")
        if not self._is_open or sys.is_finalizing():
            raise Closed("the member is closed")
        doing = make()
        try:
            future = asyncio.run_coroutine_threadsafe(doing, self._loop)
        except RuntimeError:  # the event loop was closed meanwhile
            doing.close()
            raise Closed("the member is closed") from None
        self._begun[future] = doing
        future.add_done_callback(self._forget)
        if self._is_ended:
            self._give_up_begun()
        return future

    def _forget(self, future: "Future[Any]") -> None:
        self._begun.pop(future, None)

    def _give_up_begun(self) -> None:
        """The thread has ended, and does nothing more of this."""
        for future, doing in list(self._begun.items()):
            future.cancel()
            doing.close()

    def _run(self, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        if threading.current_thread() is self._thread:
            raise RuntimeError("the member's own thread would wait for itself")
        doing: Any = self._begin(make)
        try:
            result: T = doing.result()
        except CancelledError:
            raise Closed("the member was closed meanwhile") from None
        return result

    def _do(self, doing: Callable[[], T]) -> T:
        """Run it in the thread; here if the thread has ended, or is the current one."""

        async def there() -> T:
            return doing()

        if threading.current_thread() is self._thread:
            return doing()
        try:
            return self._run(there)
        except Closed:
            if os.getpid() != self._process or self._is_open:
                raise
        self._thread.join()
        return doing()

    async def _close_then_stop(self) -> None:
        """Started in a callback, which has to return first."""
        await self._member._closed()
        self._stop_loop()

    def _stop(self) -> None:
        """End the thread, and wait for that."""
        self._soon(self._stop_loop)
        if not sys.is_finalizing():  # where no other thread runs any more
            self._thread.join()

    def _soon(self, doing: Callable[[], object]) -> None:
        """Run it in the thread, unless that has ended."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(doing)

    def _stop_loop(self) -> None:
        """Once, whoever asks: a second time would stop it in the midst of its end."""
        if not self._is_stopping:
            self._is_stopping = True
            self._loop.stop()

    def _serve(self) -> None:
        """The thread's function: runs the loop until it is stopped, and then ends all tasks."""
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._is_open = False
        self._loop.run_until_complete(_cancel_all())
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()
        self._is_ended = True
        self._give_up_begun()


async def _cancel_all() -> None:
    """Cancel all tasks for which a caller might wait."""
    while True:
        await asyncio.sleep(0)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if not others:
            return
        for task in others:
            task.cancel()
        await asyncio.wait(others, timeout=1)


async def _made(args: Any, options: Any) -> Member:
    return Member(*args, **options)


def _elsewhere(name: str, callback: Any) -> Callable[[Partitions], Coroutine[Any, Any, None]]:
    """The callback as a coroutine that does not block the event loop."""
    if not callable(callback) or inspect.iscoroutinefunction(callback):
        raise ValueError(f"{name} must be a plain function, not {callback!r}")

    async def call(partitions: Partitions) -> None:
        if inspect.isawaitable(await in_thread(lambda: callback(partitions), name)):
            raise TypeError(f"{name} must be a plain function: nothing awaits what it returns")

    return call
