"""Offset commits a second, each durable before its reply, read back after a kill -9 of everything.

500 members with one commit outstanding each, in 1, in 20 and in 500 groups. The kill comes while
they commit: what was acknowledged until then must be there afterwards, what was under way may be.
"""

import asyncio
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import uvloop

from benchmarks.machine import IN_MEMORY, Pids, Spent, file_system, spending, with_argument
from benchmarks.options import Options
from benchmarks.wire import Member, Peer, create_topic, form_groups, frame, response_frame
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from rollcall.installation import Installation

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

    It goes on until the connection breaks; ``latencies_ms`` holds what ``recording`` was on for.
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
        if len(self._received) < len(self._reply):
            return
        self._reply[REPLY_CORRELATION] = self._frame[REQUEST_CORRELATION]
        if self._received != self._reply:
            self.wrong = True
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
    return response_frame(response, COMMIT_VERSION, 0)


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
    with spending(nodes_of(running)) as node, spending(database_of(running)) as database:
        for committer in committers:
            committer.commit()
        await asyncio.sleep(seconds)
        for committer in committers:
            committer.recording = False
    await asyncio.to_thread(running.kill)
    await asyncio.gather(*(committer.ended for committer in committers))
    return committers, node, database


def nodes_of(running: Installation) -> Pids:
    """The coordinator processes."""
    return lambda: with_argument("runcoordinator", running.pids())


def database_of(running: Installation) -> Pids:
    """PostgreSQL's processes: everything below the one that was started with a data folder."""
    return lambda: set(running.pids()) - set(running.pids()[:0])


async def read_back(bootstrap: str, groups: list[str], partitions: int) -> list[int]:
    """The greatest offset that any of the groups has for each partition; -1: none."""
    stored = [-1] * partitions
    peer = await Peer.connect(bootstrap)
    asked = [OffsetFetchRequestTopic(name=TOPIC, partition_indexes=range(partitions))]
    for group_id in groups:
        answer = await peer.call(OffsetFetchRequest(group_id=group_id, topics=asked), FETCH_VERSION)
        assert answer.error_code == 0, answer
        for found in answer.topics[0].partitions:
            at = found.partition_index
            stored[at] = max(stored[at], found.committed_offset)
    peer.close()
    return stored
