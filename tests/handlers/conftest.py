"""A world for handlers: an empty catalogue on a real PostgreSQL, or on none at all."""

from collections.abc import AsyncIterator

import pytest_asyncio
from psycopg_pool import AsyncConnectionPool

from groups.catalogue.cache import Catalogue
from groups.postgres.connections import Connection
from tests.handlers.world import World


@pytest_asyncio.fixture
async def pool(database_url: str) -> AsyncIterator[AsyncConnectionPool[Connection]]:
    """Connections as a node has them: autocommit."""
    async with AsyncConnectionPool(
        database_url,
        min_size=1,
        max_size=4,
        open=False,
        connection_class=Connection,
        kwargs={"autocommit": True},
    ) as pool:
        yield pool


@pytest_asyncio.fixture
async def world(database_url: str, pool: AsyncConnectionPool[Connection]) -> AsyncIterator[World]:
    """A node with no topic and no offset."""
    async with await Connection.connect(database_url, autocommit=True) as connection:
        await connection.execute("DELETE FROM rollcall_topic; DELETE FROM rollcall_offset")
        yield World(Catalogue(pool), connection)


@pytest_asyncio.fixture
async def cut_off() -> AsyncIterator[World]:
    """A node whose database does not answer."""
    nowhere: AsyncConnectionPool[Connection] = AsyncConnectionPool(
        "host=127.0.0.1 port=1 connect_timeout=1", open=False
    )
    yield World(Catalogue(nowhere))
