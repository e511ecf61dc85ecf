"""Heartbeats of the consumer protocol in two groups with the same members, one with the fast paths
and one without: every answer, every row and every sign of life is alike.

Members join, leave, acknowledge and repeat themselves by chance, and send odd values, while topics
and settings change.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any
from uuid import UUID

import pytest

from benchmarks.wire import create_topic, frame
from groups.core.configs.group import HEARTBEAT_INTERVAL
from protocol.handlers.support import long_poll
from rollcall.wire.codec import decode
from rollcall.wire.errors import WireError
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from tests.in_process import Other
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


@pytest.fixture
async def served(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    """Nothing depends on how long anything takes."""
    timeless(settings)
    async with serving() as started:
        yield started


@dataclass
class Twin:
    """A member of both groups, with its last response."""

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
        response = decode(ConsumerGroupHeartbeatResponse, version, reply, 5)
    except WireError:
        return reply
    if response.assignment is not None:
        response.assignment.topic_partitions = sorted(
            response.assignment.topic_partitions, key=lambda each: each.topic_id
        )
        for each in response.assignment.topic_partitions:
            each.partitions = sorted(each.partitions)
    return response


ODD_HEARTBEATS: dict[str, tuple[Any, ...]] = {
    "member_id": ("stranger", "a\0b", LONG),
    "member_epoch": (0, -1, -2, -3, 1, 99, INT32),
    "instance_id": (None, "", "i", "j", "nobody"),
    "rack_id": ("", "r"),
    "rebalance_timeout_ms": (50_000, INT32),  # no member is removed during the test
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
async def test_both_paths_answer_consumer_heartbeats_alike(
    served: Serving, other: Other, monkeypatch: Any, seed: int
) -> None:
    monkeypatch.setattr(long_poll, "QUIET_MS", 0)
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
