"""Members whose answers are not true: each may have other values than the coordinator gave it.

Whatever a member receives, it ends by no mistake of its own, its calls raise what docs/client.md
names, and it is never silent for good: it asks again, or says why it does not.

``ROLLCALL_TEST_SCHEDULES`` says how many of each protocol.
"""

import asyncio
import os
from dataclasses import replace
from random import Random
from typing import Any, Final
from uuid import UUID

import pytest

from benchmarks.wire import create_topic
from groups.core.consumer.group import ConsumerGroup
from rollcall.client import Member, TopicPartition
from rollcall.client.core.consumer import ConsumerMachine
from rollcall.client.core.events import Identity, Reply
from rollcall.client.errors import CommitRefused, Refused, Unavailable
from rollcall.client.protocols import of
from rollcall.wire.codec import decode, encode
from rollcall.wire.declare import Message
from rollcall.wire.kinds import Struct
from rollcall.wire.messages.api_versions import ApiVersionsResponse
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatResponse
from rollcall.wire.messages.join_group import JoinGroupResponse
from rollcall.wire.messages.offset_commit import OffsetCommitResponse
from rollcall.wire.messages.offset_fetch import OffsetFetchResponse
from tests.client_library.line import Line, line_to
from tests.client_library.test_callbacks import PROTOCOLS, at
from tests.client_library.world import World
from tests.server.serving import Serving, until

SCHEDULES: Final = int(os.environ.get("ROLLCALL_TEST_SCHEDULES", "1"))
TIMES: Final[dict[str, Any]] = {
    "request_timeout_ms": 2_000,
    "retry_backoff_ms": 10,
    "retry_backoff_max_ms": 100,
}
ACTS: Final = 60
ODDS: Final = 0.3
NUMBERS: Final = (-1, 0, 1, 2, 7, -2, 127)
HEAD_BYTES: Final = 8
"""Of an answer's frame: its size and the correlation id."""


class Liar:
    """Puts other values into answers while it ``lies``; ``only``: into answers of this class, by
    this function."""

    def __init__(self, line: Line, protocol: str, rng: Random) -> None:
        self.lies, self._rng = True, rng
        self._apis = of(protocol).dialect.apis
        line.lie = self._told

    def _told(self, key: int, version: int, frame: bytes) -> bytes:
        if not self.lies or self._rng.random() > ODDS:
            return frame
        return spoken(self._apis[key].response, version, frame, self._otherwise)

    def _otherwise(self, message: Any) -> Any:
        """One of its values, however deep, is another."""
        fields = [each.name for each in message.wire_fields]
        name = self._rng.choice(fields)
        return replace(message, **{name: self._other(name, getattr(message, name))})

    def _other(self, name: str, value: Any) -> Any:
        if isinstance(value, Struct):
            return self._otherwise(value)
        if isinstance(value, list):
            return self._list(name, value)
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return self._rng.choice(NUMBERS)
        if isinstance(value, str):
            return self._rng.choice(["", "nobody"])
        if isinstance(value, bytes):
            return self._rng.choice([b"", b"\0", value[:-1]])
        return UUID(int=9) if isinstance(value, UUID) else value

    def _list(self, name: str, value: list[Any]) -> list[Any]:
        if not value or self._rng.random() < 0.3:
            return value[:-1]
        at = self._rng.randrange(len(value))
        return [*value[:at], self._other(name, value[at]), *value[at + 1 :]]


def spoken(kind: type[Message], version: int, frame: bytes, otherwise: Any) -> bytes:
    """The frame, but for what ``otherwise`` makes of its message."""
    flexible = kind.flexible(version) and kind is not ApiVersionsResponse
    head = frame[4 : HEAD_BYTES + flexible]
    told = otherwise(decode(kind, version, frame, HEAD_BYTES + flexible))
    said = head + encode(told, version)
    return len(said).to_bytes(4, "big") + said


def instead(kind: type[Message], otherwise: Any) -> Any:
    """Every answer of this class says something else."""

    def lie(key: int, version: int, frame: bytes) -> bytes:
        is_this = of("consumer").dialect.apis[key].response is kind
        return spoken(kind, version, frame, otherwise) if is_this else frame

    return lie


