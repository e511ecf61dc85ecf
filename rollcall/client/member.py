"""``Member``: one worker of a group, for asyncio. Applications start here.

The rules are in ``core``, connections in ``cluster`` and ``connection``, calls of the application
are in ``delivery``. ``blocking.BlockingMember`` is the same for programs without asyncio.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from random import Random, SystemRandom
from types import TracebackType
from typing import Final, NoReturn, Self, Unpack

from rollcall.client import calling, checks, protocols, security
from rollcall.client.assignors.own import ClientAssignor
from rollcall.client.calling import Callback
from rollcall.client.change_stream import Following, Loop
from rollcall.client.cluster import ClusterClient
from rollcall.client.core.backoff import Backoff
from rollcall.client.core.events import (
    NOTHING,
    Change,
    Gone,
    HandOut,
    Kind,
    Partitions,
    Standing,
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

    ``bootstrap`` is ``HOST:PORT``, or several. ``topics`` and ``pattern`` are its subscription; in
    a commanded group also ``blacklist``, and the number of ``threads`` for each topic (or
    ``topics`` is a mapping from topic to threads). ``assignor`` is a server's (consumer protocol,
    draft), a function of one's own (consumer protocol) or one or several of
    ``rollcall.client.ASSIGNORS``, in order of preference (classic protocol). The callbacks take a
    frozenset of partitions and may be coroutines; docs/client.md describes them. ``metrics`` are
    hooks that an application overrides; ``settings`` are those of security (``security.py``) and
    times.

    Raises ``UnknownProtocol`` for an unknown protocol, ``ValueError`` for other invalid arguments.
    """

    _closing: asyncio.Task[None] | None = None
    _last: asyncio.Task[None] | None = None  # the call for partitions that were lost at the end
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
        checks.hooks(metrics)
        self._identity, self._fault = identity, spoken.fault
        self._machine = spoken.make(identity, chosen, rng)
        self._subscription = subscription_of(topics, pattern, blacklist, threads)
        self._check(self._subscription)
        callbacks = by_kind(on_assigned, on_revoked, on_lost, on_paused, on_resumed)
        backoff = Backoff.of(identity, rng)
        secured = security.of(secrets)
        protocols.check_security(spoken, secured)
        self._cluster = ClusterClient(bootstrap, group, client_id, spoken.dialect, secured, metrics)
        self._ledger = Ledger(self._cluster, identity, backoff, spoken.dialect, self._topics_gone)
        self._delivery = Delivery(
            self, callbacks, self._ledger, lambda: self._standing, lambda: self.epoch, metrics
        )
        self._tasks = Tasks(self._broke)
        self._orders = self._make_orders(Backoff.of(identity, rng))
        self._pump = self._make_pump(backoff, protocols.own_of(chosen))

    def _make_orders(self, backoff: Backoff) -> Orders:
        """The operators' orders for this member."""
        group = self._identity.group
        standing = lambda: self._machine.standing  # noqa: E731 - as it is at each moment
        return Orders(self._cluster, group, backoff, standing, self._delivery.obey, self._tasks)

    def _make_pump(self, backoff: Backoff, own: Sequence[ClientAssignor]) -> Pump:
        """Connects the machine with the objects created before."""
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

    # -- life cycle

    async def start(self) -> None:
        """Subscribe, if there is a subscription. Does not wait for an assignment."""
        self._check_open()
        if self._subscription:
            self._pump.subscribe(self._subscription)

    async def close(self, timeout_s: float | None = CLOSE_S) -> None:
        """Revoke everything, with callbacks, leave, and close every connection.

        After ``timeout_s`` (None: never) it ends without a leave; the group then waits for the
        session timeout. In a callback this only begins: the member leaves when the callback has
        returned.
        """
        checks.seconds("timeout_s", timeout_s)
        if self._pump.is_stranded:
            self.abandon()
            return
        if not self._is_over:
            self._pump.check_loop()
        if calling.is_within(self, is_body=True) or self._delivery.changes.is_away:
            self._delivery.changes.leave()  # the loop's body cannot return for the next change
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

    async def stop(self) -> None:
        """``close``, by aiokafka's name."""
        await self.close()

    async def _closed(self) -> None:
        """Wait until a close in progress has ended."""
        if self._closing is not None:
            await asyncio.wait([self._closing])

    async def _close(self, timeout_s: float | None) -> None:
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
        """End at once, like a process that dies: nothing is committed, no callback is called, and
        the group waits for the session timeout."""
        self._pump.check_thread()
        self._is_over = True
        if self._pump.is_stranded:
            return  # its tasks and connections have ended with the event loop
        self._pump.stop()
        self._tasks.stop()
        self._cluster.close()
        self._delivery.changes.end()

    def _check_alive(self) -> None:
        """Offsets are read and committed until the end, also by callbacks."""
        if self._is_over:
            is_own = isinstance(self._failure, Ended)
            raise self._failure if self._failure and is_own else Closed("the member is closed")
        self._pump.check_loop()

    def _check_open(self) -> None:
        self._check_alive()
        if isinstance(self._failure, Ended):
            raise self._failure
        if self._closing is not None:
            raise Closed("the member is being closed")

    @property
    def failure(self) -> MemberError | None:
        """Why the member has no partitions permanently: ``Refused`` by the coordinator until there
        is a new subscription, or ``Ended`` by itself."""
        return self._failure

    def __reduce__(self) -> NoReturn:
        raise TypeError("a member cannot be passed to another process: create it there")

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

    # -- assignment

    def subscribe(
        self,
        topics: Iterable[str] | Mapping[str, int] = (),
        pattern: str | None = None,
        *,
        blacklist: str | None = None,
        threads: int = 1,
    ) -> None:
        """Replace the subscription; the coordinator receives it at once. Lets a refused member try
        again. Raises ``ValueError`` for a subscription that the protocol cannot express."""
        wanted = subscription_of(topics, pattern, blacklist, threads)
        if not wanted:
            raise ValueError("neither topics nor a pattern to subscribe to")
        self._check(wanted)
        self._check_open()
        self._manual = None
        self._failure = None
        self._subscription = wanted
        self._pump.subscribe(self._subscription)

    def _check(self, wanted: Subscription) -> None:
        checks.subscription(wanted)
        fault = self._fault(wanted) if wanted else None
        if fault is not None:
            raise ValueError(fault)

    def unsubscribe(self) -> None:
        """Unsubscribe, and leave the group."""
        if not self._is_over:
            self._pump.check_loop()
        self._manual = None
        self._pump.put(Unsubscribe())

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Work on exactly these partitions, outside of the group: without coordination or
        callbacks. Offsets can be committed as long as the group has no members."""
        self._check_open()
        chosen = checks.partitions(partitions)
        self.unsubscribe()
        self._manual = chosen

    @property
    def assigned(self) -> Partitions:
        """The partitions that belong only to this member now, whether it is stopped or not."""
        return frozenset(self._own)

    def assignment(self) -> Partitions:
        """``assigned``, by the name that stock clients have for it."""
        return self.assigned

    @property
    def _own(self) -> Collection[TopicPartition]:
        """The same without a copy: ``note`` looks one up for every unit of work."""
        if self._is_over:
            return NOTHING
        if self._manual is not None:
            return self._manual
        return self._standing.handed_out

    def _look(self) -> Look:
        """Its standing for a commit; None while it has partitions without a group."""
        manual = self._manual
        if manual is None:
            return lambda: self._standing
        return lambda: None if self._manual is manual else self._standing

    @property
    def _standing(self) -> Standing:
        """Its standing now: a program that was suspended for a session may read it before its event
        loop runs, and a thread while the event loop stands still."""
        return self._machine.standing if self._pump.look() else Standing()

    @property
    def workable(self) -> Partitions:
        """The partitions on which this member may work now: ``assigned``, and none while an
        operator has stopped it. A program that reads this needs no callbacks."""
        if self._manual is not None:
            return self.assigned
        return NOTHING if self.paused else self.assigned & self._delivery.gate.known

    @property
    def paused(self) -> bool:
        """Whether an operator has stopped this member's work; ``order`` has the operator and the
        reason."""
        return self._delivery.gate.order is not None

    @property
    def order(self) -> Order | None:
        """Who stopped this member's work, and why; None if it may work."""
        return self._delivery.gate.order

    def token(self, partition: TopicPartition) -> Token:
        """The token to store with one's own writes for this partition (see ``Token``).

        ``NotAssigned`` if it is not this member's, or was not assigned by a group; ``Unfenced`` if
        this is a static member, whose successor's token would be the same.
        """
        partition = checks.partition(partition)
        hand_out = self._standing.handed_out.get(partition)
        if hand_out is None or self._is_over:
            raise NotAssigned(f"{partition.topic}-{partition.partition}")
        if self._identity.instance_id is not None:
            raise Unfenced("who takes a static member's place has the same epoch as it had")
        return Token(self._identity.group, *partition, hand_out.epoch)

    def thread(self, partition: TopicPartition) -> int:
        """The thread of this member that should work on it, in a commanded group, from 0.
        ``NotAssigned`` if it is not this member's, or has no thread."""
        partition = checks.partition(partition)
        number = self._standing.threads.get(partition)
        if number is None or partition not in self.assigned:
            raise NotAssigned(f"{partition.topic}-{partition.partition}")
        return number

    @property
    def member_id(self) -> str:
        """The member's id; empty until the classic protocol's coordinator has returned one."""
        return self._machine.standing.member_id

    @property
    def epoch(self) -> int:
        """Its generation (classic) or member epoch (consumer protocol)."""
        return self._machine.standing.epoch

    # -- offsets

    def note(self, partition: TopicPartition, offset: int) -> None:
        """Note a partition's offset: the next one to process.

        It is committed by ``commit()``, and automatically when the partition is revoked.
        ``NotAssigned`` if the partition is not this member's.
        """
        noted = checks.partition(partition)
        checks.offset(noted, offset)
        if noted not in self._own:
            raise NotAssigned(f"{noted.topic}-{noted.partition}")
        self._ledger.noted[noted] = offset

    async def commit(self, offsets: Mapping[TopicPartition, int] | None = None) -> None:
        """Commit these, or all noted offsets; returns when they are durable.

        ``CommitRefused`` if this member may not commit them (any more); ``Unavailable`` if no node
        answered in time, and it is unknown whether they were committed.
        """
        self._check_alive()
        look = self._look()
        chosen = self._still_own(look()) if offsets is None else checks.offsets(offsets)
        await self._ledger.commit(chosen, look)
        if offsets is None:
            self._ledger.forget(chosen)

    def _still_own(self, standing: Standing | None) -> dict[TopicPartition, int]:
        """The noted offsets without those of partitions lost since, which the application will be
        told."""
        noted = self._ledger.noted.items()
        return {p: o for p, o in noted if standing is None or standing.hand_out_of(p) is not None}

    async def committed(
        self, partitions: Iterable[TopicPartition] | None = None
    ) -> dict[TopicPartition, int | None]:
        """The group's committed offsets of these, or of all assigned partitions; None if there is
        none."""
        self._check_alive()
        wanted = self.assigned if partitions is None else checks.partitions(partitions)
        return await self._ledger.committed(wanted)

    def _topics_gone(self, hand_outs: Mapping[TopicPartition, HandOut]) -> None:
        self._pump.put(Gone(hand_outs))

    # -- changes

    def changes(self) -> AsyncIterator[Change]:
        """Changes of the assignment, one at a time; begins with the current assignment.

        A change counts as handled when the next one is requested: the body of the loop is the
        callback. Ends when the member closes; raises ``failure``.
        """
        return Loop(self, self._following)

    def _following(self) -> Following:
        """A loop that begins with the current assignment."""
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
        """An error in this program: the member ends, and reports it to the application."""
        if self._is_over:
            return
        standing = self._machine.standing
        lost = frozenset((*standing.handed_out, *standing.revoking))
        if not isinstance(error, Ended):  # whose text is complete
            log.error("%s: this ended the member:", self._identity.group, exc_info=error)
        self._failed(ended(error))
        self.abandon()
        if lost and self._delivery.takes_losses() and isinstance(error, Exception):
            self._last = asyncio.ensure_future(self._delivery.report_loss(lost))
