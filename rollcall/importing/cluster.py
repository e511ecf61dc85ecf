"""A cluster as an administrator's client sees it: requests to any node, to a given one, to the
coordinator of a group. Of Kafka and of Rollcall alike."""

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final

from rollcall.client.cluster import addresses
from rollcall.client.connection import Broken, Connection
from rollcall.client.core.codes import Code, name_of
from rollcall.client.dialects.kafka import find, found
from rollcall.client.errors import AuthenticationFailed
from rollcall.client.security import Security
from rollcall.wire.declare import Message

CLIENT_ID: Final = "rollcall-import"
REQUEST_S: Final = 30.0
PATIENCE_S: Final = 30.0
"""How long a coordinator may be loading, or away: longer than any take-over."""
AGAIN_S: Final = 0.3

LATER: Final = frozenset(
    (
        Code.REQUEST_TIMED_OUT,
        Code.COORDINATOR_LOAD_IN_PROGRESS,
        Code.COORDINATOR_NOT_AVAILABLE,
        Code.NOT_COORDINATOR,
    )
)

Address = tuple[str, int]


class Unavailable(Exception):
    """The cluster does not answer, or refuses this client; the text says which and why."""


class Cluster:
    """``async with``; connections are opened when they are needed, one a node."""

    def __init__(self, bootstrap: str, security: Security | None) -> None:
        """Raises ``ValueError`` for addresses that are none."""
        self.name = bootstrap
        self._bootstrap = addresses(bootstrap)
        self._security = security
        self._connections: dict[Address, Connection] = {}

    async def __aenter__(self) -> "Cluster":
        return self

    async def __aexit__(self, *_: object) -> None:
        for connection in self._connections.values():
            connection.close()

    async def ask(self, request: Message, address: Address | None = None) -> Any:
        """The answer of this node, or of the first bootstrap node that can be reached. Raises
        ``Unavailable``."""
        failure: Exception = Broken("no address")
        for where in [address] if address else self._bootstrap:
            try:
                return await (await self._open(where)).call(request, REQUEST_S)
            except AuthenticationFailed as error:
                raise Unavailable(f"{self.name}: {error}") from error
            except OSError as error:
                failure = error
        raise Unavailable(f"{self.name} does not answer: {failure}") from failure

    async def of_group(self, group_id: str, request: Message, code: Callable[[Any], int]) -> Any:
        """The answer of a group's coordinator, asked again while it moves or loads; ``code``
        finds an answer's error. Raises ``Unavailable``."""
        end = time.monotonic() + PATIENCE_S
        while True:
            coordinator = found(await self.ask(find(group_id)))
            problem = coordinator.code
            if not problem:
                answer = await self.ask(request, (coordinator.host, coordinator.port))
                problem = code(answer)
                if problem not in LATER:
                    return answer
            if problem not in LATER or time.monotonic() > end:
                raise Unavailable(f"{self.name}: no coordinator of {group_id}: {name_of(problem)}")
            await asyncio.sleep(AGAIN_S)

    async def _open(self, address: Address) -> Connection:
        connection = self._connections.get(address)
        if connection is None or not connection.is_open:
            connection = await Connection.open(*address, CLIENT_ID, self._security)
            self._connections[address] = connection
        await connection.renew()
        return connection
