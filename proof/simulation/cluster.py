"""The cluster of one seed: nodes, members and their population, and the operations of faults."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Final, NamedTuple

from groups.core.group import Rules
from groups.core.rows import slot_of
from proof.simulation import odd
from proof.simulation.clients import Client, Numbers
from proof.simulation.commanded_client import CommandedClient
from proof.simulation.draft_client import DraftClient
from proof.simulation.intruders import Intruder
from proof.simulation.network import Network
from proof.simulation.node import SUPERVISED, Needs, Node
from proof.simulation.population import Population, Protocol, drawn
from proof.simulation.postgres import Database
from proof.simulation.producer import Producer
from proof.simulation.records import OperationRecord
from proof.simulation.world import MS, SECOND, World

TROUBLE_S: Final = 45.0
"""How long faults occur, of a life's simulated time."""

PEACE_S: Final = 20.0
"""How long after the last fault every group must be settled (I7)."""

DEADLINE_S: Final = 5.0
"""How long a node waits for a response of PostgreSQL (``offsets.commit.timeout.ms``)."""

RULES: Final = Rules(
    group_initial_rebalance_delay_ms=1_000,
    group_quiet_window_ms=300,
    group_min_session_timeout_ms=1_000,
    group_consumer_heartbeat_interval_ms=1_000,
    consumer_min_session_timeout_ms=1_000,
    group_consumer_assignor_offload_enable=True,
    offsets_retention_minutes=0,
)
"""Short times, so that a life of a minute has many rebalances; retention expires at once."""

SESSIONS_MS: Final = (3_000, 4_000, 4_000, 6_000)
"""Session timeouts of a life's members; the shortest is as long as a lease."""

PARTITIONS: Final = 4
"""Of every topic at the beginning."""

MOVES_MS: Final = 1_000
"""Within this time of a calm life a slot has moved: two checks of its owner, and one of the other
node."""

BIG: Final = (120, 250)
BIG_PARTITIONS: Final = 1_000
BIG_SESSION_MS: Final = 10_000
"""A big group's members, at least and at most; and sessions that let them heartbeat less often."""

NOTES: Final = frozenset({"struck", "seen"})
"""Records of the simulation about itself; the checker ignores them."""


class Fault(NamedTuple):
    """``every``: the average seconds between two of them. ``draws_apart``: a separate random source
    decides whether a life has it, so that lives without it are the same as before the fault was
    added. ``is_steady``: exactly so often."""

    strike: Callable[["Run"], None]
    every: float
    draws_apart: bool = False
    is_steady: bool = False


