"""A cluster that has no coordinator for a member, and never will, is not asked in silence."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from rollcall.client import Member, Refused
from rollcall.testing import Coordinator
from rollcall.wire.messages.api_versions import ApiVersionsResponse
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.find_coordinator import FindCoordinatorResponse
from tests.client_library.line import line_to
from tests.client_library.test_lies import instead

TOPIC = "orders"
HEARTBEAT = ConsumerGroupHeartbeatRequest.api_key


@pytest.fixture
def coordinator() -> Iterator[Coordinator]:
    with Coordinator({TOPIC: 2}) as started:
        yield started


def no_right(told: Any) -> Any:
    """GROUP_AUTHORIZATION_FAILED."""
    return replace(told, coordinators=[replace(c, error_code=30) for c in told.coordinators])


def no_consumer_protocol(told: Any) -> Any:
    """As with ``group.coordinator.rebalance.protocols=classic``."""
    return replace(told, api_keys=[k for k in told.api_keys if k.api_key != HEARTBEAT])


@pytest.mark.parametrize(
    ("of", "otherwise", "code", "why"),
    [
        (FindCoordinatorResponse, no_right, 30, "GROUP_AUTHORIZATION_FAILED"),
        (ApiVersionsResponse, no_consumer_protocol, 35, "speak ConsumerGroupHeartbeat"),
    ],
)
async def test_a_final_refusal_is_the_members_failure(
    coordinator: Coordinator, of: Any, otherwise: Any, code: int, why: str
) -> None:
    async with line_to(coordinator.bootstrap) as line:
        line.lie = instead(of, otherwise)
        async with Member(line.address, "g", [TOPIC]) as member:
            with pytest.raises(Refused, match=why) as refused:
                await anext(member.changes())
            assert refused.value.code == code and member.failure is refused.value


async def test_a_coordinator_that_is_not_there_yet_is_asked_for_again(
    coordinator: Coordinator,
) -> None:
    answers = iter((15, 14, -1))

    def not_yet(told: Any) -> Any:
        code = next(answers, 0)
        return replace(told, coordinators=[replace(c, error_code=code) for c in told.coordinators])

    async with line_to(coordinator.bootstrap) as line:
        line.lie = instead(FindCoordinatorResponse, not_yet)
        async with Member(line.address, "g", [TOPIC], retry_backoff_ms=10) as member:
            assert len((await anext(member.changes())).partitions) == 2
