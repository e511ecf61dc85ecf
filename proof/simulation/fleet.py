"""A great number of groups on many nodes, of which a host after the other
is restarted, and a zone is lost at once.

The nodes, their slots and their groups are the product's own, in simulated time. Each group has two
members, whose sessions outlast the run: they send nothing, since what a heartbeat costs does not
depend on how many groups there are (docs/hot-path.md). What a hand-over costs in time does not
count here, where loading takes no simulated time; its processor time and memory are real.
"""

import gc
import resource
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from groups.core.rows import Durable, GroupRow, MemberRow, slot_of
from groups.core.subscription import pack_protocols
from proof.simulation.cluster import RULES
from proof.simulation.network import Network
from proof.simulation.node import Needs, Node
from proof.simulation.postgres import Database
from proof.simulation.seams import Seams
from proof.simulation.world import SECOND, World
from protocol.limits.garbage import THRESHOLDS

SLOTS: Final = 64
SESSION_MS: Final = 1_800_000
GENERATION: Final = 7
ZONES: Final = 3
STEP_S: Final = 0.1
"""How exactly the time without an owner is known."""

PATIENCE_S: Final = 60.0
"""Of simulated time, for slots to have owners that stay."""

CALM_S: Final = 1.0
"""How long the owners of slots have to stay the same."""

BACK_S: Final = 1.0
"""After which a node that was stopped starts again."""

STATE: Final = GroupRow(
    "", "classic", "Stable", GENERATION, "consumer", "range", "m-0", {"synced": True}
)


class Rows(Database):
    """Knows the groups of a slot: those of a run are the same throughout."""

    def __init__(self, world: World, groups: int) -> None:
        super().__init__(world, list(range(SLOTS)))
        self.of_slot: dict[int, list[str]] = {slot: [] for slot in range(SLOTS)}
        members = {each.member_id: each for each in map(member, range(2))}
        for number in range(groups):
            name = f"group-{number:07}"
            self.groups[name] = Durable(replace(STATE, group_id=name), members, 1)
            self.of_slot[slot_of(name)].append(name)

    def groups_of(self, slots: Collection[int]) -> Iterator[str]:
        """By name within each slot."""
        for slot in slots:
            yield from self.of_slot[slot]


def member(number: int) -> MemberRow:
    """One of a group's."""
    name, claims = f"m-{number}", pack_protocols((("range", b""),))
    return MemberRow(name, None, "c", "/h", SESSION_MS, SESSION_MS, number, claims, b"its share")


