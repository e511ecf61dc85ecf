"""Odd commits and heartbeats over two connections, one with the fast paths and one without: every
answer, every row and every sign of life is alike.

Frames are right ones with a field of another value, or with other bytes; each goes out several
times with other offsets, as clients repeat themselves.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any
from uuid import UUID

import pytest

from benchmarks.wire import create_topic, frame
from groups.core.errors import ErrorCode
from groups.reporting import totals
from groups.store.sql.history import COMMITS
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.in_process import Other
from tests.server.client import Client, join
from tests.server.serving import Serving, serving
from tests.server.two_ways import (
    BODY_AT,
    INT32,
    LONG,
    OTHER_TOPIC,
    PARTITIONS,
    SEEDS,
    TOPIC,
    Side,
    consumer_join,
    heard,
    queue_replies,
    timeless,
)
from tests.wire.samples import times

FRAMES = times(40)
FAST_MIN = min(15, FRAMES // 2)
"""So many of the fast path, also of the few frames that mutants are shown."""

REPEATS_MAX = 3
VERSION_AT = 2
"""A change before the version makes a request of another API."""

SESSION_MS = 1_800_000
INT64 = 2**63 - 1


@pytest.fixture
async def served(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    """Nothing depends on how long anything takes."""
    timeless(settings)
    async with serving() as started:
        yield started


OFFSETS = """
SELECT group_id, topic, partition, committed_offset, leader_epoch, metadata,
       round(extract(epoch FROM expires_at - committed_at))
  FROM rollcall_offset ORDER BY 1, 2, 3
"""
HISTORY = f"""
SELECT group_id, topic, partition, committed_offset, leader_epoch, metadata, member_id, client_id,
       client_host, principal
  FROM {COMMITS} ORDER BY 1, 2, 3, 4
