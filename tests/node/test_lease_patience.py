"""A server that takes a connection and says nothing costs a part of a lease, and not all of it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from groups.cluster.lease import Lease
from groups.cluster.view import NodeAddress
from launcher import ports
from tests.node.servers import Address, address

LEASE_MS = 3_000


@pytest.fixture
async def silent() -> AsyncIterator[int]:
    """The port of one that only listens."""
    (port,) = ports.free(1)
    taken: list[asyncio.StreamWriter] = []

    def take(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        taken.append(writer)

    async with await asyncio.start_server(take, ports.LOOPBACK, port):
        yield port
        for writer in taken:
            writer.transport.abort()


@pytest.fixture
async def here(
    _prepared: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Address]:
    """Between the node and the worker's own database."""
    entry = settings.DATABASES["default"]
    async with address() as found:
        found.leads_to = int(entry["PORT"])
        monkeypatch.setitem(entry, "HOST", ports.LOOPBACK)
        monkeypatch.setitem(entry, "PORT", found.port)
        yield found


async def test_a_hung_attempt_is_given_up_and_the_next_has_more_time(
    here: Address, silent: int
) -> None:
    server = here.leads_to
    lease = Lease(NodeAddress(0, "127.0.0.1", 1), LEASE_MS)
    try:
        await lease.beat()
        await lease.close()
        here.leads_to = silent
        patience = []
        for _ in range(2):
            patience.append(lease.patience_s)
            with pytest.raises(TimeoutError):
                await lease.beat()
        assert [*patience, lease.patience_s] == [0.75, 1.5, 3.0]

        here.leads_to = server
        await lease.beat()
        assert lease.patience_s == 0.75
    finally:
        await lease.end()


async def test_a_node_that_remembers_no_timeline_beats_at_its_usual_time() -> None:
    """Nothing can doubt what is not known."""
    lease = Lease(NodeAddress(0, "127.0.0.1", 1), LEASE_MS)
    assert lease.memory is None
    await lease.until_next_beat(0)
