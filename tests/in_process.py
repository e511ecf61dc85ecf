"""Fixtures of those who run a node or a server in the test's own process.

A conftest imports them, and says in its own ``_prepared`` what is in the database and in the
settings before either starts.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from groups.postgres import connections
from tests import rows
from tests.node.running import Running, running

Other = connections.Connection
"""Somebody who sees everything, and waits as long as it takes."""


def prepare(database_url: str, settings: Any) -> None:
    """No groups, free slots, joins that do not wait for company, short sessions."""
    rows.empty(database_url)
    settings.GROUP_INITIAL_REBALANCE_DELAY_MS = 0
    settings.GROUP_QUIET_WINDOW_MS = 0
    settings.GROUP_MIN_SESSION_TIMEOUT_MS = 100


@pytest.fixture
async def one(_prepared: None) -> AsyncIterator[Running]:
    """A node that owns every slot."""
    async with running() as started:
        yield started


@pytest.fixture
async def other(_prepared: None) -> AsyncIterator[Other]:
    """Somebody else's connection, without the node's strict timeouts and rights."""
    async with await connections.connect("other", options="") as made:
        yield made
