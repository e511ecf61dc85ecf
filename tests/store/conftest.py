"""Connections to the worker's own database, emptied before each test."""

from collections.abc import AsyncIterator

import pytest

from groups import database
from tests import rows


@pytest.fixture(autouse=True)
def _empty(database_url: str) -> None:
    """Every test begins with no group, and with every slot in epoch 1."""
    rows.empty(database_url)


@pytest.fixture
async def connection(_empty: None) -> AsyncIterator[database.Connection]:
    """One connection as a committer makes it."""
    async with await database.connect("test") as made:
        yield made


@pytest.fixture
async def other(_empty: None) -> AsyncIterator[database.Connection]:
    """Somebody else's connection."""
    async with await database.connect("other") as made:
        yield made
