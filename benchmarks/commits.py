"""Offset commits a second, each durable before its reply, read back after a kill -9 of everything.

500 members with one commit outstanding each, in 1, in 20 and in 500 groups.
"""

import asyncio
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.wire import Member, Peer, create_topic, form_group, frame
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from rollcall.installation import Installation

MEMBERS = 500
SHAPES = (1, 20, 500)
GOAL = 5_000
TOPIC = "bench"
MARK = 0x0123456789ABCDEF
"""Stands where the offset goes in a frame that is made once and filled in for each commit."""

VERSION = 7
CORRELATION = slice(8, 12)


@dataclass(frozen=True, slots=True)
class Result:
    """One shape's figures; latencies in milliseconds."""

    groups: int
    commits: int
    seconds: float
    p50: float
    p99: float
    lost: int

    @property
    def rate(self) -> float:
        """Commits a second."""
        return self.commits / self.seconds


class Committer(asyncio.Protocol):
    """A member that commits its partition again as soon as the last commit was answered."""

    def __init__(self, member: Member, partition: int, until: float) -> None:
        self.loop = asyncio.get_running_loop()
        self.partition = partition
        self.until = until
        self.acknowledged = -1
        self.latencies: list[float] = []
        self.done = self.loop.create_future()
        self._frame = bytearray(_commit(member, partition))
        self._at = self._frame.index(MARK.to_bytes(8, "big"))
        self._sent_at = 0.0
        self._offset = 0
        self._answer = bytearray()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        self._commit()

    def data_received(self, data: bytes) -> None:
        self._answer += data
        if len(self._answer) < 4 or len(self._answer) < 4 + int.from_bytes(self._answer[:4], "big"):
            return
        assert self._answer[-2:] == b"\0\0", f"refused: {bytes(self._answer)!r}"
        self._answer.clear()
        now = self.loop.time()
        self.latencies.append(now - self._sent_at)
        self.acknowledged = self._offset
        if now < self.until:
            self._offset += 1
            self._commit()
        elif not self.done.done():
            self.done.set_result(None)

    def _commit(self) -> None:
        assert self._transport is not None
        self._frame[CORRELATION] = (self._offset & 0x7FFFFFFF).to_bytes(4, "big")
        self._frame[self._at : self._at + 8] = self._offset.to_bytes(8, "big")
        self._sent_at = self.loop.time()
        self._transport.write(bytes(self._frame))


def _commit(member: Member, partition: int) -> bytes:
    request = OffsetCommitRequest(
        group_id=member.group_id,
        generation_id_or_member_epoch=member.generation,
        member_id=member.member_id,
        topics=[
            OffsetCommitRequestTopic(
                name=TOPIC,
                partitions=[
                    OffsetCommitRequestPartition(
                        partition_index=partition, committed_offset=MARK, committed_metadata=""
                    )
                ],
            )
        ],
    )
    return frame(request, VERSION, 0)


async def _load(bootstrap: str, groups: int, members: int, seconds: float) -> list[Committer]:
    await create_topic(bootstrap, TOPIC, max(members, 1))
    formed = await asyncio.gather(
        *(form_group(bootstrap, f"commits-{groups}-{n}", members // groups) for n in range(groups))
    )
    loop = asyncio.get_running_loop()
    everyone = [member for group in formed for member in group]
    for member in everyone:
        member.peer.close()
    until = loop.time() + seconds
    host, _, port = bootstrap.rpartition(":")
    committers = []
    for partition, member in enumerate(everyone):
        _transport, committer = await loop.create_connection(
            lambda m=member, p=partition: Committer(m, p, until),  # type: ignore[misc]
            host,
            int(port),
        )
        committers.append(committer)
    await asyncio.gather(*(committer.done for committer in committers))
    return committers


async def _read_back(bootstrap: str, groups: int, acknowledged: list[int]) -> int:
    """How many members' last acknowledged commit is not there any more."""
    stored: dict[int, int] = {}
    peer = await Peer.connect(bootstrap)
    for n in range(groups):
        answer = await peer.call(
            OffsetFetchRequest(
                group_id=f"commits-{groups}-{n}",
                topics=[
                    OffsetFetchRequestTopic(name=TOPIC, partition_indexes=range(len(acknowledged)))
                ],
            ),
            5,
        )
        assert answer.error_code == 0, answer
        for partition in answer.topics[0].partitions:
            stored[partition.partition_index] = max(
                stored.get(partition.partition_index, -1), partition.committed_offset
            )
    peer.close()
    return sum(1 for p, offset in enumerate(acknowledged) if stored[p] < offset)


def measure(groups: int, members: int = MEMBERS, seconds: float = 8.0) -> Result:
    """One shape: load, kill -9 of every process, start again, read everything back."""
    with Installation() as running:
        committers = asyncio.run(_load(running.kafka, groups, members, seconds))
        running.kill()
        running.start()
        acknowledged = [c.acknowledged for c in committers]
        lost = asyncio.run(_read_back(running.kafka, groups, acknowledged))
    latencies = sorted(t for c in committers for t in c.latencies)
    return Result(
        groups,
        len(latencies),
        seconds,
        latencies[len(latencies) // 2] * 1000,
        latencies[len(latencies) * 99 // 100] * 1000,
        lost,
    )


def file_system(path: Path) -> str:
    """The type of the file system that the data lies on."""
    shown = subprocess.run(
        ["df", "-T", str(path)], capture_output=True, text=True, check=False
    ).stdout.splitlines()
    return shown[-1].split()[1] if len(shown) > 1 else "unknown"


def main() -> None:
    """Print each shape's figures."""
    print(f"data on {file_system(Installation().data_dir)}, fsync on")
    for groups in SHAPES:
        result = measure(groups)
        print(
            f"{MEMBERS} members in {groups:3} groups: {result.rate:8,.0f} commits a second"
            f" (goal {GOAL:,}), p50 {result.p50:.0f} ms, p99 {result.p99:.0f} ms,"
            f" {result.lost} acknowledged commits lost after kill -9"
        )
