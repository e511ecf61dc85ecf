"""Odd fetches of offsets over two connections, one with the fast path and one without: every answer
is alike, of each version, and each is counted."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any
from uuid import UUID

import pytest

from benchmarks.wire import create_topic, frame
from groups.core.errors import ErrorCode
from protocol.fast_paths.fetch_fast_path import PARTITIONS_MAX, SMALL_BYTES
from rollcall.wire.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from tests.server.client import Client
from tests.server.serving import Serving, serving
from tests.server.two_ways import (
    INT32,
    LONG,
    OTHER_TOPIC,
    PARTITIONS,
    SEEDS,
    TOPIC,
    Side,
    consumer_join,
    queue_replies,
    timeless,
)
from tests.wire.samples import times

FRAMES = times(60)
FAST_MIN = FRAMES // 4
ALL_SINCE = 2
GROUPS = ("plain", "modern", "empty", "", "a\0b", LONG)
METADATA = ("", "note", 'q"\\{},', "NULL", "é" * 50)


@pytest.fixture
async def served(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    """Nothing depends on how long anything takes."""
    timeless(settings)
    async with serving() as started:
        yield started


async def committed(served: Serving) -> tuple[int, str]:
    """Offsets of some partitions of two groups; the epoch and id of the member of one of them."""
    client = await Client.connect(served.address)
    for topic in (TOPIC, OTHER_TOPIC):
        await create_topic(served.address, topic, PARTITIONS)
    joined = await client.call(consumer_join("modern"), 1)
    for group_id, epoch, member_id in (
        ("plain", -1, ""),
        ("modern", joined.member_epoch, joined.member_id),
    ):
        lines = [
            OffsetCommitRequestPartition(
                partition_index=p,
                committed_offset=p * 10,
                committed_leader_epoch=p - 1,
                committed_metadata=METADATA[p],
            )
            for p in range(PARTITIONS - 1)
        ]
        topics = [OffsetCommitRequestTopic(name=n, partitions=lines) for n in (TOPIC, OTHER_TOPIC)]
        request = OffsetCommitRequest(
            group_id=group_id,
            generation_id_or_member_epoch=epoch,
            member_id=member_id,
            topics=topics,
        )
        reply = await client.call(request, 9)
        assert {p.error_code for topic in reply.topics for p in topic.partitions} == {0}
    return joined.member_epoch, joined.member_id


@dataclass
class Fetches:
    """Right ones, odd ones, and bytes that are none."""

    rng: Random
    topic_ids: Mapping[str, UUID]
    member: tuple[int, str]

    def frames(self, count: int) -> Iterator[bytes]:
        """Without their lengths."""
        for _ in range(count):
            version = self.rng.randint(*OffsetFetchRequest.versions)
            number = self.rng.randint(0, 2**32 - 1)
            payload = frame(self._request(version), version, number, b"bench")[4:]
            yield payload
            if self.rng.random() < 0.3:
                made = bytearray(payload)
                made[self.rng.randrange(2, len(made))] = self.rng.randrange(256)
                yield bytes(made[: self.rng.choice((len(made), len(made), len(made) - 1))])

    def _request(self, version: int) -> OffsetFetchRequest:
        stable = version >= 7 and self.rng.random() < 0.3
        if version < 8:
            topics = self._topics()
            old = [
                OffsetFetchRequestTopic(name=t.name, partition_indexes=t.partition_indexes)
                for t in topics or ()
            ]
            if topics is None and version >= ALL_SINCE:
                return OffsetFetchRequest(group_id=self._group_id(), topics=None)
            return OffsetFetchRequest(group_id=self._group_id(), topics=old, require_stable=stable)
        count = self.rng.choice((1, 1, 1, 1, 2, 0))
        groups = [self._group(version) for _ in range(count)]
        return OffsetFetchRequest(groups=groups, require_stable=stable)

    def _group(self, version: int) -> OffsetFetchRequestGroup:
        asked = OffsetFetchRequestGroup(group_id=self._group_id(), topics=self._topics())
        if version < 9 or self.rng.random() < 0.5:
            return asked
        epoch, member_id = self.member
        return replace(
            asked,
            group_id=self.rng.choice(("modern", "plain")),
            member_id=self.rng.choice((member_id, member_id, None, "", "stranger")),
            member_epoch=self.rng.choice((epoch, epoch, epoch - 1, epoch + 1, -1, 0)),
        )

    def _group_id(self) -> str:
        return self.rng.choice((*GROUPS[:2] * 3, *GROUPS))

    def _topics(self) -> list[OffsetFetchRequestTopics] | None:
        if self.rng.random() < 0.1:
            return None
        return [self._topic() for _ in range(self.rng.choice((1, 1, 2, 2, 3, 0)))]

    def _topic(self) -> OffsetFetchRequestTopics:
        name = self.rng.choice(
            (TOPIC, OTHER_TOPIC, TOPIC, OTHER_TOPIC, "no such", "", "a\0b", LONG)
        )
        found = self.topic_ids.get(name, UUID(int=self.rng.randrange(2)))
        return OffsetFetchRequestTopics(
            name=name, topic_id=found, partition_indexes=self._partitions()
        )

    def _partitions(self) -> Sequence[int]:
        if self.rng.random() < 0.05:
            return range(self.rng.choice((PARTITIONS_MAX, PARTITIONS_MAX + 1, SMALL_BYTES)))
        odd = (-1, PARTITIONS, INT32, -INT32 - 1)
        count = self.rng.choice((1, 1, 2, 3, 0))
        return [
            self.rng.choice((*range(PARTITIONS), *range(PARTITIONS), *odd)) for _ in range(count)
        ]


@pytest.mark.parametrize("seed", SEEDS)
async def test_both_paths_answer_fetches_alike(
    served: Serving, monkeypatch: Any, seed: int
) -> None:
    queued = queue_replies(monkeypatch)
    member = await committed(served)
    asking = await Client.connect(served.address)
    named = MetadataRequest(topics=[MetadataRequestTopic(name=n) for n in (TOPIC, OTHER_TOPIC)])
    ids = {each.name: each.topic_id for each in (await asking.call(named, 12)).topics}
    queued.clear()
    made = Fetches(Random(seed), ids, member)
    fast, slow = Side(served, is_fast=True), Side(served, is_fast=False)
    counts = served.server.served["OffsetFetch"].errors

    async def outcome(side: Side, payload: bytes) -> Any:
        before = Counter(counts)
        return await side.say(payload), Counter(counts) - before

    for number, payload in enumerate(made.frames(FRAMES)):
        quick = await outcome(fast, payload)
        assert quick == await outcome(slow, payload), (number, payload)
    assert queued[slow.is_fast] == slow.answered > FRAMES // 2
    assert fast.answered - queued[fast.is_fast] > FAST_MIN


async def test_a_repeated_fetch_finds_what_was_committed_since(
    served: Serving, monkeypatch: Any
) -> None:
    """Whoever watches a group asks the same again and again; both paths answer alike each time."""
    queued = queue_replies(monkeypatch)
    await committed(served)
    operator = await Client.connect(served.address)
    fast, slow = Side(served, is_fast=True), Side(served, is_fast=False)
    rng, answers = Random(7), set[bytes]()
    topics = [OffsetFetchRequestTopics(name=TOPIC, partition_indexes=[0, PARTITIONS - 1])]
    asked = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="plain", topics=topics)])
    for number in range(FRAMES):
        if rng.random() < 0.5:
            await _commit_one(operator, rng.randrange(3), rng.choice(METADATA))
        payload = frame(asked, 8, 2**32 - number - 1, b"bench")[4:]
        queued.clear()
        reply = await fast.say(payload)
        assert reply is not None
        assert not queued[fast.is_fast]
        assert reply == await slow.say(payload), number
        answers.add(reply[4:])
    assert len(answers) > 3


async def _commit_one(client: Client, offset: int, metadata: str) -> None:
    line = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=offset, committed_metadata=metadata
    )
    topics = [OffsetCommitRequestTopic(name=TOPIC, partitions=[line])]
    reply = await client.call(OffsetCommitRequest(group_id="plain", topics=topics), 8)
    assert reply.topics[0].partitions[0].error_code == 0


async def test_a_repeated_fetch_finds_out_that_its_topic_is_gone(served: Serving) -> None:
    await committed(served)
    client = await Client.connect(served.address)
    named = MetadataRequest(topics=[MetadataRequestTopic(name=TOPIC)])
    [topic] = (await client.call(named, 12)).topics
    topics = [OffsetFetchRequestTopics(topic_id=topic.topic_id, partition_indexes=[1])]
    asked = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="plain", topics=topics)])

    async def error() -> int:
        reply = await client.call(asked, 10)
        found: int = reply.groups[0].topics[0].partitions[0].error_code
        return found

    assert [await error(), await error()] == [ErrorCode.NONE] * 2
    operator = await Client.connect(served.address)
    await operator.call(
        DeleteTopicsRequest(topics=[DeleteTopicState(name=TOPIC)], timeout_ms=10_000), 6
    )
    assert [await error(), await error()] == [ErrorCode.UNKNOWN_TOPIC_ID] * 2
