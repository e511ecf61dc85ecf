"""Where to ask: the bootstrap nodes, the group's coordinator, and the topics there are.

It connects when it must and forgets when it is told to. When to try again is not decided here.
"""

import asyncio
import ssl
from collections.abc import Sequence
from typing import Any, Final

from rollcall.client.connection import Broken, Connection
from rollcall.client.core.events import LookUp, Topics
from rollcall.client.dialects import Dialect
from rollcall.client.errors import Closed
from rollcall.wire.declare import Message

ASK_S: Final = 10.0
PORT_MAX: Final = 65_535

MEMBERSHIP, OFFSETS, METADATA = "membership", "offsets", "metadata"
ASSIGNING, ORDERS = "assigning", "orders"
"""Connections of their own: a parked join or poll holds back every answer behind it."""

COORDINATORS: Final = (MEMBERSHIP, OFFSETS, ASSIGNING, ORDERS)
LANES: Final = (*COORDINATORS, METADATA)


def addresses(bootstrap: str | Sequence[str]) -> list[tuple[str, int]]:
    """``HOST:PORT``, several with commas or in a list; ``ValueError`` for anything else."""
    listed = bootstrap.split(",") if isinstance(bootstrap, str) else list(bootstrap)
    found = []
    for each in listed:
        host, colon, port = each.strip().rpartition(":")
        if not (host and colon and port.isdecimal() and 0 < int(port) <= PORT_MAX):
            raise ValueError(f"{each!r} is not HOST:PORT")
        found.append((host.strip("[]"), int(port)))
    return found


class Cluster:
    """The nodes as one member knows them."""

    def __init__(
        self,
        bootstrap: str | Sequence[str],
        group: str,
        client_id: str,
        dialect: Dialect,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._addresses = addresses(bootstrap)
        self._group = group
        self._client_id = client_id
        self._dialect = dialect
        self._ssl = ssl_context
        self._coordinator: tuple[str, int] | None = None
        self._connections: dict[str, Connection] = {}
        self._locks = {lane: asyncio.Lock() for lane in LANES}
        self._is_closed = False

    async def ask(self, lane: str, request: Message, timeout_s: float) -> Any:
        """Ask the coordinator (or, for metadata, any node); ``OSError`` without an answer, and
        ``Closed`` when it was closed."""
        async with self._locks[lane]:
            self._check_open()
            connection = self._connections.get(lane)
            if connection is None or not connection.is_open:
                if connection is not None and lane != METADATA:
                    self._coordinator = None  # a closed socket: it may be another by now
                connection = await self._connect(lane)
                self._connections[lane] = connection
                self._check_open()
            answer = asyncio.ensure_future(connection.call(request, timeout_s))
            answer.add_done_callback(_seen)
            try:
                await asyncio.sleep(0)  # written before the lane is free: requests keep their order
            except asyncio.CancelledError:
                answer.cancel()
                raise
        return await answer

    async def look_up(self, wanted: LookUp) -> Topics:
        """What the cluster knows of topics; those that do not exist are left out."""
        dialect = self._dialect
        return dialect.topics(await self.ask(METADATA, dialect.look_up(wanted), ASK_S))

    def forget_coordinator(self) -> None:
        """Whoever it was, ask again; nothing sent to it before is waited for."""
        self._coordinator = None
        for lane in COORDINATORS:
            if lane in self._connections:
                self._connections.pop(lane).close()

    def forget_offsets(self) -> None:
        """The same for offsets alone: membership finds out for itself."""
        self._coordinator = None
        if OFFSETS in self._connections:
            self._connections.pop(OFFSETS).close()

    def forget_orders(self) -> None:
        """The same for what operators want."""
        self._coordinator = None
        if ORDERS in self._connections:
            self._connections.pop(ORDERS).close()

    def _check_open(self) -> None:
        """Whoever opened a connection meanwhile ends it."""
        if self._is_closed:
            self.close()
            raise Closed("the member is closed")

    def close(self) -> None:
        """End every connection, and open no other."""
        self._is_closed = True
        for connection in self._connections.values():
            connection.close()

    async def _connect(self, lane: str) -> Connection:
        if lane == METADATA:
            return await self._any()
        if self._coordinator is None:
            self._coordinator = await self._find()
        return await self._open(self._coordinator)

    async def _open(self, address: tuple[str, int]) -> Connection:
        return await Connection.open(*address, self._client_id, self._ssl, self._dialect)

    async def _any(self) -> Connection:
        """The first bootstrap node that can be reached; the others are tried last from then on."""
        failure: OSError = Broken("no bootstrap address")
        for address in list(self._addresses):
            try:
                return await self._open(address)
            except OSError as error:
                failure = error
                self._addresses.remove(address)
                self._addresses.append(address)
        raise failure

    async def _find(self) -> tuple[str, int]:
        connection = await self._any()
        try:
            answer = await connection.call(self._dialect.find(self._group), ASK_S)
        finally:
            connection.close()
        code, host, port = self._dialect.found(answer)
        if code:
            raise Broken(f"no coordinator: {self._dialect.name_of(code)}")
        return host, port


def _seen(answer: "asyncio.Task[Any]") -> None:
    """Its failure is of no interest to anybody when who asked has been cancelled."""
    if not answer.cancelled():
        answer.exception()
