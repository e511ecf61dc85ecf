"""Two ways to the same answers: connections with the fast paths, and without; what both leave."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from protocol.connection.connection import KafkaConnection
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from tests.server.client import Client
from tests.server.serving import Serving

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 3))]
BODY_AT = 8
"""In a frame without its length."""

TOPIC, OTHER_TOPIC = "work", "more"
PARTITIONS = 4
INT32 = 2**31 - 1
LONG = "x" * 300


def timeless(settings: Any) -> None:
    """Nothing depends on how long anything takes."""
    settings.NODE_LEASE_MS = 60_000
    settings.GROUP_HEARTBEAT_HOLD_MS = 0
    settings.GROUP_CONSUMER_HEARTBEAT_HOLD_PERCENT = 0
    settings.GROUP_CONSUMER_ASSIGNMENT_INTERVAL_MS = 0
    settings.GROUP_CONSUMER_ASSIGNOR_OFFLOAD_ENABLE = False


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
                self.connection.fast_paths = {}
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
        found[bool(self.fast_paths)] += 1
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


def consumer_join(group_id: str, member_id: str = "") -> ConsumerGroupHeartbeatRequest:
    return ConsumerGroupHeartbeatRequest(
        group_id=group_id,
        member_id=member_id or str(uuid4()),
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=[TOPIC],
        topic_partitions=[],
    )
