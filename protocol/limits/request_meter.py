"""Measures what one request costs the node, and sets the client's pause in its response."""

from collections.abc import Awaitable, Callable, Coroutine, Generator
from concurrent.futures import Executor, Future
from sys import maxsize
from time import perf_counter_ns
from typing import Any, Final, TypeVar

from protocol.limits.metering import NO_LIMITS, Limits, Metering
from protocol.requests.call import Call

T = TypeVar("T")

STRICT_SINCE: Final = {19: 6, 20: 5, 37: 3}
"""CreateTopics, DeleteTopics, CreatePartitions: clients of these versions know
THROTTLING_QUOTA_EXCEEDED (KIP-599)."""

EXEMPT: Final = frozenset({17, 36})
"""SaslHandshake and SaslAuthenticate: the client has no principal yet."""


class RequestMeter:
    """One request, from its frame to its reply. Counts the time during which the loop, and the
    thread beside it, work for this request; not the time during which it waits."""

    def __init__(self, metering: Metering, request_bytes: int) -> None:
        self._metering = metering
        self._request_bytes = request_bytes
        self._limits: Limits = NO_LIMITS
        self._spent_ns = 0
        self._began_ns = perf_counter_ns()

    def begin(self, call: Call, key: int, client_id: str | None) -> None:
        """Look up the quotas of the client, and set up the call for them."""
        if key in EXEMPT:
            return
        self._limits = self._metering.limits(call.session.principal, client_id or "")
        is_strict = call.version >= STRICT_SINCE.get(key, maxsize)
        call.mutations = self._metering.mutations(self._limits, is_strict=is_strict)
        if call.side is not None:
            call.side = self.side(call.side)

    def side(self, executor: Executor) -> Executor:
        """The executor of the thread, with its time counted for the request."""
        return Side(executor, self)

    def answered(self, response: Any, call: Call) -> None:
        """The handler is done: set the pause in ``call``, and in the response if it has the
        field."""
        if not self._limits:
            return
        spent_ns = self._spent_ns + perf_counter_ns() - self._began_ns
        pause_ms = self._metering.pause_ms(self._limits, self._request_bytes, spent_ns)
        wait_ms = 0
        if call.mutations is not None:
            pause_ms = max(pause_ms, call.mutations.pause_ms())
            wait_ms = call.mutations.wait_ms
        call.throttle_ms = max(call.throttle_ms, pause_ms)
        throttle_ms = max(call.throttle_ms, wait_ms)
        if throttle_ms and hasattr(response, "throttle_time_ms"):
            response.throttle_time_ms = throttle_ms

    def written(self, reply: bytes | None) -> None:
        """The reply is written. Its bytes, and the time to write it, count for the next pause."""
        self._metering.wrote(self._limits, len(reply or b""))

    def beside(self, work: Callable[[], T]) -> Callable[[], T]:
        """The same work with its time counted. A thread does it while the request waits."""

        def timed() -> T:
            began_ns = perf_counter_ns()
            try:
                return work()
            finally:
                self._spent_ns += perf_counter_ns() - began_ns

        return timed

    def run(self, serving: Coroutine[Any, Any, T]) -> Awaitable[T]:
        """The same coroutine with the time of its steps counted."""
        return _Steps(self, serving)

    def began(self) -> None:
        """A step begins."""
        self._began_ns = perf_counter_ns()

    def ended(self) -> None:
        """The step has ended: the request waits, or is done."""
        self._spent_ns += perf_counter_ns() - self._began_ns


class _Steps(Awaitable[T]):
    """A coroutine that reports the begin and end of each of its steps."""

    def __init__(self, meter: RequestMeter, serving: Coroutine[Any, Any, T]) -> None:
        self._meter = meter
        self._serving = serving

    def __await__(self) -> Generator[Any, Any, T]:
        meter, serving = self._meter, self._serving
        step: Callable[[], Any] = lambda: serving.send(None)  # noqa: E731
        while True:
            meter.began()
            try:
                awaited = step()
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            finally:
                meter.ended()
            try:
                sent = yield awaited
            except BaseException as error:
                step = _thrower(serving, error)
            else:
                step = _sender(serving, sent)


def _sender(serving: Coroutine[Any, Any, Any], value: Any) -> Callable[[], Any]:
    return lambda: serving.send(value)


def _thrower(serving: Coroutine[Any, Any, Any], error: BaseException) -> Callable[[], Any]:
    return lambda: serving.throw(error)


class Side(Executor):
    """The executor of the thread, with its time counted for one request."""

    def __init__(self, executor: Executor, meter: RequestMeter) -> None:
        self._executor = executor
        self._meter = meter

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """As in ``Executor``."""
        return self._executor.submit(self._meter.beside(lambda: fn(*args, **kwargs)))
