"""One coordinator node: the product's own parts in a modelled process.

The coordinator, both committers, the reloader, the slot keeper, the operator, transactions and the
updates of groups about their topics are the real ones, and so are the notes for the next owner,
put together as ``groups.node`` does. Left out: the protocol's encoding (requests are values, see
``desk``), and the catalogue (topics are given).
"""

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final
from uuid import UUID

from groups.cluster.lease import NodeIdTaken
from groups.cluster.lease_end import LeaseEnd
from groups.cluster.restart_backoff import RestartWait
from groups.cluster.slot_keeper import SlotKeeper
from groups.cluster.view import Cluster, NodeAddress
from groups.core.group import Rules
from groups.operations.requests import OperationDispatcher
from groups.operations.rows_read import OperationRows
from groups.reporting.liveness import Notes
from groups.reporting.offset_totals import OffsetTotals
from groups.reporting.waiting import WaitingGroups
from groups.runtime.collaborators import Collaborators
from groups.runtime.committer import Committer
from groups.runtime.retries import Reloader
from groups.runtime.runtime import STALL_MS, CoordinatorRuntime
from groups.runtime.transactions import Transactions
from groups.topics.assignor_worker import Assigning
from groups.topics.commanded_topics import CommandedTopics
from groups.topics.draft_topics import DraftTopics
from proof.simulation.desk import Desk
from proof.simulation.network import PORT, Link, Network
from proof.simulation.seams import Readers
from proof.simulation.world import MS, SECOND, Micros, Process, World

LEASE_MS: Final = 3_000
RESTART_WAIT: Final = RestartWait(1_000, 4_000)
"""Shorter than in the product: a life ends twenty seconds after the last fault."""

TICK_S: Final = 0.1
"""Half as often as in the product: a tick that finds nothing costs as much as one that does."""

OPERATIONS_LOOK_S: Final = 1.0
GRACE_MS: Final = 8_000
"""For members to reconnect after an outage longer than a lease: as much longer than their sessions
as in the product."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Which of a node's tasks a life needs; the others would only cost time."""

    operator: bool = False
    transactions: bool = False
    topics: bool = False
    assigning: bool = False


@dataclass(frozen=True, slots=True)
class Topic:
    """The part of a catalogue's entry that draft and commanded groups get."""

    name: str
    partitions: int


class Topics:
    """The part of a catalogue that returns topics: all topics, in their current state."""

    version = 0

    def __init__(self, network: Network) -> None:
        self._network = network

    @property
    def changes(self) -> int:
        """A number that changes whenever a topic is created or grows: none ever shrinks."""
        return sum(self._network.partitions.values())

    def get(self, name: str) -> Topic | None:
        """The topic, or None."""
        partitions = self._network.partitions.get(name)
        return None if partitions is None else Topic(name, partitions)


