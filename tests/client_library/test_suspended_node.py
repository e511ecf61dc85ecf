"""The group's node is suspended: it answers nothing more, and another node has taken its groups."""

from contextlib import AsyncExitStack
from typing import Any

import pytest

from rollcall.client import Kind, Member, Metrics, TopicPartition
from rollcall.client.core.events import Partitions
from rollcall.testing import Coordinator
from tests.client_library.line import Line, line_to
from tests.server.serving import until

TOPIC, INTERVAL_MS = "orders", 100
FIND_COORDINATOR = 10
RULES: dict[str, Any] = {"group_consumer_heartbeat_interval_ms": INTERVAL_MS}
TIMES: dict[str, Any] = {"session_timeout_ms": 4_000, "heartbeat_interval_ms": INTERVAL_MS}


class Beats(Metrics):
    """How many heartbeats were answered."""

    answers = 0

    def answered(self, request: str, version: int, seconds: float) -> None:
        self.answers += request.endswith("Heartbeat")


def naming(asked: Line, named: Line) -> Any:
    """Who asks here for the group's coordinator is told of the other line."""

    def told(key: int, version: int, frame: bytes) -> bytes:
        here, there = (b"127.0.0.1" + line.port.to_bytes(4, "big") for line in (asked, named))
        return frame.replace(here, there) if key == FIND_COORDINATOR else frame

    return told


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
async def test_a_member_finds_the_next_coordinator_before_its_session_ends(protocol: str) -> None:
    """It does not wait for a request's whole timeout, of 30 seconds, in which it had no work."""
    async with AsyncExitStack() as stack:
        coordinator = stack.enter_context(Coordinator({TOPIC: 2}, **RULES))
        first = await stack.enter_async_context(line_to(coordinator.bootstrap))
        other = await stack.enter_async_context(line_to(coordinator.bootstrap))
        other.lie = naming(other, first)
        lost: list[Partitions] = []
        beats = Beats()
        member = Member(
            other.address,
            "g",
            [TOPIC],
            protocol=protocol,
            on_lost=lost.append,
            metrics=beats,
            **TIMES,
        )
        await stack.enter_async_context(member)
        assert (await anext(member.changes())).kind is Kind.ASSIGNED

        first.spoil = lambda frame: None  # suspended; ``other`` has its groups from now on
        other.lie = naming(other, other)

        before = beats.answers
        await until(lambda: beats.answers > before)
        await member.commit({TopicPartition(TOPIC, 0): 5})
        assert len(member.assigned) == 2 and not lost
