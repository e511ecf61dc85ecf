"""The requests that a busy coordinator gets, each as a closed loop of 500 members.

A shape makes its groups over the wire, on Rollcall or on Apache Kafka alike, asks each request
once, and keeps the answer: it has no error, and is what the load compares with from then on.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

from benchmarks.closed_loop import Frame, Pair
from benchmarks.wire import Member, Peer, create_topic, form_groups, frame
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)

MEMBERS = 500
TOPIC = "shapes"
PARTITIONS = 500
BIG_TOPIC, BIG_PARTITIONS = "shapes-big", 1_000
MARK = 0x0123456789ABCDEF
"""Stands where the offset goes in a commit."""

HEARTBEAT_VERSION, CONSUMER_VERSION, FETCH_VERSION, METADATA_VERSION = 4, 1, 8, 12
CLASSIC_COMMIT_VERSION, CONSUMER_COMMIT_VERSION = 8, 9
SETTLED_S = 120
OTHER_EVERY = 10
"""Each member sends its other frame once in so many times."""

PEERS = 10
PAUSE_S = 0.05
"""Shorter than any for which a heartbeat is held."""

QUIET_S = 3.0
"""Without news, until members count as settled: Kafka computes assignments with a delay (KIP-1263),
so that a round without news is not the last one."""

Shape = Callable[[str], Coroutine[Any, Any, list[Pair]]]
"""Makes what 500 connections send to the server at HOST:PORT."""


async def serving(bootstrap: str) -> None:
    """Wait until the server is the coordinator of groups: Kafka makes a topic for that first."""
    peer = await Peer.connect(bootstrap)
    async with asyncio.timeout(SETTLED_S):
        for n in range(64):
            request = OffsetFetchRequest(group_id=f"nobody-{n}", topics=[])
            while True:
                await peer.call(FindCoordinatorRequest(key=f"nobody-{n}"), 1)
                if not (await peer.call(request, 5)).error_code:
                    break
                await asyncio.sleep(0.2)
    peer.close()


async def _answered(peer: Peer, request: Any, version: int) -> Frame:
    """The request with the answer that it got just now."""
    asked = frame(request, version, 0)
    raw, answer = await peer.exchange(request, version)
    assert not any(_errors(answer)), answer
    mark = MARK.to_bytes(8, "big")
    places, at = [], asked.find(mark)
    while at >= 0:
        places.append(at)
        at = asked.find(mark, at + 8)
    return Frame(asked, raw, tuple(places))


def _errors(message: Any) -> list[int]:
    """Every error code of an answer."""
    found = [getattr(message, "error_code", 0)]
    for name in ("topics", "partitions", "groups"):
        for part in getattr(message, name, None) or ():
            found += _errors(part)
    return found


async def _each(bootstrap: str, asked: Sequence[tuple[Any, int]]) -> list[Pair]:
    peer = await Peer.connect(bootstrap)
    frames = [await _answered(peer, request, version) for request, version in asked]
    peer.close()
    return [(each, each) for each in frames]


async def heartbeats(bootstrap: str) -> list[Pair]:
    """Classic members of 50 groups."""
    return await heartbeats_of(bootstrap, await form_groups(bootstrap, "beats", 50, MEMBERS // 50))


async def heartbeats_of(bootstrap: str, members: Sequence[Member]) -> list[Pair]:
    """Those of classic members whose groups this server leads."""
    asked = [
        HeartbeatRequest(group_id=m.group_id, generation_id=m.generation, member_id=m.member_id)
        for m in members
    ]
    return await _each(bootstrap, [(each, HEARTBEAT_VERSION) for each in asked])


class Consumer:
    """A member of the consumer protocol, without a connection of its own."""

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id
        self.member_id = str(uuid4())
        self.epoch = 0
        self._owned: Sequence[TopicPartitions] | None = []
        self._interval_ms = 0  # the usual one is the longest

    async def beat(self, peer: Peer) -> bool:
        """One heartbeat; whether it said nothing new, not even another interval."""
        answer = await peer.call(
            ConsumerGroupHeartbeatRequest(
                group_id=self.group_id,
                member_id=self.member_id,
                member_epoch=self.epoch,
                rebalance_timeout_ms=60_000 if self.epoch == 0 else -1,
                subscribed_topic_names=[TOPIC] if self.epoch == 0 else None,
                topic_partitions=self._owned,
            ),
            CONSUMER_VERSION,
        )
        assert answer.error_code == 0, answer
        self._interval_ms = max(self._interval_ms, answer.heartbeat_interval_ms)
        is_quiet = (
            answer.assignment is None
            and answer.member_epoch == self.epoch
            and answer.heartbeat_interval_ms == self._interval_ms
        )
        given = answer.assignment
        self._owned = None if given is None else given.topic_partitions
        self.epoch = answer.member_epoch
        return is_quiet


async def consumers(bootstrap: str, groups: int) -> list[Consumer]:
    """Settled members of so many new groups of the consumer protocol."""
    await create_topic(bootstrap, TOPIC, PARTITIONS)
    prefix = f"consumers-{uuid4().hex[:8]}"
    members = [Consumer(f"{prefix}-{place % groups}") for place in range(MEMBERS)]
    peers = [await Peer.connect(bootstrap) for _ in range(PEERS)]
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(SETTLED_S):
        quiet_since = loop.time()
        while loop.time() - quiet_since < QUIET_S:
            rounds = (_round(peer, members[n::PEERS]) for n, peer in enumerate(peers))
            if not all(await asyncio.gather(*rounds)):
                quiet_since = loop.time()
            await asyncio.sleep(PAUSE_S)
    for peer in peers:
        peer.close()
    return members


async def _round(peer: Peer, members: Sequence[Consumer]) -> bool:
    """Each of them beats; whether no response had news."""
    quiet = [await member.beat(peer) for member in members]
    return all(quiet)


async def consumer_heartbeats(bootstrap: str) -> list[Pair]:
    """Empty heartbeats of settled members of 50 groups."""
    members = await consumers(bootstrap, 50)
    return await _each(bootstrap, [(_empty(member), CONSUMER_VERSION) for member in members])


def _empty(member: Consumer) -> ConsumerGroupHeartbeatRequest:
    return ConsumerGroupHeartbeatRequest(
        group_id=member.group_id, member_id=member.member_id, member_epoch=member.epoch
    )


def _commit(
    group_id: str, member_id: str, epoch: int, partitions: Sequence[int]
) -> OffsetCommitRequest:
    offsets = [
        OffsetCommitRequestPartition(
            partition_index=partition, committed_offset=MARK, committed_metadata=""
        )
        for partition in partitions
    ]
    return OffsetCommitRequest(
        group_id=group_id,
        generation_id_or_member_epoch=epoch,
        member_id=member_id,
        topics=[OffsetCommitRequestTopic(name=TOPIC, partitions=offsets)],
    )


def _their_own(place: int, count: int) -> list[int]:
    """The partitions of the member at that place: others commit them too where they are many."""
    return sorted((place * count + n) % PARTITIONS for n in range(count))


async def commits(bootstrap: str, groups: int, partitions: int = 1) -> list[Pair]:
    """Classic members of so many groups, so many partitions a commit."""
    await create_topic(bootstrap, TOPIC, PARTITIONS)
    members = await form_groups(bootstrap, "commits", groups, MEMBERS // groups)
    return await commits_of(bootstrap, members, partitions)


async def commits_of(bootstrap: str, members: Sequence[Member], partitions: int = 1) -> list[Pair]:
    """Those of classic members whose groups this server leads; there is the topic."""
    return await _commits(
        bootstrap, [(m, m.generation) for m in members], partitions, CLASSIC_COMMIT_VERSION
    )


async def consumer_commits(bootstrap: str, groups: int) -> list[Pair]:
    """Members of the consumer protocol, one partition a commit. Commits are no sign of life there:
    their other frame is a heartbeat."""
    members = await consumers(bootstrap, groups)
    beats = await _each(bootstrap, [(_empty(m), CONSUMER_VERSION) for m in members])
    made = await _commits(bootstrap, [(m, m.epoch) for m in members], 1, CONSUMER_COMMIT_VERSION)
    return [(commit, beat) for (commit, _), (beat, _) in zip(made, beats, strict=True)]


async def _commits(
    bootstrap: str, members: Sequence[tuple[Member | Consumer, int]], partitions: int, version: int
) -> list[Pair]:
    asked = [
        _commit(m.group_id, m.member_id, epoch, _their_own(place, partitions))
        for place, (m, epoch) in enumerate(members)
    ]
    return await _each(bootstrap, [(each, version) for each in asked])


async def fetches(bootstrap: str) -> list[Pair]:
    """One partition of one group each, of 50 groups; what was committed there just now."""
    await create_topic(bootstrap, TOPIC, PARTITIONS)
    groups = [f"fetches-{uuid4().hex[:8]}-{n}" for n in range(50)]
    asked: list[tuple[Any, int]] = []
    for place in range(MEMBERS):
        own = _their_own(place, 1)
        peer_topics = [OffsetFetchRequestTopics(name=TOPIC, partition_indexes=own)]
        group = OffsetFetchRequestGroup(group_id=groups[place % 50], topics=peer_topics)
        asked.append((OffsetFetchRequest(groups=[group]), FETCH_VERSION))
    await _each(
        bootstrap,
        [
            (_commit(groups[place % 50], "", -1, _their_own(place, 1)), CLASSIC_COMMIT_VERSION)
            for place in range(MEMBERS)
        ],
    )
    return await _each(bootstrap, asked)


async def metadata(bootstrap: str) -> list[Pair]:
    """What each member of a group requests at its start: the partitions of a topic of 1,000."""
    await create_topic(bootstrap, BIG_TOPIC, BIG_PARTITIONS)
    request = MetadataRequest(topics=[MetadataRequestTopic(name=BIG_TOPIC)])
    return await _each(bootstrap, [(request, METADATA_VERSION)] * MEMBERS)


SHAPES: Mapping[str, Shape] = {
    "heartbeats": heartbeats,
    "consumer heartbeats": consumer_heartbeats,
    "commits, 1 group": partial(commits, groups=1),
    "commits, 500 groups": partial(commits, groups=500),
    "commits of 100 partitions, 50 groups": partial(commits, groups=50, partitions=100),
    "commits, consumer protocol": partial(consumer_commits, groups=50),
    "fetches of one group": fetches,
    "metadata of 1,000 partitions": metadata,
}
"""What is measured, by name."""
