"""Offset commits a second, each durable before its reply, read back after a kill -9 of everything.

500 members with one commit outstanding each, in 1, in 20 and in 500 groups. The kill comes while
they commit: what was acknowledged until then must be there afterwards, what was under way may be.
"""

import asyncio
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psycopg
import uvloop

from benchmarks.machine import (
    IN_MEMORY,
    Spent,
    coordinators,
    databases,
    file_system,
    spending,
)
from benchmarks.options import Options
from benchmarks.wire import Member, Peer, create_topic, form_groups, frame
from launcher.data_dir import DataDir
from launcher.installation import Installation
from rollcall.wire.codec import encode, response_frame
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from rollcall.wire.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic

GOAL = 5_000
MEMBERS = 500
SHAPES = (1, 20, 500)
SECONDS = 8.0
TOPIC = "commits"

MARK = 0x0123456789ABCDEF
"""Stands where the offset goes in a frame that is made once and filled in for each commit."""

COMMIT_VERSION, FETCH_VERSION = 7, 5
REQUEST_CORRELATION, REPLY_CORRELATION = slice(8, 12), slice(4, 8)

ON_DISK = Path("/var/tmp")
"""Where temporary files survive a restart of the machine, and so lie on a disk."""


@dataclass(frozen=True, slots=True)
class Result:
    """One shape's figures. ``wrong``: connections with another reply than the right one, or cut
    off before the kill; ``lost``: members whose last acknowledged commit is not there."""

    groups: int
    seconds: float
    latencies_ms: list[float]
    acknowledged: list[int]
    wrong: int
    lost: int
    node: Spent
    database: Spent

    @property
    def rate(self) -> float:
        """Commits a second."""
        return len(self.latencies_ms) / self.seconds

    def percentile_ms(self, percent: int) -> float:
        """The latency that so many per cent of the commits did not exceed."""
        return self.latencies_ms[(len(self.latencies_ms) - 1) * percent // 100]


class Committer(asyncio.Protocol):
    """A member that commits its partition again as soon as the last commit was answered.

    It continues until the connection breaks; ``latencies_ms`` holds what ``recording`` was on for.
    """

    def __init__(self, member: Member, partition: int) -> None:
        self.loop = asyncio.get_running_loop()
        self.acknowledged = -1
        self.latencies_ms: list[float] = []
        self.recording = True
        self.wrong = False
        self.ended = self.loop.create_future()
        self._frame = bytearray(_request(member, partition))
        self._at = self._frame.index(MARK.to_bytes(8, "big"))
        self._reply = bytearray(_reply(partition))
        self._offset = -1
        self._sent_at = 0.0
        self._received = b""
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for ``commit`` to be called the first time."""
        self._transport = transport  # type: ignore[assignment]  # uvloop's has no common type

    def data_received(self, data: bytes) -> None:
        """Check the reply to the byte, and commit the next offset."""
        self._received += data
        if len(self._received) < 4 + int.from_bytes(self._received[:4], "big"):
            return
        self._reply[REPLY_CORRELATION] = self._frame[REQUEST_CORRELATION]
        if self._received != self._reply:
            self.wrong = True
            self._transport.close()  # type: ignore[union-attr]  # data came over it
            return
        self._received = b""
        self.acknowledged = self._offset
        if self.recording:
            self.latencies_ms.append((self.loop.time() - self._sent_at) * 1_000)
        self.commit()

    def connection_lost(self, exc: BaseException | None) -> None:
        """The kill; before it, a fault."""
        self.wrong |= self.recording
        self.ended.set_result(None)

    def commit(self) -> None:
        """Send the commit of the next offset."""
        assert self._transport is not None
        self._offset += 1
        self._frame[REQUEST_CORRELATION] = (self._offset & 0x7FFFFFFF).to_bytes(4, "big")
        self._frame[self._at : self._at + 8] = self._offset.to_bytes(8, "big")
        self._sent_at = self.loop.time()
        self._transport.write(bytes(self._frame))


def _request(member: Member, partition: int) -> bytes:
    offset = OffsetCommitRequestPartition(
        partition_index=partition, committed_offset=MARK, committed_metadata=""
    )
    request = OffsetCommitRequest(
        group_id=member.group_id,
        generation_id_or_member_epoch=member.generation,
        member_id=member.member_id,
        topics=[OffsetCommitRequestTopic(name=TOPIC, partitions=[offset])],
    )
    return frame(request, COMMIT_VERSION, 0)


def _reply(partition: int) -> bytes:
    stored = OffsetCommitResponsePartition(partition_index=partition, error_code=0)
    response = OffsetCommitResponse(
        topics=[OffsetCommitResponseTopic(name=TOPIC, partitions=[stored])]
    )
    return response_frame(0, encode(response, COMMIT_VERSION), flexible=False)


async def load(
    running: Installation, members: list[Member], seconds: float
) -> tuple[list[Committer], Spent, Spent]:
    """Commit for so long, kill everything, and say what was acknowledged; CPU of the node and
    of the database."""
    loop = asyncio.get_running_loop()
    host, _, port = running.kafka.rpartition(":")
    committers = []
    for partition, member in enumerate(members):
        _, committer = await loop.create_connection(
            partial(Committer, member, partition), host, int(port)
        )
        committers.append(committer)
    with (
        spending(lambda: coordinators(running.pids())) as node,
        spending(lambda: databases(running.pids())) as database,
    ):
        for committer in committers:
            committer.commit()
        await asyncio.sleep(seconds)
        for committer in committers:
            committer.recording = False
    await asyncio.to_thread(running.kill)
    await asyncio.gather(*(committer.ended for committer in committers))
    return committers, node, database


async def read_back(bootstrap: str, groups: list[str], partitions: int) -> list[int]:
    """The greatest offset that any of the groups has for each partition; -1: none."""
    stored = [-1] * partitions
    peer = await Peer.connect(bootstrap)
    topics = [OffsetFetchRequestTopic(name=TOPIC, partition_indexes=range(partitions))]
    for group_id in groups:
        answer = await peer.call(
            OffsetFetchRequest(group_id=group_id, topics=topics), FETCH_VERSION
        )
        assert answer.error_code == 0, answer
        for found in answer.topics[0].partitions:
            at = found.partition_index
            stored[at] = max(stored[at], found.committed_offset)
    peer.close()
    return stored


def measure(
    running: Installation, groups: int, members: int = MEMBERS, seconds: float = SECONDS
) -> Result:
    """One shape: load, kill -9 of every process, start again, read everything back."""
    return uvloop.run(_measure(running, groups, members, seconds))


async def _measure(running: Installation, groups: int, members: int, seconds: float) -> Result:
    await create_topic(running.kafka, TOPIC, MEMBERS)
    everyone = await form_groups(running.kafka, "commits", groups, members // groups)
    committers, node, database = await load(running, everyone, seconds)
    await asyncio.to_thread(running.start)
    group_ids = sorted({member.group_id for member in everyone})
    stored = await read_back(running.kafka, group_ids, len(committers))
    acknowledged = [committer.acknowledged for committer in committers]
    return Result(
        groups=groups,
        seconds=seconds,
        latencies_ms=sorted(ms for committer in committers for ms in committer.latencies_ms),
        acknowledged=acknowledged,
        wrong=sum(committer.wrong for committer in committers),
        lost=sum(found < last for found, last in zip(stored, acknowledged, strict=True)),
        node=node,
        database=database,
    )


def folder_on_disk() -> tempfile.TemporaryDirectory[str]:
    """A temporary folder; not on a file system that only pretends to write."""
    usual = Path(tempfile.gettempdir())
    base = ON_DISK if file_system(usual) in IN_MEMORY and ON_DISK.is_dir() else usual
    return tempfile.TemporaryDirectory(prefix="rollcall-", dir=base, ignore_cleanup_errors=True)


def main(options: Options) -> bool:
    """Print each shape's figures; whether every reply was right and nothing was lost."""
    right = True
    for _ in range(options.rounds or 1):
        for groups in SHAPES:
            with folder_on_disk() as name, Installation(data_dir=Path(name)) as running:
                result = measure(running, groups, seconds=options.seconds or SECONDS)
                describe(result, flushing(running))
            right &= not result.wrong and not result.lost
    return right


def flushing(running: Installation) -> str:
    """How durable a commit is, in PostgreSQL's own words, and what its data lies on."""
    url = DataDir(running.data_dir).url_file.read_text().strip()
    with psycopg.connect(url) as connection:
        said = [
            f"{name} {connection.execute(f'SHOW {name}').fetchone()[0]}"  # type: ignore[index]
            for name in ("fsync", "synchronous_commit")
        ]
    return f"{', '.join(said)}, data on {file_system(running.data_dir)}"


def describe(result: Result, durability: str) -> None:
    """Print one shape's figures."""
    commits = len(result.latencies_ms)
    print(
        f"{len(result.acknowledged)} members in {result.groups:3} groups:"
        f" {result.rate:7,.0f} commits a second (goal {GOAL:,}),"
        f" p50 {result.percentile_ms(50):.0f} ms, p99 {result.percentile_ms(99):.0f} ms;"
        f" CPU a commit: node {result.node.cpu_s / commits * 1e6:.0f} us,"
        f" database {result.database.cpu_s / commits * 1e6:.0f} us;"
        f" {durability}; {result.wrong} wrong replies,"
        f" {result.lost} acknowledged commits lost after kill -9",
        flush=True,
    )
