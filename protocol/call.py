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
from groups.core.authors import Author
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import Event, Ticket
from groups.core.replies import Refused, Reply
from groups.core.rows import slot_of
from groups.core.signs_of_life import Sign
from groups.event_loop import Turns
from groups.node import Node
from protocol.authorization.access import Open
from protocol.session import Session

T = TypeVar("T")


THROTTLED: Final = "The throttling quota has been exceeded."


class Mutations(Protocol):
    """A client's quota of changes to the catalogue (``protocol.metering``)."""

    wait_ms: int

    def take(self, partitions: int, /) -> bool:
        """Whether this many partitions may be created or deleted now."""

    def pause_ms(self) -> int:
        """For how long the connection pauses."""


class Waiter(Protocol):
    """What waits for a reply: a future, or an object with the same two methods."""

    def done(self) -> bool:
        """Whether it has a result, or was cancelled."""

    def set_result(self, result: Reply, /) -> None:
        """Set the reply."""


class PendingReplies:
    """The tickets that wait for their replies; only this class resolves them."""

    def __init__(self) -> None:
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
        if self.is_news():
            self.release()


@dataclass(slots=True)
class Call:
    """One request in flight.

    ``client_host`` is Kafka's form, with a leading slash. ``hold`` waits for so many
    seconds, or less: until the connection's next frame has arrived (a held request must
    not delay what follows). ``release`` ends that wait. ``now`` is the server's clock, in
    seconds. Everything here is cancelled when the connection ends.
    ``turns``: how long requests may hold the loop (``each``). ``side``: the thread beside the
    loop; ``is_large`` says that the request has more elements than a turn is long enough for.
    ``sit`` notes that a consumer of the 0.9 draft (group id, consumer id) speaks over this
    connection, ``note_id`` that a member id (group id, member id) was handed out over it.
    ``throttle_ms``, where a handler sets it: nothing more is read from the
    connection for so long, once the request is answered. ``memory`` is the connection's: what the
    handler of an API remembers from one of its requests to the next, by API key or by name.
    ``served`` are the APIs that ApiVersions tells of. ``session``: who is at the other end, and
    which listener the connection came by. ``mutations`` is None where changes of the catalogue
    are free. ``was_held``: the request has waited for news, so that it shows nothing about now.
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
    served: Callable[[], Sequence[Served]] = tuple
    session: Session = field(default_factory=Session)
    mutations: Mutations | None = None
    was_held: bool = False

    def change_topics(self, partitions: int) -> None:
        """So many are about to be made or deleted. Refuses THROTTLING_QUOTA_EXCEEDED."""
        if self.mutations is not None and not self.mutations.take(partitions):
            raise Refuse(ErrorCode.THROTTLING_QUOTA_EXCEEDED, THROTTLED)

    @property
    def access(self) -> Open:
        """What the client may do."""
        return self.session.access

    @property
    def author(self) -> Author:
        """Who asks, for the journal, where a request names no member."""
        return self.author_as("")

    def author_as(self, member_id: str) -> Author:
        """The same, where a request names one."""
        return Author(member_id, self.client_id, self.client_host, self.session.principal)

    def committer(self, member_id: str) -> Author | None:
        """Whom the history of offsets names, where one is kept."""
        return self.author_as(member_id) if self.node.totals.keeps_history else None

    def reachable(self) -> Mapping[int, Endpoint]:
        """The live nodes by id, where clients of this connection's listener find them."""
        found = ((b.node_id, b.at(self.session.listener)) for b in self.node.cluster.brokers)
        return {node_id: endpoint for node_id, endpoint in found if endpoint is not None}

    async def each(self, items: Iterable[T]) -> AsyncIterator[T]:
        """The items, one after another, and the loop to others whenever its turn is over."""
        turns = self.turns
        for item in items:
            if turns.is_over:
                await turns.next()
            yield item

    async def aside(self, work: Callable[[], T]) -> T:
        """What ``work`` returns: done beside the loop where the request is large. It may read what
        does not change, and nothing else."""
        return await self.beside(work) if self.is_large else work()

    async def beside(self, work: Callable[[], T]) -> T:
        """The same, however large the request is."""
        if self.side is None:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self.side, work)

    async def available(self, group_id: str) -> ErrorCode:
        """NONE where this node serves the group, or transactional id, waiting while its slot
        loads."""
        hold_ms = self.node.settings.coordinator_load_hold_ms
        return await self.node.availability.of_slot(slot_of(group_id), hold_ms)

    async def available_or_refuse(self, group_id: str) -> None:
        """The same, for handlers that answer every ``Refuse`` in one place."""
        code = await self.available(group_id)
        if code is not ErrorCode.NONE:
            raise Refuse(code)

    async def hold_for_news(
        self, group_id: str, seconds: float, is_news: Callable[[], bool]
    ) -> bool:
        """Wait as ``hold`` does, or until a swap of the group's view is news; whether it was."""
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
        """The request is refused undecided: its member was heard all the same."""
        if not self.was_held:  # else it was heard when it came
            self.node.coordinator.heard(group_id, sign)

    async def decide(self, group_id: str, event: Event) -> Reply:
        """Submit the event, which must carry this call's ticket, and wait for its answer."""
        if not self.node.coordinator.serves(slot_of(group_id)):
            code = await self.available(group_id)
            if code is not ErrorCode.NONE:
                self.heard(group_id, event)
                return Refused(code)
        future = self.new_future()
        self.pending_replies.open(self.ticket, future)
        try:
            self.node.coordinator.submit(group_id, event)
            return await future
        finally:
            self.pending_replies.close(self.ticket)
