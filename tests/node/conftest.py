"""A node of this process over the worker's own database, emptied before each test."""

from typing import Any

import pytest

from tests.in_process import one, other, prepare

__all__ = ["one", "other"]


@pytest.fixture(autouse=True)
def _prepared(database_url: str, settings: Any) -> None:
    """No groups, free slots, and joins that do not wait for company."""
    prepare(database_url, settings)
