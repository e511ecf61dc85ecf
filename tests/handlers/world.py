"""A node as handlers see it, and one way to ask it: through the bytes of a version.

The catalogue, the view of the cluster and the settings are the real ones; only
what puts a node together is left out.
"""

import asyncio
from asyncio import Future
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, cast

from groups.catalogue.cache import Catalogue
from groups.cluster.view import Cluster, NodeAddress
from groups.core.events import Ticket
from groups.core.replies import Reply
from groups.core.rows import SLOTS
from groups.node import Node, NodeSettings
from groups.postgres.connections import Connection
from protocol import apis
from protocol.limits.request_limits import exceeded, refused
from protocol.requests.call import Call, PendingReplies
from protocol.requests.refusals import Refusal
from protocol.requests.turns import Turns
from rollcall.wire.codec import decode, encode
from rollcall.wire.declare import Message
from rollcall.wire.messages import MESSAGES

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)

SETTINGS: dict[str, Any] = {
    "auto_create_topics_enable": True,
    "num_partitions": 3,
    "fetch_hold_min_ms": 500,
    "fetch_hold_max_ms": 30_000,
    "group_coordinator_rebalance_protocols": ("classic", "consumer"),
    "request_topics_max": 10_000,
    "request_groups_max": 10_000,
    "request_offsets_max": 100_000,
    "request_configs_max": 1_000,
}

BROKERS = (NodeAddress(0, "alpha.test", 9092), NodeAddress(1, "beta.test", 9093))


def settings(**over: Any) -> NodeSettings:
    """A node's settings; what these handlers do not read is 0."""
    values = SETTINGS | over
    return NodeSettings(**{f.name: values.get(f.name, 0) for f in fields(NodeSettings)})


def cluster(*brokers: NodeAddress, owner: int | None = 1) -> Cluster:
    """A view in which one node owns every slot."""
    owners = {} if owner is None else dict.fromkeys(range(SLOTS), owner)
    return Cluster("cluster-of-tests", brokers or BROKERS, owners)


def _refused(request: Message, version: int, known: NodeSettings) -> Any:
    """The answer where the request names more than it may, as ``protocol.connection.application``
    gives it."""
    maximum = exceeded(request, known)
    if maximum is None or request.api_key is None:
        return None
    refusal = Refusal(maximum.code, maximum.sentence(known))
    return refused(request, MESSAGES[request.api_key].response, version, maximum, refusal)


@dataclass
class Memory:
    """As much of the coordinator as handlers without a group ask for."""

    holds_lease: bool = True


@dataclass
class World:
    """What a handler may use of a node. ``holds`` are the waits that handlers requested."""

    catalogue: Catalogue
    connection: Connection | None = None
    cluster: Cluster = field(default_factory=cluster)
    settings: NodeSettings = field(default_factory=settings)
    coordinator: Memory = field(default_factory=Memory)
    node_id: int = 0
    holds: list[float] = field(default_factory=list)
    memory: dict[int | str | None, int] = field(default_factory=dict)
    configs: Any = None

    async def ask(
        self,
        handle: Callable[[Request, Call], Awaitable[Response | None]],
        version: int,
        request: Request,
    ) -> Response:
        """What a client of that version would read."""
        response = await self.try_ask(handle, version, request)
        assert response is not None, "there was no reply"
        return response

    async def try_ask(
        self,
        handle: Callable[[Request, Call], Awaitable[Response | None]],
        version: int,
        request: Request,
    ) -> Response | None:
        """The same, where there may be no reply at all."""
        received = decode(type(request), version, encode(request, version))
        response = _refused(received, version, self.settings)
        response = response or await handle(received, self._call(version))
        if response is None:
            return None
        return decode(type(response), version, encode(response, version))

    def _call(self, version: int) -> Call:
        def new_future() -> Future[Reply]:
            return asyncio.get_running_loop().create_future()

        async def hold(seconds: float) -> None:
            self.holds.append(seconds)

        return Call(
            node=cast(Node, self),
            pending_replies=PendingReplies(),
            version=version,
            client_id="a-client",
            client_host="/127.0.0.1",
            ticket=Ticket(1, 1),
            new_future=new_future,
            hold=hold,
            turns=Turns(asyncio.get_running_loop()),
            memory=self.memory,
            served=apis.advertised,
        )

    async def commit(self, group_id: str, topic: str, partition: int, offset: int) -> None:
        """A committed offset, as a row."""
        assert self.connection is not None
        await self.connection.execute(
            "INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset,"
            " leader_epoch, metadata, committed_at) VALUES (%s, %s, %s, %s, -1, '', now())",
            (group_id, topic, partition, offset),
        )

    async def committed(self, topic: str) -> list[tuple[str, int, int]]:
        """(group, partition, offset) of every offset committed to the topic."""
        assert self.connection is not None
        rows = await self.connection.execute(
            "SELECT group_id, partition, committed_offset FROM rollcall_offset"
            " WHERE topic = %s ORDER BY 1, 2",
            (topic,),
        )
        return await rows.fetchall()
