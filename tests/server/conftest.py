"""A server of this process over the worker's own database, emptied before each test."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.in_process import other, prepare
from tests.server.serving import Serving, serving

__all__ = ["other"]


@pytest.fixture
def _prepared(database_url: str, settings: Any) -> None:
    """No groups, free slots, and joins that do not wait for company."""
    prepare(database_url, settings)


@pytest.fixture
async def served(_prepared: None) -> AsyncIterator[Serving]:
    """A server that owns every slot."""
    async with serving() as started:
        yield started
