"""What a heartbeat and a commit cost at least on this stack: Python, uvloop, psycopg, PostgreSQL.

``python -m benchmarks.stack_ceiling URL`` is a server that knows no groups, rules, limits or
rights. A heartbeat always gets the same reply. Of a commit it reads the offset, writes all that
have arrived with the statement of a real node, in one transaction, and sends the replies.
``python -m benchmarks ceiling`` measures it beside a node, round by round on one database: the
difference is what Rollcall itself takes.
"""

import asyncio
import statistics
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, cast

import uvloop
from psycopg import AsyncConnection

from benchmarks.closed_loop import Round, can_run, compile_c, connections, load
from benchmarks.commits import folder_on_disk
from benchmarks.machine import coordinators, databases
from benchmarks.options import Options
from benchmarks.shapes import HEARTBEAT_VERSION, SHAPES
from groups.core.authors import Author
from groups.postgres.array_literals import array
from groups.store.offset_rows import AUTHOR_COLUMNS, COLUMNS, unless_usual
from groups.store.sql.group_rows import PUT_OFFSETS_AND_HISTORY
from launcher.data_dir import DataDir
from launcher.installation import Installation
from rollcall.wire.codec import decode, encode, parse_header, response_frame
from rollcall.wire.messages.heartbeat import HeartbeatResponse
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

ROUNDS, SECONDS = 5, 4.0
NAMES = ("heartbeats", "commits, 1 group", "commits, 500 groups")
LENGTH_BYTES, CORRELATION = 4, slice(8, 12)
OFFSET = struct.Struct(">q")
API_KEY, HEARTBEAT = slice(4, 6), (12).to_bytes(2, "big")
_REPLY = response_frame(0, encode(HeartbeatResponse(), HEARTBEAT_VERSION), flexible=True)
ALIVE = _REPLY[:4], _REPLY[8:]
"""The reply to a heartbeat, around the correlation id."""
BATCH_MAX = 2_000
"""As a node's (``BATCH_ROWS_MAX``)."""


class Known(NamedTuple):
    """What stays the same of a connection's commits of one partition: where the offset is, the row
    around it, and the reply around the correlation id."""

    at: int
    before: tuple[str, str, int]
    after: tuple[int, str, None, None]
    author: Author
    reply: tuple[bytes, bytes]


class Bare(asyncio.Protocol):
    """A connection. A frame is not compared with the last one, but taken for the same commit."""

    def __init__(self, arrived: list[tuple["Bare", bytes]], some: asyncio.Event) -> None:
        self._arrived, self._some = arrived, some
        self.known: Known | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        self.transport = cast(asyncio.WriteTransport, transport)

    def data_received(self, data: bytes) -> None:
        """A frame: the load has one outstanding, and they are small."""
        if data[API_KEY] == HEARTBEAT:
            self.transport.write(ALIVE[0] + data[CORRELATION] + ALIVE[1])
            return
        if self.known is None:
            self.known = _known(data)
        self._arrived.append((self, data))
        if not self._some.is_set():
            self._some.set()


def _known(data: bytes) -> Known:
    header, body = parse_header(
        data[LENGTH_BYTES:], lambda _key, v: bool(OffsetCommitRequest.flexible(v))
    )
    version = header.api_version
    request = decode(OffsetCommitRequest, version, data[LENGTH_BYTES:], body)
    [topic] = request.topics
    [partition] = topic.partitions
    answer = OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=topic.name,
                partitions=[
                    OffsetCommitResponsePartition(partition_index=partition.partition_index)
                ],
            )
        ]
    )
    flexible = bool(OffsetCommitRequest.flexible(version))
    reply = response_frame(0, encode(answer, version), flexible)
    return Known(
        data.index(OFFSET.pack(partition.committed_offset)),
        (request.group_id, topic.name, partition.partition_index),
        (-1, "", None, None),
        Author(request.member_id, header.client_id or "", "127.0.0.1", ""),
        (reply[:4], reply[8:]),
    )


