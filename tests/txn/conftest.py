"""A node of this process over the worker's own database, and transactional producers of it."""

from collections.abc import AsyncIterator, Callable

import pytest

from groups import database
from tests import rows
from tests.node.running import Running, running
from tests.txn.producers import Txn

Other = database.Connection


@pytest.fixture(autouse=True)
def _prepared(database_url: str) -> None:
    """No groups, no producers, free slots."""
    rows.empty(database_url)


@pytest.fixture
async def one(_prepared: None) -> AsyncIterator[Running]:
    """A node that owns every slot."""
    async with running() as started:
        yield started


@pytest.fixture
def producer(one: Running) -> Callable[[str], Txn]:
    """A transactional producer, by its transactional id; not yet initialised."""

    def new(transactional_id: str = "pay") -> Txn:
        return Txn(one, transactional_id)

    return new


@pytest.fixture
async def other(_prepared: None) -> AsyncIterator[Other]:
    """Somebody else's connection, without the node's strict timeouts."""
    async with await database.connect("other", options="") as made:
        yield made
