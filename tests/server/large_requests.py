"""Requests as large as they may be, made from the declarations of their APIs, and the node's own
measure of what they do to its loop.

What is made follows the tables: an API, a version or an array that is added has its cases at once.
"""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from benchmarks.wire import frame
from groups.node import NodeSettings
from protocol.limits.request_limits import MAXIMA
from protocol.requests.api_row import Api
from rollcall.wire.declare import Field, Message, layout
from rollcall.wire.kinds import Array, Blob, Struct, Text, int8, uuid
from rollcall.wire.limits import FRAME_BYTES_MAX, FRAME_ELEMENTS_MAX

PAGE = 4096
TICK_S = 0.001

TOPICS = 9
"""That exist, big0 to big8, of the most partitions that a topic may have."""

PARTITIONS = 10_000
INT8_MAX = 127

SAMPLES: dict[str, Any] = {
    "acks": 1,
    "coordinator_key": "g",
    "generation_id": -1,
    "generation_id_or_member_epoch": -1,
    "group_generation_id": -1,
    "group_id": "g",
    "key": "g",
    "max_wait_ms": 0,
    "num_partitions": 1,
    "partition_assignment_strategy": "range",
    "partition_limit": 2000,
    "protocol_type": "consumer",
    "rebalance_timeout_ms": 1_000,
    "replication_factor": 1,
    "resource_type": 32,
    "session_timeout": 10_000,
    "session_timeout_ms": 10_000,
    "timeout_ms": 1_000,
    "transaction_timeout_ms": 10_000,
    "transactional_id": "t",
}
"""Values of fields that let a request come far; others hold their defaults."""


@dataclass(frozen=True, slots=True)
class Case:
    """One request: what is large about it."""

    name: str
    request: Message
    version: int

    @property
    def data(self) -> bytes:
        """The frame."""
        return frame(self.request, self.version, 1)


def cases(api: Api, version: int, settings: NodeSettings) -> Iterator[Case]:
    """Every array as long as the codec lets it be, and as long as the table of maxima does; every
    text and blob as long as a frame may be."""
    yield Case("smallest", smallest(api, version), version)
    allowed = {m.path: m.of(settings) for m in MAXIMA.get(api.key, ())}
    for path in arrays(api.request, version):
        for count in (FRAME_ELEMENTS_MAX - 100, allowed.get(".".join(path), 1_000)):
            yield from _filled(api, version, path, count)
    yield from _long(api, version)


def largest(api: Api, version: int, settings: NodeSettings) -> Iterator[Case]:
    """Of ``cases`` the most elements, in the deepest array, and the most bytes: an older version
    has the same handler, and a codec of its own."""
    allowed = {m.path: m.of(settings) for m in MAXIMA.get(api.key, ())}
    deepest = max(arrays(api.request, version), key=len, default=())
    if deepest:
        for count in (FRAME_ELEMENTS_MAX - 100, allowed.get(".".join(deepest), 1_000)):
            yield from _filled(api, version, deepest, count)
    long = max(_long(api, version), key=lambda case: len(case.data), default=None)
    if long is not None:
        yield long


def fields(kind: type[Struct], version: int) -> tuple[Field, ...]:
    """Those that are not tagged; kept, as the largest requests have a hundred thousand structs."""
    key = kind, version
    if key not in FIELDS:
        FIELDS[key] = layout(kind, version).plain
    return FIELDS[key]


FIELDS: dict[tuple[type[Struct], int], tuple[Field, ...]] = {}


def smallest(api: Api, version: int) -> Message:
    """Every array empty, or null where that is less."""
    made: Message = filled(api.request, version, (), (), 0)
    return made


def arrays(kind: type[Struct], version: int) -> Iterator[tuple[str, ...]]:
    """The paths of all arrays."""
    for each in fields(kind, version):
        if isinstance(each.kind, Array):
            yield (each.name,)
            if isinstance(each.kind.element, type):
                yield from ((each.name, *rest) for rest in arrays(each.kind.element, version))


