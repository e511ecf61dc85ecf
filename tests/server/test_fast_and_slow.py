"""Odd requests over two connections, one with the fast paths and one without: every answer and
every row is alike, and whoever is heard of.

Frames are right ones with a field of another value, or with other bytes; each goes out several
times with other offsets, as clients repeat themselves.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest

from benchmarks.wire import create_topic, frame
from groups.core.configs.group import HEARTBEAT_INTERVAL
from groups.core.errors import ErrorCode
from protocol.commit_fast_path import CommitFastPath
from protocol.connection import KafkaConnection
from protocol.consumer_fast_path import ConsumerFastPath
from protocol.heartbeat_fast_path import NoFastPath
from rollcall.wire.codec import decode
from rollcall.wire.errors import WireError
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
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
from tests.wire.samples import times

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 6))]
FRAMES = times(40)
FAST_MIN = 15
REPEATS_MAX = 3
VERSION_AT, BODY_AT = 2, 8
"""In a frame without its length: a change before the version makes another request of it."""

SESSION_MS = 1_800_000
TOPIC, OTHER_TOPIC = "work", "more"
PARTITIONS = 4
INT32, INT64 = 2**31 - 1, 2**63 - 1
LONG = "x" * 300


@pytest.fixture
async def served(_prepared: None, settings: Any) -> Any:
    """Nothing depends on how long anything takes."""
    settings.GROUP_HEARTBEAT_HOLD_MS = 0
    settings.GROUP_CONSUMER_HEARTBEAT_HOLD_PERCENT = 0
    settings.GROUP_CONSUMER_ASSIGNMENT_INTERVAL_MS = 0
    settings.GROUP_CONSUMER_ASSIGNOR_OFFLOAD_ENABLE = False
    async with serving() as started:
        yield started


class NoCommits(CommitFastPath):
    """Every commit is the queue's."""

    __slots__ = ()

    def take(self, frame: bytes, sequence: int) -> bool:
        return False


class NoHeartbeats(ConsumerFastPath):
    """The same for heartbeats of the consumer protocol."""

    __slots__ = ()

    def answer(self, frame: bytes, now_s: float) -> bytes | None:
        return None


def without_fast_paths(connection: KafkaConnection) -> None:
    server, session, meter = connection.server, connection.session, connection._meter
    connection._commit = NoCommits(
        server, connection.number, session, meter, connection._write, connection._commit_ended
    )
    connection._settled = NoHeartbeats(server, session, meter, connection.memory)
    connection._fast = NoFastPath(server.coordinator, meter)
    connection._commit.connected(connection.client_host)
    connection._settled.connected(connection.client_host)


@dataclass
class Side:
    """One of the two ways; a connection that the server closes is replaced."""

    served: Serving
    is_fast: bool
    client: Client | None = None
    connection: KafkaConnection | None = None
    answered: int = 0

    async def say(self, payload: bytes) -> bytes | None:
        """The reply without its length; None: the connection was closed."""
        if self.client is None:
            self.client, self.connection = await self.served.connect()
            if not self.is_fast:
                without_fast_paths(self.connection)
        client = self.client
        client.writer.write(len(payload).to_bytes(4, "big") + payload)
        try:
            size = int.from_bytes(await client.reader.readexactly(4), "big")
            reply = await client.reader.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionResetError):
            self.client = None
            return None
        assert self.connection is not None
        self.connection.settle()
        self.answered += 1
        return reply


def queue_replies(monkeypatch: pytest.MonkeyPatch) -> Counter[bool]:
    """How many replies came by the queue: of connections with fast paths, and of those without."""
    found = Counter[bool]()
    handle_reply = KafkaConnection.handle_reply

    def counting(self: KafkaConnection, message: dict[str, Any]) -> None:
        found[not isinstance(self._commit, NoCommits)] += 1
        handle_reply(self, message)

    monkeypatch.setattr(KafkaConnection, "handle_reply", counting)
    return found


def heard(served: Serving) -> set[tuple[str, str]]:
    """Whose beat was raised since all were set back."""
    found = set()
    for entry in served.node.coordinator.entries.values():
        for member_id, beat in getattr(entry.group.live, "beats", {}).items():
            if beat.at != BEATS.get((entry.group_id, member_id)):
                found.add((entry.group_id, member_id))
            beat.at = BEATS[entry.group_id, member_id] = served.node.coordinator.clock() - AGO_MS
    return found


