"""``Coordinator``: a coordinator in memory, on a port of this machine.

It serves Kafka's protocol from a thread of its own, so that members in threads, event loops and
other processes connect to it as to a server. ``memory`` has its state, ``answers`` its messages.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from itertools import count
from random import Random
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from groups.core.events import Event, EvictMember, ForceRebalance, Ticket
from groups.core.group import Millis
from groups.core.replies import Reply
from rollcall.client.core.events import TopicPartition
from rollcall.testing.answers import KEYS, SPOKEN, Asked, answer, response
from rollcall.testing.memory import Memory, rules_for_tests
from rollcall.wire.codec import decode, encode, parse_header, response_frame
from rollcall.wire.declare import Message
from rollcall.wire.errors import WireError
from rollcall.wire.limits import FRAME_BYTES_MAX
from rollcall.wire.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse

T = TypeVar("T")

UNSUPPORTED_VERSION: Final = 35


class Coordinator:
    """``topics`` are names with their numbers of partitions; ``rules`` are settings of the
    coordinator by their names in Python (``group_consumer_session_timeout_ms=1000``), without which
    it waits for nothing that a test would have to wait for.

    ``with Coordinator({"orders": 6}) as coordinator`` serves at ``coordinator.bootstrap``. Nothing
    outlives the block. It serves the consumer and the classic protocol and offsets; not operators'
    orders, the two drafts, assignors that members run, transactions, TLS and users, nor the
    requests of stock clients for records. Patterns are those of Python's ``re``."""

    def __init__(self, topics: Mapping[str, int] | None = None, **rules: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._memory = Memory(rules_for_tests(rules), Random(), self._answered)
        for name, partitions in (topics or {}).items():
            self._memory.set_topic(name, partitions)
        self._waiting: dict[Ticket, asyncio.Future[Any]] = {}
        self._serving: set[asyncio.Task[None]] = set()
        self._numbers = count(1)
        self._skipped: Millis = 0
        self._timer: asyncio.TimerHandle | None = None
        self._thread = threading.Thread(target=self._run, daemon=True, name="rollcall-testing")
        self._port = 0

    # -- life cycle

    def __enter__(self) -> Self:
        self._thread.start()
        future = asyncio.run_coroutine_threadsafe(self._listen(), self._loop)
        self._port = future.result()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    @property
    def bootstrap(self) -> str:
        """The address for members: ``HOST:PORT``."""
        return f"127.0.0.1:{self._port}"

    # -- what a test does and looks at; from any thread

    def set_topic(self, name: str, partitions: int) -> None:
        """Create a topic, or give it more partitions; ``ValueError`` for fewer."""
        self._do(lambda: self._memory.set_topic(name, partitions))

    def members(self, group: str) -> dict[str, str]:
        """The members of a group: their ids, and the ``client_id`` of each."""

        def look() -> dict[str, str]:
            found = self._memory.group(group)
            rows = found.durable.members.values() if found is not None else ()
            return {row.member_id: row.client_id for row in rows}

        return self._do(look)

    def offsets(self, group: str) -> dict[TopicPartition, int]:
        """The group's committed offsets."""
        return self._do(lambda: dict(self._memory.offsets.get(group, {})))

    def evict(self, group: str, member_id: str) -> None:
        """Remove a member, as an operator does: its partitions are another one's before it knows.
        ``LookupError`` if it is none."""
        self._operate(
            group, EvictMember(operation_id=1, actor="test", reason="test", member_id=member_id)
        )

    def rebalance(self, group: str) -> None:
        """Let the group rebalance, as an operator does. ``LookupError`` without such a group."""
        self._operate(group, ForceRebalance(operation_id=1, actor="test", reason="test"))

    def advance(self, seconds: float) -> None:
        """Let the coordinator's clock go forward. No member is heard meanwhile, so that all whose
        session is shorter are removed, and learn it from their next request."""

        def skip() -> None:
            self._skipped += round(seconds * 1000)
            self._tick()

        self._do(skip)

    def _operate(self, group: str, event: Event) -> None:
        self._do(lambda: self._take(group, event))

    def _do(self, doing: Callable[[], T]) -> T:
        async def there() -> T:
            return doing()

        return asyncio.run_coroutine_threadsafe(there(), self._loop).result()

    # -- the thread

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self) -> None:
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving)
        await asyncio.sleep(0)  # transports close

    async def _listen(self) -> int:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._connected(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = next(self._numbers)
        try:
            for request in count(1):
                size = int.from_bytes(await reader.readexactly(4), "big")
                if not 0 < size <= FRAME_BYTES_MAX:
                    return
                frame = await reader.readexactly(size)
                writer.write(await self._serve(frame, Ticket(number, request)))
        except (OSError, asyncio.IncompleteReadError, WireError, asyncio.CancelledError):
            pass  # the client is gone, or sent what it may not, or the test has ended
        finally:
            writer.transport.abort()

    async def _serve(self, frame: bytes, ticket: Ticket) -> bytes:
        header, start = parse_header(frame, _is_flexible)
        kind, version = KEYS.get(header.api_key), header.api_version
        if kind is None or not SPOKEN[kind][0] <= version <= SPOKEN[kind][1]:
            if kind is not ApiVersionsRequest:
                raise WireError(f"API {header.api_key} in version {version} is not served")
            refusal = ApiVersionsResponse(error_code=UNSUPPORTED_VERSION)
            return response_frame(header.correlation_id, encode(refusal, 0), False)
        request = decode(kind, version, frame, start)
        client_id = header.client_id or ""
        asked = Asked(self._memory, self._port, ticket, version, client_id, self._now())
        answered = answer(request, asked)
        if isinstance(answered, Event):
            reply = await self._decided(request, answered, ticket)
            answered = response(reply, request, asked)
        flexible = kind.flexible(version) and kind is not ApiVersionsRequest
        return response_frame(header.correlation_id, encode(answered, version), flexible)

    async def _decided(self, request: Any, event: Event, ticket: Ticket) -> Reply:
        future = self._waiting[ticket] = self._loop.create_future()
        try:
            self._take(request.group_id, event)
            reply: Reply = await future
            return reply
        finally:
            del self._waiting[ticket]

    def _answered(self, ticket: Ticket, reply: Reply) -> None:
        future = self._waiting.get(ticket)
        if future is not None and not future.done():
            future.set_result(reply)

    # -- rules and time

    def _now(self) -> Millis:
        return time.monotonic_ns() // 1_000_000 + self._skipped

    def _take(self, group_id: str, event: Event) -> None:
        try:
            self._memory.take(group_id, event, self._now())
        finally:
            self._set_timer()

    def _tick(self) -> None:
        self._memory.tick(self._now())
        self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        due = self._memory.due(self._now())
        wait_s = 0 if due is None else max(0, due - self._now()) / 1000
        self._timer = None if due is None else self._loop.call_later(wait_s, self._tick)


def _is_flexible(api_key: int, version: int) -> bool:
    kind: type[Message] | None = KEYS.get(api_key)
    return kind is not None and kind.flexible(version)
