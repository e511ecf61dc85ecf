"""Connections to the worker's own database, emptied before each test."""

from collections.abc import AsyncIterator

import pytest

from groups.postgres import connections
from tests import rows


@pytest.fixture(autouse=True)
def _empty(database_url: str) -> None:
    """Every test begins with no group, and with every slot in epoch 1."""
    rows.empty(database_url)


@pytest.fixture
async def connection(_empty: None) -> AsyncIterator[connections.Connection]:
    """One connection as a committer makes it."""
    async with await connections.connect("test") as made:
        yield made


@pytest.fixture
async def other(_empty: None) -> AsyncIterator[connections.Connection]:
    """Somebody else's connection."""
    async with await connections.connect("other") as made:
        yield made
