"""Where to ask: the bootstrap nodes, the group's coordinator, and the topics there are.

It connects when it must and forgets when it is told to. When to try again is not decided here.
"""

import asyncio
import ssl
from collections.abc import Iterable, Sequence
from typing import Any, Final

from protocol.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.wire.declare import Message
from rollcall.client.connection import Broken, Connection
from rollcall.client.core.words import LookUp, TopicPartition, Topics

ASK_S: Final = 10.0

MEMBERSHIP, OFFSETS, METADATA = "membership", "offsets", "metadata"
ASSIGNING = "assigning"
"""Connections of their own: a parked join holds back every answer behind it."""

COORDINATORS: Final = (MEMBERSHIP, OFFSETS, ASSIGNING)
LANES: Final = (*COORDINATORS, METADATA)


def addresses(bootstrap: str | Sequence[str]) -> list[tuple[str, int]]:
    """``HOST:PORT``, several with commas or in a list; ``ValueError`` for anything else."""
    listed = bootstrap.split(",") if isinstance(bootstrap, str) else list(bootstrap)
    found = []
    for each in listed:
        host, colon, port = each.strip().rpartition(":")
        if not (host and colon and port.isdecimal()):
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
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._addresses = addresses(bootstrap)
        self._group = group
        self._client_id = client_id
        self._ssl = ssl_context
        self._coordinator: tuple[str, int] | None = None
        self._connections: dict[str, Connection] = {}
        self._locks = {lane: asyncio.Lock() for lane in LANES}

    async def ask(self, lane: str, request: Message, timeout_s: float) -> Any:
        """Ask the coordinator (or, for metadata, any node); ``OSError`` without an answer."""
        async with self._locks[lane]:
            connection = self._connections.get(lane)
            if connection is None or not connection.is_open:
                connection = await self._connect(lane)
                self._connections[lane] = connection
            answer = asyncio.ensure_future(connection.call(request, timeout_s))
            await asyncio.sleep(0)  # written before the lane is free: requests keep their order
        return await answer

    async def look_up(self, wanted: LookUp) -> Topics:
        """What the cluster knows of topics; those that do not exist are left out."""
        topics: list[MetadataRequestTopic] | None = None
        if wanted.names or wanted.ids:
            topics = [MetadataRequestTopic(name=name) for name in wanted.names]
            topics += [MetadataRequestTopic(topic_id=each, name=None) for each in wanted.ids]
        request = MetadataRequest(topics=topics, allow_auto_topic_creation=False)
        answer = await self.ask(METADATA, request, ASK_S)
        return Topics(
            {t.name: (t.topic_id, len(t.partitions)) for t in answer.topics if not t.error_code}
        )

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

    def close(self) -> None:
        """End every connection."""
        for connection in self._connections.values():
            connection.close()

    async def _connect(self, lane: str) -> Connection:
        if lane == METADATA:
            return await self._any()
        if self._coordinator is None:
            self._coordinator = await self._find()
        return await self._open(self._coordinator)

    async def _open(self, address: tuple[str, int]) -> Connection:
        return await Connection.open(*address, self._client_id, self._ssl)

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
        request = FindCoordinatorRequest(key=self._group, coordinator_keys=[self._group])
        connection = await self._any()
        try:
            answer: FindCoordinatorResponse = await connection.call(request, ASK_S)
        finally:
            connection.close()
        found = answer.coordinators[0] if answer.coordinators else answer
        if found.error_code:
            raise Broken(f"no coordinator: error {found.error_code}")
        return found.host, found.port


def listed(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Partitions by topic, as requests name them."""
    by_topic: dict[str, list[int]] = {}
    for topic, partition in sorted(partitions):
        by_topic.setdefault(topic, []).append(partition)
    return by_topic