AGO_MS = 10_000
BEATS: dict[tuple[str, str], int] = {}
"""What each beat was set back to."""


OFFSETS = """
SELECT group_id, topic, partition, committed_offset, leader_epoch, metadata,
       round(extract(epoch FROM expires_at - committed_at))
  FROM rollcall_offset ORDER BY 1, 2, 3
"""
HISTORY = """
SELECT group_id, topic, partition, committed_offset, leader_epoch, metadata, member_id, client_id,
       client_host, principal
  FROM rollcall_offset_history ORDER BY 1, 2, 3, 4
"""


async def written(other: Other) -> tuple[list[Any], list[Any]]:
    """What is stored of offsets, which is then forgotten."""
    found = [await (await other.execute(text)).fetchall() for text in (OFFSETS, HISTORY)]
    await other.execute("DELETE FROM rollcall_offset_history")
    await other.execute("DELETE FROM rollcall_offset")
    return found[0], found[1]


# -- commits, and heartbeats of the classic protocol


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


def consumer_join(group_id: str, member_id: str = "") -> ConsumerGroupHeartbeatRequest:
    return ConsumerGroupHeartbeatRequest(
        group_id=group_id,
        member_id=member_id or str(uuid4()),
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=[TOPIC],
        topic_partitions=[],
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("keeps_history", [False, True], ids=["plain", "history"])
async def test_commits_and_heartbeats(
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


# -- heartbeats of the consumer protocol: two groups with the same members, one on each side

TWINS = ("twin-a", "twin-b")
STEPS = times(200)
MEMBERS = 3
LOOK_EVERY = 10

GROUP_ROWS = """
SELECT state, generation, protocol_type, protocol_name, leader, details
  FROM rollcall_group WHERE group_id = %s
"""
MEMBER_ROWS = """
SELECT member_id, instance_id, client_id, client_host, session_timeout_ms, rebalance_timeout_ms,
       position, assignment, details
  FROM rollcall_member WHERE group_id = %s ORDER BY 1
"""


@dataclass
class Twin:
    """A member of both groups, by what it was told."""

    sides: tuple[Side, Side]
    member_id: str
    instance_id: str | None
    epoch: int = 0
    owned: Sequence[TopicPartitions] | None = None

    async def say(self, request: Any, version: int, payload: bytes) -> tuple[Any, Any]:
        """What both sides answer to a frame of the first group, and to the same of the second."""
        told = []
        for group_id, side in zip(TWINS, self.sides, strict=True):
            reply = await side.say(payload.replace(TWINS[0].encode(), group_id.encode()))
            told.append(_understood(reply, version))
        return told[0], told[1]

    def learn(self, told: Any) -> None:
        if isinstance(told, ConsumerGroupHeartbeatResponse) and not told.error_code:
            self.epoch = told.member_epoch
            if told.assignment is not None:
                self.owned = told.assignment.topic_partitions


def _understood(reply: bytes | None, version: int) -> Any:
    """The answer, whatever order it is in; bytes where it makes no sense in this version."""
    if reply is None:
        return None
    try:
        told = decode(ConsumerGroupHeartbeatResponse, version, reply, 5)
    except WireError:
        return reply
    if told.assignment is not None:
        told.assignment.topic_partitions = sorted(
            told.assignment.topic_partitions, key=lambda each: each.topic_id
        )
        for each in told.assignment.topic_partitions:
            each.partitions = sorted(each.partitions)
    return told


ODD_HEARTBEATS: dict[str, tuple[Any, ...]] = {
    "member_id": ("stranger", "a\0b", LONG),
    "member_epoch": (0, -1, -2, -3, 1, 99, INT32),
    "instance_id": (None, "", "i", "j", "nobody"),
    "rack_id": ("", "r"),
    "rebalance_timeout_ms": (50_000, INT32),  # nobody is removed meanwhile
    "subscribed_topic_names": ([], [TOPIC], [TOPIC, OTHER_TOPIC], ["no such"], ["a\0b"]),
    "subscribed_topic_regex": ("", "("),  # what a right one matches comes when it comes
    "server_assignor": ("", "uniform", "range", "nobody's"),
    "topic_partitions": ([], [TopicPartitions(topic_id=UUID(int=1), partitions=[0, INT32])]),
}


@dataclass
class Play:
    """What members of both groups do, by chance."""

    rng: Random
    twins: Sequence[Twin]

    def step(self) -> tuple[Twin, Any, int, bytes]:
        """A member, its request, the version and the frame without its length."""
        twin, rng = self.rng.choice(self.twins), self.rng
        request = replace(EMPTY, member_id=twin.member_id, member_epoch=twin.epoch)
        request = replace(request, instance_id=twin.instance_id)
        what = rng.random()
        if what < 0.02 or not twin.epoch:
            request = _join(twin, request)
        elif what < 0.03:
            request = replace(request, member_epoch=-1 if twin.instance_id is None else -2)
            twin.epoch = 0
        elif what < 0.08:
            request = replace(request, topic_partitions=twin.owned or [])
        elif what < 0.12:
            name = rng.choice(list(ODD_HEARTBEATS))
            request = replace(request, **{name: rng.choice(ODD_HEARTBEATS[name])})
        client_id = rng.choice((b"bench",) * 40 + (b"other", b""))
        payload = frame(request, 1, rng.randint(0, 2**32 - 1), client_id)[4:]
        if 0.12 <= what < 0.15:
            payload = self._spoilt(payload)
        return twin, request, 1, payload

    def _spoilt(self, payload: bytes) -> bytes:
        made = bytearray(payload)
        made[self.rng.randrange(BODY_AT, len(made))] = self.rng.choice((0, 1, 0x7F, 0x80, 0xFF))
        is_ours = TWINS[0].encode() in made and NO_TIMEOUT in made  # others are removed at once
        return bytes(made) + self.rng.choice((b"", b"", b"\0")) if is_ours else payload


EMPTY = ConsumerGroupHeartbeatRequest(group_id=TWINS[0])
NO_TIMEOUT = bytes(4 * [0xFF])


def _join(twin: Twin, request: ConsumerGroupHeartbeatRequest) -> ConsumerGroupHeartbeatRequest:
    joining = consumer_join(TWINS[0], twin.member_id)
    return replace(joining, instance_id=request.instance_id)


def changes(served: Serving, rng: Random) -> list[Callable[[], Any]]:
    """What else happens, to both groups alike."""
    configure = served.node.coordinator.configure

    def configured() -> None:
        interval_ms = rng.choice(("4000", "6000", "7000"))
        for group_id in TWINS:
            configure(group_id, {HEARTBEAT_INTERVAL: interval_ms})

    async def grown() -> None:
        entry = served.node.catalogue.get(TOPIC)
        assert entry is not None
        await served.node.catalogue.grow(TOPIC, entry.partitions + 1)

    async def made_again() -> None:
        await served.node.catalogue.delete(TOPIC)
        await served.node.catalogue.create(TOPIC, PARTITIONS)

    return [configured, grown, made_again]


async def rows_of(other: Other, group_id: str) -> list[Any]:
    asked = [(GROUP_ROWS, group_id), (MEMBER_ROWS, group_id)]
    return [await (await other.execute(text, (about,))).fetchall() for text, about in asked]


@pytest.mark.parametrize("seed", SEEDS)
async def test_consumer_heartbeats(
    served: Serving, other: Other, monkeypatch: Any, seed: int
) -> None:
    queued = queue_replies(monkeypatch)
    for topic in (TOPIC, OTHER_TOPIC):
        await create_topic(served.address, topic, PARTITIONS)
    rng = Random(seed)
    twins = [
        Twin(
            (Side(served, is_fast=True), Side(served, is_fast=False)),
            str(UUID(int=rng.getrandbits(128), version=4)),
            "i" if number == 0 else None,
        )
        for number in range(MEMBERS)
    ]
    play, changing = Play(rng, twins), changes(served, rng)
    queued.clear()
    done: list[Any] = []
    for number in range(STEPS):
        if rng.random() < 0.015:
            done.append(change := rng.choice(changing))
            if (going := change()) is not None:
                await going
        twin, request, version, payload = play.step()
        heard(served)
        told = await twin.say(request, version, payload)
        done.append((payload, told))
        assert told[0] == told[1], (number, done[-5:])
        alive = heard(served)
        assert {m for g, m in alive if g == TWINS[0]} == {m for g, m in alive if g == TWINS[1]}
        twin.learn(told[0])
        if not number % LOOK_EVERY:
            assert await rows_of(other, TWINS[0]) == await rows_of(other, TWINS[1])
    answered = sum(twin.sides[0].answered for twin in twins)
    assert queued[True] < answered, "nothing was answered from memory"
    assert queued[False] == sum(twin.sides[1].answered for twin in twins)
