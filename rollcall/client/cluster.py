"""Connections of a member: bootstrap nodes, the group's coordinator, and metadata of topics.

It connects when necessary and drops connections on request. When to try again is not decided here.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Final

from rollcall.client import metrics
from rollcall.client.connection import Broken, Connection, Refusing
from rollcall.client.core.codes import NOBODY
from rollcall.client.core.events import LookUp, Topics
from rollcall.client.dialects import Dialect, nodes
from rollcall.client.errors import AuthenticationFailed, Closed
from rollcall.client.metrics import Metrics
from rollcall.client.security import Security
from rollcall.wire.declare import Message

REQUEST_S: Final = 10.0
PORT_MAX: Final = 65_535

MEMBERSHIP, OFFSETS, METADATA = "membership", "offsets", "metadata"
ASSIGNING, ORDERS = "assigning", "orders"
"""Connections of their own: a parked join or poll delays every response after it."""

COORDINATORS: Final = (MEMBERSHIP, OFFSETS, ASSIGNING, ORDERS)
PURPOSES: Final = (*COORDINATORS, METADATA)

log = logging.getLogger("rollcall.client")


def addresses(bootstrap: str | Sequence[str]) -> list[tuple[str, int]]:
    """``HOST:PORT``, several separated by commas or in a list; raises ``ValueError`` for others."""
    listed = bootstrap.split(",") if isinstance(bootstrap, str) else list(bootstrap or ())
    if not listed:
        raise ValueError("bootstrap is empty: at least one HOST:PORT is needed")
    found = []
    for each in listed:
        if not isinstance(each, str):
            raise ValueError(f"{each!r} is not HOST:PORT")
        host, colon, port = each.strip().rpartition(":")
        is_port = port.isdecimal() and 0 < int(port) <= PORT_MAX
        if not (host and colon and is_port) or set(host) & {"/", ","}:
            raise ValueError(f"{each!r} is not HOST:PORT")
        found.append((host.strip("[]"), int(port)))
    return found


class ClusterClient:
    """The nodes, as one member knows them."""

    def __init__(
        self,
        bootstrap: str | Sequence[str],
        group: str,
        client_id: str,
        dialect: Dialect,
        security: Security | None = None,
        measured: Metrics = metrics.NONE,
    ) -> None:
        self._bootstrap = addresses(bootstrap)
        self._addresses = list(self._bootstrap)
        self._group = group
        self._client_id = client_id
        self._dialect = dialect
        self._security = security
        self._metrics = measured
        self._failure: AuthenticationFailed | None = None
        self._silent: set[tuple[str, int]] = set()
        self._coordinator: tuple[str, int] | None = None
        self._connections: dict[str, Connection] = {}
        self._locks = {purpose: asyncio.Lock() for purpose in PURPOSES}
        self._is_closed = False

    async def request(self, purpose: str, request: Message, timeout_s: float) -> Any:
        """Send a request to the coordinator (or metadata requests to any node). Raises ``OSError``
        without a response, ``AuthenticationFailed`` from the first refusal by a node on, and
        ``Closed`` after ``close``."""
        async with self._locks[purpose]:
            self._check_open()
            connection = self._connections.get(purpose)
            if connection is None or not connection.is_open:
                if connection is not None and purpose != METADATA:
                    self._coordinator = None  # the connection is closed: it may be another one now
                connection = await self._connect(purpose)
                self._connections[purpose] = connection
                self._check_open()
            await self._renew(connection)
            answer = asyncio.ensure_future(connection.call(request, timeout_s))
            answer.add_done_callback(_seen)
            try:
                await asyncio.sleep(0)  # sent under the lock, to keep the order
            except asyncio.CancelledError:
                answer.cancel()
                raise
        return await answer

    async def look_up(self, wanted: LookUp) -> Topics:
        """The cluster's metadata of topics, without those that do not exist."""
        answer = await self.request(METADATA, self._dialect.look_up(wanted), REQUEST_S)
        self._learn(nodes(answer))
        return self._dialect.topics(answer)

    def _learn(self, found: Sequence[tuple[str, int]]) -> None:
        """Any node can be asked from now on: those of ``bootstrap`` may be gone by then."""
        known = dict.fromkeys((*self._bootstrap, *found))
        kept = [each for each in self._addresses if each in known]
        self._addresses = list(dict.fromkeys((*kept, *known)))

    def forget_coordinator(self) -> None:
        """Look for the coordinator again; responses to earlier requests are dropped."""
        self._coordinator = None
        for purpose in COORDINATORS:
            if purpose in self._connections:
                self._connections.pop(purpose).close()

    def forget_offsets(self) -> None:
        """The same only for offsets: membership notices it itself."""
        self._coordinator = None
        if OFFSETS in self._connections:
            self._connections.pop(OFFSETS).close()

    def forget_orders(self) -> None:
        """The same for operators' orders."""
        self._coordinator = None
        if ORDERS in self._connections:
            self._connections.pop(ORDERS).close()

    def _check_open(self) -> None:
        """Close connections that were opened in the meantime."""
        if self._is_closed:
            self.close()
            raise Closed("the member is closed")
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Close all connections, and open no others."""
        self._is_closed = True
        for connection in self._connections.values():
            connection.close()

    async def _connect(self, purpose: str) -> Connection:
        if purpose == METADATA:
            return await self._any()
        if self._coordinator is None:
            self._coordinator = await self._find()
        return await self._open(self._coordinator)

    async def _open(self, address: tuple[str, int]) -> Connection:
        try:
            connection = await Connection.open(
                *address, self._client_id, self._security, self._dialect, self._metrics
            )
        except AuthenticationFailed as error:
            self._refused("{}:{}".format(*address), error)
            raise
        except OSError as error:
            self._report(address, error)
            raise
        if address in self._silent:
            self._silent.discard(address)
            log.info("%s: connected to %s:%d again", self._group, *address)
        return connection

    async def _renew(self, connection: Connection) -> None:
        try:
            await connection.renew()
        except AuthenticationFailed as error:
            self._refused(connection.node, error)
            raise

    def _refused(self, node: str, error: AuthenticationFailed) -> None:
        """One refusal is enough: nothing more is sent (the member reports its end)."""
        self._failure = error
        metrics.report(self._metrics.authentication_failed, node, str(error))

    def _report(self, address: tuple[str, int], error: OSError) -> None:
        """Log one warning for a node that cannot be reached, until it can be."""
        metrics.report(self._metrics.connection_failed, "{}:{}".format(*address), str(error))
        level = logging.DEBUG if address in self._silent else logging.WARNING
        self._silent.add(address)
        log.log(level, "%s: cannot connect to %s:%d: %s", self._group, *address, error)

    async def _any(self) -> Connection:
        """The first node that can be reached; the others are tried last from then on."""
        failure: OSError = Broken("no bootstrap address")
        for address in list(self._addresses):
            try:
                return await self._open(address)
            except OSError as error:
                failure = error
                others = [each for each in self._addresses if each != address]
                self._addresses = [*others, address]
        raise failure

    async def _find(self) -> tuple[str, int]:
        connection = await self._any()
        try:
            answer = await connection.call(self._dialect.find(self._group), REQUEST_S)
        finally:
            connection.close()
        code, host, port = self._dialect.found(answer)
        if code:
            why = f"no coordinator: {self._dialect.name_of(code)}"
            raise Refusing(code, why) if code in NOBODY else Broken(why)
        return host, port


def _seen(answer: "asyncio.Task[Any]") -> None:
    """Its failure is ignored if the caller was cancelled."""
    if not answer.cancelled():
        answer.exception()
