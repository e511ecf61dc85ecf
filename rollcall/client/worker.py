"""``worker``: a function for each partition that this program owns, from its assignment to its end.

    @worker("orders", bootstrap="127.0.0.1:9092", group="packers")
    async def pack(work: Work) -> None:
        async for order in orders_of(work.partition, since=work.offset):
            ...
            await work.commit(order.number + 1)

    pack.main()

Only tasks and their ends are here; ``Member`` decides what this program owns.
"""

import asyncio
import inspect
import logging
import signal
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any, Final

from rollcall.client import calling, checks
from rollcall.client.core.events import Change, Kind, Partitions, Token, TopicPartition
from rollcall.client.driver import running_loop
from rollcall.client.errors import CommitRefused, MemberError, NotAssigned, Unavailable, Unfenced
from rollcall.client.member import Member
from rollcall.client.threads import in_thread

RETRY_S: Final = 5.0
"""The pause before a function that failed begins again: as long as a passing failure of what it
works with may last, and no more than twelve lines a minute in the log."""

COMMIT_S: Final = 5.0
"""How often noted offsets are committed: Kafka's ``auto.commit.interval.ms``."""

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)

log = logging.getLogger("rollcall.client")

Function = Callable[["Work"], Awaitable[None] | None]


class Work:
    """One partition while it belongs to this program, for the function that works on it.

    ``offset`` is where to begin: the committed offset, 0 if there is none. A coroutine is cancelled
    when the partition is taken away; a plain function runs in a thread, and has to return when
    ``is_over``. Until it has ended, the partition is nobody else's, unless it was lost
    (``is_lost``)."""

    def __init__(self, member: Member, partition: TopicPartition, token: Token | None) -> None:
        self.partition = partition
        self.offset = 0
        self.is_lost = False
        self._member = member
        self._token = token
        self._loop = asyncio.get_running_loop()
        self._over = threading.Event()
        self._noted: int | None = None
        self._committed: int | None = None

    @property
    def token(self) -> Token:
        """The fencing token to store with one's own writes: that of this assignment, also after it.
        ``Unfenced`` for a static member."""
        if self._token is None:
            raise Unfenced("who takes a static member's place has the same epoch as it had")
        return self._token

    @property
    def member(self) -> tuple[int, str]:
        """Member epoch (or generation) and member id now, with which a commit in SQL is fenced
        (docs/exactly-once.md)."""
        return self._member.epoch, self._member.member_id

    @property
    def is_over(self) -> bool:
        """Whether the function has to end: the partition is being taken away, or work is
        stopped."""
        return self._over.is_set()

    def wait_over(self, timeout_s: float) -> bool:
        """In a thread: sleep, but no longer than until ``is_over``, which is returned."""
        return self._over.wait(timeout_s)

    def note(self, offset: int) -> None:
        """Note the next offset to process. It is committed every few seconds, and when the function
        has ended because the partition is revoked. From any thread."""
        checks.offset(self.partition, offset)
        self._noted = offset

    async def commit(self, offset: int | None = None) -> None:
        """Commit this, or the noted offset; returns when it is durable. ``CommitRefused`` and
        ``Unavailable`` as ``Member.commit``."""
        if offset is not None:
            self.note(offset)
        wanted = self._noted
        if wanted is not None and wanted != self._committed:
            await self._member.commit({self.partition: wanted})
            self._committed = wanted

    def commit_from_thread(self, offset: int | None = None) -> None:
        """The same for a plain function: it waits, while the event loop runs elsewhere.
        ``RuntimeError`` in the event loop, which would wait for itself."""
        if running_loop() is self._loop:
            raise RuntimeError("this is the event loop: await commit() instead")
        asyncio.run_coroutine_threadsafe(self.commit(offset), self._loop).result()

    def _begin(self, offset: int) -> None:
        self.offset = offset
        self._committed = offset
        self._noted = None

    def _end(self, is_lost: bool) -> None:
        self.is_lost = is_lost
        self._over.set()


