"""What a handler receives in addition to the decoded request: the client, and what it may use.

A handler is ``async def handle(request, call) -> response`` in a file named after its API. It
validates the request, calls ``groups`` once, and builds the reply. It never uses a connection.
"""

import asyncio
import time
from asyncio import Future
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

from groups.cluster.view import Endpoint
from groups.core.authors import Author, Client
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import Event, IdsAbandoned, Ticket
from groups.core.instance_claims import How, party
from groups.core.replies import ErrorReply, Reply
from groups.core.rows import slot_of
from groups.core.signs_of_life import Sign
from groups.node import Node
from groups.runtime.collaborators import no_connections
from protocol.requests.access import Open
from protocol.requests.pace import KnownPaces, Pace
from protocol.requests.session import Session
from protocol.requests.turns import Turns

T = TypeVar("T")


THROTTLED: Final = "The throttling quota has been exceeded."


class Mutations(Protocol):
    """The client's quota for creating and deleting partitions (``protocol.limits.metering``)."""

    wait_ms: int

    def take(self, partitions: int, /) -> bool:
        """Whether this many partitions may be created or deleted now."""

    def pause_ms(self) -> int:
        """How long the connection pauses."""


class Waiter(Protocol):
    """What waits for a reply: a future, or an object with the same two methods."""

    def done(self) -> bool:
        """Whether it has a result, or was cancelled."""

    def set_result(self, result: Reply, /) -> None:
        """Set the reply."""


class PendingReplies:
    """The tickets that wait for their replies; only this class resolves them. ``hang_up`` closes
    the connections of consumers of a group."""

    def __init__(self, hang_up: Callable[[str, Iterable[str]], None] = no_connections) -> None:
        self.hang_up = hang_up
        self._waiting: dict[Ticket, Waiter] = {}

    def open(self, ticket: Ticket, future: Waiter) -> None:
        """Register a ticket."""
        self._waiting[ticket] = future

    def close(self, ticket: Ticket) -> None:
        """Remove a ticket; a later reply to it is dropped."""
        self._waiting.pop(ticket, None)

    def answer(self, ticket: Ticket, reply: Reply) -> None:
        """Resolve a ticket. If its connection has closed, the reply is dropped."""
        future = self._waiting.pop(ticket, None)
        if future is not None and not future.done():
            future.set_result(reply)

    def __len__(self) -> int:
        return len(self._waiting)


def _anywhere(_group_id: str, _consumer_id: str) -> None:
    """The default of ``sit``: do nothing."""


def _nobody_waits() -> None:
    """The default of ``release``: the call is never held."""


Served = tuple[int, int, int]
"""Key, first and last version of an API that is served."""


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """A watcher that ends a call's hold when there is news."""

    is_news: Callable[[], bool]
    release: Callable[[], None]

    def view_changed(self) -> None:
        """End the hold if there is news."""
        self.topics_changed()

    def topics_changed(self) -> bool:
        """The same; whether it has ended."""
        has_news = self.is_news()
        if has_news:
            self.release()
        return has_news


