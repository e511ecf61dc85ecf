"""``Member``: one worker of a group, for asyncio. Applications start here.

The rules are in ``core``, connections in ``cluster`` and ``connection``, calls of the application
in ``delivery``. ``blocking.BlockingMember`` is the same for programs without asyncio.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from random import Random, SystemRandom
from types import TracebackType
from typing import Final, Self, Unpack

from rollcall.client import calling, checks, protocols, security
from rollcall.client.assignors.own import ClientAssignor
from rollcall.client.calling import Callback
from rollcall.client.change_stream import Following
from rollcall.client.cluster import Cluster
from rollcall.client.core.backoff import Backoff
from rollcall.client.core.events import (
    NOTHING,
    Change,
    Gone,
    HandOut,
    Kind,
    Partitions,
    Standing,
    Subscribe,
    Subscription,
    Token,
    TopicPartition,
    Unsubscribe,
)
from rollcall.client.core.pausing import Order
from rollcall.client.delivery import Delivery, by_kind
from rollcall.client.driver import Pump
from rollcall.client.errors import (
    Closed,
    Ended,
    MemberError,
    NotAssigned,
    Unfenced,
    ended,
)
from rollcall.client.metrics import NONE, Metrics
from rollcall.client.offsets import Ledger, Look
from rollcall.client.options import Settings, identity_of, subscription_of
from rollcall.client.orders import Orders
from rollcall.client.tasks import Tasks

CLOSE_S: Final = 30.0
log = logging.getLogger("rollcall.client")


class Member:
    """One worker of ``group``; ``async with Member(...)`` joins and, at the end, leaves.

    ``bootstrap`` is ``HOST:PORT``, or several. ``topics`` and ``pattern`` are what it wants to
    work on; in a commanded group also ``blacklist``, and how many ``threads`` work on each topic
    (or ``topics`` is a mapping from topic to threads). ``assignor`` is a server's (consumer
    protocol, draft), a function of one's own (consumer protocol) or one or several of
    ``rollcall.client.ASSIGNORS``, in order of preference (classic protocol). The callbacks take a
    frozenset of partitions and may be coroutines; see docs/client.md for what each may rely on.
    ``metrics`` are hooks that an application overrides; ``settings`` say how it gets in
    (``security.py``) and how long things may take.

    Raises ``UnknownProtocol`` for a protocol that the library does not speak, ``ValueError`` for
    anything else that cannot be.
    """

    _closing: asyncio.Task[None] | None = None
    _last: asyncio.Task[None] | None = None  # tells that all was lost
    _is_over = False
    _failure: MemberError | None = None
    _manual: Partitions | None = None

    def __init__(
        self,
        bootstrap: str | Sequence[str],
        group: str,
        topics: Iterable[str] | Mapping[str, int] = (),
        *,
        pattern: str | None = None,
        blacklist: str | None = None,
        threads: int = 1,
        protocol: str = "consumer",
        assignor: protocols.Assignors = None,
        instance_id: str | None = None,
        rack: str | None = None,
        client_id: str = "rollcall",
        metrics: Metrics = NONE,
        on_assigned: Callback | None = None,
        on_revoked: Callback | None = None,
        on_lost: Callback | None = None,
        on_paused: Callback | None = None,
        on_resumed: Callback | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        secrets, times = security.taken(settings)
        chosen, spoken = protocols.listed(assignor), protocols.of(protocol)
        rng: Random = SystemRandom()
        identity = identity_of(spoken, chosen, group, instance_id, rack, times)
        checks.identity(identity)
        checks.name("client_id", client_id)
        self._identity, self._fault = identity, spoken.fault
        self._machine = spoken.make(identity, chosen, rng)
        self._subscription = subscription_of(topics, pattern, blacklist, threads)
        self._check(self._subscription)
        callbacks = by_kind(on_assigned, on_revoked, on_lost, on_paused, on_resumed)
        backoff = Backoff.of(identity, rng)
        secured = security.of(secrets)
        protocols.check_security(spoken, secured)
        self._cluster = Cluster(bootstrap, group, client_id, spoken.dialect, secured, metrics)
        self._ledger = Ledger(self._cluster, identity, backoff, spoken.dialect, self._topics_gone)
        self._delivery = Delivery(
            self, callbacks, self._ledger, lambda: self._standing, lambda: self.epoch, metrics
        )
        self._tasks = Tasks(self._broke)
        self._orders = self._make_orders(Backoff.of(identity, rng))
        self._pump = self._make_pump(backoff, protocols.own_of(chosen))

    def _make_orders(self, backoff: Backoff) -> Orders:
        """What operators want of this member, as it stands at each moment."""
        group = self._identity.group
        standing = lambda: self._machine.standing  # noqa: E731 - as it is at each moment
        return Orders(self._cluster, group, backoff, standing, self._delivery.obey, self._tasks)

    def _make_pump(self, backoff: Backoff, own: Sequence[ClientAssignor]) -> Pump:
        """Between the machine and all that was made before it."""
        return Pump(
            self._machine,
            self._cluster,
            backoff,
            self._deliver,
            self._failed,
            self._orders.look,
            self._identity,
            self._tasks,
            own,
        )

    # -- life

    async def start(self) -> None:
        """Subscribe, if there is something to subscribe to. Does not wait for an assignment."""
        self._check_open()
        if self._subscription:
            self._pump.put(Subscribe(self._subscription))

    async def close(self, timeout_s: float = CLOSE_S) -> None:
        """Give up everything, call back, leave, and end every connection.

        After ``timeout_s`` it ends without more words; the group then waits for the session. In a
        callback it only begins: the member leaves when the callback has returned.
        """
        if calling.is_within(self, is_body=True):
            self._delivery.changes.leave()  # the loop's body cannot come back for more
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close(timeout_s))
        if calling.is_within(self):
            return
        try:
            await asyncio.shield(self._closing)
        except asyncio.CancelledError:
            self._closing.cancel()
            if calling.is_being_cancelled():
                raise

    async def _closed(self) -> None:
        """Wait until a close that was begun has ended."""
        if self._closing is not None:
            await asyncio.wait([self._closing])

    async def _close(self, timeout_s: float) -> None:
        try:
            async with asyncio.timeout(timeout_s):
                self._pump.put(Unsubscribe())
                while not (self._machine.is_gone or self._is_over):
                    self._pump.moved.clear()
                    await self._pump.moved.wait()
                if self._last is not None:
                    await self._last
        except TimeoutError:
            log.warning("%s: no orderly leave within %s s", self._identity.group, timeout_s)
        finally:
            self.abandon()
        await self._tasks.ended()

    def abandon(self) -> None:
        """End without a word, as a process that dies: nothing is committed, nobody is called, and
        the group waits for the session."""
        self._is_over = True
        self._pump.stop()
        self._tasks.stop()
        self._cluster.close()
        self._delivery.changes.end()

    def _check_alive(self) -> None:
        """Offsets are read and committed until the very end, by callbacks too."""
        if self._is_over:
            is_own = isinstance(self._failure, Ended)
            raise self._failure if self._failure and is_own else Closed("the member is closed")

    def _check_open(self) -> None:
        self._check_alive()
        if isinstance(self._failure, Ended):
            raise self._failure
        if self._closing is not None:
            raise Closed("the member is being closed")

    @property
    def failure(self) -> MemberError | None:
        """Why the member works on nothing and never will: ``Refused`` by the coordinator until
        there is a new subscription, or ``Ended`` by itself."""
        return self._failure

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    # -- what to work on

    def subscribe(
        self,
        topics: Iterable[str] | Mapping[str, int] = (),
        pattern: str | None = None,
        *,
        blacklist: str | None = None,
        threads: int = 1,
    ) -> None:
        """Work on these instead; the coordinator hears it at once. Lets a refused member try
        again. ``ValueError`` for what the protocol cannot say."""
        wanted = subscription_of(topics, pattern, blacklist, threads)
        if not wanted:
            raise ValueError("neither topics nor a pattern to subscribe to")
        self._check(wanted)
        self._check_open()
        self._manual = None
        self._failure = None
        self._subscription = wanted
        self._pump.put(Subscribe(self._subscription))

    def _check(self, wanted: Subscription) -> None:
        checks.subscription(wanted)
        fault = self._fault(wanted) if wanted else None
        if fault is not None:
            raise ValueError(fault)

    def unsubscribe(self) -> None:
        """Work on nothing, and leave the group."""
        self._manual = None
        self._pump.put(Unsubscribe())

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Work on exactly these, outside any group: nobody else hears of it, nothing is called
        back. Offsets can be committed as long as the group has no members."""
        self._check_open()
        self.unsubscribe()
        self._manual = frozenset(partitions)

    @property
    def assigned(self) -> Partitions:
        """What is this member's at this moment: nobody else's, whether it is stopped or not."""
        if self._is_over:
            return NOTHING
        if self._manual is not None:
            return self._manual
        return frozenset(self._standing.handed_out)

    def _look(self) -> Look:
        """How it stands for a commit; None: by hand, in no group, as long as that is so."""
        manual = self._manual
        if manual is None:
            return lambda: self._standing
        return lambda: None if self._manual is manual else self._standing

    @property
    def _standing(self) -> Standing:
        """As it is now: a program that was asleep for a session may look before its event loop."""
        self._pump.look()
        return self._machine.standing

    @property
    def workable(self) -> Partitions:
        """What this member may work on at this moment: ``assigned``, and nothing while an operator
        has stopped it. A program that looks here needs no callbacks."""
        if self._manual is not None:
            return self.assigned
        return NOTHING if self.paused else self.assigned & self._delivery.gate.known

    @property
    def paused(self) -> bool:
        """Whether an operator has stopped this member's work; ``order`` says who and why."""
        return self._delivery.gate.order is not None

    @property
    def order(self) -> Order | None:
        """Who stopped this member's work, and why; None while it may work."""
        return self._delivery.gate.order

    def token(self, partition: TopicPartition) -> Token:
        """What to store beside one's own writes for this partition (``Token`` says why).

        ``NotAssigned`` where it is not this member's, or where no group gave it out; ``Unfenced``
        where this is a static member, whose successor's token would be the same.
        """
        hand_out = self._standing.handed_out.get(partition)
        if hand_out is None or self._is_over:
            raise NotAssigned(f"{partition.topic}-{partition.partition}")
        if self._identity.instance_id is not None:
            raise Unfenced("who takes a static member's place has the same epoch as it had")
        return Token(self._identity.group, *partition, hand_out.epoch)

    def thread(self, partition: TopicPartition) -> int:
        """Which of this member's threads the coordinator of a commanded group wants to work on
        it, from 0. ``NotAssigned`` where it is not this member's, or has no thread."""
        number = self._standing.threads.get(partition)
        if number is None or partition not in self.assigned:
            raise NotAssigned(f"{partition.topic}-{partition.partition}")
        return number

    @property
    def member_id(self) -> str:
        """The member's id; empty until the classic protocol's coordinator has given one."""
        return self._machine.standing.member_id

    @property
    def epoch(self) -> int:
        """The generation (classic) or member epoch (consumer protocol) it is in."""
        return self._machine.standing.epoch

    # -- how far it has come

    def note(self, partition: TopicPartition, offset: int) -> None:
        """Remember how far the work has come: the next offset to do.

        It is committed by ``commit()``, and by itself when the partition is revoked.
        ``NotAssigned`` where the partition is not this member's.
        """
        checks.offset(partition, offset)
        if partition not in self.assigned:
            raise NotAssigned(f"{partition.topic}-{partition.partition}")
        self._ledger.noted[partition] = offset

    async def commit(self, offsets: Mapping[TopicPartition, int] | None = None) -> None:
        """Commit these, or all that was noted; returns when it is durable.

        ``CommitRefused`` where this member may not (any more); ``Unavailable`` where nobody
        answered in time, and whether it was committed is not known.
        """
        self._check_alive()
        look = self._look()
        chosen = self._still_own(look()) if offsets is None else dict(offsets)
        for partition, offset in chosen.items():
            checks.offset(partition, offset)
        await self._ledger.commit(chosen, look)
        if offsets is None:
            self._ledger.forget(chosen)

    def _still_own(self, standing: Standing | None) -> dict[TopicPartition, int]:
        """What was noted, but for what was lost since; the application will be told."""
        noted = self._ledger.noted.items()
        return {p: o for p, o in noted if standing is None or standing.hand_out_of(p) is not None}

    async def committed(
        self, partitions: Iterable[TopicPartition] | None = None
    ) -> dict[TopicPartition, int | None]:
        """What the group has committed for these, or for all it works on; None for nothing."""
        self._check_alive()
        return await self._ledger.committed(self.assigned if partitions is None else partitions)

    def _topics_gone(self, hand_outs: Mapping[TopicPartition, HandOut]) -> None:
        self._pump.put(Gone(hand_outs))

    # -- what happens

    def changes(self) -> AsyncIterator[Change]:
        """What comes and goes, one at a time; begins with what the member has already.

        A change counts as handled when the next one is asked for: the body of the loop is the
        callback. Ends when the member closes; raises ``failure``.
        """
        return self._follow()

    async def _follow(self) -> AsyncGenerator[Change, None]:
        following = self._following()
        try:
            while (change := await following.next()) is not None:
                with calling.within(self, is_body=True):
                    yield change
        finally:
            following.leave()

    def _following(self) -> Following:
        """A loop that begins with what is so already."""
        if self._is_over and self._failure is None:
            over = self._delivery.changes.follow((), None)
            over.end()
            return over
        known = self.assigned & self._delivery.gate.known
        begun = [Change(Kind.ASSIGNED, known, self.epoch)] if known else []
        if self.paused:
            begun.append(Change(Kind.PAUSED, known, self.epoch))
        return self._delivery.changes.follow(begun, self._failure)

    def __aiter__(self) -> AsyncIterator[Change]:
        return self.changes()

    async def _deliver(self, change: Change) -> None:
        """An assignment waits until it is known whether an operator has stopped this member."""
        if change.kind is Kind.ASSIGNED:
            await self._orders.known()
        await self._delivery.deliver(change)

    def _failed(self, failure: MemberError) -> None:
        self._failure = failure
        log.error("%s: %s", self._identity.group, failure)
        self._delivery.changes.end(failure)

    def _broke(self, error: BaseException) -> None:
        """Something went wrong here: the member ends, and says so to whoever can hear it."""
        if self._is_over:
            return
        lost = frozenset(self._machine.standing.handed_out)
        if not isinstance(error, Ended):  # whose text says it all
            log.error("%s: this ended the member:", self._identity.group, exc_info=error)
        self._failed(ended(error))
        self.abandon()
        if lost and self._delivery.takes_losses() and isinstance(error, Exception):
            self._last = asyncio.ensure_future(self._delivery.tell_loss(lost))
