"""Requests at a node, as the handlers of the wire treat them; requests and answers are values.

Heartbeats of classic groups are answered from the face, or wait for news; everything else goes to
the coordinator or to the rows. No rule here.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from groups import offsets
from groups.cluster import Cluster
from groups.coordinator import Coordinator
from groups.core.consumer.group import ConsumerGroup
from groups.core.errors import ErrorCode
from groups.core.events import ConsumerHeartbeat, Event, Ticket
from groups.core.group import NOBODY
from groups.core.replies import ConsumerBeaten, Refused, Reply
from groups.slot import slot_of
from groups.slots import SlotKeeper
from proof.simulation.holding import Held
from proof.simulation.network import Link, Network, Request
from proof.simulation.world import Process

LOAD_HOLD_MS: Final = 5_000


class Desk:
    """One node's. ``is_closed``: the node is going, and takes nothing in any more."""

    coordinator: Coordinator
    keeper: SlotKeeper
    readers: Any
    cluster: Callable[[], Cluster]

    def __init__(self, process: Process, network: Network) -> None:
        self.process, self.network = process, network
        self.is_closed = False
        self._futures: dict[Ticket, asyncio.Future[Reply]] = {}

    def open(
        self,
        coordinator: Coordinator,
        keeper: SlotKeeper,
        readers: Any,
        cluster: Callable[[], Cluster],
    ) -> None:
        """The parts that answer."""
        self.coordinator, self.keeper = coordinator, keeper
        self.readers, self.cluster = readers, cluster

    def receive(self, link: Link, number: int, request: Request) -> None:
        """A frame arrived."""
        self.process.loop.call_soon(self._serve, link, number, request)

    def answer(self, ticket: Ticket, reply: Reply) -> None:
        """What the coordinator calls."""
        future = self._futures.pop(ticket, None)
        if future is not None and not future.done():
            future.set_result(reply)

    def _serve(self, link: Link, number: int, request: Request) -> None:
        if not link.is_open or self.is_closed:
            return
        coordinator = self.coordinator
        is_fast = coordinator.holds_lease and coordinator.owns(request.group_id)
        if request.api == "Heartbeat" and is_fast:
            code = self._from_face(request)
            if code is not ErrorCode.NONE or not self.network.holds:
                link.reply(number, code)
                return
            self.process.spawn(self._hold(link, number, request))
            return
        self.process.spawn(self._handle(link, number, request))

    async def _handle(self, link: Link, number: int, request: Request) -> None:
        if request.api == "FindCoordinator":
            awake = self.coordinator.holds_lease
            link.reply(number, self.cluster().coordinator(request.group_id) if awake else None)
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
            reply = await self._decide_with_news(Ticket(link.number, number), request)
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

    # -- faces, and heartbeats that wait for news

    def _from_face(self, request: Request) -> ErrorCode:
        coordinator = self.coordinator
        face = coordinator.faces.get(request.group_id)
        if face is None:
            if request.group_id in coordinator.residents:
                return ErrorCode.COORDINATOR_NOT_AVAILABLE
            face = NOBODY
        member_id, instance_id, generation_id = request.body
        return face.heartbeat(member_id, instance_id, generation_id, coordinator.clock())

    def _verdict(self, request: Request) -> ErrorCode:
        """What is right to say now to a heartbeat that has waited."""
        coordinator = self.coordinator
        if not coordinator.owns(request.group_id):
            return ErrorCode.NOT_COORDINATOR
        face = coordinator.faces.get(request.group_id)
        if face is None or not coordinator.holds_lease:
            return ErrorCode.COORDINATOR_NOT_AVAILABLE
        return face.find(*request.body)[0]

    async def _hold(self, link: Link, number: int, request: Request) -> None:
        held = Held(lambda: self._verdict(request) is not ErrorCode.NONE)
        await held.wait(self.coordinator.faces, request.group_id)
        link.reply(number, self._verdict(request))

    async def _decide_with_news(self, ticket: Ticket, request: Request) -> Reply:
        reply = await self._decide(ticket, request)
        body = request.body
        if not (
            self.network.holds
            and isinstance(body, ConsumerHeartbeat)
            and body.owned is None
            and isinstance(reply, ConsumerBeaten)
            and reply.error is ErrorCode.NONE
            and reply.assignment is None
            and reply.member_epoch == body.member_epoch > 0
        ):
            return reply
        held = Held(partial(self._is_news, request.group_id, body))
        if not await held.wait(self.coordinator.faces, request.group_id):
            return reply
        code = await self.keeper.available(slot_of(request.group_id), LOAD_HOLD_MS)
        return await self._decide(ticket, request) if code is ErrorCode.NONE else Refused(code)

    def _is_news(self, group_id: str, body: ConsumerHeartbeat) -> bool:
        """Whether a member that has all it shall have would be told something else by now."""
        group = self.coordinator.group(group_id) if self.coordinator.holds_lease else None
        settled = isinstance(group, ConsumerGroup) and group.is_settled(
            body.member_id, body.member_epoch
        )
        return not (settled and self.coordinator.owns(group_id))
