"""The coordinator's server: daphne's Server, on uvloop, with a Kafka and a draft listener.

daphne manages the life cycle (applications, their end, signals); the listener is an
``asyncio.Protocol`` on the reactor's own loop, since Twisted's transports write in an extra turn of
the loop (docs/hot-path.md). Only this module has to follow Twisted's two import-order rules.
"""

import asyncio
import errno
import gc
import logging
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
import uvloop

asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())  # before daphne creates its loop

from daphne.server import Server  # noqa: E402
from twisted.internet import defer, reactor  # noqa: E402

from groups.cluster import node_settings  # noqa: E402
from groups.cluster.lease import NodeIdTaken  # noqa: E402
from groups.cluster.view import NodeAddress, address  # noqa: E402
from groups.core.errors import ErrorCode  # noqa: E402
from groups.core.events import IdsAbandoned  # noqa: E402
from groups.event_loop import Slices  # noqa: E402
from groups.node import Node, NodeSettings  # noqa: E402
from groups.places import Places  # noqa: E402
from groups.runtime.runtime import CoordinatorRuntime  # noqa: E402
from groups.store import preflight  # noqa: E402
from protocol.apis import APIS, UNAUTHENTICATED  # noqa: E402
from protocol.apis_of_kinds import DRAFT_APIS  # noqa: E402
from protocol.authentication.lockouts import Lockouts  # noqa: E402
from protocol.authentication.sasl import SHOWN_SECRETS, Sasl  # noqa: E402
from protocol.authentication.tls import Tls  # noqa: E402
from protocol.connection import connection_list  # noqa: E402
from protocol.connection.application import Served  # noqa: E402
from protocol.connection.connection import KafkaConnection  # noqa: E402
from protocol.connection.draft_connections import Seats  # noqa: E402
from protocol.connection.handed_out import HandedOut  # noqa: E402
from protocol.connection.keepalive import keep_alive  # noqa: E402
from protocol.connection.listeners import Listener, endpoints, is_loopback  # noqa: E402
from protocol.connection.tls_connection import AT_ONCE, TlsConnection, TlsListener  # noqa: E402
from protocol.connection.unsent import bound_unsent  # noqa: E402
from protocol.fast_paths.heartbeat_hold import Ends  # noqa: E402
from protocol.limits import file_descriptors  # noqa: E402
from protocol.limits.budgets import Admission, ReplyBytes, RequestBytes  # noqa: E402
from protocol.limits.garbage import THRESHOLDS, LongRequests  # noqa: E402
from protocol.limits.metering import metering  # noqa: E402
from protocol.metrics.metrics_listener import MetricsAddress, MetricsListener  # noqa: E402
from protocol.metrics.node_report import NodeReport, heartbeats_until_now  # noqa: E402
from protocol.requests.access import Judged  # noqa: E402
from protocol.requests.api_row import Api  # noqa: E402
from protocol.requests.call import PendingReplies  # noqa: E402
from protocol.requests.pace import KnownPaces  # noqa: E402
from protocol.requests.session import Session  # noqa: E402
from protocol.requests.turns import TurnQueue, Turns  # noqa: E402

if TYPE_CHECKING:
    from protocol.authentication.tokens.tokens import Tokens

logger = logging.getLogger(__name__)

Connection = TypeVar("Connection", bound=KafkaConnection)

CANNOT_SERVE = (ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.NOT_COORDINATOR)
"""Errors of requests that were refused because this node could not serve."""

A_TURN = 50
"""Connections that are checked, closed or released in one turn of the event loop; each takes 5 to
200 us, and thousands may end at once, with their machine or by a time limit."""

BACKLOG = 1024
"""Connections that may wait to be accepted: thousands of members reconnect at once after a
failover."""

OF_THE_DATABASE = (
    psycopg.OperationalError,
    psycopg.errors.ReadOnlySqlTransaction,
    preflight.UnfitDatabase,
)
"""Errors at the start if the database is unavailable, read-only, or not fit for a node."""