"""


async def written(other: Other) -> tuple[list[Any], list[Any]]:
    """What is stored of offsets, which is then forgotten."""
    found = [await (await other.execute(text)).fetchall() for text in (OFFSETS, HISTORY)]
    await other.execute("DELETE FROM rollcall_offset_history")
    await other.execute("DELETE FROM rollcall_offset")
    return found[0], found[1]


@dataclass
class Mutations:
    """Right requests, and what becomes of them."""

    rng: Random
    topic_ids: Sequence[UUID]
    members: Sequence[tuple[str, int, str, str | None]]

    def requests(self, count: int) -> Iterator[bytes]:
        """Frames, without their lengths."""
        for _ in range(count):
            made = self._commit() if self.rng.random() < 0.8 else self._beat()
            request, version = made
            client_id = self.rng.choice((b"bench", b"bench", b"", b"\xc3\xa9", b"x" * 1_100))
            for _ in range(self.rng.randint(1, REPEATS_MAX)):
                for partition in _partitions(request):
                    partition.committed_offset = self._offset()
                number = self.rng.randint(0, 2**32 - 1)
                payload = frame(request, version, number, client_id)[4:]
                yield payload
            if self.rng.random() < 0.5:
                yield self._spoilt(payload)
                yield payload

    def _offset(self) -> int:
        return self.rng.choice((0, 1, -1, -2, INT64, -INT64 - 1, self.rng.randint(0, 10**6)))

    def _beat(self) -> tuple[Any, int]:
        group_id, generation, member_id, instance_id = self.rng.choice(self.members)
        request = HeartbeatRequest(
            group_id=group_id,
            generation_id=generation,
            member_id=member_id,
            group_instance_id=instance_id,
        )
        if self.rng.random() < 0.4:
            nameless: dict[str, Any] = {self.rng.choice(("group_id", "member_id")): ""}
            request = replace(request, **nameless)
        if self.rng.random() < 0.3:
            request = replace(request, generation_id=self.rng.choice((-1, 0, 99, INT32)))
        return request, self.rng.randint(*HeartbeatRequest.versions)

    def _commit(self) -> tuple[Any, int]:
        group_id, generation, member_id, instance_id = self.rng.choice(self.members)
        request = OffsetCommitRequest(
            group_id=group_id,
            generation_id_or_member_epoch=generation,
            member_id=member_id,
            group_instance_id=instance_id,
            topics=[self._topic() for _ in range(self.rng.randint(1, 3))],
        )
        for _ in range(self.rng.choice((0, 0, 0, 0, 1, 2))):
            name, values = self.rng.choice(list(ODD.items()))
            request = replace(request, **{name: self.rng.choice(values)})
        return request, self.rng.randint(*OffsetCommitRequest.versions)

    def _topic(self) -> OffsetCommitRequestTopic:
        at = self.rng.randrange(2)
        name, topic_id = (TOPIC, OTHER_TOPIC)[at], self.topic_ids[at]
        if self.rng.random() < 0.05:
            name, topic_id = self.rng.choice(("", "no such", "a\0b", LONG)), UUID(int=0)
        count = self.rng.choice((1, 1, 1, 2, 2, 3, 3, 0))
        return OffsetCommitRequestTopic(
            name=name, topic_id=topic_id, partitions=[self._partition() for _ in range(count)]
        )

    def _partition(self) -> OffsetCommitRequestPartition:
        is_odd = self.rng.random() < 0.04
        return OffsetCommitRequestPartition(
            partition_index=self.rng.choice((-1, PARTITIONS, INT32, -INT32))
            if is_odd
            else self.rng.randrange(PARTITIONS),
            committed_leader_epoch=self.rng.choice((-1, -1, 0, 7, INT32, -INT32 - 1)),
            committed_metadata=self.rng.choice(
                ("", "", None, "note", 'q"\\{},', "NULL", "\0é", LONG)
            ),
        )

    def _spoilt(self, payload: bytes) -> bytes:
        """Other bytes, a few too many or too few."""
        made = bytearray(payload)
        for _ in range(self.rng.randint(1, 3)):
            at = self.rng.randrange(VERSION_AT, len(made))
            made[at] = self.rng.choice((0, 1, 0x7F, 0x80, 0xFF, self.rng.randrange(256)))
        kind = self.rng.random()
        if kind < 0.1:
            return bytes(made[: self.rng.randrange(BODY_AT, len(made))])
        return bytes(made) + (b"\0\1\0" if kind > 0.9 else b"")


ODD: dict[str, tuple[Any, ...]] = {
    "group_id": ("", "none", "a\0b", LONG, "é"),
    "generation_id_or_member_epoch": (-1, 0, 1, 2, 99, INT32, -INT32 - 1),
    "member_id": ("", "stranger", "a\0b", LONG),
    "group_instance_id": (None, "", "i", "nobody"),
    "retention_time_ms": (-1, 0, 5_000, INT64, -INT64 - 1),
    "topics": ([],),
}


def _partitions(request: Any) -> Iterator[OffsetCommitRequestPartition]:
    for topic in getattr(request, "topics", ()):
        yield from topic.partitions


async def static_member(client: Client, group_id: str, instance_id: str) -> tuple[int, str]:
    """The generation and id of a member that has joined, and does not sync."""
    request = replace(
        join(group_id, session_ms=SESSION_MS),
        group_instance_id=instance_id,
        rebalance_timeout_ms=SESSION_MS,
    )
    joined = await client.call(request, 5)
    assert joined.error_code == ErrorCode.NONE
    return joined.generation_id, joined.member_id


async def members_of_all_kinds(served: Serving) -> list[tuple[str, int, str, str | None]]:
    """Group, generation or epoch, member and instance: settled, between join and sync, static, of
    the consumer protocol, of a group without members; and a pending one of each."""
    clients = [await Client.connect(served.address) for _ in range(4)]
    beat = await clients[0].settled("settled", session_ms=SESSION_MS)
    generation, member_id = await static_member(clients[1], "joined", "i")
    joined = await clients[2].call(consumer_join("modern"), 1)
    parked = await clients[3].settled("parked", session_ms=SESSION_MS)
    newcomer = await Client.connect(served.address)
    # It waits for its answer until the test is over.
    newcomer.send(replace(join("parked"), rebalance_timeout_ms=SESSION_MS), 3)
    await clients[3].hears_of_a_rebalance(parked)
    return [
        ("settled", beat.generation_id, beat.member_id, None),
        ("joined", generation, member_id, "i"),
        ("modern", joined.member_epoch, joined.member_id, None),
        ("parked", parked.generation_id, parked.member_id, None),
        ("empty", -1, "names itself", None),
    ]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("keeps_history", [False, True], ids=["plain", "history"])
async def test_both_paths_answer_commits_and_heartbeats_alike(
    served: Serving, other: Other, monkeypatch: Any, seed: int, keeps_history: bool
) -> None:
    queued = queue_replies(monkeypatch)
    for topic in (TOPIC, OTHER_TOPIC):
        await create_topic(served.address, topic, PARTITIONS)
    asking = await Client.connect(served.address)
    named = MetadataRequest(topics=[MetadataRequestTopic(name=n) for n in (TOPIC, OTHER_TOPIC)])
    ids = {each.name: each.topic_id for each in (await asking.call(named, 12)).topics}
    members = await members_of_all_kinds(served)
    queued.clear()
    made = Mutations(Random(seed), (ids[TOPIC], ids[OTHER_TOPIC]), members)
    fast, slow = Side(served, is_fast=True), Side(served, is_fast=False)
    served.node.totals.keeps_history = keeps_history
    if not keeps_history:  # the node's own look says the same
        served.node.totals.rows[totals.HISTORY].most = 0
    tallies, queue = served.node.coordinator.tallies, served.server.served["Heartbeat"].errors
    await written(other)

    def counted() -> Counter[tuple[str, int]]:
        commits = {("commits", code): n for code, n in tallies.commits.items()}
        beats = Counter({("beats", code): n for code, n in tallies.heartbeats.items()})
        return Counter(commits) + beats + Counter({("beats", code): n for code, n in queue.items()})

    async def outcome(side: Side, payload: bytes) -> Any:
        before = counted()
        heard(served)
        reply = await side.say(payload)
        return reply, counted() - before, heard(served), await written(other)

    for number, payload in enumerate(made.requests(FRAMES)):
        quick = await outcome(fast, payload)
        assert quick == await outcome(slow, payload), (number, payload)
    assert fast.answered > FRAMES
    assert queued[slow.is_fast] == slow.answered
    assert fast.answered - queued[fast.is_fast] > FAST_MIN
