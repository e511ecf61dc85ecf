"""The network between clients and nodes: connections that delay, drop, duplicate and break.

Messages of one connection arrive in order, those of two need not. Requests are values here; the
encoding has its own tests. The network also holds the number of partitions of each topic.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from proof.simulation.world import SECOND, Micros, Process, World

REPEATABLE: Final = frozenset(
    {"Heartbeat", "LeaveGroup", "SyncGroup", "OffsetCommit", "PollCommands", "AcknowledgeCommand"}
)
"""Requests that a network may deliver twice without a different effect."""

PORT: Final = 9092
"""Of node 0; each further node has the next one."""


class Request(NamedTuple):
    """One request: which API, of which group, and its body."""

    api: str
    group_id: str
    body: Any


@dataclass(slots=True)
class Network:
    """The current state. ``latency`` in seconds; ``cut``: (client, node, direction) that drop
    everything, direction "to" the node or "from" it; ``duplicates`` is a share of requests;
    ``holds``: heartbeats wait for changes; ``partitions``: of each topic that exists; ``grown``:
    how many more these are than at the beginning."""

    world: World
    holds: bool = False
    latency: float = 0.001
    duplicates: float = 0.0
    cut: set[tuple[str, int, str]] = field(default_factory=set)
    nodes: dict[int, Any] = field(default_factory=dict)
    connections: int = 0
    partitions: dict[str, int] = field(default_factory=dict)
    grown: Counter[str] = field(default_factory=Counter)

    def delay(self) -> Micros:
        """How long one message takes."""
        return int(self.latency * self.world.rng.uniform(0.3, 2.0) * SECOND) + 50


class Link:
    """One connection of a client to a node, as long as both are alive."""

    def __init__(self, network: Network, client: Process, client_name: str, node_id: int) -> None:
        network.connections += 1
        self.number = network.connections
        self.network = network
        self.client = client
        self.client_name = client_name
        self.node_id = node_id
        self.opened_at = network.world.now
        self.node: Any = network.nodes.get(node_id)
        self.is_open = self.node is not None and self.node.process.alive
        self.requests = 0
        self._to: Micros = 0
        self._from: Micros = 0
        self._answered: dict[int, Callable[[Any], None]] = {}
        if self.node is not None and self.is_open:
            self.node.links.append(self)

    def send(self, request: Request, answered: Callable[[Any], None]) -> None:
        """Send a request; ``answered`` gets the reply, or None when the connection breaks."""
        if not self.is_open:
            answered(None)
            return
        self.requests += 1
        number, network = self.requests, self.network
        self._answered[number] = answered
        if (self.client_name, self.node_id, "to") in network.cut:
            self._lose()
            return
        self._to = max(self._to + 1, network.world.now + network.delay())
        network.world.at(self._to, self._arrive, number, request)
        if request.api in REPEATABLE and network.world.rng.random() < network.duplicates:
            self.requests += 1
            network.world.at(self._to, self._arrive, self.requests, request)

    def _arrive(self, number: int, request: Request) -> None:
        if self.is_open:
            self.node.desk.receive(self, number, request)

    def reply(self, number: int, reply: Any) -> None:
        """Send the node's response."""
        if not self.is_open:
            return
        network = self.network
        if (self.client_name, self.node_id, "from") in network.cut:
            self._lose()
            return
        self._from = max(self._from + 1, network.world.now + network.delay())
        network.world.at(self._from, self._deliver, number, reply)

    def _deliver(self, number: int, reply: Any) -> None:
        if self.is_open and (answered := self._answered.pop(number, None)) is not None:
            answered(reply)

    def _lose(self) -> None:
        self.network.world.after(self.network.world.between(1, 3), self.close)

    def close(self) -> None:
        """Close the connection on both sides."""
        if not self.is_open:
            return
        self.is_open = False
        if self.node is not None and self in self.node.links:
            self.node.links.remove(self)
        waiting, self._answered = self._answered, {}
        for answered in waiting.values():
            answered(None)
