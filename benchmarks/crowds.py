"""Crowds: what each kind of them does to a good client and to the node.

Calm first, then beside each crowd: some groups commit and one settled member beats, one request
after the other. 500 GETs at once of a page, over and over; 2,000 connections that drip a byte a
second, to the Kafka port and to the web; 200 clients that pipeline and read nothing; 1,000 frames
of 1 MiB that stop in the middle. What counts: p99 beside the crowd over p99 when calm, whether
any client was refused or evicted, how much the process grew, and how many connections to PostgreSQL
the web still uses two seconds later.

The crowd is a process of its own with the lowest priority, since it has the machine of those whom
it crowds; what the web itself needs to answer it is not kept out of the ratio. What the crowd takes
of the machine is measured, where it comes to the Kafka port: before that it goes to a *sink*, a
process that accepts connections, reads what comes, and closes them after as long as a node.
"""

import asyncio
import multiprocessing
import os
import random
import resource
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection

import psutil
import psycopg

from benchmarks.machine import coordinators
from benchmarks.options import Options
from benchmarks.wire import Member, Peer, create_topic, form_groups, frame
from groups.core.errors import ErrorCode
from launcher.installation import Installation
from rollcall.wire.messages.api_versions import ApiVersionsRequest
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.metadata import MetadataRequest
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from web.priority import give_way

TOKEN = "a-token-of-the-benchmark-of-crowds"
TIMES = 2.0
"""The goal: p99 beside a crowd over p99 when calm."""

SECONDS = 10.0
GROUPS = 10
PACE_S = 0.02
"""Between two requests of one good client."""

GETS, DRIPS, DEAF, PARTIAL = 500, 2_000, 200, 1_000
FRAME_BYTES, PART_BYTES = 1_048_576, 65_536
BIG, PARTITIONS = "crowds-big", 10_000
SINK_CLOSES_S = 10.0, 15.0
"""As a node: ``request.first.timeout.ms`` and ``PATIENCE_MAX``."""

GATHERING_S, AFTER_S = 5.0, 2.0
"""Until all of a crowd are there, and from its end to the look at connections."""

IN_USE = """
SELECT count(*) FILTER (WHERE state <> 'idle'), count(*) FROM pg_stat_activity
WHERE application_name = 'rollcall web' AND pid <> pg_backend_pid()
"""


@dataclass
class Seen:
    """What good clients saw in one phase, in milliseconds."""

    commits: list[float] = field(default_factory=list)
    beats: list[float] = field(default_factory=list)
    wrong: int = 0

    def __str__(self) -> str:
        commits, beats = (p99(times) for times in (self.commits, self.beats))
        return (
            f"commits p99 {commits:.1f} ms ({len(self.commits)}), heartbeats p99 {beats:.1f} ms"
            f" ({len(self.beats)}), wrong answers {self.wrong}"
        )


def p99(times: list[float]) -> float:
    """Ninety-nine of a hundred took no longer."""
    return statistics.quantiles(times, n=100)[98] if len(times) > 1 else float("nan")


@dataclass
class Good:
    """The good clients. ``seen`` is replaced at each phase."""

    members: list[Member]
    seen: Seen = field(default_factory=Seen)

    async def commit(self, member: Member) -> None:
        """Commit until cancelled."""
        line = OffsetCommitRequestPartition(partition_index=0, committed_offset=1)
        request = OffsetCommitRequest(
            group_id=member.group_id,
            generation_id_or_member_epoch=member.generation,
            member_id=member.member_id,
            topics=[OffsetCommitRequestTopic(name=BIG, partitions=[line])],
        )

        async def once() -> int:
            answer = await member.peer.call(request, 6)
            return int(answer.topics[0].partitions[0].error_code)

        await self._again(once, lambda seen: seen.commits)

    async def beat(self, member: Member) -> None:
        """Beat until cancelled."""
        request = HeartbeatRequest(
            group_id=member.group_id, generation_id=member.generation, member_id=member.member_id
        )

        async def once() -> int:
            return int((await member.peer.call(request, 3)).error_code)

        await self._again(once, lambda seen: seen.beats)

    async def _again(
        self, once: Callable[[], Awaitable[int]], of: Callable[[Seen], list[float]]
    ) -> None:
        while True:
            began = time.perf_counter()
            code = await once()
            of(self.seen).append((time.perf_counter() - began) * 1000)
            self.seen.wrong += code != ErrorCode.NONE
            await asyncio.sleep(PACE_S)

    async def watched(self, seconds: float) -> Seen:
        """What they see in so many seconds."""
        self.seen = seen = Seen()
        await asyncio.sleep(seconds)
        self.seen = Seen()  # what follows, as the gathering of a crowd, is of no phase
        return seen


