"""Runs a machine: passes events to it, and processes its outputs.

It decides nothing: the machines do (``core``). The application's callbacks run in a task of their
own, so that heartbeats continue meanwhile.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from rollcall.client.assigning import Assigning
from rollcall.client.assignors.own import ClientAssignor
from rollcall.client.cluster import MEMBERSHIP, ClusterClient
from rollcall.client.connection import Refusing
from rollcall.client.core.backoff import Backoff
from rollcall.client.core.events import (
    Assign,
    Call,
    Change,
    Effect,
    End,
    Event,
    Fail,
    Handled,
    Identity,
    LookUp,
    Machine,
    Millis,
    Rediscover,
    Reply,
    Send,
    Subscribe,
    Subscription,
    Tick,
    Unanswered,
    WorkedOut,
    WorkOut,
)
from rollcall.client.errors import MemberError, Refused, ended
from rollcall.client.tasks import Tasks
from rollcall.client.threads import in_thread

log = logging.getLogger("rollcall.client")

_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Includes the time in which the machine is suspended, if the system has such a clock, since
sessions include it too."""


ONE_LOOP: Final = (
    "a Member belongs to one event loop (call_soon_threadsafe runs something in it;"
    " BlockingMember may be used by any thread)"
)

MISSING: Final = (
    "%s: topic %s does not exist, or may not be described; it has no partitions until it is created"
)


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop of this thread; None if none runs."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def clock_ms() -> Millis:
    """Monotonic milliseconds."""
    return time.clock_gettime_ns(_CLOCK) // 1_000_000


class Pump:
    """``deliver`` calls the application, ``fail`` reports a permanent refusal; ``stepped`` is
    called after each step of the machine. ``assignors`` are those that the member can run for its
    whole group."""

    def __init__(
        self,
        machine: Machine,
        cluster: ClusterClient,
        backoff: Backoff,
        deliver: Callable[[Change], Awaitable[None]],
        fail: Callable[[MemberError], None],
        stepped: Callable[[], None],
        identity: Identity,
        tasks: Tasks,
        assignors: Sequence[ClientAssignor] = (),
    ) -> None:
        self._machine = machine
        self._cluster = cluster
        self._backoff = backoff
        self._deliver = deliver
        self._fail = fail
        self._stepped = stepped
        self._identity = identity
        self._assignors = assignors
        self._assigning = Assigning(cluster)
        self._tasks = tasks
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._untold: tuple[str, ...] = ()
        self.moved = asyncio.Event()

    def put(self, event: Event) -> None:
        """An event; its outputs are started before this returns."""
        if self._tasks.is_stopped:
            return
        self.check_loop()
        try:
            for effect in self._machine.take(event, clock_ms()):
                self._do(effect)
            self._set_timer()
            self._stepped()
        except Exception as error:
            self._tasks.failed(error)
        self.moved.set()

    def subscribe(self, subscription: Subscription) -> None:
        """The event. Topics that are not there are told about after the next answer, since nothing
        else tells why a member of the consumer protocol has no partitions."""
        self._untold = subscription.topics
        self.put(Subscribe(subscription))

    def _tell(self) -> None:
        """The coordinator has answered: looking topics up tries no password once more."""
        if self._untold and not self._tasks.is_stopped:
            self._tasks.start(self._warn(self._untold))
            self._untold = ()

    async def _warn(self, topics: tuple[str, ...]) -> None:
        with suppress(OSError, MemberError):  # the membership's requests report them
            known = (await self._cluster.look_up(LookUp(names=topics))).known
            for topic in topics:
                if topic not in known:
                    log.warning(MISSING, self._identity.group, topic)

    def look(self) -> bool:
        """Process the current time: the program may have been suspended since the last step.
        False: that is only possible in the event loop, and the member's partitions may be another
        member's by now."""
        due, now = self._machine.due(), clock_ms()
        if due is None or due > now or self._tasks.is_stopped:
            return True
        if self._loop is not running_loop():
            return not self._machine.is_overdue(now)
        self.put(Tick())
        return True

    # -- the event loop: that in which the member was started

    @property
    def is_stranded(self) -> bool:
        """Whether its event loop was closed before the member."""
        return self._loop is not None and self._loop.is_closed()

    def check_loop(self) -> None:
        """Raise ``RuntimeError`` outside of the member's event loop: there it would break."""
        running = running_loop()
        if running is None:
            raise RuntimeError(f"no event loop runs here; {ONE_LOOP}")
        if self._loop is None:
            self._loop = running
        elif self._loop is not running:
            raise RuntimeError(f"the member was started in another event loop; {ONE_LOOP}")

    def check_thread(self) -> None:
        """Raise ``RuntimeError`` while the member's event loop runs in another thread."""
        is_elsewhere = self._loop is not None and self._loop is not running_loop()
        if is_elsewhere and self._loop is not None and self._loop.is_running():
            raise RuntimeError(f"the member's event loop runs in another thread; {ONE_LOOP}")

    def stop(self) -> None:
        """Stop the timer; ``Tasks`` cancels what runs."""
        if self._timer is not None:
            self._timer.cancel()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self._machine.due()
        if due is not None:
            wait = max(0, due - clock_ms()) / 1000
            self._timer = asyncio.get_running_loop().call_later(wait, self.put, Tick())

    def _do(self, effect: Effect) -> None:
        match effect:
            case Send():
                self._tasks.start(self._send(effect))
            case Call():
                self._tasks.start(self._call(effect))
            case LookUp():
                self._tasks.start(self._look_up(effect))
            case Rediscover():
                self._cluster.forget_coordinator()
            case Assign():
                self._tasks.start(self._assign())
            case WorkOut():
                self._tasks.start(self._work_out(effect))
            case Fail(code, reason):
                self._fail(Refused(code, reason))
            case End(error):
                self._fail(ended(error))

    async def _send(self, effect: Send) -> None:
        try:
            wait_s = effect.timeout_ms / 1000
            async with asyncio.timeout(wait_s):
                answer = await self._cluster.request(MEMBERSHIP, effect.message, wait_s)
        except Refusing as error:
            self.put(Unanswered(effect.ticket, Fail(error.code, str(error))))
        except OSError:  # includes TimeoutError
            self.put(Unanswered(effect.ticket))
        else:
            self.put(Reply(effect.ticket, answer))
            self._tell()

    async def _assign(self) -> None:
        identity, standing = self._identity, self._machine.standing
        wait_s = identity.request_timeout_ms / 1000
        await self._assigning.run(identity.group, standing, self._assignors, wait_s)

    async def _work_out(self, effect: WorkOut) -> None:
        try:
            given = await in_thread(effect.work, "assignor")
        except Exception as error:
            log.exception("%s: the assignor failed", self._identity.group)
            self.put(WorkedOut(effect.number, {}, error))
        else:
            self.put(WorkedOut(effect.number, given))

    async def _call(self, effect: Call) -> None:
        await self._deliver(effect.change)
        self.put(Handled(effect.ticket))

    async def _look_up(self, effect: LookUp) -> None:
        while True:
            try:
                topics = replace(await self._cluster.look_up(effect), look_up=effect)
                break
            except OSError:
                await asyncio.sleep(self._backoff.next() / 1000)
        self._backoff.reset()
        self.put(topics)