class Node:
    """A node with its parts. ``died`` is called when it has ended, in any way.

    ``fail_share``: how often it is paused for a while at one of the committers' fail points;
    ``fail_s``: for how long, at least and at most; ``fail_at``: at which point only, "": at any.
    """

    def __init__(
        self,
        world: World,
        network: Network,
        node_id: int,
        rules: Rules,
        died: Callable[["Node"], None],
        needs: Needs,
    ) -> None:
        rng = world.rng
        self.world, self.network, self.node_id, self.died = world, network, node_id, died
        self.process = Process(
            world,
            f"node-{node_id}",
            rate=1 + rng.uniform(-0.01, 0.01),
            offset=int(rng.uniform(0, 1e6)) * MS,
        )
        self.process.ended = self._ended
        self.fail_share = 0.0
        self.fail_s = STOPPED
        self.fail_at = ""
        self.links: list[Link] = []
        self.needs = needs
        self._make(rules, Random(rng.getrandbits(64)))

    def _make(self, rules: Rules, rng: Random) -> None:
        me = NodeAddress(self.node_id, "127.0.0.1", PORT + self.node_id)
        self.cluster = Cluster("")
        self.desk = Desk(self.process, self.network)
        others = Collaborators(
            answer=self.desk.answer,
            undecided=lambda operation_id: self.operator.undecided(operation_id),
            hang_up=self.desk.hang_up,
            question=lambda group_id, question: self.assigning.submit(group_id, question),
            read_rows=lambda group_id, verb: self.operator.read_rows(group_id, verb),
            restart_grace_ms=GRACE_MS,
        )
        self.coordinator = CoordinatorRuntime(rules, self.process.clock_ms, rng, others)
        self.keeper = SlotKeeper(me, self.coordinator, LEASE_MS, self._publish, RESTART_WAIT)
        self.keeper.incarnation = UUID(int=rng.getrandbits(128))
        self.notes = Notes(self.coordinator)
        self.keeper.handover.notes = self.notes
        self.waiting_groups = WaitingGroups(self.coordinator, self.node_id)
        self.reloader = Reloader(self.coordinator)
        self.committers = [
            Committer(
                self.node_id,
                self.coordinator,
                queue,
                self.reloader,
                self.keeper.look_soon,
                self._fail,
            )
            for queue in (self.coordinator.membership, self.coordinator.offsets)
        ]
        readers: Any = Readers()
        self.readers = readers
        totals = OffsetTotals(self.coordinator, self.readers.connection, sys.maxsize)
        rows = OperationRows(self.readers.connection, totals, lambda _new: None)
        self.operator = OperationDispatcher(self.coordinator, rows, self.readers.connection)
        self.transactions = Transactions(
            self.coordinator, readers, self.keeper.look_soon, self._fail
        )
        self.assigning = Assigning(self.coordinator)
        catalogue: Any = Topics(self.network)
        self.draft_topics = DraftTopics(self.coordinator, catalogue)
        self.commanded_topics = CommandedTopics(self.coordinator, catalogue)
        self.desk.open(
            self.coordinator,
            self.keeper,
            self.readers,
            lambda: self.cluster,
            self.transactions,
            self._knows,
        )

    # -- life

    def start(self) -> None:
        """Connect, register, and start its tasks."""
        self.network.nodes[self.node_id] = self
        self.world.record("started", node=self.node_id)
        self.process.spawn(self._run())

    async def _run(self) -> None:
        while True:
            try:
                await self.keeper.start()
                break
            except NodeIdTaken:
                raise
            except Exception:  # the database is away: the supervisor tries again
                await asyncio.sleep(0.5)
        for committer in self.committers:
            self.process.spawn(committer._rounds())
            self.process.spawn(committer._long_steps())
            self.process.spawn(committer.writer.run())
        self.process.spawn(self.reloader.run())
        self.process.spawn(self.keeper.lease_loop.run())
        self.process.spawn(self.keeper._looks())
        self.process.spawn(self._ticks())
        self.process.spawn(self.notes.run())
        self.process.spawn(self.waiting_groups.run(self.readers))
        if self.needs.operator:
            self.process.spawn(self._operations())
        if self.needs.transactions:
            self.process.spawn(self.transactions.run())
        if self.needs.topics:
            self.process.spawn(self.draft_topics.run())
            self.process.spawn(self.commanded_topics.run())
        if self.needs.assigning:
            self.process.spawn(self.assigning.run())

    async def _ticks(self) -> None:
        coordinator, lease_end = self.coordinator, LeaseEnd(self.coordinator)
        coordinator.listened_at = coordinator.monotonic()
        while True:
            await asyncio.sleep(TICK_S)
            if not lease_end.look():
                coordinator.heartbeat_views.notify_all()
                continue
            if coordinator.stood_still_ms > STALL_MS:
                coordinator.awake()
            coordinator.listened_at = coordinator.monotonic()
            coordinator.tick()

    def _knows(self, group_id: str) -> None:
        self.draft_topics.knows(group_id)
        self.commanded_topics.knows(group_id)

    async def _operations(self) -> None:
        while True:
            await asyncio.sleep(OPERATIONS_LOOK_S)
            await self.operator.look()

    def drain(self) -> None:
        """SIGTERM: stop, release the slots, end."""
        if self.process.alive and not self.desk.is_closed:
            self.desk.is_closed = True
            self.process.loop.call_soon(self._leave)

    def _leave(self) -> None:
        for task in list(self.process.tasks):
            task.cancel()
        self.process.spawn(self._stop())

    async def _stop(self) -> None:
        await self.keeper.stop()
        await self.notes.stop()
        self.process.loop.call_soon(self.crash)

    def crash(self) -> None:
        """SIGKILL. The kernel closes its sockets; the server notices a little later."""
        if not self.process.alive:
            return
        self.process.kill()
        for link in list(self.links):
            self.world.after(self.network.delay(), link.close)
        self.died(self)

    def _ended(self, error: BaseException) -> None:
        if not isinstance(error, NodeIdTaken):
            self.world.record(
                "mishap", process=self.process.name, what=f"{type(error).__name__}: {error}"
            )
        self.crash()

    async def _fail(self, point: str) -> None:
        """A fail point: perhaps the process is paused here."""
        if not self.fail_share or not point.endswith(self.fail_at):
            return
        if self.world.rng.random() < self.fail_share:
            self.fail_share = 0.0
            seconds = self.world.rng.uniform(*self.fail_s)
            if self.pause(self.world.now + int(seconds * SECOND)):
                who = "zombie" if seconds * 1000 > LEASE_MS else "stopped"
                self.world.record("seen", what=f"{who} {point.partition(':')[2]}")
            await asyncio.sleep(0)

    def pause(self, until: Micros) -> bool:
        """Suspend the process until an instant; returns whether it was suspended."""
        if not self.process.pause(until):
            return False
        span = {"since": self.world.now / MS, "until": until / MS}
        self.world.record("suspended", node=self.node_id, **span)
        return True

    def go_on(self) -> None:
        """No more pauses at fail points."""
        self.fail_share, self.fail_s, self.fail_at = 0.0, STOPPED, ""

    def _publish(self, cluster: Cluster) -> None:
        self.cluster = cluster


STOPPED: Final = (0.1, 8.0)
"""Seconds for which a node is paused at a fail point."""

SUPERVISED: Final = (0.3, 3.0)
"""Seconds after which a node that ended is restarted."""