class Fleet:
    """Nodes by id, on one database. ``moves``: how often a slot got another owner; ``idle_s``: the
    longest time for which a slot had none."""

    def __init__(self, seed: int, nodes: int, groups: int) -> None:
        self.world = World(seed)
        self.world.take = lambda _record: None
        self.database = Rows(self.world, groups)
        self.network = Network(self.world)
        self.node_ids = range(nodes)
        self.moves, self.idle_s = 0, 0.0
        self._since = dict.fromkeys(range(SLOTS), 0.0)
        self._owners: dict[int, int] = {}
        self._starts: set[int] = set()

    def start(self, node_id: int) -> None:
        """A new process of a node."""
        rules = replace(RULES, group_max_session_timeout_ms=SESSION_MS)
        Node(self.world, self.network, node_id, rules, self._ended, Needs()).start()

    def _ended(self, node: Node) -> None:
        for session in [s for s in self.database.sessions if s.process is node.process]:
            self.world.after(self.world.between(0.001, 1.0), self.database.close, session)
        self.network.nodes.pop(node.node_id, None)
        node.process.bury()

    def restart(self, node_id: int) -> None:
        """SIGTERM, and a new process a little later."""
        self.network.nodes[node_id].drain()
        self.until(lambda: node_id not in self.network.nodes)
        self.world.after(int(BACK_S * SECOND), self.start, node_id)
        self.until(lambda: node_id in self.network.nodes)
        self.settle()

    def owners(self) -> dict[int, int]:
        """Slot to the live node that serves it."""
        nodes = self.network.nodes.values()
        serving = [(slot, node.node_id) for node in nodes for slot in node.coordinator.epochs]
        found = dict(serving)
        assert len(found) == len(serving), "a slot has two owners"
        return found

    def pass_time(self) -> None:
        """A step, and what it did to the slots."""
        self.world.run(self.world.now + int(STEP_S * SECOND))
        now, owners = self.world.now / SECOND, self.owners()
        for slot, owner in owners.items():
            self.moves += self._owners.get(slot, owner) != owner
            self.idle_s = max(self.idle_s, now - self._since[slot] - STEP_S)
            self._since[slot], self._owners[slot] = now, owner

    def until(self, holds: Callable[[], bool]) -> None:
        """Let time pass until a condition holds."""
        end = self.world.now + int(PATIENCE_S * SECOND)
        while not holds():
            assert self.world.now < end, "the fleet does not come to rest"
            self.pass_time()

    def settle(self) -> None:
        """Until all slots have owners, which have loaded their groups and keep them for a while."""
        for _ in range(int(CALM_S / STEP_S)):
            self.pass_time()
        self.until(self.is_whole)

    def is_whole(self) -> bool:
        """Whether each group is served, by one node."""
        return len(self.owners()) == SLOTS and self.served() == len(self.database.groups)

    def is_shared(self) -> bool:
        """Whether no node has two slots more than another."""
        found = Counter(self.owners().values())
        counts = [found[node_id] for node_id in self.node_ids]
        return max(counts) - min(counts) <= 1

    def served(self) -> int:
        """Groups in the memory of nodes."""
        return sum(len(node.coordinator.entries) for node in self.network.nodes.values())

    def rebalances(self) -> int:
        """Groups in another generation than at the beginning."""
        rows = self.database.groups.values()
        return sum(each.group.generation != GENERATION for each in rows)


def begin(fleet: Fleet) -> None:
    """All nodes start at once."""
    for node_id in fleet.node_ids:
        fleet.world.after(fleet.world.between(0, 0.5), fleet.start, node_id)
    fleet.until(fleet.is_whole)
    fleet.settle()
    fleet.idle_s = 0.0


def roll(fleet: Fleet) -> None:
    """Every node is restarted, one after the other."""
    for node_id in fleet.node_ids:
        fleet.restart(node_id)


def lose_a_zone(fleet: Fleet) -> None:
    """A third of the nodes ends without a word."""
    for node_id in fleet.node_ids[::ZONES]:
        fleet.network.nodes[node_id].crash()
    fleet.settle()


def bring_it_back(fleet: Fleet) -> None:
    """The nodes of the zone start again."""
    for node_id in fleet.node_ids[::ZONES]:
        fleet.world.after(fleet.world.between(0, 5), fleet.start, node_id)
    fleet.until(fleet.is_shared)
    fleet.settle()


ACTS: Final = {
    "start": begin,
    "rolling restart": roll,
    "a zone is lost": lose_a_zone,
    "it comes back": bring_it_back,
}


@contextmanager
def living(seed: int, nodes: int, groups: int) -> Iterator[Fleet]:
    """A fleet whose processes end with the block."""
    fleet = Fleet(seed, nodes, groups)
    usual = gc.get_threshold()
    with Seams(fleet.database, fleet.network).in_place():
        gc.set_threshold(*THRESHOLDS)  # collections by Python's own took half of a run
        try:
            yield fleet
        finally:
            gc.set_threshold(*usual)
            for process in fleet.world.processes:
                process.bury()


def play(fleet: Fleet) -> Iterator[str]:
    """Each act, and a line about it."""
    for name, act in ACTS.items():
        fleet.moves, fleet.idle_s = 0, 0.0
        began, cpu = fleet.world.now, time.process_time()
        act(fleet)
        took = (fleet.world.now - began) / SECOND
        owning = len(set(fleet.owners().values()))
        yield (
            f"{name:16} {took:7.1f} s, {fleet.moves:4} slots moved, longest without an owner"
            f" {fleet.idle_s:4.1f} s, {owning} nodes own slots; {time.process_time() - cpu:.0f} s"
            f" of a processor, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f} GB"
        )