def _filled(api: Api, version: int, path: tuple[str, ...], count: int) -> Iterator[Case]:
    name = f"{count} {'.'.join(path)}"
    if len(path) == 1:
        yield _fitting(api, version, path, (count,), name)
        return
    for parents in (TOPICS, count // 2):
        shape = (*(1,) * (len(path) - 2), parents, max(1, count // parents - 1))
        yield _fitting(api, version, path, shape, f"{name} in {parents}")


def _fitting(
    api: Api, version: int, path: tuple[str, ...], shape: tuple[int, ...], name: str
) -> Case:
    request = filled(api.request, version, path, shape, 0)
    return Case(name, request, version)


def filled(kind: type[Any], version: int, path: tuple[str, ...], shape: Any, number: int) -> Any:
    """An instance in which the array at ``path`` is long; ``number``: which of its array it is."""
    values: dict[str, Any] = {}
    for each in fields(kind, version):
        if path and each.name == path[0]:
            assert isinstance(each.kind, Array)
            values[each.name] = _elements(each.kind.element, version, path[1:], shape)
        elif each.name in ("name", "topic", "resource_name", "member_id", "config_name"):
            values[each.name] = f"big{number}" if each.name != "member_id" else f"m{number}"
        elif each.name in ("partition", "partition_index", "index"):
            values[each.name] = number % PARTITIONS
        elif each.name in SAMPLES:
            values[each.name] = SAMPLES[each.name]
        elif each.name == "member_id" or isinstance(each.kind, Array):
            continue
    if "member_id" in values and "group_id" in values:
        values["member_id"] = ""
    return kind(**values)


def _elements(element: Any, version: int, rest: tuple[str, ...], shape: tuple[int, ...]) -> Any:
    count = shape[0]
    if isinstance(element, type):
        return [filled(element, version, rest, shape[1:], i) for i in range(count)]
    if isinstance(element, Text):
        return [f"n{i}" for i in range(count)]
    if element is uuid:
        return [UUID(int=i + 1) for i in range(count)]
    most = INT8_MAX if element is int8 else PARTITIONS
    return [i % most for i in range(count)]


def _long(api: Api, version: int) -> Iterator[Case]:
    room = FRAME_BYTES_MAX - 100_000
    for each in fields(api.request, version):
        if isinstance(each.kind, Text):
            request = smallest(api, version)
            setattr(request, each.name, "x" * 32_000)
            yield Case(f"a long {each.name}", request, version)
        elif isinstance(each.kind, Array):
            element = each.kind.element
            request = smallest(api, version)
            if isinstance(element, Text):
                setattr(request, each.name, [f"{i:032000}" for i in range(room // 32_010)])
            elif isinstance(element, type) and any(
                isinstance(f.kind, Blob | Text) for f in fields(element, version)
            ):
                setattr(request, each.name, _long_elements(element, version, room))
            else:
                continue
            yield Case(f"long {each.name}", request, version)


def _long_elements(element: type[Any], version: int, room: int) -> list[Any]:
    made = []
    long = [f for f in fields(element, version) if isinstance(f.kind, Blob | Text)]
    for number in range(room // (32_010 * len(long))):
        item = filled(element, version, (), (), number)
        for each in long:
            text = f"{number:032000}"
            setattr(item, each.name, text if isinstance(each.kind, Text) else text.encode())
        made.append(item)
    return made


@dataclass(slots=True)
class Gauge:
    """What the loop's own thread computed between two of its looks at the clock, the longest; and
    by how much the process grew."""

    turn_s: float = 0.0
    process_s: float = 0.0
    grown_bytes: int = 0
    _at: float = field(default_factory=time.thread_time)
    _process_at: float = field(default_factory=time.process_time)
    _resident: int = field(default_factory=lambda: resident_bytes())
    _timer: asyncio.TimerHandle | None = None

    def tick(self) -> None:
        """Look, and go on looking."""
        self.look()
        self._timer = asyncio.get_running_loop().call_later(TICK_S, self.tick)

    def look(self) -> None:
        """One look. CPU time, so that it does not matter what else the machine does."""
        now, process_now = time.thread_time(), time.process_time()
        self.turn_s = max(self.turn_s, now - self._at)
        self.process_s = max(self.process_s, process_now - self._process_at)
        self.grown_bytes = max(self.grown_bytes, resident_bytes() - self._resident)
        self._at, self._process_at = time.thread_time(), time.process_time()

    def stop(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()


REFERENCE_S = 0.010
"""Of CPU time, for :func:`slowness`'s work, on the machine that the limits of tests were set on."""


def slowness() -> float:
    """How much more CPU time the same work takes here and now than where the limits were set; 1 at
    least. A processor whose other half is busy, or whose clock is lower, needs twice as much."""
    before, total = time.thread_time(), 0
    for number in range(200_000):
        total += number * number
    return max(1.0, (time.thread_time() - before) / REFERENCE_S)


def resident_bytes() -> int:
    """Of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


@contextmanager
def measured() -> Iterator[Gauge]:
    """Measure the running loop."""
    gauge = Gauge()
    gauge.tick()
    try:
        yield gauge
        gauge.look()
    finally:
        gauge.stop()


class Raw:
    """A client that sends bytes and counts what comes."""

    def __init__(self, made: socket.socket) -> None:
        self._socket = made

    @classmethod
    async def connect(cls, address: str, receive_buffer: int | None = None) -> "Raw":
        """Connect to HOST:PORT."""
        host, _, port = address.rpartition(":")
        made = socket.socket()
        if receive_buffer is not None:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        made.setblocking(False)
        await asyncio.get_running_loop().sock_connect(made, (host, int(port)))
        return cls(made)

    async def send(self, data: bytes) -> None:
        """As fast as the other side takes it; nothing, where it has closed."""
        view, loop = memoryview(data), asyncio.get_running_loop()
        while view:
            try:
                view = view[self._socket.send(view[: 256 * 1024]) :]
            except BlockingIOError:
                await _writable(loop, self._socket)
            except ConnectionError:
                return

    async def reply_bytes(self) -> int:
        """The length of the next reply; 0 where the connection was closed."""
        loop, head = asyncio.get_running_loop(), b""
        try:
            while len(head) < 4:
                some = await loop.sock_recv(self._socket, 4 - len(head))
                if not some:
                    return 0
                head += some
            left = size = int.from_bytes(head, "big")
            while left:
                left -= len(await loop.sock_recv(self._socket, min(left, 256 * 1024)))
        except ConnectionError:
            return 0
        return size

    def close(self) -> None:
        """Close this side."""
        self._socket.close()


async def _writable(loop: asyncio.AbstractEventLoop, one: socket.socket) -> None:
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_writer(one, ready.set_result, None)
    ready.add_done_callback(lambda _ready: loop.remove_writer(one))
    await ready
