"""Requests at a node, as the protocol's handlers process them; requests and responses are values.

Heartbeats of classic groups are answered from the view, or wait for a change; those of the draft
are answered from the view if that has no error; everything else goes to the coordinator or to the
rows. No rule here.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from groups.cluster.slot_keeper import SlotKeeper
from groups.cluster.view import Cluster
from groups.core.consumer.group import ConsumerGroup
from groups.core.errors import ErrorCode
from groups.core.events import (
    ConsumerHeartbeat,
    DraftCommit,
    DraftHeartbeat,
    DraftJoin,
    Event,
    OffsetCommit,
    OffsetWrite,
    Ticket,
    TxnOffsetCommit,
)
from groups.core.group import NOBODY
from groups.core.replies import (
    Committed,
    ConsumerBeaten,
    DraftJoined,
    ErrorReply,
    Registered,
    Reply,
)
from groups.core.rows import slot_of
from groups.core.signs_of_life import ClassicHeartbeat, CommandPoll
from groups.runtime.runtime import CoordinatorRuntime
from groups.runtime.transactions import Transactions
from groups.store import offsets
from proof.simulation import desk_commands, desk_transactions
from proof.simulation.holding import Held
from proof.simulation.network import Link, Network, Request
from proof.simulation.odd import NOTE_UNITS
from proof.simulation.repeats import repeated
from proof.simulation.world import Process
from protocol.handlers.support import validation

LOAD_HOLD_MS: Final = 5_000

DRAFT: Final = (DraftJoin, DraftHeartbeat, DraftCommit)
"""What only clients of the 0.9 draft send."""


class Desk:
    """The desk of one node. ``is_closed``: the node is stopping, and accepts no more requests."""

    coordinator: CoordinatorRuntime
    keeper: SlotKeeper
    readers: Any
    cluster: Callable[[], Cluster]
    transactions: Transactions
    knows: Callable[[str], None]

    def __init__(self, process: Process, network: Network) -> None:
        self.process, self.network = process, network
        self.is_closed = False
        self._futures: dict[Ticket, asyncio.Future[Reply]] = {}
        self._seats: dict[tuple[str, str], Link] = {}

    def open(
        self,
        coordinator: CoordinatorRuntime,
        keeper: SlotKeeper,
        readers: Any,
        cluster: Callable[[], Cluster],
        transactions: Transactions,
        knows: Callable[[str], None],
    ) -> None:
        """Set the parts that answer; ``knows`` is called with groups that need updates about their
        topics."""
        self.transactions, self.knows = transactions, knows
        self.coordinator, self.keeper = coordinator, keeper
        self.readers, self.cluster = readers, cluster

    def receive(self, link: Link, number: int, request: Request) -> None:
        """A frame arrived."""
        self.process.loop.call_soon(self._serve, link, number, request)

    def answer(self, ticket: Ticket, reply: Reply) -> None:
        """Called by the coordinator with a response."""
        future = self._futures.pop(ticket, None)
        if future is not None and not future.done():
            future.set_result(reply)

    def _serve(self, link: Link, number: int, request: Request) -> None:
        if not link.is_open or self.is_closed:
            return
        coordinator = self.coordinator
        is_fast = coordinator.holds_lease and coordinator.owns(request.group_id)
        if request.api == "Heartbeat" and is_fast and not isinstance(request.body, DRAFT):
            code = self._from_view(request)
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
        code = await self._available(request)
        reply: Any = ErrorReply(code)
        if code is ErrorCode.NONE:
            reply = await self._reply(Ticket(link.number, number), request)
        else:
            self._note(request)
        if isinstance(request.body, DraftJoin | DraftHeartbeat):
            self._sit(link, request, reply)
        if isinstance(reply, DraftJoined | Registered) and reply.error is ErrorCode.NONE:
            self.knows(request.group_id)
        if link.is_open:
            link.reply(number, reply)

    def _note(self, request: Request) -> None:
        """The request was rejected without a decision: the member's session is renewed all the
        same."""
        sign: Any = request.body
        if request.api == "Heartbeat" and not isinstance(sign, DRAFT):
            sign = ClassicHeartbeat(*sign)
        elif isinstance(sign, desk_commands.Poll):
            sign = CommandPoll(sign.member_id)
        self.coordinator.heard(request.group_id, sign)

    async def _available(self, request: Request) -> ErrorCode:
        """The draft does not wait: its clients are asked to try again."""
        slot = slot_of(request.group_id)
        if not isinstance(request.body, DRAFT):
            return await self.keeper.availability.of_slot(slot, LOAD_HOLD_MS)
        if slot in self.keeper.loader.loading:
            return ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        return await self.keeper.availability.of_slot(slot, 0)

    async def _reply(self, ticket: Ticket, request: Request) -> Any:
        match request.body:
            case desk_commands.Poll() as poll:
                return await desk_commands.poll(self.coordinator, request.group_id, poll)
            case DraftHeartbeat() as beat:
                return await self._draft_beat(ticket, request, beat)
            case OffsetCommit(offsets=offsets) if any(write.metadata for write in offsets):
                return await self._commit_with_notes(ticket, request)
        if isinstance(request.body, desk_transactions.REQUESTS):
            return await self._transact(ticket, request)
        if request.api == "Heartbeat":
            return self._from_view(request)
        if request.api == "OffsetFetch":
            return await self._fetch(request)
        return await self._decide_with_news(ticket, request)

    # -- notes: stored as the protocol's handlers store them, rejected if they are too long

    async def _commit_with_notes(self, ticket: Ticket, request: Request) -> Reply:
        """A commit of which nothing can be stored is decided, too: it keeps its member alive, and
        an error of the group takes precedence."""
        stored = _stored(request.body.offsets)
        body = replace(request.body, offsets=stored or ())
        reply = await self._decide(ticket, request._replace(body=body))
        if stored is None and reply == Committed():
            return ErrorReply(ErrorCode.OFFSET_METADATA_TOO_LARGE)
        return reply

    async def _transact(self, ticket: Ticket, request: Request) -> Any:
        async def decide(event: TxnOffsetCommit) -> Reply:
            return await self._commit_with_notes(ticket, request._replace(body=event))

        return await desk_transactions.serve(self.transactions, request, decide)

    # -- clients of the draft, and the connections of their latest requests

    async def _draft_beat(self, ticket: Ticket, request: Request, beat: DraftHeartbeat) -> Reply:
        coordinator = self.coordinator
        view = coordinator.heartbeat_views.get(request.group_id)
        if view is not None:
            now, who = coordinator.clock(), (beat.consumer_id, None, beat.generation_id)
            if view.heartbeat(*who, now) is ErrorCode.NONE:
                return ErrorReply(ErrorCode.NONE)
        return await self._decide(ticket, request)

    def _sit(self, link: Link, request: Request, reply: Any) -> None:
        consumer_id = reply.consumer_id if isinstance(reply, DraftJoined) else ""
        if isinstance(request.body, DraftHeartbeat):
            consumer_id = request.body.consumer_id
        if reply.error in (ErrorCode.NONE, ErrorCode.ILLEGAL_GENERATION) and consumer_id:
            self._seats[request.group_id, consumer_id] = link

    def hang_up(self, group_id: str, consumer_ids: Iterable[str]) -> None:
        """These clients count as dead: close their connections."""
        for consumer_id in consumer_ids:
            link = self._seats.pop((group_id, consumer_id), None)
            if link is not None:
                link.close()

    async def _fetch(self, request: Request) -> Any:
        try:
            rows = await offsets.committed(self.readers, request.group_id, None)
        except Exception:
            return ErrorReply(ErrorCode.NOT_COORDINATOR)
        return {
            place: (row.offset, validation.restored(row.metadata)) for place, row in rows.items()
        }

    async def _decide(self, ticket: Ticket, request: Request) -> Reply:
        event: Event = replace(request.body, ticket=ticket)
        future: asyncio.Future[Reply] = self.process.loop.create_future()
        self._futures[ticket] = future
        try:
            group_id = request.group_id
            # By connection: a frame that the network sent twice takes the same way twice.
            if not (ticket.connection % 2 and repeated(self.coordinator, group_id, event)):
                self.coordinator.submit(group_id, event)
            return await future
        finally:
            self._futures.pop(ticket, None)

    # -- views, and heartbeats that wait for a change

    def _from_view(self, request: Request) -> ErrorCode:
        coordinator = self.coordinator
        view = coordinator.heartbeat_views.get(request.group_id)
        if view is None:
            if request.group_id in coordinator.entries:
                self._note(request)
                return ErrorCode.COORDINATOR_NOT_AVAILABLE
            view = NOBODY
        member_id, instance_id, generation_id = request.body
        return view.heartbeat(member_id, instance_id, generation_id, coordinator.clock())

    def _verdict(self, request: Request) -> ErrorCode:
        """The current response to a heartbeat that has waited."""
        coordinator = self.coordinator
        if not coordinator.owns(request.group_id):
            return ErrorCode.NOT_COORDINATOR
        view = coordinator.heartbeat_views.get(request.group_id)
        if view is None or not coordinator.holds_lease:
            return ErrorCode.COORDINATOR_NOT_AVAILABLE
        return view.find(*request.body)[0]

    async def _hold(self, link: Link, number: int, request: Request) -> None:
        held = Held(lambda: self._verdict(request) is not ErrorCode.NONE)
        await held.wait(self.coordinator.heartbeat_views, request.group_id)
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
        if not await held.wait(self.coordinator.heartbeat_views, request.group_id):
            return reply
        code = await self.keeper.availability.of_slot(slot_of(request.group_id), LOAD_HOLD_MS)
        return await self._decide(ticket, request) if code is ErrorCode.NONE else ErrorReply(code)

    def _is_news(self, group_id: str, body: ConsumerHeartbeat) -> bool:
        """Whether the response to a member that has its complete assignment would differ by now."""
        group = self.coordinator.group(group_id) if self.coordinator.holds_lease else None
        settled = isinstance(group, ConsumerGroup) and group.is_settled(
            body.member_id, body.member_epoch
        )
        return not (settled and self.coordinator.owns(group_id))


def _stored(writes: Iterable[OffsetWrite]) -> tuple[OffsetWrite, ...] | None:
    """The writes with their notes as a row can store them; None: a note is too long."""
    writes = tuple(writes)
    if any(len(write.metadata.encode("utf-16-le")) // 2 > NOTE_UNITS for write in writes):
        return None
    return tuple(write._replace(metadata=validation.stored(write.metadata)) for write in writes)