@dataclass(slots=True)
class Call:
    """One request in flight.

    ``client_host`` is Kafka's form, with a leading slash. ``hold`` waits for so many seconds, or
    less: until the connection's next frame has arrived (a held request must not delay the following
    ones). ``release`` ends that wait. ``now`` is the server's clock, in seconds. Everything here is
    cancelled when the connection ends. ``turns``: how long requests may hold the loop (``each``).
    ``side``: the thread beside the loop; ``is_large``: the request has too many elements to be
    processed in one turn. ``sit`` notes that a consumer of the 0.9 draft (group id, consumer id)
    uses this connection, ``note_id`` that a member id (group id, member id) was returned over it.
    If a handler sets ``throttle_ms``, the connection is not read for this time after the reply.
    ``memory`` belongs to the connection: values that handlers keep between its requests, by API key
    or by name; so does ``pace``. ``served`` are the APIs that ApiVersions returns. ``session``: the
    client, and the listener of the connection. ``mutations`` is None if changes of the catalogue
    have no quota. ``was_held``: the request has waited for news, so it does not show that the
    member is alive now.
    """

    node: Node
    pending_replies: PendingReplies
    version: int
    client_id: str
    client_host: str
    ticket: Ticket
    new_future: Callable[[], Future[Reply]]
    hold: Callable[[float], Awaitable[None]]
    turns: Turns
    side: Executor | None = None
    is_large: bool = False
    release: Callable[[], None] = _nobody_waits
    now: Callable[[], float] = time.monotonic
    sit: Callable[[str, str], None] = _anywhere
    note_id: Callable[[str, str], None] = _anywhere
    throttle_ms: int = 0
    memory: dict[int | str | None, int] = field(default_factory=dict)
    pace: Pace = field(default_factory=lambda: Pace(KnownPaces()))
    served: Callable[[], Sequence[Served]] = tuple
    session: Session = field(default_factory=Session)
    mutations: Mutations | None = None
    was_held: bool = False

    def change_topics(self, partitions: int) -> None:
        """Count this many partitions to be created or deleted. Refuses
        THROTTLING_QUOTA_EXCEEDED."""
        if self.mutations is not None and not self.mutations.take(partitions):
            raise Refuse(ErrorCode.THROTTLING_QUOTA_EXCEEDED, THROTTLED)

    @property
    def access(self) -> Open:
        """What the client may do."""
        return self.session.access

    @property
    def author(self) -> Author:
        """The author for the journal, where a request names no member."""
        return self.author_as("")

    def author_as(self, member_id: str) -> Author:
        """The author, where a request names a member."""
        return Author(member_id, self.client_id, self.client_host, self.session.principal)

    @property
    def client(self) -> Client:
        """The client of a member that joins, for the facts."""
        session = self.session
        return Client(session.software, session.software_version, session.principal, self.version)

    def committer(self, member_id: str) -> Author | None:
        """The author for the history of offsets, if a history is kept."""
        return self.author_as(member_id) if self.node.totals.keeps_history else None

    def reachable(self) -> Mapping[int, Endpoint]:
        """The live nodes by id, with the addresses for clients of this connection's listener."""
        found = ((b.node_id, b.at(self.session.listener)) for b in self.node.cluster.brokers)
        return {node_id: endpoint for node_id, endpoint in found if endpoint is not None}

    async def each(self, items: Iterable[T]) -> AsyncIterator[T]:
        """Yield the items, and let other tasks run whenever the turn is over."""
        turns = self.turns
        for item in items:
            if turns.is_over:
                await turns.next()
            yield item

    async def aside(self, work: Callable[[], T]) -> T:
        """Return ``work()``, run in the thread if the request is large. It may only read values
        that do not change."""
        return await self.beside(work) if self.is_large else work()

    async def beside(self, work: Callable[[], T]) -> T:
        """The same, in the thread whatever the size of the request."""
        if self.side is None:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self.side, work)

    async def available(self, group_id: str) -> ErrorCode:
        """NONE if this node coordinates the group or transactional id; waits while its slot
        loads."""
        hold_ms = self.node.settings.coordinator_load_hold_ms
        return await self.node.availability.of_slot(slot_of(group_id), hold_ms)

    async def describable(self, group_id: str) -> ErrorCode:
        """The same for a request that only describes."""
        hold_ms = self.node.settings.coordinator_load_hold_ms
        return await self.node.availability.of_description(slot_of(group_id), hold_ms)

    async def listable(self) -> ErrorCode:
        """NONE if a list of what this node coordinates is complete; waits while slots load."""
        hold_ms = self.node.settings.coordinator_load_hold_ms
        return await self.node.availability.of_list(hold_ms)

    async def available_or_refuse(self, group_id: str) -> None:
        """The same, as a ``Refuse``, for handlers that answer all of them in one place."""
        code = await self.available(group_id)
        if code is not ErrorCode.NONE:
            raise Refuse(code)

    async def hold_for_news(
        self, group_id: str, seconds: float, is_news: Callable[[], bool]
    ) -> bool:
        """Wait as ``hold`` does, or until a change of the group's view is news; whether there was
        news."""
        watcher = Released(is_news, self.release)
        views = self.node.coordinator.heartbeat_views
        views.watch(group_id, watcher)
        try:
            if not is_news():
                await self.hold(seconds)
        finally:
            views.unwatch(group_id, watcher)
        self.was_held = True
        return is_news()

    def heard(self, group_id: str, sign: Sign) -> None:
        """The request is refused without a decision, but still counts as a sign of life of its
        member."""
        if not self.was_held:  # otherwise it was counted when it arrived
            self.node.coordinator.heard(group_id, sign)

    def claimed(self, group_id: str, instance_id: str | None, how: How) -> None:
        """The request names an instance id that has another member."""
        if instance_id is not None:
            claimant = party(self.client_id, self.client_host)
            self.node.instance_claims.note(group_id, instance_id, how, claimant)

    def abandon(self, group_id: str) -> None:
        """The connection has ended while this request waited for its member's id."""
        coordinator = self.node.coordinator
        if coordinator.group(group_id) is not None:
            coordinator.submit(group_id, IdsAbandoned(join=self.ticket))

    async def decide(self, group_id: str, event: Event) -> Reply:
        """Submit the event, which must carry this call's ticket, and wait for the reply."""
        if not self.node.coordinator.serves(slot_of(group_id)):
            code = await self.available(group_id)
            if code is not ErrorCode.NONE:
                self.heard(group_id, event)
                return ErrorReply(code)
        future = self.new_future()
        self.pending_replies.open(self.ticket, future)
        try:
            self.node.coordinator.submit(group_id, event)
            return await future
        finally:
            self.pending_replies.close(self.ticket)