def is_silent(member: Member) -> bool:
    """Whether it never comes back, and does not say so."""
    ask = member._machine._requests  # type: ignore[attr-defined]
    waits = ask.request is not None or ask.call is not None
    return member.failure is None and member._machine.due() is None and not waits


async def live(served: Serving, protocol: str, seed: int) -> None:
    rng = Random(f"{protocol}-{seed}")
    async with line_to(at(served, protocol)) as line:
        liar = Liar(line, protocol, rng)
        member = Member(line.address, f"{protocol}-{seed}", ["t"], protocol=protocol, **TIMES)
        liar.lies = False
        await member.start()
        await until(lambda: len(member.assigned) == 4)
        liar.lies = True
        for _ in range(ACTS):
            partition = rng.choice(sorted(member.assigned) or [TopicPartition("t", 0)])
            try:
                if rng.random() < 0.5:
                    await member.commit({partition: 1})
                else:
                    await member.committed([partition])
            except (CommitRefused, Unavailable):
                await asyncio.sleep(0.01)
            assert not is_silent(member), (protocol, seed)
        liar.lies = False
        assert member.failure is None or isinstance(member.failure, Refused), (seed, member.failure)
        await member.close(5)


@pytest.mark.long
@pytest.mark.timeout(60 + 60 * SCHEDULES)
async def test_no_invalid_response_makes_a_member_fail_or_fall_silent(served: Serving) -> None:
    await create_topic(served.address, "t", 4)
    for seed in range(SCHEDULES):
        await asyncio.gather(*(live(served, protocol, seed) for protocol in PROTOCOLS))


@pytest.mark.parametrize("epoch", [0, -1, -2])
def test_an_epoch_that_no_member_has_silences_nobody(epoch: int) -> None:
    world = World(ConsumerGroup)
    world.catalogue = {"t": 4}
    anna = world.add("anna", ConsumerMachine(Identity("g"), Random(1)), "t")
    world.settle()
    assert len(anna.owned) == 4
    world.sleep(5_000)
    (send, _) = anna.requests.popleft()

    untrue = ConsumerGroupHeartbeatResponse(member_epoch=epoch, heartbeat_interval_ms=5_000)
    world.tell(anna, Reply(send.ticket, untrue))

    assert anna.machine.due() is not None
    world.sleep(10_000, honest=True)
    assert len(anna.owned) == 4 and anna.machine.standing.epoch > 0


async def test_a_protocol_that_was_not_offered_is_refused(served: Serving) -> None:
    await create_topic(served.address, "t", 4)
    async with line_to(served.address) as line:
        line.lie = instead(JoinGroupResponse, lambda told: replace(told, protocol_name="nobody's"))
        async with Member(line.address, "g", ["t"], protocol="classic", **TIMES) as member:
            await until(lambda: member.failure is not None)
            assert isinstance(member.failure, Refused), member.failure


def _without(told: Any) -> Any:
    return replace(told, topics=[])


def _of_another(told: Any) -> Any:
    return replace(told, topics=[replace(t, name="u", topic_id=UUID(int=9)) for t in told.topics])


def _without_group(told: Any) -> Any:
    return replace(told, groups=[replace(g, topics=[]) for g in told.groups])


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
@pytest.mark.parametrize("otherwise", [_without, _of_another])
async def test_a_commit_missing_in_the_response_is_not_durable(
    served: Serving, protocol: str, otherwise: Any
) -> None:
    await create_topic(served.address, "t", 1)
    async with line_to(served.address) as line:
        line.lie = instead(OffsetCommitResponse, otherwise)
        async with Member(line.address, "g", ["t"], protocol=protocol, **TIMES) as member:
            await until(lambda: bool(member.assigned))
            with pytest.raises(Unavailable, match="other partitions"):
                await member.commit({TopicPartition("t", 0): 1})


async def test_progress_missing_in_the_response_is_not_none(served: Serving) -> None:
    await create_topic(served.address, "t", 1)
    async with (
        line_to(served.address) as line,
        Member(line.address, "g", ["t"], **TIMES) as member,
    ):
        await until(lambda: bool(member.assigned))
        await member.commit({TopicPartition("t", 0): 7})
        line.lie = instead(OffsetFetchResponse, _without_group)
        with pytest.raises(Unavailable, match="other partitions"):
            await member.committed()
        line.lie = lambda key, version, frame: frame
        assert await member.committed() == {TopicPartition("t", 0): 7}
