"""A node in this process, over the worker's own database, and requests put to it as events.

Everything is the real part: coordinator, committers, keeper, PostgreSQL. Only the wire is left
out; what would go to a connection is kept here, to see that each ticket is answered once.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from unittest.mock import patch

from groups.cluster import slot_loader
from groups.cluster.view import NodeAddress
from groups.core.events import Event, JoinGroup, OffsetCommit, OffsetWrite, SyncGroup, Ticket
from groups.core.group import Millis
from groups.core.replies import Committed, Joined, Reply
from groups.core.rows import SLOTS
from groups.event_loop import monotonic_ms
from groups.node import Node
from groups.postgres import connections
from proof.simulation.repeats import repeated

CONNECT_S = 90
READERS = 2


class Points:
    """Fail points: a test says where the committer waits, or what it does there."""

    def __init__(self) -> None:
        self.reached: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._gates: dict[str, asyncio.Event] = {}
        self._acts: dict[str, Callable[[], object]] = {}
        self.passed: dict[str, int] = defaultdict(int)

    def hold(self, point: str) -> Callable[[], None]:
        """Block this point until the returned function is called."""
        gate = self._gates[point] = asyncio.Event()
        self.reached[point].clear()

        def release() -> None:
            self._gates.pop(point, None)
            gate.set()

        return release

    async def __call__(self, point: str) -> None:
        """What the committer awaits."""
        self.passed[point] += 1
        self.reached[point].set()
        gate = self._gates.get(point)
        if gate is not None:
            await gate.wait()


@dataclass
class Counter:
    """Where replies arrive. ``answers`` keeps every reply that a ticket ever got."""

    answers: dict[Ticket, list[Reply]] = field(default_factory=lambda: defaultdict(list))
    waiting: dict[Ticket, asyncio.Future[Reply]] = field(default_factory=dict)
    number: int = 0

    def ticket(self) -> Ticket:
        """A new request's ticket."""
        self.number += 1
        ticket = Ticket(1, self.number)
        self.waiting[ticket] = asyncio.get_running_loop().create_future()
        return ticket

    def answer(self, ticket: Ticket, reply: Reply) -> None:
        """What the node calls."""
        self.answers[ticket].append(reply)
        if not self.waiting[ticket].done():
            self.waiting[ticket].set_result(reply)

    def check(self) -> None:
        """Nobody was answered twice."""
        assert all(len(replies) == 1 for replies in self.answers.values())


@dataclass
class Running:
    """A node that serves, and the means to talk to it."""

    node: Node
    points: Points
    counter: Counter
    task: "asyncio.Task[None]"
    are_repeats: bool = False
    """Whether commits are put to the node as repeats of an earlier one where it takes them so."""

    @property
    def stopped(self) -> bool:
        """Whether the node has ended by itself."""
        return self.task.done()

    def ask(self, group_id: str, event: Event) -> "asyncio.Future[Reply]":
        """Submit an event that carries one of ``ticket``'s tickets."""
        assert event.ticket is not None
        if not (self.are_repeats and repeated(self.node.coordinator, group_id, event)):
            self.node.coordinator.submit(group_id, event)
        return self.counter.waiting[event.ticket]

    def join(
        self, group_id: str, member_id: str = "", instance_id: str | None = None, **over: object
    ) -> "asyncio.Future[Reply]":
        """A member joins."""
        values: dict[str, object] = {
            "client_id": "a-client",
            "client_host": "/127.0.0.1",
            "session_timeout_ms": 120_000,
            "rebalance_timeout_ms": 10_000,
            "protocol_type": "consumer",
            "protocols": (("range", b""),),
            **over,
        }
        return self.ask(
            group_id,
            JoinGroup(
                ticket=self.counter.ticket(),
                member_id=member_id,
                instance_id=instance_id,
                **values,  # type: ignore[arg-type]
            ),
        )

    def sync(
        self, group_id: str, joined: Joined, assignments: dict[str, bytes] | None = None
    ) -> "asyncio.Future[Reply]":
        """A member requests its assignment."""
        return self.ask(
            group_id,
            SyncGroup(
                ticket=self.counter.ticket(),
                generation_id=joined.generation_id,
                member_id=joined.member_id,
                instance_id=None,
                assignments=assignments or {},
            ),
        )

    def commit(
        self,
        group_id: str,
        at: int,
        joined: Joined | None = None,
        *,
        metadata: str = "",
        topic: str = "t",
        partitions: int = 1,
    ) -> "asyncio.Future[Reply]":
        """A commit by a member, or without one."""
        return self.ask(
            group_id,
            OffsetCommit(
                ticket=self.counter.ticket(),
                generation_id=joined.generation_id if joined else -1,
                member_id=joined.member_id if joined else "",
                instance_id=None,
                offsets=tuple(OffsetWrite(topic, p, at, -1, metadata) for p in range(partitions)),
                version=8,
            ),
        )

    async def settled(self, group_id: str, **over: object) -> Joined:
        """A group of one member, in its first generation, Stable."""
        joined = await self.join(group_id, **over)  # type: ignore[arg-type]
        assert isinstance(joined, Joined) and joined.error == 0, joined
        synced = await self.sync(group_id, joined, {joined.member_id: b"all"})
        assert synced.error == 0, synced
        return joined

    async def kept(self, group_id: str) -> None:
        """A group that only keeps offsets."""
        assert await self.commit(group_id, 0) == Committed()


@contextmanager
def patient_start() -> Iterator[None]:
    """A node that starts waits for PostgreSQL as long as it takes: the machine may be busy. And it
    loads all slots, which are empty, at once: in eight parts, which are for slots with thousands of
    groups, loading is half of the statements of a test's node. All readers connect at a start: four
    of them are a tenth of its work more than two."""
    with (
        patch.object(connections, "CONNECT_TIMEOUT_S", CONNECT_S),
        patch.object(connections, "READERS_MAX", READERS),
        patch.object(slot_loader, "LOAD_SLOTS_MAX", SLOTS),
    ):
        yield


@asynccontextmanager
async def running(
    node_id: int = 0, clock: Callable[[], Millis] = monotonic_ms, *, has_timers: bool = True
) -> AsyncIterator[Running]:
    """A node that has claimed every slot; stopped, and its slots handed back, at the end."""
    counter, points = Counter(), Points()
    with patient_start():
        node = Node(
            NodeAddress(node_id, "127.0.0.1", 1),
            counter.answer,
            clock=clock,
            fail=points,
            has_timers=has_timers,
        )
        await node.start()
    task = asyncio.create_task(node.run())
    try:
        waiting = asyncio.create_task(node.whole.wait())
        with patient_start():
            await asyncio.wait([waiting, task], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if task.done():
            await task
        yield Running(node, points, counter, task)
    finally:
        task.cancel()
        await asyncio.wait([task])
    counter.check()
    if not task.cancelled():
        task.result()