SWITCH_S = 0.001
"""How long the thread beside the loop may keep the interpreter while the loop has work: Python's
default of 5 ms would delay each turn of the loop."""

TIMEOUTS_EVERY_S = 2
"""Between two checks of all connections."""


class CoordinatorServer(Server):  # type: ignore[misc]  # daphne is untyped
    """One coordinator node as a process: the node, its listeners, its applications."""

    def __init__(
        self,
        application: Callable[..., Any],
        make_node: Callable[[NodeAddress, PendingReplies], Node],
        *,
        node_id: int,
        listeners: Sequence[Listener],
        ready: Callable[[str, str], None],
        draft: Listener | None = None,
        tls: Tls | None = None,
        secret: bytes = b"",
        metrics: MetricsAddress | None = None,
        tokens: "Tokens | None" = None,
    ) -> None:
        # daphne asks for endpoints, and would bind them in its own ``run``.
        super().__init__(application, endpoints=[each.name for each in listeners])
        self.make_node = make_node
        self.node_id = node_id
        self.listeners = tuple(listeners)
        self.bound: tuple[int, ...] = ()
        self.draft = draft
        self.tls = tls
        self.secret = secret
        self.tokens = tokens
        self.metrics = None if metrics is None else MetricsListener(metrics, NodeReport(self))
        self.ready = ready
        self.pending_replies = PendingReplies(self._hang_up)
        self.served: defaultdict[str, Served] = defaultdict(Served)
        self.seats = Seats()
        self.handed_out = HandedOut()
        self.paces = KnownPaces()
        self.beside = ThreadPoolExecutor(1, "beside the loop")
        self.exit_code = 0
        self._closing = False
        self.loop: asyncio.AbstractEventLoop = reactor._asyncioEventloop
        self.connections: dict[KafkaConnection, dict[str, Any]] = {}
        self._accepted = 0
        self._listeners: list[asyncio.Server | TlsListener] = []
        self._node_task: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._looks_due = False

    @property
    def is_draining(self) -> bool:
        """Whether the node is handing over its slots before it ends."""
        return self._closing

    @property
    def accepts(self) -> bool:
        """Whether every listener is open."""
        return bool(self._listeners) and all(each.is_serving() for each in self._listeners)

    @property
    def coordinator(self) -> CoordinatorRuntime:
        """The coordinator's state in memory, for the fast path."""
        return self.node.coordinator

    @property
    def frame_bytes_max(self) -> int:
        """The maximum length of a frame."""
        return self.node.settings.socket_request_max_bytes

    @property
    def hold_s_max(self) -> float:
        """The longest time that a heartbeat may be held; 0: none is held."""
        return self.node.settings.group_heartbeat_hold_ms / 1000

    @property
    def loop_ms(self) -> int:
        """The time of the loop's clock, in milliseconds."""
        return int(self.loop.time() * 1000)

    @property
    def first_s_max(self) -> float:
        """How long a new connection may wait before its first request."""
        return self.node.settings.connections_first_request_ms / 1000

    @property
    def read_s_max(self) -> float:
        """The time limit from a frame's first byte to its last: slow clients would otherwise hold
        memory."""
        return self.node.settings.request_read_timeout_ms / 1000

    @property
    def unread_s_max(self) -> float:
        """A client that reads none of its replies for this time is closed, even if they are few."""
        return self.node.settings.response_read_timeout_ms / 1000

    @property
    def idle_s_max(self) -> float:
        """A connection without requests is closed after this time (connections.max.idle.ms)."""
        idle_ms = self.node.settings.connections_max_idle_ms
        return inf if idle_ms < 0 else idle_ms / 1000

    # -- life

    def run(self) -> None:
        """Serve until SIGINT or SIGTERM. (daphne's own ``run`` is for HTTP.)"""
        file_descriptors.raise_limit()
        sys.setswitchinterval(SWITCH_S)
        gc.collect()
        gc.freeze()
        gc.set_threshold(*THRESHOLDS)
        asyncio.set_event_loop(self.loop)
        self._node_task = self.loop.create_task(self._serve())
        self._node_task.add_done_callback(self._ended)
        reactor.callLater(TIMEOUTS_EVERY_S, self.timeout_checker)
        reactor.addSystemEventTrigger("before", "shutdown", self._shut_down)
        reactor.run(installSignalHandlers=self.signal_handlers)

    async def _serve(self) -> None:
        loop = self.loop
        self.ends, self.turns = Ends(loop), Turns(loop)
        self.ended = TurnQueue(loop, KafkaConnection.release, A_TURN)
        self.closing = TurnQueue(loop, KafkaConnection.close, A_TURN)
        self.checking = TurnQueue(loop, _check_timeouts, A_TURN)
        self.bound = tuple([await self._bind(each, APIS) for each in self.listeners])
        draft, draft_at = None, ""
        if self.draft is not None:
            draft = self.draft.endpoint(await self._bind(self.draft, DRAFT_APIS))
            draft_at = address(self.draft.host, draft.port)
        addresses = endpoints(self.listeners, self.bound, draft)
        me = NodeAddress(
            self.node_id,
            addresses[0].host,
            addresses[0].port,
            draft.port if draft else 0,
            addresses,
        )
        self.node = self.make_node(me, self.pending_replies)
        if self.metrics is not None:
            await self.metrics.start()
        self._set_budgets(self.node.settings)
        self.sasl = self._make_sasl(self.node.settings)
        self._follow_the_node()
        accepting = [sock.fileno() for each in self._listeners for sock in each.sockets]
        keep_alive(accepting, self.node.settings.connections_gone_ms)
        bound_unsent(accepting)
        await self.node.start()
        await node_settings.note(self.node.node_id, self.coordinator.own.rules)
        await self._run_the_node(draft_at)

    def _follow_the_node(self) -> None:
        """What the node calls when something changes that connections have to know."""
        self.node.credentials.deleted = self._users_deleted
        self.node.client_connections.collect = partial(connection_list.collect, self)
        self.metering = metering(self.node, lambda: self.loop_ms)
        self.node.quotas.changed = self.coordinator.heartbeat_views.look_again
        if self.node.acls is not None:
            self.node.acls.changed = self._rules_changed
        self.node.outages.refused = self._refused
        self.node.minutes.heartbeats = partial(heartbeats_until_now, self)
        # Loaded objects stay; collections need not look at them.
        self.node.keeper.loader.loaded = gc.freeze

    async def _run_the_node(self, draft_at: str) -> None:
        """Accept connections until the node ends."""
        running = asyncio.create_task(self.node.run())
        keys = None if self.tokens is None else asyncio.create_task(self.tokens.run())
        try:
            for listener in self._listeners:
                await listener.start_serving()
            announcing = asyncio.create_task(self._announce(draft_at))
            await running
            announcing.cancel()
        finally:
            ending = [running] if keys is None else [running, keys]
            for task in ending:
                task.cancel()
            await asyncio.wait(ending)

    def _make_sasl(self, settings: NodeSettings) -> Sasl:
        if any(each.security.has_sasl for each in self.listeners):
            import protocol.authentication.scram  # noqa: F401  (its library takes 3 MiB)

        return Sasl(
            credentials=self.node.credentials,
            secret=self.secret,
            mechanisms=settings.sasl_enabled_mechanisms,
            lockouts=Lockouts(settings.sasl_lockout_failures, settings.sasl_lockout_ms),
            now=lambda: self.loop_ms,
            delay_ms=settings.connection_failed_authentication_delay_ms,
            lifetime_ms=settings.connections_max_reauth_ms,
            tokens=self.tokens,
        )

    def _users_deleted(self, names: Iterable[str]) -> None:
        """Close the connections of deleted users."""
        gone = {f"User:{name}" for name in names}
        sessions = ((c, c.session) for c in self.connections)
        self.closing.extend([c for c, s in sessions if s.has_authenticated and s.principal in gone])

    def _rules_changed(self) -> None:
        """What was allowed before is looked up again; also of requests that wait just now."""
        self.coordinator.heartbeat_views.look_again()
        self._looks_due = True
        if self._looking is None:
            self._looking = self.loop.create_task(self._look_at_rights())

    async def _look_at_rights(self) -> None:
        slices = Slices()
        while self._looks_due:
            self._looks_due = False
            for connection in list(self.connections):
                if slices.is_over:
                    await slices.pause()
                await connection.rights_changed()
        self._looking = None

    def _set_budgets(self, settings: NodeSettings) -> None:
        self.admission = Admission(
            min(
                settings.max_connections, file_descriptors.left(settings.reserved_file_descriptors)
            ),
            settings.max_connections_per_ip,
            settings.max_connection_creation_rate,
            self.loop_ms,
        )
        self.handshakes = Places(AT_ONCE, self.admission.most)
        self.request_bytes = RequestBytes(settings.queued_max_request_bytes)
        self.reply_bytes = ReplyBytes(settings.queued_max_response_bytes, self.loop)
        self.long_requests = LongRequests()

    async def _bind(self, where: Listener, apis: Mapping[int, Api]) -> int:
        """Bind a listener with this table of APIs, without accepting connections yet. Returns its
        port."""
        listener: asyncio.Server | TlsListener
        if where.security.has_tls:
            secured = partial(self._accept_tls, where, apis)
            listener = TlsListener.bind(where.host, where.port, BACKLOG, secured)
        else:
            listener = await self.loop.create_server(
                partial(self._accept, where, apis),
                where.host,
                where.port,
                backlog=BACKLOG,
                start_serving=False,
            )
        self._listeners.append(listener)
        return int(listener.sockets[0].getsockname()[1])

    async def _announce(self, draft_at: str) -> None:
        """Report that the node serves. ``draft_at`` "": no such listener."""
        await self.node.serves()
        self.ready(address(self.listeners[0].host, self.bound[0]), draft_at)

    def _accept(self, listener: Listener, apis: Mapping[int, Api]) -> KafkaConnection:
        return self._connection(KafkaConnection, listener, apis)

    def _connection(
        self, make: Callable[..., Connection], listener: Listener, apis: Mapping[int, Api]
    ) -> Connection:
        self._accepted += 1
        session = Session(listener.name)
        if self.node.acls is not None:
            session.access = Judged(self.node.acls, session)
        if not listener.security.has_sasl:
            return make(self, self._accepted, apis, session)
        session.sasl = self.sasl
        session.mechanisms = self.mechanisms(listener)
        connection = make(self, self._accepted, UNAUTHENTICATED, session)
        authentication = connection.authentication
        session.authenticated, session.refused = authentication.succeeded, connection.refused
        session.is_valid = authentication.is_valid
        return connection

    def mechanisms(self, listener: Listener) -> tuple[str, ...]:
        """The mechanisms of a listener: those that send secrets need TLS or a loopback address."""
        is_safe = listener.security.has_tls or is_loopback(listener.host)
        return tuple(name for name in self.sasl.mechanisms if is_safe or name not in SHOWN_SECRETS)

    def _accept_tls(self, listener: Listener, apis: Mapping[int, Api]) -> TlsConnection:
        assert self.tls is not None, listener
        secured = partial(TlsConnection, tls=self.tls, handshakes=self.handshakes)
        return self._connection(secured, listener, apis)

    def count(self, api: str, seconds: float = 0.0, error: int = 0) -> None:
        """Count a request of this API that was answered by a fast path."""
        served = self.served[api]
        served.durations.note(seconds)
        served.errors[error] += 1

    def _refused(self) -> int:
        """How many requests were refused because this node could not serve their group."""
        tallies, served = self.coordinator.tallies, self.served.values()
        counts: list[Mapping[Any, int]] = [tallies.heartbeats, tallies.commits]
        counts += [each.errors for each in served]
        return sum(each.get(code, 0) for each in counts for code in CANNOT_SERVE)

    def _hang_up(self, group_id: str, consumer_ids: Iterable[str]) -> None:
        """Close the connections of consumers that are considered dead (the draft's Slow consumers,
        1)."""
        numbers = self.seats.taken_by(group_id, consumer_ids)
        if numbers:
            self.closing.extend([c for c in self.connections if c.number in numbers])

    def _ended(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            # A database that is away or unfit, a used port or node id is no defect of ours: the
            # message is enough.
            is_plain = isinstance(error, (*OF_THE_DATABASE, NodeIdTaken)) or _is_taken(error)
            cause = None if is_plain else error
            # Only the message in this case: the filter for outages must not drop this last line.
            logger.critical("the node ended: %s", cause or str(error), exc_info=cause)
            self.exit_code = 1
        if not self._closing:
            self.stop()

    def _shut_down(self) -> "defer.Deferred[Any]":
        return defer.Deferred.fromFuture(asyncio.ensure_future(self._close(), loop=self.loop))

    async def _close(self) -> None:
        """Stop listening, hand over the slots (parked requests are answered), close."""
        self._closing = True
        for listener in self._listeners:
            listener.close()
        if self._node_task is not None and not self._node_task.done():
            self._node_task.cancel()
            await asyncio.wait([self._node_task])
        await asyncio.sleep(0)  # one turn of the loop, in which the last replies are written
        for connection in list(self.connections):
            connection.close()
            self.cancel_application(connection)
        if self.metrics is not None:
            await self.metrics.close()

    # -- instead of daphne's periodic checks, which look at all connections at once

    def timeout_checker(self) -> None:
        """Close the connections that are stuck or silent, every two seconds."""
        if not self.checking:
            self.checking.extend(self.connections)
        reactor.callLater(TIMEOUTS_EVERY_S, self.timeout_checker)

    def protocol_disconnected(self, protocol: KafkaConnection) -> None:
        """Forget an ended connection, once its application has ended."""
        super().protocol_disconnected(protocol)
        if "application_instance" not in self.connections[protocol]:
            del self.connections[protocol]

    def _application_ended(self, connection: KafkaConnection, task: "asyncio.Task[None]") -> None:
        """Without its application a connection cannot go on."""
        details = self.connections[connection]
        has_ended = "disconnected" in details
        error = None if task.cancelled() else task.exception()
        if error is not None:
            connection.handle_exception(error)
        connection.close()
        del details["application_instance"]
        if has_ended:
            del self.connections[connection]

    # -- applications

    def open_application(self, connection: KafkaConnection) -> "asyncio.Queue[Any] | None":
        """Start the connection's application; when it ends, the socket is closed."""
        scope = {"type": "kafka", "connection": connection}
        queue = self.create_application(connection, scope)
        details = self.connections.get(connection, {})
        task = details.get("application_instance")
        if task is not None:
            task.add_done_callback(partial(self._application_ended, connection))
        return queue  # type: ignore[no-any-return]

    def cancel_application(self, connection: KafkaConnection) -> None:
        """The connection has ended: cancel its application at once."""
        self.seats.leave(connection.number)
        for group_id, member_ids in self.handed_out.ended(connection.number).items():
            if self.coordinator.group(group_id) is not None:
                self.coordinator.submit(group_id, IdsAbandoned(member_ids=tuple(member_ids)))
        task = self.connections.get(connection, {}).get("application_instance")
        if task is not None and not task.done():
            task.cancel()

    def kill_all_applications(self) -> None:
        """Overridden since daphne expects an application for every connection; ours start
        lazily."""
        for connection in list(self.connections):
            self.cancel_application(connection)


def _check_timeouts(connection: KafkaConnection) -> None:
    try:
        connection.check_timeouts()
    except Exception:
        logger.exception("closing %s: its timeouts could not be checked", connection.peer)
        connection.abort()


def _is_taken(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno == errno.EADDRINUSE