class Worker:
    """What ``worker`` makes of a function; see there. ``options`` are the decorator's, ``member``
    is the member while it runs. ``beside`` starts a server that ends with it (probes)."""

    def __init__(
        self,
        function: Function,
        topics: Sequence[str],
        options: dict[str, Any],
        retry_s: float,
        commit_s: float,
    ) -> None:
        self.function = function
        self.__doc__ = function.__doc__
        self.__name__ = getattr(function, "__name__", "worker")
        self.options = options
        self.member: Member | None = None
        self.beside: Callable[[], Awaitable[asyncio.Server]] | None = None
        self._topics = topics
        self._retry_s = retry_s
        self._commit_s = commit_s

    def of(self, function: Function) -> "Worker":
        """The same worker with another function, for instance one around this one's."""
        return Worker(function, self._topics, self.options, self._retry_s, self._commit_s)

    async def run(self, **options: Any) -> None:
        """Be a member, and run the function for what it owns, until this is cancelled: then every
        function ends, offsets are committed, and the member leaves. ``options`` take precedence
        over those of the decorator (a test gives its own ``bootstrap``). Raises what
        ``Member.failure`` is; ``TypeError`` without ``bootstrap`` or ``group``."""
        chosen = {"topics": self._topics, **self.options, **options}
        missing = [name for name in ("bootstrap", "group") if not chosen.get(name)]
        if missing:
            raise TypeError(f"a worker needs {' and '.join(missing)}")
        async with AsyncExitStack() as stack:
            if self.beside is not None:
                stack.callback((await self.beside()).close)
            member = self.member = await stack.enter_async_context(Member(**chosen))
            stack.callback(self._forget)
            tasks = _Tasks(member, self)
            committing = asyncio.ensure_future(tasks.commit_every(self._commit_s))
            try:
                async for change in member:
                    await tasks.follow(change)
            finally:
                committing.cancel()
                await tasks.end(tasks.running, is_lost=False)

    def _forget(self) -> None:
        self.member = None

    def main(self, **options: Any) -> None:
        """``run`` for a program: until SIGINT or SIGTERM, which let it leave in order."""
        asyncio.run(self._until_signal(options))

    async def _until_signal(self, options: dict[str, Any]) -> None:
        running = asyncio.ensure_future(self.run(**options))
        for number in SIGNALS:
            with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows; other threads
                asyncio.get_running_loop().add_signal_handler(number, running.cancel)
        with suppress(asyncio.CancelledError):
            await running


def worker(
    *topics: str, retry_s: float = RETRY_S, commit_s: float = COMMIT_S, **options: Any
) -> Callable[[Function], Worker]:
    """Decorate a function that works on one partition of ``topics``; it is called for each one that
    this program owns, with its ``Work``.

    ``options`` are those of ``Member`` (``bootstrap``, ``group``, ``protocol``, ...); callbacks are
    the worker's own. A function that returns has finished its partition until it is assigned anew;
    one that raises is logged, and begins again after ``retry_s`` at the committed offset.
    ``commit_s``: how often noted offsets are committed."""
    if len(topics) == 1 and callable(topics[0]):
        raise TypeError('worker takes topics: @worker("orders", ...)')

    def decorate(function: Function) -> Worker:
        return Worker(function, topics, options, retry_s, commit_s)

    return decorate


