"""The nodes of a whole installation, of which a test before may have killed one."""

import asyncio
import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from launcher.installation import Installation
from rollcall.client.cluster import addresses
from rollcall.client.connection import Connection
from rollcall.client.dialects.kafka import KAFKA
from rollcall.wire.declare import Message
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from rollcall.wire.messages.metadata import MetadataRequest

PATIENCE_S = 60
AGAIN_S = 0.05


async def all_nodes(installation: Installation, count: int) -> dict[int, str]:
    """HOST:PORT of each node's Kafka listener by node id, once all of them serve: one that was
    killed is named until its beat is overdue, and refuses connections until it is up again."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with suppress(OSError):
                answer = await ask([installation.kafka], MetadataRequest(topics=[]))
                found = {each.node_id: f"{each.host}:{each.port}" for each in answer.brokers}
                for address in found.values():
                    await ask([address], MetadataRequest(topics=[]))
                if len(found) == count:
                    return found
            await asyncio.sleep(AGAIN_S)


async def coordinator_of(group: str, nodes: Iterable[str]) -> int:
    """The node id of the group's coordinator, asked of whichever node serves."""
    request = FindCoordinatorRequest(coordinator_keys=[group])
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with suppress(OSError):
                (named,) = (await ask(nodes, request)).coordinators
                if named.error_code == 0:
                    return int(named.node_id)
            await asyncio.sleep(AGAIN_S)


async def ask(nodes: Iterable[str], request: Message) -> Any:
    """What the first node says that takes a connection; ``OSError`` if none does."""
    refused: OSError = ConnectionRefusedError("no node was named")
    for host, port in addresses(list(nodes)):
        try:
            connection = await Connection.open(host, port, "test", None, KAFKA)
        except OSError as error:
            refused = error
            continue
        try:
            return await connection.call(request, PATIENCE_S)
        finally:
            connection.close()
    raise refused


def kill_node(installation: Installation, node_id: int) -> None:
    """SIGKILL; the launcher starts it again."""
    os.kill(installation.node_pid(node_id), signal.SIGKILL)
