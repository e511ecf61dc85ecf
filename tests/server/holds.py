"""A server that holds heartbeats, for the tests of either protocol."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from protocol.connection.connection import KafkaConnection
from tests.server.serving import Serving, serving

HOLD_MS = 15_000
"""Longer than any test takes."""

PAUSE_S = 50.0
SOON_S = 10.0
"""Less than a hold, and more than an answer takes on a busy machine."""


@asynccontextmanager
async def holding(settings: Any, hold_ms: int) -> AsyncIterator[Serving]:
    """A server that holds classic heartbeats for so long."""
    settings.GROUP_HEARTBEAT_HOLD_MS = hold_ms
    async with serving() as started:
        yield started


def is_held(connection: KafkaConnection) -> bool:
    """Whether a heartbeat of this connection waits."""
    return connection._hold.correlation_id is not None or connection.pauses.held is not None
