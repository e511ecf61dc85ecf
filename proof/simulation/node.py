"""One coordinator node: the product's own parts in a modelled process.

The coordinator, both committers, the reloader, the slot keeper and the operator are the real
ones, put together as ``groups.node`` does. What is left out: the wire (requests are values),
the catalogue (topics are given), notes of liveness and transactions of producers.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, Final
from uuid import UUID

from groups import offsets
from groups.cluster import Broker, Cluster
from groups.committer import Committer
from groups.coordinator import Coordinator
from groups.core.errors import ErrorCode
from groups.core.events import Event, Ticket
from groups.core.group import NOBODY, Rules
from groups.core.replies import Refused, Reply
from groups.lease import NodeIdTaken
from groups.offset_verbs import OffsetVerbs
from groups.operations import Operator
from groups.pauses import Pausing
from groups.retries import Reloader
from groups.slot import slot_of
from groups.slots import STALL_MS, SlotKeeper
from proof.simulation.network import Link, Network, Request
from proof.simulation.seams import Readers
from proof.simulation.world import MS, Process, World

LEASE_MS: Final = 3_000
TICK_S: Final = 0.1
"""Half as often as in the product: a tick that finds nothing costs as much as one that does."""

OPERATIONS_LOOK_S: Final = 1.0
LOAD_HOLD_MS: Final = 5_000


class Node:
    """A node with its parts. ``died`` is told when it has ended, one way or another.

    ``fail_share``: how often it is stopped for a while at one of the committers' fail points.
    """

    def __init__(
        self,
        world: World,
        network: Network,
        node_id: int,
        rules: Rules,
        died: Callable[["Node"], None],
        *,
        has_operator: bool,
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
        self.is_leaving = False
        self.links: list[Link] = []
        self._futures: dict[Ticket, asyncio.Future[Reply]] = {}
        self._numbers: dict[int, Link] = {}
        self._make(rules, Random(rng.getrandbits(64)), has_operator)

    def _make(self, rules: Rules, rng: Random, has_operator: bool) -> None:
        me = Broker(self.node_id, "127.0.0.1", 9092 + self.node_id)
        self.cluster = Cluster("")
        self.coordinator = Coordinator(rules, self.process.clock_ms, rng, self._answer)
        self.keeper = SlotKeeper(me, self.coordinator, LEASE_MS, self._publish)
        self.keeper.incarnation = UUID(int=rng.getrandbits(128))
        self.reloader = Reloader(self.coordinator)
        self.committers = [
            Committer(
                self.node_id,
                self.coordinator,
                lane,
                self.reloader,
                self.keeper.fenced,
                self._fail,
            )
            for lane in (self.coordinator.membership, self.coordinator.offsets)
        ]
        self.readers: Any = Readers()
        self.offset_verbs = OffsetVerbs(self.coordinator, self.readers.connection)
        self.pausing = Pausing(self.node_id, self.coordinator, self.reloader, self.keeper.fenced)
        self.operator = Operator(
            self.coordinator, self.offset_verbs, self.pausing, self.readers.connection
        )
        self.has_operator = has_operator

    # -- life

    def start(self) -> None:
        """Connect, register, and go on from there."""
        self.network.nodes[self.node_id] = self
        self.process.spawn(self._run())

    async def _run(self) -> None:
        while True:
            try:
                await self.keeper.start()
                break
            except NodeIdTaken:
                raise
            except Exception:  # the database is away: whoever supervises tries again
                await asyncio.sleep(0.5)
        for committer in self.committers:
            self.process.spawn(committer._rounds())
            self.process.spawn(committer._waiting.run())
        self.process.spawn(self.reloader.run())
        self.process.spawn(self.keeper._beats())
        self.process.spawn(self.keeper._looks())
        self.process.spawn(self._ticks())
        if self.has_operator:
            self.process.spawn(self.offset_verbs.run())
            self.process.spawn(self._operations())

    async def _ticks(self) -> None:
        clock = self.coordinator.clock
        last, held = clock(), True
        while True:
            await asyncio.sleep(TICK_S)
            now = clock()
            if now - last > STALL_MS:
                self.coordinator.awake()
            before, held, last = held, self.coordinator.holds_lease, now
            if before and not held:
                self.coordinator.unpark(ErrorCode.NOT_COORDINATOR)
            if held:
                self.coordinator.tick()
            else:
                self.coordinator.faces.tell_all()

    async def _operations(self) -> None:
        while True:
            await asyncio.sleep(OPERATIONS_LOOK_S)
            await self.operator.look()

    def drain(self) -> None:
        """SIGTERM: stop, hand the slots back, end."""
        if self.process.alive and not self.is_leaving:
            self.is_leaving = True
            self.process.loop.call_soon(self._leave)

    def _leave(self) -> None:
        for task in list(self.process.tasks):
            task.cancel()
        self.process.spawn(self._stop())

    async def _stop(self) -> None:
        await self.keeper.stop()
        self.process.loop.call_soon(self.crash)

    def crash(self) -> None:
        """SIGKILL. The kernel closes its sockets; the server hears of it a little later."""
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
        """At a fail point: perhaps the process is stopped just here."""
        if self.fail_share and self.world.rng.random() < self.fail_share:
            self.fail_share = 0.0
            self.process.pause(self.world.now + self.world.between(0.1, 8))
            await asyncio.sleep(0)

    def _publish(self, cluster: Cluster) -> None:
        self.cluster = cluster

    # -- requests, as the handlers of the wire treat them

    def receive(self, link: Link, number: int, request: Request) -> None:
        """A frame arrived."""
        self.process.loop.call_soon(self._serve, link, number, request)

    def _serve(self, link: Link, number: int, request: Request) -> None:
        if not link.is_open or self.is_leaving:
            return
        if request.api == "Heartbeat" and self._is_fast(request):
            link.reply(number, self._from_face(request))
            return
        self._numbers[link.number] = link
        self.process.spawn(self._handle(link, number, request))

    def _is_fast(self, request: Request) -> bool:
        coordinator = self.coordinator
        return coordinator.holds_lease and coordinator.owns(request.group_id)

    def _from_face(self, request: Request) -> ErrorCode:
        coordinator = self.coordinator
        face = coordinator.faces.get(request.group_id)
        if face is None:
            if request.group_id in coordinator.residents:
                return ErrorCode.COORDINATOR_NOT_AVAILABLE
            face = NOBODY
        member_id, instance_id, generation_id = request.body
        return face.heartbeat(member_id, instance_id, generation_id, coordinator.clock())

    async def _handle(self, link: Link, number: int, request: Request) -> None:
        if request.api == "FindCoordinator":
            awake = self.coordinator.holds_lease
            link.reply(number, self.cluster.coordinator(request.group_id) if awake else None)
            return
        code = await self.keeper.available(slot_of(request.group_id), LOAD_HOLD_MS)
        reply: Any
        if code is not ErrorCode.NONE:
            reply = Refused(code)
        elif request.api == "Heartbeat":
            reply = self._from_face(request)
        elif request.api == "OffsetFetch":
            reply = await self._fetch(request)
        else:
            reply = await self._decide(Ticket(link.number, number), request)
        if link.is_open:
            link.reply(number, reply)

    async def _fetch(self, request: Request) -> Any:
        try:
            rows = await offsets.committed(self.readers, request.group_id, None)
        except Exception:
            return Refused(ErrorCode.NOT_COORDINATOR)
        return {place: row.offset for place, row in rows.items()}

    async def _decide(self, ticket: Ticket, request: Request) -> Reply:
        event: Event = replace(request.body, ticket=ticket)
        future: asyncio.Future[Reply] = self.process.loop.create_future()
        self._futures[ticket] = future
        try:
            self.coordinator.submit(request.group_id, event)
            return await future
        finally:
            self._futures.pop(ticket, None)

    def _answer(self, ticket: Ticket, reply: Reply) -> None:
        future = self._futures.pop(ticket, None)
        if future is not None and not future.done():
            future.set_result(reply)


SUPERVISED: Final = (0.3, 3.0)
"""Seconds after which a node that ended is started again."""