class Run:
    """The cluster of one seed, and the operations that faults use. ``known``: all faults, by
    name."""

    def __init__(
        self,
        seed: int,
        known: Mapping[str, Fault],
        faults: Sequence[str] | None = None,
        population: Population | None = None,
    ) -> None:
        self.known = known
        self.world = World(seed)
        rng = self.world.rng
        swarm = [name for name in known if self._lot(seed, name).random() < 0.3]
        self.faults = swarm if faults is None else list(faults)
        self.node_ids = list(range(rng.choice([1, 2, 2, 3, 3])))
        self.population = drawn(seed, rng) if population is None else population
        self.groups = self._names(rng.choice([1, 2, 2, 3]))
        self.transactional_ids = [
            f"t{rng.randrange(1000)}" for _ in range(self.population.producers)
        ]
        keys = (*self.groups, *self.transactional_ids)
        slots = sorted({*map(slot_of, keys), *rng.sample(range(64), 2)})
        self.database = Database(self.world, slots)
        self.database.rang = self._ring
        self.network = Network(self.world, holds=rng.random() < 0.5)
        for number, group_id in enumerate(self.groups):
            is_big = self.population.is_big and number == 0
            self.network.partitions[f"topic-{group_id}"] = BIG_PARTITIONS if is_big else PARTITIONS
        self.session_ms = rng.choice(SESSIONS_MS)
        self.rules = replace(RULES, group_consumer_session_timeout_ms=self.session_ms)
        if self.population.is_big:
            self.session_ms = BIG_SESSION_MS
            self.rules = replace(
                self.rules,
                group_consumer_session_timeout_ms=BIG_SESSION_MS,
                group_consumer_heartbeat_interval_ms=BIG_SESSION_MS // 4,
            )
        self.numbers = Numbers(is_odd=self.population.is_odd)
        self.clients: list[Client] = []
        self.producers: list[Producer] = []
        self.is_peace = False
        self.struck = Counter[str]()
        self.outlasting_s = 0.0
        self._named = 0

    def _lot(self, seed: int, name: str) -> Random:
        return Random(f"{seed} {name}") if self.known[name].draws_apart else self.world.rng

    def _names(self, count: int) -> list[str]:
        """The names of the groups, each once."""
        rng = self.world.rng
        names = [f"g{rng.randrange(1000)}" for _ in range(count)]
        if self.population.is_odd:
            names[0] = rng.choice(odd.GROUPS)
        return list(dict.fromkeys(names))

    # -- the beginning

    def begin(self) -> None:
        """Start the nodes, then the members."""
        for node_id in self.node_ids:
            self.world.after(self.world.between(0, 0.5), self._start_node, node_id)
        for number, group_id in enumerate(self.groups):
            self._fill(group_id, is_big=self.population.is_big and number == 0)
        for transactional_id in self.transactional_ids:
            self.produce(transactional_id, self.world.between(2, 5))
        for name in self.faults:
            self._plan(name)

    def _fill(self, group_id: str, *, is_big: bool) -> None:
        """Let a group's members join."""
        rng = self.world.rng
        protocol = self.population.protocol(rng)
        for number in range(rng.randint(*BIG) if is_big else rng.choice([1, 2, 3, 3, 4])):
            instance = None
            if protocol not in NEVER_STATIC and rng.random() < 0.35:
                instance = odd.instance(number) if self.population.is_odd else f"i{number}"
            self._join(protocol, group_id, instance, self.world.between(0.5, 4))

    def _start_node(self, node_id: int) -> None:
        protocols = {type(client) for client in self.clients}
        needs = Needs(
            operator=bool(OPERATES & set(self.faults)),
            transactions=bool(self.producers),
            topics=bool(NEVER_STATIC & protocols),
            assigning=self.population.is_big,
        )
        node = Node(self.world, self.network, node_id, self.rules, self._node_ended, needs)
        node.start()

    def _node_ended(self, node: Node) -> None:
        for session in list(self.database.sessions):
            if session.process is node.process:
                self.world.after(self.world.between(0.001, 1.0), self.database.close, session)
        if self.network.nodes.get(node.node_id) is node:
            del self.network.nodes[node.node_id]
        self.world.after(self.world.between(*SUPERVISED), self._start_node, node.node_id)

    def _join(self, protocol: Protocol, group_id: str, instance: str | None, delay: int) -> None:
        self._named += 1
        client = protocol(
            self.world,
            self.network,
            self.numbers,
            f"c{self._named}",
            group_id,
            instance,
            self.session_ms,
        )
        self.clients.append(client)
        self.world.after(delay, client.start)

    def produce(self, transactional_id: str, delay: int) -> Producer:
        """Start another process with this transactional id; those that live learn of it."""
        for before in self.producers:
            before.has_successor |= before.group_id == transactional_id
        self._named += 1
        producer = Producer(
            self.world,
            self.network,
            self.numbers,
            f"p{self._named}",
            transactional_id,
            self.clients,
        )
        self.producers.append(producer)
        self.world.after(delay, producer.start)
        return producer

    def intrude(self, like: Client) -> None:
        """Start a client with values that no row can hold, in the protocol of this one."""
        self._named += 1
        Intruder(like, self.numbers, f"x{self._named}").start()

    # -- faults

    def _plan(self, name: str) -> None:
        every, _, is_steady = self.known[name][1:]
        wait = int(every * SECOND) if is_steady else self.world.between(0.2 * every, 1.8 * every)
        self.world.after(wait, self._strike, name)

    def _strike(self, name: str) -> None:
        if self.is_peace:
            return
        self.world.record("struck", what=name)
        self.struck[name] += 1
        self.known[name].strike(self)
        self._plan(name)

    def any_node(self) -> Node | None:
        """A live node."""
        nodes = [n for _, n in sorted(self.network.nodes.items()) if n.process.alive]
        return self.world.rng.choice(nodes) if nodes else None

    def any_client(self) -> Client | None:
        """A client that is alive and not about to leave."""
        living = [c for c in self.clients if not (c.is_over or c.is_leaving)]
        return self.world.rng.choice(living) if living else None

    def any_producer(self) -> Producer | None:
        """A producer that is alive and has no successor."""
        living = [p for p in self.producers if not (p.is_over or p.has_successor)]
        return self.world.rng.choice(living) if living else None

    def later(self, seconds: float, what: Callable[[], object]) -> None:
        """Undo something after so long, and in any case before the end without faults begins."""
        self.world.at(min(self.world.now + int(seconds * SECOND), self.peace_at), what)

    def begin_peace(self) -> None:
        """No fault strikes from now on. A node may stay suspended for a while, and then wait for a
        backend that hangs, until the deadline of its calls."""
        self.is_peace = True
        now, nodes = self.world.now, [node.process for node in self.network.nodes.values()]
        asleep = [p for p in nodes if p.alive and p.paused_until > now]
        if asleep:
            hangs = any(s.process in asleep and s.hangs_until > now for s in self.database.sessions)
            waits_s = (max(p.paused_until for p in asleep) - now) / SECOND
            self.outlasting_s = waits_s + (DEADLINE_S if hangs else 0.0)

    @property
    def peace_s(self) -> float:
        """How long a life continues without faults: twice as long as long sessions require, and
        longer by what outlasts the faults."""
        return PEACE_S * (2 if self.population.is_big else 1) + self.outlasting_s

    @property
    def peace_at(self) -> int:
        """When the last fault is undone."""
        return int(TROUBLE_S * SECOND)

    def excuse(self, client: Client, seconds: float) -> None:
        """Excuse the client's silence for so long."""
        now = self.world.now / MS
        for process in (client.name, f"{client.name}-beats"):
            self.world.record("fault", process=process, since=now, until=now + seconds * 1000)

    def replace(self, client: Client, *, kills: bool = True) -> None:
        """Start another process in the client's place after a while."""
        if kills:
            self.excuse(client, 3600)
            client.die()
        delay = self.world.between(0.1, 8)
        self._join(type(client), client.group_id, client.instance, delay)

    def operate(self, verb: str) -> None:
        """Insert a request of an operator, or of a sweep."""
        group_id = self.world.rng.choice(self.groups)
        operations = self.database.operations
        operations[len(operations) + 1] = OperationRecord(group_id, slot_of(group_id), verb)

    def drain(self, node_id: int, *, is_on: bool) -> None:
        """An operator drains a node, or ends its drain: a row, and a notification."""
        if (node_id in self.database.drains) is is_on:
            return
        (self.database.drains.add if is_on else self.database.drains.remove)(node_id)
        self.world.record("seen", what="drained" if is_on else "undrained", node=node_id)
        self._ring()

    def _ring(self) -> None:
        for _, node in sorted(self.network.nodes.items()):
            self.world.after(self.network.delay(), self._rung, node)

    @staticmethod
    def _rung(node: Node) -> None:
        if node.process.alive:
            node.process.loop.call_soon(node.keeper.look_soon)

    # -- the end

    def end(self) -> None:
        """Record which groups are settled."""
        living: dict[str, list[Client]] = {}
        for client in self.clients:
            if not (client.is_over or client.is_leaving):
                living.setdefault(client.group_id, []).append(client)
        settled = {
            name: _settled([c for c in clients if not _is_one_too_many(c, clients)])
            for name, clients in sorted(living.items())
        }
        for producer in self.producers:
            if not (producer.is_over or producer.has_successor) and any(settled.values()):
                settled[f"transactional id {producer.group_id}"] = producer.ended > self.peace_at
        self.world.record("end", healed_ms=self.peace_s * 1000, groups=settled, **self._placement())

    def _placement(self) -> Mapping[str, object]:
        """The owners of slots, for the checker. ``stays``: slots that their owner keeps for a
        while, since the node that should have them did not take them, or kept until a moment
        ago. ``resting``: nodes that take none for a while, since they could not load theirs."""
        live = {n: node for n, node in self.network.nodes.items() if node.process.alive}
        keepers = {n: node.keeper for n, node in live.items()}
        stays = [
            slot
            for keeper in keepers.values()
            for slot in keeper.coordinator.epochs
            if keeper._observer.stays(slot, keeper.coordinator.monotonic() - MOVES_MS)
        ]
        return {
            "owners": {slot: row.node_id for slot, row in self.database.slots.items()},
            "live": sorted(live),
            "drained": sorted(self.database.drains),
            "resting": sorted(n for n, keeper in keepers.items() if keeper._is_at_rest),
            "stays": sorted(stays),
        }


OPERATES: Final = frozenset({"operator-rebalance", "sweep-offsets", "node-zombie"})
"""Faults that need nodes to read operations."""

NEVER_STATIC: Final = frozenset({DraftClient, CommandedClient})
"""Protocols without instance ids, and whose topics the coordinator tracks."""


def _is_one_too_many(client: Client, clients: Sequence[Client]) -> bool:
    """Whether its instance id is refused, because another active member has it."""
    return client.unreleased_at is not None and any(
        other.instance == client.instance and other.is_stable for other in clients
    )


def _settled(clients: Sequence[Client]) -> bool:
    """Whether all members are in one generation, and every partition has one owner."""
    owned = sorted(p for client in clients for _, p in client.owned)
    return (
        all(client.is_stable for client in clients)
        and len({client.generation for client in clients if not client.is_idle}) == 1
        and owned == list(range(clients[0].partitions))
    )
