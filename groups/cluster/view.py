"""Several nodes look like one cluster: which nodes are alive, which slots they own, which
partitions they "lead".

An immutable view, replaced by ``groups.cluster.slot_keeper`` each time it reads the rows; every
node computes the same answers from the same rows (docs/architecture.md, *Several nodes look like
one cluster*). No I/O here.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple, Self
from uuid import UUID

from groups.core.rows import slot_of

DRAFT = "DRAFT"
"""The name of the listener for the 0.9 draft."""


def address(host: str, port: int) -> str:
    """``HOST:PORT`` as clients take it: an IPv6 address is in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class Endpoint(NamedTuple):
    """A node's address for clients of one listener, as Kafka writes it: ``NAME://host:port``."""

    listener: str
    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a text of a node's row; raises ``ValueError`` if it is not an endpoint."""
        listener, _, where = text.partition("://")
        host, _, port = where.rpartition(":")
        return cls(listener, host.removeprefix("[").removesuffix("]"), int(port))

    @classmethod
    def readable(cls, texts: Iterable[str]) -> Iterator[Self]:
        """The endpoints of a node's row. A text that this version cannot read (another version may
        have written it) is skipped, so that reading the nodes does not fail."""
        for text in texts:
            with suppress(ValueError):
                yield cls.parse(text)

    def __str__(self) -> str:
        return f"{self.listener}://{address(self.host, self.port)}"


class NodeAddress(NamedTuple):
    """A live node as clients see it. ``host`` and ``port`` are those of its first listener,
    ``draft_port`` that of the listener for the 0.9 draft; 0: none. A node of an early version has
    no ``endpoints``."""

    node_id: int
    host: str
    port: int
    draft_port: int = 0
    endpoints: tuple[Endpoint, ...] = ()

    def at(self, listener: str) -> Endpoint | None:
        """The node's address for clients of this listener; None if it has no such listener."""
        for endpoint in self.endpoints:
            if endpoint.listener == listener:
                return endpoint
        return None if self.endpoints else Endpoint(listener, self.host, self.port)

    @property
    def draft(self) -> Endpoint | None:
        """The listener for the 0.9 draft."""
        found = self.at(DRAFT)
        return found and found._replace(port=self.draft_port) if self.draft_port else None


@dataclass(frozen=True, slots=True)
class Cluster:
    """Nodes and slots at one time. ``owners`` maps a slot to the node id that owns it."""

    cluster_id: str
    brokers: tuple[NodeAddress, ...] = ()
    owners: Mapping[int, int] = field(default_factory=dict)

    @property
    def controller_id(self) -> int:
        """The lowest live node id, or -1 if no node is alive."""
        return min((broker.node_id for broker in self.brokers), default=-1)

    def broker(self, node_id: int) -> NodeAddress | None:
        """The live node with this id."""
        return next((b for b in self.brokers if b.node_id == node_id), None)

    def coordinator(self, group_id: str) -> NodeAddress | None:
        """The live owner of the group's slot, or None if it has no owner."""
        node_id = self.owners.get(slot_of(group_id))
        return None if node_id is None else self.broker(node_id)

    def leader(self, topic_id: UUID, partition: int) -> int:
        """Which live node "leads" a partition."""
        return leader(tuple(b.node_id for b in self.brokers), topic_id, partition)


def leader(node_ids: tuple[int, ...], topic_id: UUID, partition: int) -> int:
    """Which of these nodes "leads" a partition: by rendezvous hash, so that a node that starts or
    stops moves only its own share. -1 if there is no node."""
    if len(node_ids) <= 1:
        return node_ids[0] if node_ids else -1
    seed = topic_id.bytes + partition.to_bytes(4, "big")
    return max(node_ids, key=lambda n: (_weight(seed, n), n))


def _weight(seed: bytes, node_id: int) -> bytes:
    return blake2b(seed + node_id.to_bytes(4, "big"), digest_size=8).digest()