async def _write_all(url: str, arrived: list[tuple[Bare, bytes]], some: asyncio.Event) -> None:
    """Batch after batch, as they come."""
    connection = await AsyncConnection.connect(url, autocommit=True, prepare_threshold=0)
    while True:
        await some.wait()
        batch = arrived[:BATCH_MAX]
        del arrived[:BATCH_MAX]
        if not arrived:
            some.clear()
        rows, authors = [], []
        for bare, data in batch:
            known = cast(Known, bare.known)
            rows.append((*known.before, *OFFSET.unpack_from(data, known.at), *known.after))
            authors.append(known.author)
        columns = zip(COLUMNS, zip(*rows, strict=True), strict=True)
        told = zip(AUTHOR_COLUMNS, zip(*authors, strict=True), strict=True)
        values = {name: unless_usual(name, column) for name, column in columns}
        values.update({name: array(column) for name, column in told})
        await connection.execute(PUT_OFFSETS_AND_HISTORY.encode(), values)
        for bare, data in batch:
            before, after = cast(Known, bare.known).reply
            if not bare.transport.is_closing():  # the load ended
                bare.transport.write(before + data[CORRELATION] + after)


async def _serve(url: str) -> None:
    arrived: list[tuple[Bare, bytes]] = []
    some = asyncio.Event()
    server = await asyncio.get_running_loop().create_server(
        lambda: Bare(arrived, some), "127.0.0.1", 0
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await _write_all(url, arrived, some)


@contextmanager
def ceiling(url: str) -> Iterator[tuple[int, int]]:
    """The bare server: its process id and its port."""
    command = [sys.executable, "-m", "benchmarks.stack_ceiling", url]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            yield process.pid, int(process.stdout.readline())
        finally:
            process.kill()


def measure(
    running: Installation, name: str, tool: Path, options: Options
) -> tuple[list[Round], list[Round]]:
    """The rounds of a node and of the bare server, in turn; the first of each is not counted."""
    fed = connections(asyncio.run(SHAPES[name](running.kafka)))
    url = DataDir(running.data_dir).url_file.read_text().strip()
    nodes = coordinators(running.pids())
    ours, bare = list[Round](), list[Round]()
    with ceiling(url) as (pid, bare_port):
        sides = (int(running.kafka.rpartition(":")[2]), nodes, ours), (bare_port, [pid], bare)
        for number in range(-1, options.rounds or ROUNDS):
            for port, pids, rounds in sides:
                every = partial(_with_databases, pids, running)
                done = load(tool, port, options.seconds or SECONDS, fed, every)
                if number >= 0:
                    rounds.append(done)
    return ours, bare


def _with_databases(pids: Sequence[int], running: Installation) -> list[int]:
    return [*pids, *databases(running.pids())]


def line(name: str, ours: Sequence[Round], bare: Sequence[Round]) -> str:
    """Both sides of one shape in a line."""
    us = [statistics.median(1e6 / r.per_cpu_second for r in side) for side in (ours, bare)]
    rates = [statistics.median(r.per_second for r in side) for side in (ours, bare)]
    ratios = sorted(a.per_cpu_second / b.per_cpu_second for a, b in zip(ours, bare, strict=True))
    return (
        f"{name:20} {us[0]:5.1f} us and {rates[0]:6,.0f} a second,"
        f" bare {us[1]:5.1f} us and {rates[1]:6,.0f};"
        f" {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) of its rate"
    )


def main(options: Options) -> bool:
    """Print both figures and their ratio; whether every reply was right."""
    if not can_run():
        print("not run: its load needs Linux and a C compiler (cc)")
        return True
    wrong = 0
    with (
        folder_on_disk() as data,
        tempfile.TemporaryDirectory() as folder,
        Installation(data_dir=Path(data)) as running,
    ):
        tool = compile_c("load", Path(folder))
        for name in NAMES:
            ours, bare = measure(running, name, tool, options)
            print(line(name, ours, bare))
            wrong += sum(done.wrong for done in (*ours, *bare))
    return not wrong


if __name__ == "__main__":
    uvloop.run(_serve(sys.argv[1]))