class _Tasks:
    """The functions of one member that run now."""

    def __init__(self, member: Member, of: Worker) -> None:
        self._member = member
        self._function = of.function
        self._retry_s = of._retry_s
        self._works: dict[TopicPartition, tuple[Work, asyncio.Task[None]]] = {}

    @property
    def running(self) -> Partitions:
        """The partitions whose functions have not been ended."""
        return frozenset(self._works)

    async def follow(self, change: Change) -> None:
        """Begin or end functions; returns when those that have to end have ended."""
        match change.kind:
            case Kind.ASSIGNED:
                self._begin(change.partitions)
            case Kind.RESUMED:
                self._begin(self._member.workable)
            case Kind.REVOKED | Kind.LOST | Kind.PAUSED:
                await self.end(change.partitions, is_lost=change.kind is Kind.LOST)

    def _begin(self, partitions: Partitions) -> None:
        new = sorted(partitions - self._works.keys())
        if not new:
            return
        offsets = asyncio.ensure_future(self._offsets(new))
        offsets.add_done_callback(_seen)
        for partition in new:
            try:
                token: Token | None = self._member.token(partition)
            except Unfenced:
                token = None
            except NotAssigned:
                continue  # revoked meanwhile; the next change says so
            work = Work(self._member, partition, token)
            self._works[partition] = work, asyncio.ensure_future(self._run(work, offsets))

    async def _offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The committed offsets, one request for all; asks again until there is an answer."""
        while True:
            try:
                found = await self._member.committed(partitions)
                return {partition: offset or 0 for partition, offset in found.items()}
            except (CommitRefused, Unavailable) as error:
                log.warning("committed offsets: %s; asked again in %s s", error, self._retry_s)
                await asyncio.sleep(self._retry_s)

    async def _run(self, work: Work, offsets: "asyncio.Future[dict[TopicPartition, int]]") -> None:
        """The function, again after each failure, until it returns or is ended."""
        begun = (await asyncio.shield(offsets))[work.partition]
        while not work.is_over:
            work._begin(begun)
            try:
                await self._call(work)
                return
            except (Exception, asyncio.CancelledError) as error:
                if isinstance(error, asyncio.CancelledError) and calling.is_being_cancelled():
                    raise
                work._noted = None  # nobody knows whether that was done
                log.exception("%s-%d: the function failed", *work.partition)
            if not work.is_over:
                await asyncio.sleep(self._retry_s)
                begun = (await self._offsets([work.partition]))[work.partition]

    async def _call(self, work: Work) -> None:
        """A coroutine in the event loop, also one that a plain function returns: a decorator's."""
        function = self._function
        if inspect.iscoroutinefunction(function):
            await function(work)
            return
        running = asyncio.ensure_future(in_thread(lambda: function(work), "work"))
        try:
            returned: Any = await asyncio.shield(running)
        except asyncio.CancelledError:
            await running  # a thread cannot be cancelled: it sees ``is_over``
            raise
        if inspect.isawaitable(returned):
            await returned

    async def end(self, partitions: Partitions, *, is_lost: bool) -> None:
        """End the functions of these, wait for that, and commit what they noted."""
        ending = [self._works.pop(p) for p in sorted(partitions & self._works.keys())]
        for work, task in ending:
            work._end(is_lost)
            task.cancel()
        if ending:
            await asyncio.wait([task for _, task in ending])
        for work, task in ending:
            if not task.cancelled() and (error := task.exception()) is not None:
                log.error("%s-%d: the function failed", *work.partition, exc_info=error)
        if not is_lost:
            await self._commit([work for work, _ in ending])

    async def commit_every(self, seconds: float) -> None:
        """Commit noted offsets, until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            await self._commit([work for work, _ in self._works.values()])

    async def _commit(self, works: Sequence[Work]) -> None:
        """What these noted, in one request. What cannot be committed is done again by the next
        owner, which begins at the last commit."""
        noted = {work: work._noted for work in works if work._noted != work._committed}
        wanted = {work.partition: at for work, at in noted.items() if at is not None}
        if not wanted:
            return
        try:
            await self._member.commit(wanted)
        except MemberError as error:
            log.warning("not committed: %s", error)
            return
        for work in noted:
            work._committed = wanted.get(work.partition, work._committed)


def _seen(offsets: "asyncio.Future[Any]") -> None:
    """Its failure is each function's, if one still waits for it."""
    if not offsets.cancelled():
        offsets.exception()
