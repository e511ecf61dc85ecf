"""A server of this process over the worker's own database, emptied before each test."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from groups import database
from tests import rows
from tests.server.serving import Serving, serving


@pytest.fixture
def _prepared(database_url: str, settings: Any) -> None:
    """No groups, free slots, and joins that do not wait for company."""
    rows.empty(database_url)
    settings.GROUP_INITIAL_REBALANCE_DELAY_MS = 0
    settings.GROUP_QUIET_WINDOW_MS = 0
    settings.GROUP_MIN_SESSION_TIMEOUT_MS = 100


@pytest.fixture
async def served(_prepared: None) -> AsyncIterator[Serving]:
    """A server that owns every slot."""
    async with serving() as started:
        yield started


@pytest.fixture
async def other(_prepared: None) -> AsyncIterator[database.Connection]:
    """Somebody else's connection, without the node's strict timeouts."""
    async with await database.connect("other", options="") as made:
        yield made
