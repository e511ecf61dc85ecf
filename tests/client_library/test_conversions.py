"""Classic members of a group whose protocol changes while they join."""

import asyncio
from typing import Any

from rollcall.client import Member
from rollcall.testing import Coordinator
from tests.client_library.line import line_to
from tests.server.serving import until

TOPIC = "orders"
JOIN_GROUP, SYNC_GROUP = 11, 14
OPTIONS: dict[str, Any] = {"protocol": "classic", "heartbeat_interval_ms": 100}


async def test_a_member_whose_protocol_is_chosen_anew_before_it_syncs_joins_again() -> None:
    """Mixed, the coordinator takes what the member lists first; then a leader's, what all list."""
    joined: list[int] = []

    def answered(key: int, version: int, frame: bytes) -> bytes:
        joined.append(key)
        return frame

    with Coordinator({TOPIC: 4}) as coordinator:
        async with line_to(coordinator.bootstrap) as line:
            anna = Member(line.address, "g", [TOPIC], assignor=["sticky", "range"], **OPTIONS)
            ben = Member(coordinator.bootstrap, "g", [TOPIC], assignor="range", **OPTIONS)
            async with anna, ben:
                await until(lambda: len(anna.assigned) == len(ben.assigned) == 2)
                line.late[SYNC_GROUP] = asyncio.Event()
                line.lie = answered
                async with Member(coordinator.bootstrap, "g", [TOPIC]):
                    await until(lambda: JOIN_GROUP in joined)

                line.late[SYNC_GROUP].set()

                await until(lambda: len(anna.assigned) == len(ben.assigned) == 2)
                assert anna.failure is None and ben.failure is None
