"""Virtual time, and processes that live in it: the product's operating system.

All randomness comes from one seeded source, and the seed alone determines the order of events. This
file knows no group, no node and no database.
"""

import asyncio
import heapq
from collections import deque
from collections.abc import Callable, Coroutine
from hashlib import blake2b
from random import Random
from typing import Any

Micros = int
Record = dict[str, Any]
SECOND: Micros = 1_000_000
MS: Micros = 1_000
AWAKE: Micros = 5 * SECOND
"""The minimum time between two pauses of one process."""


class World:
    """The event queue. ``now`` is true time, which no process can see. When it ``is_over`` time
    passes, and nothing happens any more."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.now: Micros = 0
        self.history: list[Record] = []
        self.events = 0
        self.processes: list[Process] = []
        self.is_over = False
        self.take: Callable[[Record], None] = self.history.append
        self._heap: list[tuple[Micros, int, Callable[..., object], tuple[Any, ...]]] = []
        self._sequence = 0
        self._hash = blake2b(digest_size=16)

    def at(self, when: Micros, what: Callable[..., object], *args: Any) -> None:
        """Schedule a call at an instant; calls at the same instant run in the order of
        scheduling."""
        self._sequence += 1
        heapq.heappush(self._heap, (max(when, self.now), self._sequence, what, args))

    def after(self, delay: Micros, what: Callable[..., object], *args: Any) -> None:
        """Schedule a call after a time."""
        self.at(self.now + delay, what, *args)

    def run(self, until: Micros) -> None:
        """Run events until a time."""
        heap = self._heap
        while heap and heap[0][0] <= until and not self.is_over:
            self.now, _, what, args = heapq.heappop(heap)
            self.events += 1
            what(*args)
        self.now = until

    def record(self, type_: str, **fields: Any) -> None:
        """Add a record to the history (``proof.history``)."""
        record = {"at": self.now / MS, "type": type_, **fields}
        self._hash.update(repr(record).encode())
        self.take(record)

    @property
    def digest(self) -> str:
        """Equal for runs in which the same records were written at the same instants."""
        return self._hash.hexdigest() + f"-{self._sequence}"

    def between(self, least: float, most: float) -> Micros:
        """A random duration; both ends in seconds."""
        return int(self.rng.uniform(least, most) * SECOND)


class Process:
    """An operating system process that is scheduled, paused and killed as a whole.

    ``rate`` and ``offset`` define its monotonic clock: no two agree. While it is paused its code
    does not run and its clock continues, as with SIGSTOP.
    """

    def __init__(self, world: World, name: str, *, rate: float = 1.0, offset: Micros = 0) -> None:
        self.world = world
        self.name = name
        self.rate = rate
        self.offset = offset
        self.alive = True
        self.paused_until: Micros = 0
        self.loop = Loop(self)  # type: ignore[abstract]
        self.tasks: list[asyncio.Task[Any]] = []
        self.ended: Callable[[BaseException], None] = self._mishap
        self._scheduled = False
        world.processes.append(self)

    def clock_ms(self) -> int:
        """The process's own monotonic clock, in milliseconds."""
        return int(self.world.now * self.rate + self.offset) // MS

    def clock_s(self) -> float:
        """The same in seconds."""
        return (self.world.now * self.rate + self.offset) / SECOND

    def instant(self, clock_s: float) -> Micros:
        """True time when its clock shows that."""
        return int((clock_s * SECOND - self.offset) / self.rate) + 1

    def spawn(self, what: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """Run a coroutine in this process; its exception is passed to ``ended``."""
        task: asyncio.Task[Any] = self.loop.create_task(what)
        self.tasks.append(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: "asyncio.Task[Any]") -> None:
        if task in self.tasks:
            self.tasks.remove(task)
        if self.alive and not task.cancelled() and (error := task.exception()) is not None:
            self.ended(error)

    def _mishap(self, error: BaseException) -> None:
        self.world.record("mishap", process=self.name, what=f"{type(error).__name__}: {error}")

    def wake(self) -> None:
        """Schedule a turn of its loop."""
        if self.alive and not self._scheduled:
            self._scheduled = True
            self.world.at(max(self.world.now, self.paused_until), self._run)

    def pause(self, until: Micros) -> bool:
        """SIGSTOP, and SIGCONT at that instant; returns whether it was paused. A process that was
        just paused runs for a while: one that is always paused tests nothing."""
        if self.paused_until and self.world.now < self.paused_until + AWAKE:
            return False
        self.paused_until = until
        return True

    def _run(self) -> None:
        if self.world.now < self.paused_until:
            self.world.at(self.paused_until, self._run)
            return
        self._scheduled = False
        if self.alive:
            self.loop.turn()

    def kill(self) -> None:
        """SIGKILL: none of its code runs any more, not even a ``finally``."""
        self.alive = False

    def bury(self) -> None:
        """After the run: end its coroutines, so that none is left for the garbage collector."""
        self.alive = False
        for _ in range(50):
            for task in self.tasks:
                task.cancel()
            self.loop.turn()
            if not self.tasks:
                return


class Loop(asyncio.AbstractEventLoop):
    """The part of an event loop that asyncio's own tasks, locks and timeouts need."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self._ready: deque[asyncio.Handle] = deque()

    def turn(self) -> None:
        """Run what is ready, and what becomes ready meanwhile."""
        asyncio._set_running_loop(self)
        try:
            ready = self._ready
            while ready and self.process.world.now >= self.process.paused_until:
                handle = ready.popleft()
                if not handle.cancelled():
                    handle._run()
        finally:
            asyncio._set_running_loop(None)
        if ready:
            self.process.wake()

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: Any = None
    ) -> asyncio.Handle:
        """Run it in the next turn."""
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        self.process.wake()
        return handle

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., Any], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """Run it after so many seconds of the process's clock."""
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., Any], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """Run it when the process's clock shows that."""
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self.process.world.at(self.process.instant(when), self._due, handle)
        return handle

    def _due(self, handle: asyncio.TimerHandle) -> None:
        if handle.cancelled():
            return
        self._ready.append(handle)
        process = self.process
        if process.world.now < process.paused_until or not process.alive:
            process.wake()
        else:
            self.turn()  # at once: nothing else of this process is running

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Nothing: the heap drops it when it is due."""

    def time(self) -> float:
        """The process's own clock, in seconds."""
        return self.process.clock_s()

    def create_future(self) -> "asyncio.Future[Any]":
        """A future of this loop."""
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, *, name: Any = None, context: Any = None) -> Any:
        """A task of this loop."""
        return asyncio.Task(coro, loop=self, name="task", context=context)

    def run_in_executor(  # type: ignore[override]
        self, executor: None, work: Callable[..., Any], *args: Any
    ) -> "asyncio.Future[Any]":
        """A thread outside the loop: it takes a while, and the loop continues meanwhile."""
        future = self.create_future()
        world = self.process.world
        world.after(world.between(0.001, 0.1), self._worked_out, future, work, args)
        return future

    def _worked_out(
        self, future: "asyncio.Future[Any]", work: Callable[..., Any], args: tuple[Any, ...]
    ) -> None:
        if not self.process.alive or future.done():
            return
        try:
            future.set_result(work(*args))
        except Exception as error:
            future.set_exception(error)

    def get_debug(self) -> bool:
        """False: its bookkeeping would cost more than the work."""
        return False

    def is_running(self) -> bool:
        """True until the world is over."""
        return True

    def is_closed(self) -> bool:
        """Never: the loop of a dead process is just not run any more."""
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """An uncaught exception reached the loop."""
        if self.process.alive:
            self.process.world.record(
                "mishap", process=self.process.name, what=str(context.get("exception"))
            )
