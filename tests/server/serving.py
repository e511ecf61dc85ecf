"""A coordinator server in this process, on the test's own loop, over the worker's database.

Everything is the real part but Twisted's reactor, which cannot be started twice in a process:
what it would call every two seconds, a test calls itself (``sweep``).
"""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import TYPE_CHECKING, Any, cast
from unittest.mock import patch

from channels.routing import ProtocolTypeRouter

from groups.cluster.view import DRAFT
from groups.core.events import Event, Ticket
from groups.core.replies import Reply
from groups.node import Node
from protocol.authentication.tls import Tls
from protocol.authentication.tokens.tokens import Tokens
from protocol.connection.application import RequestConsumer
from protocol.connection.connection import KafkaConnection
from protocol.connection.listeners import Listener
from protocol.connection.traced import TracedConsumer
from protocol.metrics.metrics_listener import MetricsAddress
from protocol.requests.turns import TurnQueue
from protocol.server import A_TURN, CoordinatorServer
from tests.node.running import Points, patient_start
from tests.server.client import OPEN, Client

if TYPE_CHECKING:
    from groups.tracing.spans import NodeSpans


async def until(claim: Callable[[], object]) -> None:
    """Let the loop go round until it is so; pytest's time limit ends what never comes."""
    while not claim():
        await asyncio.sleep(0.001)


OURS = count(1)
"""Tickets of no connection: for events that come over no wire."""


class Clock:
    """The test's loop as the server sees it, with a clock that a test may set forward."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.ahead_s = 0.0

    def time(self) -> float:
        """Monotonic seconds."""
        return self.loop.time() + self.ahead_s

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loop, name)


class Serving:
    """A server that serves, and what tests ask of it."""

    def __init__(
        self,
        listeners: Sequence[Listener] = (),
        tls: Tls | None = None,
        metrics: MetricsAddress | None = None,
        tokens: Tokens | None = None,
        spans: "NodeSpans | None" = None,
    ) -> None:
        self.points = Points()
        self.ended: list[KafkaConnection] = []
        self.address = ""
        self.draft_address = ""
        self.ready = asyncio.Event()
        consumer = RequestConsumer if spans is None else TracedConsumer
        self.server = CoordinatorServer(
            ProtocolTypeRouter({"kafka": consumer.as_asgi()}),
            lambda me, desk: Node(
                me, desk.answer, hang_up=desk.hang_up, fail=self.points, spans=spans
            ),
            node_id=0,
            listeners=listeners or (Listener("PLAINTEXT", "127.0.0.1", 0),),
            ready=self._serves,
            draft=Listener(DRAFT, "127.0.0.1", 0),
            tls=tls,
            metrics=metrics,
            tokens=tokens,
        )
        self.clock = Clock(asyncio.get_running_loop())
        self.server.loop = cast(asyncio.AbstractEventLoop, self.clock)

    def _serves(self, kafka_at: str, draft_at: str) -> None:
        self.address = kafka_at
        self.draft_address = draft_at
        self.server.ended = TurnQueue(self.server.loop, self._release, A_TURN)
        self.ready.set()

    def _release(self, connection: KafkaConnection) -> None:
        self.ended.append(connection)
        connection.release()

    @property
    def node(self) -> Node:
        """The node behind the listener."""
        return self.server.node

    @property
    def connections(self) -> list[KafkaConnection]:
        """What the server keeps: also those that have ended, until their application has."""
        return list(self.server.connections)

    async def connect(self, **options: Any) -> tuple[Client, KafkaConnection]:
        """A client, and the server's side of its connection. One at a time."""
        known = {*self.connections, *self.ended}
        client = await Client.connect(self.address, **options)
        while not (new := {*self.connections, *self.ended} - known):
            await asyncio.sleep(0)
        return client, new.pop()

    def application(self, connection: KafkaConnection) -> "asyncio.Task[None] | None":
        """The task that serves the connection, if it has one."""
        details = self.server.connections.get(connection, {})
        return details.get("application_instance")

    def sweep(self, *, later_s: float = 0) -> None:
        """What the reactor does every two seconds: close what is stuck."""
        self.clock.ahead_s += later_s
        self.server.timeout_checker()

    async def ask(self, group_id: str, event: Callable[[Ticket], Event]) -> Reply:
        """Put an event to a group past the wire."""
        ticket = Ticket(0, next(OURS))
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self.server.pending_replies.open(ticket, future)
        self.node.coordinator.submit(group_id, event(ticket))
        return await future


@asynccontextmanager
async def serving(
    listeners: Sequence[Listener] = (),
    tls: Tls | None = None,
    metrics: MetricsAddress | None = None,
    tokens: Tokens | None = None,
    spans: "NodeSpans | None" = None,
) -> AsyncIterator[Serving]:
    """A server that owns every slot; stopped, and every application ended, at the end."""
    running = Serving(listeners, tls, metrics, tokens, spans)
    task = running.server._node_task = asyncio.create_task(running.server._serve())
    ready = asyncio.create_task(running.ready.wait())
    try:
        # What the run has frozen is to stay so, and a test's server is garbage at its end.
        with patient_start(), patch.object(gc, "freeze"):
            await asyncio.wait([ready, task], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
        yield running
    finally:
        ready.cancel()
        applications = [a for c in running.connections if (a := running.application(c))]
        await running.server._close()
        if applications:
            await asyncio.wait(applications, timeout=5)
        with suppress(asyncio.CancelledError):
            await task
        while OPEN:
            OPEN.pop().abort()
        await asyncio.sleep(0)
