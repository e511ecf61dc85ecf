"""A node of this process over the worker's own database, and transactional producers of it."""

from collections.abc import Callable

import pytest

from tests import rows
from tests.in_process import Other, one, other
from tests.node.running import Running
from tests.txn.producers import Txn

__all__ = ["Other", "one", "other"]


@pytest.fixture(autouse=True)
def _prepared(database_url: str) -> None:
    """No groups, no producers, free slots."""
    rows.empty(database_url)


@pytest.fixture
def producer(one: Running) -> Callable[[str], Txn]:
    """A transactional producer, by its transactional id; not yet initialised."""

    def new(transactional_id: str = "pay") -> Txn:
        return Txn(one, transactional_id)

    return new