# -- crowds


async def _connect(where: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = where.rpartition(":")
    return await asyncio.open_connection(host, int(port), limit=4096)


async def asking(web: str, path: str) -> None:
    """GETs of a path, one after the other, each on a connection of its own."""
    head = f"GET {path} HTTP/1.1\r\nHost: {web}\r\nAuthorization: Bearer {TOKEN}\r\n"
    while True:
        with suppress(OSError):
            reader, writer = await _connect(web)
            writer.write(f"{head}Connection: close\r\n\r\n".encode())
            with suppress(OSError):
                while await reader.read(65_536):
                    pass
            writer.close()
        await asyncio.sleep(0)


async def dripping(where: str, start: bytes) -> None:
    """A byte a second of a request that never ends; a new connection where it was closed."""
    while True:
        with suppress(OSError):
            reader, writer = await _connect(where)
            writer.write(start)
            while not reader.at_eof() and not writer.is_closing():
                await asyncio.sleep(1)
                writer.write(b"a")
            writer.close()
        await asyncio.sleep(1)


async def deaf(where: str) -> None:
    """Pipelines requests with long replies, and reads none."""
    request = MetadataRequest(topics=None, allow_auto_topic_creation=False)
    data = frame(request, 9, 1) * 100 + frame(ApiVersionsRequest(), 0, 2) * 1_000
    while True:
        with suppress(OSError):
            _reader, writer = await _connect(where)
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            writer.write(data)
            with suppress(ConnectionError):
                while True:  # notices a close
                    await writer.drain()
                    await asyncio.sleep(1)
        await asyncio.sleep(1)


async def partial_frame(where: str) -> None:
    """The beginning of a long frame, and no more."""
    while True:
        with suppress(OSError):
            reader, writer = await _connect(where)
            writer.write(FRAME_BYTES.to_bytes(4, "big") + bytes(PART_BYTES))
            with suppress(OSError):
                await reader.read()
            writer.close()
        await asyncio.sleep(1)


Crowd = tuple[str, int, Callable[[], Awaitable[None]]]


def crowds(kafka: str, web: str) -> list[Crowd]:
    """A line each: what it is called, how many, and what each does."""
    paths = ("/readyz", "/admin/login/", "/api/v1/nodes")
    head = f"GET /livez HTTP/1.1\r\nHost: {web}\r\nX-a: ".encode()
    return [
        *((f"GET {path}", GETS, partial(asking, web, path)) for path in paths),
        ("slow loris, Kafka port", DRIPS, partial(dripping, kafka, b"\0\0\1\0")),
        ("slow loris, web", DRIPS, partial(dripping, web, head)),
        ("clients that read nothing", DEAF, partial(deaf, kafka)),
        ("partial frames", PARTIAL, partial(partial_frame, kafka)),
    ]


AT_THE_NODE = {"slow loris, Kafka port", "clients that read nothing", "partial frames"}


async def _work(count: int, one: Callable[[], Awaitable[None]]) -> None:
    await asyncio.gather(*(one() for _ in range(count)))


def work(number: int, kafka: str, web: str) -> None:
    """The process of a crowd, until it is ended."""
    os.setsid()  # priorities of processes count within a session (web/priority.py)
    give_way(19)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    _name, count, one = crowds(kafka, web)[number]
    asyncio.run(_work(count, one))


@contextmanager
def at_work(number: int, kafka: str, web: str) -> Iterator[None]:
    """One of the crowds."""
    made = multiprocessing.get_context("spawn").Process(target=work, args=(number, kafka, web))
    made.start()
    try:
        yield
    finally:
        made.kill()
        made.join()


class Sink(asyncio.Protocol):
    """Reads, and says nothing."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Close it some time later."""
        loop = asyncio.get_running_loop()
        loop.call_later(random.uniform(*SINK_CLOSES_S), transport.close)


def sink(told: Connection) -> None:
    """The process of the sink, until it is ended; sends HOST:PORT."""
    import uvloop

    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(Sink, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        told.send(f"{host}:{port}")
        await server.serve_forever()

    uvloop.run(serve())


@contextmanager
def sinking() -> Iterator[str]:
    """A sink, and where it is."""
    spawn = multiprocessing.get_context("spawn")
    mine, its = spawn.Pipe()
    made = spawn.Process(target=sink, args=(its,))
    made.start()
    try:
        yield mine.recv()
    finally:
        made.kill()
        made.join()


# -- measuring


def resident_mib(pids: list[int]) -> float:
    """Resident memory of processes."""
    return float(sum(psutil.Process(pid).memory_info().rss for pid in pids)) / 2**20


async def _measure(running: Installation, seconds: float) -> bool:
    web = running.web.removeprefix("http://")
    await create_topic(running.kafka, BIG, PARTITIONS)
    members = await form_groups(running.kafka, "crowds", GROUPS + 1, 1)
    for member in members:
        member.peer = await Peer.connect(running.kafka)
    good, right = Good(members), True
    url = (running.data_dir / "database-url").read_text().strip()
    nodes = coordinators(running.pids())
    webs = [p for p in running.pids() if "web_server" in " ".join(psutil.Process(p).cmdline())]
    async with AsyncExitStack() as stack:
        sql = await stack.enter_async_context(await psycopg.AsyncConnection.connect(url))
        await sql.set_autocommit(True)
        lives = [good.beat(members[-1]), *(good.commit(member) for member in members[:-1])]
        tasks = [asyncio.ensure_future(life) for life in lives]
        stack.callback(lambda: [task.cancel() for task in tasks])
        await good.watched(2)
        calm = await good.watched(seconds)
        print(f"calm: {calm}")
        where = stack.enter_context(sinking())
        for number, (name, count, _) in enumerate(crowds(running.kafka, web)):
            if name in AT_THE_NODE:
                with at_work(number, where, web):
                    await asyncio.sleep(GATHERING_S)
                    print(f"{count:,} x {name}, at the sink: {await good.watched(seconds)}")
                await asyncio.sleep(AFTER_S)
            before = resident_mib(nodes), resident_mib(webs)
            with at_work(number, running.kafka, web):
                await asyncio.sleep(GATHERING_S)
                seen = await good.watched(seconds)
                after = resident_mib(nodes), resident_mib(webs)
            await asyncio.sleep(AFTER_S)
            used = await (await sql.execute(IN_USE)).fetchone()
            grown = [now - then for now, then in zip(after, before, strict=True)]
            print(f"{count:,} x {name}: {seen}")
            print(
                f"    times as long: commits {p99(seen.commits) / p99(calm.commits):.1f},"
                f" heartbeats {p99(seen.beats) / p99(calm.beats):.1f} (goal {TIMES:.0f}); node"
                f" {grown[0]:+.0f} MiB, web {grown[1]:+.0f} MiB; {AFTER_S:.0f} s later the web uses"
                f" {used[0] if used else '?'} of its {used[1] if used else '?'} connections"
            )
            right &= not seen.wrong and not (used and used[0])
            if any(task.done() for task in tasks):
                break
        broken = [task for task in tasks if task.done()]
        print(f"good clients that were cut off: {len(broken)}")
    return right and not broken


def main(options: Options) -> bool:
    """Print the figures; whether every answer to a good client was right."""
    import uvloop

    with Installation({"ROLLCALL_API_TOKEN": TOKEN}) as running:
        return uvloop.run(_measure(running, options.seconds or SECONDS))
