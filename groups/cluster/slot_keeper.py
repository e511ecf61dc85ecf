"""Who owns which slot: the node's lease, the claims of free slots, and their loading.

A lease is an optimisation, never the fence: what is written is fenced by the
slot's epoch (``rollcall_guard``). The lease says how long a node may *answer
from memory*. Its beat lives on the node's own row and is renewed on a
connection of its own; a slot's row changes only when its owner does
(docs/architecture.md, *Failover*). All waiting is judged by this node's own monotonic clock.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from uuid import UUID

import psycopg

from groups.cluster import slot_rows
from groups.cluster.backoff import Backoff
from groups.cluster.beats import BEATS_PER_LEASE, BeatObserver, NodeRow, SlotRow
from groups.cluster.failure_detector import FailureDetector
from groups.cluster.lease import Lease, NodeIdTaken
from groups.cluster.slot_loader import SlotLoader
from groups.cluster.supervision import supervised
from groups.cluster.view import Cluster, Endpoint, NodeAddress
from groups.coordinator.runtime import STALL_MS, CoordinatorRuntime
from groups.core import placement
from groups.core.errors import ErrorCode
from groups.core.group import Millis
from groups.core.rows import SLOTS
from groups.postgres import connections
from groups.postgres.timeline import Memory, WentBack
from groups.store import load
from groups.store.sql import slots as sql

logger = logging.getLogger(__name__)

LEASE_MARGIN_MS = 500
"""A node stops answering from memory this long before others may take its slots."""

LOOK_S = 0.25
"""How often a node looks at nodes and slots."""

HAND_OVER_SLOTS_MAX = 8
"""Slots that a node gives away in one look: whoever takes them has to load them, and their
members have to find their new coordinator. A drained node gives none while so many have no owner:
where nobody takes them, it keeps the others."""

DRAINED_PATIENCE_LEASES = 2
"""For so many leases a slot has no owner before a drained node takes it all the same: any other
node takes it after one."""

LEASE_WAIT_MS = 1_000
"""How long a request waits for a lease to be held again: a node that slept has it back after a
round trip, and one that is cut off from its database may not know that for seconds."""

LOADS_MAX = 5
"""Loads that may fail in a row while the lease is held; then the slots go to whoever can load them.
The waits between add up to more than a lease: a database that is away is no defect of a node."""

LOAD_AGAIN_MS, LOAD_AGAIN_MS_MAX = 250, 4_000
"""Between two tries to load the same slots: at first, and at the most."""

REST_MS, REST_MS_MAX = 30_000, 600_000
"""For how long a node takes no slots when it gave some back that it could not serve: at first, and
at the most. Each time twice as long, until it has loaded something."""


class SlotKeeper:
    """Keeps this node's lease, claims slots that nobody serves, loads them, gives them up.

    ``published`` is told each new view of the cluster, ``begun_anew`` that the rows are those of
    another history.
    Who owns what changes only here.
    """

    def __init__(
        self,
        me: NodeAddress,
        coordinator: CoordinatorRuntime,
        lease_ms: Millis,
        published: Callable[[Cluster], None],
    ) -> None:
        self.me = me
        self.coordinator = coordinator
        self.lease_ms = lease_ms
        self.published = published
        self._lease = Lease(me, lease_ms)
        self._lease.seen = coordinator.seen
        self.begun_anew: Callable[[], None] = _nothing
        self.loader = SlotLoader(me.node_id, coordinator, self._notify)
        self.changed = asyncio.Event()
        self.away = True
        self._observer = BeatObserver(lease_ms)
        self._looking = asyncio.Lock()
        self._look_now = asyncio.Event()
        self._watch_connection: connections.Connection | None = None
        self._detector = FailureDetector(me.node_id, self._observer, coordinator.monotonic)
        self._loads = Backoff(LOAD_AGAIN_MS, LOAD_AGAIN_MS_MAX)
        self._rests = Backoff(REST_MS, REST_MS_MAX)
        self._gives_all_back = False
        self.is_drained = False
        self._drains = False
        self._jump: UUID | None = None

    @property
    def incarnation(self) -> UUID:
        """What tells this process from its predecessors under the same node id."""
        return self._lease.incarnation

    @incarnation.setter
    def incarnation(self, given: UUID) -> None:
        self._lease.incarnation = given

    # -- life

    async def start(self) -> None:
        """Take the node id and register. Raises NodeIdTaken, or psycopg's own errors."""
        try:
            await self._start()
        except BaseException:
            await self._lease.end()  # no node: nothing that it has seen may be held against others
            raise

    async def _start(self) -> None:
        # A predecessor that was killed may hold its lock until PostgreSQL notices: worth one lease.
        deadline = self.coordinator.monotonic() + self.lease_ms
        while True:
            try:
                self.coordinator.lease_until = await self._beat()
            except WentBack as back:
                await self._went_back(back)
            except NodeIdTaken:
                if self.coordinator.monotonic() > deadline:
                    raise
                await asyncio.sleep(LOOK_S)
            else:
                return

    async def run(self) -> None:
        """Beat and look until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(supervised("the lease", self._beats, self.step_back))
            tasks.create_task(supervised("looks at the slots", self._looks, self.step_back))

    async def stop(self) -> None:
        """Hand the slots back, so that another node, or this one, serves them at once."""
        self.coordinator.drop(list(self.coordinator.epochs), ErrorCode.NOT_COORDINATOR)
        try:
            async with asyncio.timeout(2):
                await self._leave()
        except (psycopg.Error, OSError, TimeoutError) as error:
            logger.warning("slots were not handed back: %s", error)
        await self._lease.end()
        if self._watch_connection is not None:
            await self._watch_connection.close()

    async def _leave(self) -> None:
        """Slots and node row go together: nobody counts on a node that went in peace."""
        async with await connections.connect("release") as connection, connection.transaction():
            await slot_rows.release(connection, self.me.node_id, self.incarnation, range(SLOTS))
            await connection.execute(sql.UNREGISTER.encode(), {"incarnation": self.incarnation})

    def step_back(self, why: str) -> None:
        """This node cannot serve: it gives all its slots to others, and takes none for a while."""
        if not self._rests.waits(self.coordinator.monotonic()):
            logger.error("this node gives its slots back: %s", why)
            self._rests.failed(self.coordinator.monotonic())
            self._gives_all_back = True
            self._look_now.set()

    def fenced(self) -> None:
        """A write met another epoch: look at the slots at once."""
        self._look_now.set()

    async def rung(self, _payload: str | None) -> None:
        """Somebody gave slots away."""
        self._look_now.set()

    async def available(self, slot: int, hold_ms: Millis) -> ErrorCode:
        """NONE once this node serves the slot, waiting while it loads, at most ``hold_ms``.

        Error 14 would crash a common client, so a request waits here instead; then, or where the
        slot is another node's, NOT_COORDINATOR. For a lease that has run out nobody waits long:
        COORDINATOR_NOT_AVAILABLE.
        """
        if self.coordinator.serves(slot):
            return ErrorCode.NONE
        arrived = self.coordinator.monotonic()
        while not self.coordinator.serves(slot):
            waited, is_ours = (
                self.coordinator.monotonic() - arrived,
                slot in self.coordinator.epochs,
            )
            if self.away or (is_ours and waited >= LEASE_WAIT_MS):
                return ErrorCode.COORDINATOR_NOT_AVAILABLE
            left = (min(hold_ms, LEASE_WAIT_MS) if is_ours else hold_ms) - waited
            if left <= 0 or not (is_ours or slot in self.loader.loading):
                return ErrorCode.NOT_COORDINATOR
            with suppress(TimeoutError):
                async with asyncio.timeout(left / 1000):
                    await self.changed.wait()
        return ErrorCode.NONE

    async def leased(self, hold_ms: Millis) -> ErrorCode:
        """NONE once memory may be believed, waiting at most ``hold_ms``: for reads about no
        group in particular."""
        deadline = self.coordinator.monotonic() + min(hold_ms, LEASE_WAIT_MS)
        while not self.coordinator.holds_lease:
            left = deadline - self.coordinator.monotonic()
            if self.away or left <= 0:
                return ErrorCode.COORDINATOR_NOT_AVAILABLE
            with suppress(TimeoutError):
                async with asyncio.timeout(left / 1000):
                    await self.changed.wait()
        return ErrorCode.NONE

    # -- the lease

    async def _beats(self) -> None:
        clock = self.coordinator.monotonic
        last = clock()
        while True:
            await self._lease.until_next_beat(self.lease_ms / BEATS_PER_LEASE / 1000)
            slept = clock() - last > self.lease_ms / BEATS_PER_LEASE + STALL_MS
            until = self.coordinator.lease_until
            try:
                async with asyncio.timeout(self.lease_ms / 1000):
                    renewed = await self._beat()
                    if slept or clock() >= until:
                        await self._recovered(renewed)
                    else:
                        self.coordinator.lease_until = renewed
            except WentBack as back:
                await self._went_back(back)
            except (psycopg.Error, OSError, TimeoutError) as error:
                await self._missed(error)
            last = clock()

    async def _beat(self) -> Millis:
        """Raise the beat; returns until when it lets this node answer from memory."""
        before = self.coordinator.monotonic()
        await self._lease.beat()
        memory = self._lease.memory
        if memory is not None and memory.row.jump != self._jump:
            self._begin_anew(memory)
        # Counted from before the request was sent: whoever watches saw the beat later.
        self.away = False
        return before + self.lease_ms - LEASE_MARGIN_MS

    def _begin_anew(self, memory: Memory) -> None:
        """Rows of another history, at the start or behind a jump: nothing in memory is of use."""
        self._jump = memory.row.jump
        self._forget_slots()
        self.begun_anew()
        self.coordinator.own.count_from(memory.row.generations_after)
        self._look_now.set()

    def _forget_slots(self) -> None:
        self._observer.forget()
        self.loader.doubt()
        self.coordinator.drop(list(self.coordinator.epochs), ErrorCode.NOT_COORDINATOR)
        self._notify()

    async def _went_back(self, back: WentBack) -> None:
        """Nothing in memory is believed any more. The next beat finds the epochs raised."""
        logger.error("%s", back)
        self.coordinator.lease_until = self.coordinator.monotonic()
        self._forget_slots()
        try:
            await self._lease.raise_epochs(back)
        except (psycopg.Error, OSError) as error:
            logger.error("the epochs could not be raised, and nobody is served: %s", error)
            await asyncio.sleep(LOOK_S)

    async def _missed(self, error: BaseException) -> None:
        logger.warning("the lease was not renewed: %s", error if str(error) else repr(error))
        # Nor may the others' have been: a database that is away, or takes no writes, is no death.
        self._observer.forget()
        await self._lease.close()
        if not self.coordinator.holds_lease and not self.away:
            self.away = True
            logger.error("the lease ran out: no answers from memory until it is renewed")
            self._notify()  # who waits for the lease must not wait in vain

    async def _recovered(self, lease_until: Millis) -> None:
        """The node slept or was cut off: check first what is still ours, then go on. Nobody's
        session ends for time in which this node could not listen.

        The rows are asked for here and now: a look that is under way may have got its rows before
        the node slept, and a load must not hold up beats.
        """
        self._observer.forget()
        connection = await self._lease.connection()
        rows = await (await connection.execute(sql.SLOTS.encode())).fetchall()
        self._lose([SlotRow(*row) for row in rows])
        self.coordinator.lease_until = lease_until
        self.coordinator.awake()
        self._notify()
        self._look_now.set()
        logger.info("the lease is held again; nobody pays for the time without it")

    # -- looking at nodes and slots

    async def _looks(self) -> None:
        while True:
            try:
                await self._look()
            except (psycopg.Error, OSError) as error:
                logger.info("could not look at the slots: %s", error)
            try:
                # Not wait_for: before Python 3.12 it may swallow the cancellation that ends us.
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
        asked = self.coordinator.monotonic()
        found = await (await connection.execute(sql.NODES.encode())).fetchall()
        rows = await (await connection.execute(sql.SLOTS.encode())).fetchall()
        nodes, slots = [NodeRow(*row) for row in found], [SlotRow(*row) for row in rows]
        self._observer.look(nodes, slots, asked, self.coordinator.monotonic())
        self._lose(slots)
        self._publish(nodes, slots)
        dead = await self._detector.look(connection, nodes, slots)
        self._look_at_drains(nodes, dead)
        await self._say_whether_it_takes(connection, nodes)
        wanted = self._plan(nodes, slots, dead)
        await self._load_missing(connection, slots)
        await self._claim(connection, slots, dead, wanted)
        await self._hand_over(connection, slots, wanted)

    @property
    def _is_at_rest(self) -> bool:
        """Whether this node takes no slots for now."""
        return self._rests.waits(self.coordinator.monotonic())

    def _look_at_drains(self, nodes: Sequence[NodeRow], dead: Collection[int]) -> None:
        """Whether this node was drained, and whether it can be: not while nobody else takes
        slots, since groups without a node are worse than a drain that waits."""
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
        """Others plan without a node that takes no slots, older ones too."""
        said = next((n.takes_slots for n in nodes if n.incarnation == self.incarnation), None)
        if said is None or said != (self._is_at_rest or self._drains):
            return
        if not said and not await self._could_load(connection):
            return
        values = {"incarnation": self.incarnation, "takes_slots": not said}
        await connection.execute(sql.TAKE_SLOTS.encode(), values)

    async def _could_load(self, connection: connections.Connection) -> bool:
        """Whether it is worth while to give this node slots again; if not, it rests on."""
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
        """Who shall own which slot. Who takes none has no share, unless nobody takes any; who was
        drained has none, unless all who take some were."""
        live = {node.node_id for node in nodes} - set(dead)
        taking = {node.node_id for node in nodes if node.takes_slots} & live
        taking |= {self.me.node_id} if self.is_drained and not self._drains else set()
        taking -= {self.me.node_id} if self._is_at_rest else set()
        staying = taking - {node.node_id for node in nodes if node.is_drained}
        return placement.plan(self._owners(slots, live), staying or taking)

    def _lose(self, slots: list[SlotRow]) -> None:
        mine = {row.slot: row.epoch for row in slots if row.incarnation == self.incarnation}
        self.loader.compare(mine)
        held = self.coordinator.epochs
        lost = {slot for slot, epoch in held.items() if mine.get(slot) != epoch}
        if lost:
            logger.warning("slots %s have another owner now", sorted(lost))
            self.coordinator.drop(lost, ErrorCode.NOT_COORDINATOR)
            self._notify()

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
        # A client that is sent to a node that hangs waits there for its request timeout.
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
        self.published(Cluster(self._lease.cluster_id, live, owners))

    # -- claiming and loading

    def _owners(self, slots: Sequence[SlotRow], live: Collection[int]) -> dict[int, int | None]:
        """The living owner of each slot, as the rows say."""
        return {row.slot: row.node_id if row.node_id in live else None for row in slots}

    async def _claim(
        self,
        connection: connections.Connection,
        slots: Sequence[SlotRow],
        dead: Collection[int],
        wanted: Mapping[int, int],
    ) -> None:
        """Take free slots that shall be ours, and any that nobody has taken for a whole lease."""
        now = self.coordinator.monotonic()
        if self._loads.failures or self._is_at_rest:
            return
        unowned = [row for row in slots if self._is_free(row, dead)]
        self._observer.look_at_free(unowned, now)
        patience = self.lease_ms * (DRAINED_PATIENCE_LEASES if self._drains else 1)
        free = [
            row
            for row in unowned
            if wanted.get(row.slot) == self.me.node_id
            or self._observer.free_for(row.slot, now) >= patience
        ]
        if not free or not self.coordinator.holds_lease:
            return
        async with connection.transaction():
            taken = await slot_rows.claim(connection, self.me.node_id, self.incarnation, free)
        if taken:
            others = [slot for slot in taken if wanted.get(slot) != self.me.node_id]
            self._observer.rescued(others, now)
            await self._load(taken)

    async def _hand_over(
        self,
        connection: connections.Connection,
        rows: Sequence[SlotRow],
        wanted: Mapping[int, int],
    ) -> None:
        """Give slots that shall be another's to nobody; that node takes them at once.

        Nothing is answered from memory from here on; a batch under way ends first, since it
        holds the slots' rows.
        """
        me, now = self.me.node_id, self.coordinator.monotonic()
        others = [
            slot
            for slot in self.coordinator.epochs
            if wanted.get(slot, me) != me and not self._observer.stays(slot, now)
        ]
        untaken = sum(row.node_id is None for row in rows) if self._drains else 0
        slots = sorted(others)[: max(0, HAND_OVER_SLOTS_MAX - untaken)]
        if not slots:
            return
        self.coordinator.drop(slots, ErrorCode.NOT_COORDINATOR)
        self._notify()
        async with connection.transaction():
            await slot_rows.release(connection, self.me.node_id, self.incarnation, slots)

    async def _load_missing(
        self, connection: connections.Connection, slots: Sequence[SlotRow]
    ) -> None:
        """Slots that are ours by their rows and not in memory: a load failed. Try again under the
        same epoch after a while; after some failures leave them to others."""
        held, now = self.coordinator.epochs, self.coordinator.monotonic()
        mine = {s.slot: s.epoch for s in slots if s.incarnation == self.incarnation}
        missing = {slot: epoch for slot, epoch in mine.items() if slot not in held}
        if self._gives_all_back or (missing and self._loads.failures >= LOADS_MAX):
            await self._give_back(connection, mine if self._gives_all_back else missing)
        elif missing and self.coordinator.holds_lease and not self._loads.waits(now):
            await self._load(missing)

    async def _give_back(self, connection: connections.Connection, slots: Collection[int]) -> None:
        """Others shall serve these slots; they see them free and this node's row."""
        if not self._gives_all_back:
            logger.error("%d slots could not be loaded: this node gives them back", len(slots))
            self._rests.failed(self.coordinator.monotonic())
        self.coordinator.drop(slots, ErrorCode.NOT_COORDINATOR)
        self._notify()
        async with connection.transaction():
            values = {"incarnation": self.incarnation, "takes_slots": False}
            await connection.execute(sql.TAKE_SLOTS.encode(), values)
            await slot_rows.release(connection, self.me.node_id, self.incarnation, slots)
        self._loads.succeeded()
        self._gives_all_back = False

    async def _load(self, taken: dict[int, int]) -> None:
        """Read what the slots hold and serve them. Where that fails, a later look tries again."""
        try:
            await self.loader.load(taken)
        except Exception as error:
            logger.warning("slots %s could not be loaded: %r", sorted(taken), error)
            if self.coordinator.holds_lease:  # else the database is away, and nobody can load
                self._loads.failed(self.coordinator.monotonic())
        else:
            self._loads.succeeded()
            self._rests.succeeded()
            self._look_now.set()

    def _is_free(self, row: SlotRow, dead: Collection[int]) -> bool:
        if row.node_id is None or row.incarnation is None:
            return True
        if row.incarnation == self.incarnation:
            return False  # ours; where it is not in memory, ``_load_missing`` sees to it
        orphaned = self._observer.orphaned_for(row.slot, self.coordinator.monotonic())
        if orphaned is not None:
            # Its incarnation was replaced. If by this one, the id was taken from it; if by
            # another, that one has a lease to claim it.
            return row.node_id == self.me.node_id or orphaned >= self._observer.longest_lease_ms
        return row.node_id in dead

    # -- connections

    async def _watched(self) -> connections.Connection:
        """The connection for looks and loads: a long load must not delay the beat."""
        before = self._watch_connection
        self._watch_connection = connection = await connections.kept(before, "watch")
        if connection is not before:
            self._detector.connected()
        return connection

    def _notify(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


def _nothing() -> None:
    """Nobody asked."""
