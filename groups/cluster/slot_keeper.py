"""Which slots this node owns: it claims free slots, loads them, and hands them over.

The lease is an optimisation and not the fence: writes are fenced by the slot's epoch
(``rollcall_guard``). The lease (``groups.cluster.lease_loop``) determines how long a node may
*answer from memory*. Its beat is in the node's own row and is renewed on a connection of its own; a
slot's row changes only when its owner does (docs/architecture.md, *Failover*). All times are of
this node's monotonic clock.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

import psycopg

from groups.cluster import slot_rows
from groups.cluster.availability import Availability
from groups.cluster.beats import BEATS_PER_LEASE, BeatObserver, NodeRow, SlotRow
from groups.cluster.failure_detector import FailureDetector
from groups.cluster.handover import Handover
from groups.cluster.lease import Lease
from groups.cluster.lease_loop import LeaseLoop
from groups.cluster.restart_backoff import NO_WAIT, RestartBackoff, RestartWait
from groups.cluster.returns import Returns
from groups.cluster.slot_loader import SlotLoader
from groups.cluster.slot_rows import Service
from groups.cluster.supervision import supervised
from groups.cluster.view import Cluster, Endpoint, NodeAddress
from groups.core import placement
from groups.core.backoff import Backoff
from groups.core.errors import ErrorCode
from groups.core.group import Millis
from groups.core.rows import SLOTS
from groups.postgres import connections
from groups.postgres.channels import Rung
from groups.reporting.outages import LostProcess
from groups.runtime.runtime import CoordinatorRuntime
from groups.store import load
from groups.store.sql import slots as sql

logger = logging.getLogger(__name__)

LOOK_S = 0.25
"""The interval in which a node checks nodes and slots."""

HAND_OVER_SLOTS_MAX = 8
"""Slots that a node gives away in one check: their new owner has to load them, and their members
have to find it. A drained node gives none while this many have no owner: if no node takes them, it
keeps the others."""

DRAINED_PATIENCE_LEASES = 2
"""A node that is drained, or waits after its restart, takes a slot after it had no owner for this
many leases; any other node does after one."""

LOADS_MAX = 5
"""Failed loads in sequence while the lease is valid; after that the slots go to other nodes. The
pauses add up to more than a lease: an unavailable database is no defect of a node."""

LOAD_AGAIN_MS, LOAD_AGAIN_MS_MAX = 250, 4_000
"""The pause between two attempts to load the same slots: the first, and the maximum."""

REST_MS, REST_MS_MAX = 30_000, 600_000
"""How long a node takes no slots after it gave some back that it could not serve: the first time,
and the maximum. Doubled each time, until it has loaded something."""


class SlotKeeper:
    """Claims slots that no node serves, loads them, and gives them up.

    ``published`` is called with each new view of the cluster, ``took_over`` with each process of
    which this node took slots that it had not given back. Only this class changes the slots of
    this node.
    """

    def __init__(
        self,
        me: NodeAddress,
        coordinator: CoordinatorRuntime,
        lease_ms: Millis,
        published: Callable[[Cluster], None],
        wait: RestartWait = NO_WAIT,
    ) -> None:
        self.me = me
        self.coordinator = coordinator
        self.lease_ms = lease_ms
        self.published = published
        self.took_over: Callable[[LostProcess], None] = _nothing
        self._view = Cluster("")
        self._lease = Lease(me, lease_ms, wait.calm_ms)
        self._lease.seen = coordinator.seen
        self._lease.listened = lambda: coordinator.listened
        self.availability = Availability(coordinator, self._is_loading, self._is_elsewhere)
        self.loader = SlotLoader(me.node_id, coordinator, self.availability.notify, lease_ms)
        self.handover = Handover(coordinator, self.availability.notify)
        self._observer = BeatObserver(lease_ms)
        self.lease_loop = LeaseLoop(
            self._lease, coordinator, self.availability, self._observer, self
        )
        self._looking = asyncio.Lock()
        self._look_now = asyncio.Event()
        self.has_its_share = asyncio.Event()
        """Set once this node serves every slot that it should own; never cleared."""
        self._watch_connection: connections.Connection | None = None
        self._detector = FailureDetector(me.node_id, self._observer, coordinator.monotonic)
        self._loads = Backoff(LOAD_AGAIN_MS, LOAD_AGAIN_MS_MAX)
        self._rests = Backoff(REST_MS, REST_MS_MAX)
        self._restarts = RestartBackoff(self._lease, wait, coordinator.monotonic)
        # Within this every other node that lives has beaten, and looked.
        self._returns = Returns(lease_ms // BEATS_PER_LEASE + int(LOOK_S * 1000))
        self._gives_all_back = False
        self.is_drained = False
        self._drains = False

    @property
    def incarnation(self) -> UUID:
        """Distinguishes this process from earlier ones with the same node id."""
        return self._lease.incarnation

    @incarnation.setter
    def incarnation(self, value: UUID) -> None:
        self._lease.incarnation = value

    # -- life

    async def start(self) -> None:
        """Take the node id and register. Raises NodeIdTaken, or errors of psycopg."""
        try:
            await self.lease_loop.start()
        except BaseException:
            await self._lease.end()  # it never was a node: drop what it has seen
            raise
        self._restarts.begin()

    async def run(self) -> None:
        """Beat and check until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(supervised("the lease", self.lease_loop.run, self.step_back))
            tasks.create_task(supervised("looks at the slots", self._looks, self.step_back))

    async def stop(self) -> None:
        """Release the slots, so that another node, or this one, can serve them at once."""
        service = await self.handover.stop_serving(list(self.coordinator.epochs))
        try:
            async with asyncio.timeout(2):
                await self._leave(service)
        except (psycopg.Error, OSError, TimeoutError) as error:
            logger.warning("slots were not handed back: %s", error)
        await self._lease.end()
        if self._watch_connection is not None:
            await self._watch_connection.close()

    async def _leave(self, service: Service) -> None:
        """Release slots and node row together: other nodes need not wait for a node that stopped
        properly."""
        async with await connections.connect("release") as connection, connection.transaction():
            await slot_rows.release(
                connection, self.me.node_id, self.incarnation, range(SLOTS), service
            )
            await connection.execute(sql.UNREGISTER.encode(), {"incarnation": self.incarnation})

    def step_back(self, why: str) -> None:
        """This node cannot serve: it gives all its slots away, and takes none for a while."""
        if not self._rests.waits(self.coordinator.monotonic()):
            logger.error("this node gives its slots back: %s", why)
            self._rests.failed(self.coordinator.monotonic())
            self._gives_all_back = True
            self._look_now.set()

    def look_soon(self) -> None:
        """Read the rows of nodes and slots now: for instance, a write met another epoch."""
        self._look_now.set()

    def forget(self) -> None:
        """Drop all slots, and what was observed of other nodes."""
        self._returns.lost(self.coordinator.epochs, self.coordinator.monotonic())
        self._observer.forget()
        self.loader.doubt()
        self.coordinator.drop(list(self.coordinator.epochs), ErrorCode.NOT_COORDINATOR)
        self.availability.notify()

    def _is_loading(self, slot: int) -> bool:
        return slot in self.loader.loading

    def _is_elsewhere(self, slot: int) -> bool:
        return self._view.owners.get(slot, self.me.node_id) != self.me.node_id

    async def rung(self, rung: Rung) -> None:
        """A notification: another node gave slots away. By the clock it looks anyway."""
        if rung is not None:
            self._look_now.set()

    # -- checking nodes and slots

    async def _looks(self) -> None:
        while True:
            try:
                await self._look()
            except (psycopg.Error, OSError) as error:
                logger.info("could not look at the slots: %s", error)
            try:
                # Not wait_for: before Python 3.12 it may swallow the cancellation of this task.
                async with asyncio.timeout(LOOK_S):
                    await self._look_now.wait()
            except TimeoutError:
                continue
            self._look_now.clear()

    async def _look(self) -> None:
        async with self._looking:
            await self._look_alone()

    async def _look_alone(self) -> None:
        connection = await self._watched()
        sent_at = self.coordinator.monotonic()
        found = await (await connection.execute(sql.NODES.encode())).fetchall()
        rows = await (await connection.execute(sql.SLOTS.encode())).fetchall()
        nodes, slots = [NodeRow(*row) for row in found], [SlotRow(*row) for row in rows]
        self._observer.look(nodes, slots, sent_at, self.coordinator.monotonic())
        self.compare(slots)
        self._publish(nodes, slots)
        dead = await self._detector.look(connection, nodes)
        self._look_at_drains(nodes, dead)
        await self._restarts.look(connection, self._others(nodes, dead))
        await self._say_whether_it_takes(connection, nodes)
        plan = self._plan(nodes, slots, dead)
        await self._load_missing(connection, slots)
        await self._claim(connection, slots, dead, plan)
        share = {slot for slot, node in plan.items() if node == self.me.node_id}
        if share <= self.coordinator.epochs.keys():
            self.has_its_share.set()
        await self._hand_over(connection, slots, plan)

    @property
    def _is_at_rest(self) -> bool:
        """Whether this node takes no slots at present."""
        return self._rests.waits(self.coordinator.monotonic())

    @property
    def _takes_none(self) -> bool:
        """Whether others should serve the slots of this node."""
        return self._is_at_rest or self._drains or self._restarts.is_on

    def _others(self, nodes: Sequence[NodeRow], dead: Collection[int]) -> Sequence[NodeRow]:
        """The other live nodes that take slots."""
        return [
            node
            for node in nodes
            if node.node_id not in {self.me.node_id, *dead}
            and node.takes_slots
            and not node.is_drained
        ]

    def _look_at_drains(self, nodes: Sequence[NodeRow], dead: Collection[int]) -> None:
        """Whether this node is drained, and may give its slots away: not while no other node takes
        slots, since groups without a node are worse than a late drain."""
        live = [node for node in nodes if node.node_id not in dead]
        drained = {node.node_id for node in live if node.is_drained}
        taking = {node.node_id for node in live if node.takes_slots}
        before, self.is_drained = self.is_drained, self.me.node_id in drained
        self._drains = self.is_drained and bool(taking - drained)
        if before != self.is_drained:
            logger.info("an operator drained this node" if not before else "the drain is withdrawn")

    async def _say_whether_it_takes(
        self, connection: connections.Connection, nodes: Sequence[NodeRow]
    ) -> None:
        """Write whether this node takes slots: other nodes, also of older versions, plan without
        one that takes none."""
        takes_slots = next(
            (n.takes_slots for n in nodes if n.incarnation == self.incarnation), None
        )
        if takes_slots is None or takes_slots != self._takes_none:
            return
        if not takes_slots and not await self._could_load(connection):
            return
        values = {"incarnation": self.incarnation, "takes_slots": not takes_slots}
        await connection.execute(sql.TAKE_SLOTS.encode(), values)

    async def _could_load(self, connection: connections.Connection) -> bool:
        """Whether this node could load slots again; if not, it continues to take none."""
        try:
            await load.rehearse(connection)
        except psycopg.ProgrammingError as error:
            logger.warning("this node could load no groups yet: %s", error)
            self._rests.failed(self.coordinator.monotonic())
            return False
        return True

    def _plan(
        self, nodes: Sequence[NodeRow], slots: Sequence[SlotRow], dead: Collection[int]
    ) -> Mapping[int, int]:
        """Which node should own which slot. Nodes that take no slots get none, unless no node takes
        any; drained nodes get none, unless all nodes that take slots are drained."""
        live = {node.node_id for node in nodes} - set(dead)
        taking = {node.node_id for node in nodes if node.takes_slots} & live
        taking -= {self.me.node_id}  # other nodes go by this node's row
        taking |= set() if self._takes_none else {self.me.node_id} & live
        staying = taking - {node.node_id for node in nodes if node.is_drained}
        return placement.plan(self._owners(slots, live), staying or taking)

    def compare(self, rows: list[SlotRow]) -> None:
        """Drop the slots that have another owner in these rows."""
        mine = {row.slot: row.epoch for row in rows if row.incarnation == self.incarnation}
        self.loader.compare(mine)
        held = self.coordinator.epochs
        lost = {slot for slot, epoch in held.items() if mine.get(slot) != epoch}
        if any(row.slot in lost and row.node_id not in (None, self.me.node_id) for row in rows):
            self._restarts.lost_slots()
        if lost:
            logger.warning("slots %s have another owner now", sorted(lost))
            self.coordinator.drop(lost, ErrorCode.NOT_COORDINATOR)
            self.availability.notify()

    def _publish(self, nodes: Sequence[NodeRow], slots: Sequence[SlotRow]) -> None:
        now = self.coordinator.monotonic()
        live = tuple(
            NodeAddress(
                node.node_id,
                node.host,
                node.port,
                node.draft_port,
                tuple(Endpoint.readable(node.endpoints)),
            )
            for node in nodes
            if node.node_id == self.me.node_id
            or not self._observer.lease_is_over(node.node_id, now)
        )
        # A client that is sent to a suspended node waits there for its request timeout.
        current = {
            node.node_id: node.incarnation
            for node in nodes
            if node.node_id == self.me.node_id or not self._observer.is_overdue(node.node_id, now)
        }
        owners = {
            row.slot: row.node_id
            for row in slots
            if row.node_id is not None and current.get(row.node_id) == row.incarnation
        }
        before, self._view = self._view, Cluster(self._lease.cluster_id, live, owners)
        self.published(self._view)
        if before.owners != owners:
            self.availability.notify()  # a list may be complete now

    def _publish_own(self, slots: Collection[int]) -> None:
        """This node serves those of these slots that it has not lost meanwhile: clients are sent
        here from now on. The next check may take as long as PostgreSQL lets it wait."""
        served = [slot for slot in slots if slot in self.coordinator.epochs]
        owners = {**self._view.owners, **dict.fromkeys(served, self.me.node_id)}
        self._view = replace(self._view, owners=owners)
        self.published(self._view)

    # -- claiming and loading

    def _owners(self, slots: Sequence[SlotRow], live: Collection[int]) -> dict[int, int | None]:
        """The live owner of each slot, by the rows."""
        return {row.slot: row.node_id if row.node_id in live else None for row in slots}

    async def _claim(
        self,
        connection: connections.Connection,
        slots: Sequence[SlotRow],
        dead: Collection[int],
        plan: Mapping[int, int],
    ) -> None:
        """Take free slots that this node should own, and any that no node has taken for a whole
        lease."""
        now = self.coordinator.monotonic()
        if self._loads.failures or self._is_at_rest:
            return
        unowned = [row for row in slots if self._is_free(row, dead)]
        self._observer.look_at_free(unowned, now)
        leases = DRAINED_PATIENCE_LEASES if self._drains or self._restarts.is_on else 1
        patience = self.lease_ms * leases
        own = self._returns.own(now)
        free = [
            row
            for row in unowned
            if (row.slot in own if own else plan.get(row.slot) == self.me.node_id)
            or self._observer.free_for(row.slot, now) >= patience
        ]
        if not free or not self.coordinator.holds_lease:
            return
        async with connection.transaction():
            taken = await slot_rows.claim(connection, self.me.node_id, self.incarnation, free)
        if taken:
            others = [slot for slot in taken if plan.get(slot) != self.me.node_id]
            self._observer.rescued(others, now)
            await self._load(taken)
            for lost in slot_rows.lost_processes(row for row in free if row.slot in taken):
                self.took_over(lost)

    async def _hand_over(
        self,
        connection: connections.Connection,
        rows: Sequence[SlotRow],
        plan: Mapping[int, int],
    ) -> None:
        """Release slots that another node should own and is there to take: one that died looks
        alive to a node that has just begun to observe it.

        From here on nothing is answered from memory; a running batch ends first, since it locks the
        slots' rows.
        """
        me, now = self.me.node_id, self.coordinator.monotonic()
        others = [
            slot
            for slot in self.coordinator.epochs
            if (planned := plan.get(slot, me)) != me
            and self._observer.is_beating(planned, now)
            and not self._observer.stays(slot, now)
        ]
        untaken = sum(row.node_id is None for row in rows) if self._drains else 0
        slots = sorted(others)[: max(0, HAND_OVER_SLOTS_MAX - untaken)]
        if not slots:
            return
        service = await self.handover.stop_serving(slots)
        async with connection.transaction():
            await slot_rows.release(connection, self.me.node_id, self.incarnation, slots, service)

    async def _load_missing(
        self, connection: connections.Connection, slots: Sequence[SlotRow]
    ) -> None:
        """Slots that this node owns by the rows, but not in memory: a load failed. Try again with
        the same epoch after a while; after several failures leave them to others. Where others have
        taken them meanwhile, no failure is left."""
        held, now = self.coordinator.epochs, self.coordinator.monotonic()
        mine = {s.slot: s.epoch for s in slots if s.incarnation == self.incarnation}
        missing = {slot: epoch for slot, epoch in mine.items() if slot not in held}
        if self._gives_all_back or (missing and self._loads.failures >= LOADS_MAX):
            await self._give_back(connection, mine if self._gives_all_back else missing)
        elif not missing:
            self._loads.succeeded()
        elif self.coordinator.holds_lease and not self._loads.waits(now):
            await self._load(missing)

    async def _give_back(self, connection: connections.Connection, slots: Collection[int]) -> None:
        """Let other nodes serve these slots: their rows become free, and this node's row says that
        it takes none."""
        if not self._gives_all_back:
            logger.error("%d slots could not be loaded: this node gives them back", len(slots))
            self._rests.failed(self.coordinator.monotonic())
        service = await self.handover.stop_serving(slots)
        async with connection.transaction():
            values = {"incarnation": self.incarnation, "takes_slots": False}
            await connection.execute(sql.TAKE_SLOTS.encode(), values)
            await slot_rows.release(connection, self.me.node_id, self.incarnation, slots, service)
        self._loads.succeeded()
        self._gives_all_back = False

    async def _load(self, taken: dict[int, int]) -> None:
        """Read the groups of the slots and serve them. If that fails, a later check tries again."""
        try:
            await self.loader.load(taken)
        except Exception as error:
            logger.warning("slots %s could not be loaded: %r", sorted(taken), error)
            if self.coordinator.holds_lease:  # otherwise no node can load
                self._loads.failed(self.coordinator.monotonic())
        else:
            self._loads.succeeded()
            self._rests.succeeded()
            self._publish_own(taken)
            self._look_now.set()

    def _is_free(self, row: SlotRow, dead: Collection[int]) -> bool:
        if row.node_id is None or row.incarnation is None:
            return True
        if row.incarnation == self.incarnation:
            return False  # ours; if not in memory, ``_load_missing`` loads it
        orphaned = self._observer.orphaned_for(row.slot, self.coordinator.monotonic())
        if orphaned is not None:
            # Its incarnation was replaced. If by this one, the id was taken from it; if by another,
            # that one has a lease of time to claim it, unless it says that it takes none.
            return (
                row.node_id == self.me.node_id
                or self._observer.takes_none(row.node_id)
                or orphaned >= self._observer.longest_lease_ms
            )
        return row.node_id in dead

    # -- connections

    async def _watched(self) -> connections.Connection:
        """The connection for checks and loads: a long load must not delay the beat."""
        before = self._watch_connection
        self._watch_connection = connection = await connections.kept(before, "watch")
        if connection is not before:
            self._detector.connected()
        return connection


def _nothing(_lost: LostProcess) -> None:
    """The default of ``took_over``."""
