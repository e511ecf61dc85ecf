"""A TLS connection: the handshake, and then the same as any other connection.

It is counted as one of the node's connections before the handshake begins, so that clients that
never finish one count too, and new connections are admitted at the same rate. Sockets are accepted
here, since a transport of uvloop begins to read before it can be stopped.
"""

import asyncio
import errno
import logging
import socket
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

from groups.places import Crowded, Place, Places
from protocol.apis import APIS
from protocol.authentication.tls import SHUTDOWN_S, Tls
from protocol.connection.connection import WRITE_BUFFER_MAX, KafkaConnection
from protocol.fast_paths.host import Host
from protocol.requests.api_row import Api
from protocol.requests.session import Session

logger = logging.getLogger(__name__)

ACCEPT_AGAIN_S = 1.0
"""The pause after the system had no file descriptor or memory left for a connection, as in
asyncio."""

AT_ONCE, PLACE_S = 1, 0.002
"""Handshakes that begin at a time, and how long each keeps its place. Each takes a millisecond of
the loop: with thousands under way at once, other clients would wait for all of them, and none would
be done in time. Who takes longer goes on without a place, so 500 a second begin even if their
clients are far away, or never finish. A busy loop begins one in each of its turns: then a turn
takes no longer than one newcomer costs until it has authenticated."""

ACCEPTED_A_TURN = 8
"""Connections that are accepted in one turn of the loop: more than a thousand may wait, and each
takes 0.1 ms. Others have the loop in between."""

EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class TlsConnection(KafkaConnection):
    """A connection that reads nothing before its handshake, and behaves like others after it."""

    def __init__(
        self,
        server: Host,
        number: int,
        apis: Mapping[int, Api] = APIS,
        session: Session | None = None,
        *,
        tls: Tls,
        handshakes: Places,
    ) -> None:
        super().__init__(server, number, apis, session)
        self._tls = tls
        self._handshakes = handshakes
        self._waits = False

    async def serve(self, accepted: socket.socket) -> None:
        """Reserve a place for the connection, then do the handshake."""
        task = asyncio.current_task()
        assert task is not None
        try:
            waiting = Unsecured(accepted, task)
        except OSError:  # it has already ended
            accepted.close()
            return
        super().connection_made(waiting)
        try:
            if self.pauses.muted is not None:
                await self.pauses.muted
            if not waiting.is_closing():
                await self._in_turn(accepted)
        except (OSError, Crowded, asyncio.CancelledError) as error:
            logger.info("closing %s: no TLS: %s", self.peer, error)
            self._give_up(accepted)
        else:
            if waiting.is_closing():
                self._give_up(accepted)

    async def _in_turn(self, accepted: socket.socket) -> None:
        """Shake hands, once it is this client's turn; its time begins then."""
        loop, handshakes = self.server.loop, self._handshakes
        self._waits = True
        await handshakes.take(self.peer)
        self._waits, self._times.connected_at = False, loop.time()
        place = Place(handshakes)
        slow = loop.call_later(PLACE_S, place.give)
        try:
            await self._shake_hands(accepted)
        finally:
            slow.cancel()
            place.give()

    def _is_silent(self, now: float) -> bool:
        return not self._waits and super()._is_silent(now)

    async def _shake_hands(self, accepted: socket.socket) -> None:
        loop = self.server.loop
        await loop.connect_accepted_socket(
            lambda: self,
            accepted,
            ssl=self._tls.context(loop.time()),
            ssl_handshake_timeout=self._tls.settings.handshake_s,
            ssl_shutdown_timeout=SHUTDOWN_S,
        )

    def _give_up(self, accepted: socket.socket) -> None:
        self.connection_lost(None)
        accepted.close()  # and with it the transport, if it has one

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The handshake is done."""
        assert isinstance(self._transport, Unsecured)
        self._transport = secured = transport  # type: ignore[assignment]
        secured.set_write_buffer_limits(high=WRITE_BUFFER_MAX)  # type: ignore[attr-defined]
        if (
            self.authentication.is_needed
        ):  # the principal is the one that authenticates, as in Kafka
            return
        found = self._tls.principal(transport.get_extra_info("peercert"))
        if found is None:
            logger.info("closing %s: no rule names its certificate's subject", self.peer)
            self.close()
            return
        self.session.principal = found

    def eof_received(self) -> bool:
        """The client has closed its side; TLS closes this one in any case."""
        return False

    def connection_lost(self, exc: BaseException | None) -> None:
        """The connection has ended, perhaps before its handshake was done."""
        if self._transport is not None:  # uvloop reports only some of the failed handshakes
            super().connection_lost(exc)


class Unsecured(asyncio.Transport):
    """The connection's transport until its handshake is done. Closing it cancels the task that
    serves the connection so far."""

    def __init__(self, accepted: socket.socket, task: asyncio.Task[Any]) -> None:
        super().__init__({"socket": accepted, "peername": accepted.getpeername()})
        self._task = task
        self._is_closing = False

    def is_closing(self) -> bool:
        """Whether it was closed."""
        return self._is_closing

    def close(self) -> None:
        """Close it."""
        self._is_closing = True
        self._task.cancel()

    abort = close

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Nothing is written before the handshake."""

    def get_write_buffer_size(self) -> int:
        """Nothing is written before the handshake."""
        return 0

    def pause_reading(self) -> None:
        """Nothing is read before the handshake."""

    resume_reading = pause_reading


class TlsListener:
    """The part of ``asyncio.Server`` that the coordinator's server uses."""

    def __init__(
        self, bound: socket.socket, backlog: int, make: Callable[[], TlsConnection]
    ) -> None:
        self.sockets: Sequence[socket.socket] = (bound,)
        self._backlog = backlog
        self._make = make
        self._accepting: asyncio.Task[None] | None = None
        self._handshakes: set[asyncio.Task[None]] = set()

    @classmethod
    def bind(
        cls, host: str, port: int, backlog: int, make: Callable[[], TlsConnection]
    ) -> "TlsListener":
        """Bind without listening yet; raises ``OSError`` if the address is in use or not local."""
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        bound = socket.socket(family, kind, protocol)
        try:
            bound.setblocking(False)
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            bound.bind(address)
        except OSError:
            bound.close()
            raise
        return cls(bound, backlog, make)

    async def start_serving(self) -> None:
        """Accept connections from now on."""
        self.sockets[0].listen(self._backlog)
        self._accepting = asyncio.create_task(self._accept())

    def is_serving(self) -> bool:
        """Whether connections are accepted."""
        return self._accepting is not None and not self._accepting.done()

    def close(self) -> None:
        """Stop accepting, and abort handshakes that are not done."""
        for task in (self._accepting, *self._handshakes):
            if task is not None:
                task.cancel()
        self.sockets[0].close()

    async def _accept(self) -> None:
        loop, bound = asyncio.get_running_loop(), self.sockets[0]
        for number in count(1):
            if number % ACCEPTED_A_TURN == 0:
                await asyncio.sleep(0)  # accepting waits for nothing while connections wait
            try:
                accepted, _ = await loop.sock_accept(bound)
                serving = loop.create_task(self._make().serve(accepted))
            except OSError as error:
                if error.errno in EXHAUSTED:
                    logger.error("cannot accept connections: %s", error)
                    await asyncio.sleep(ACCEPT_AGAIN_S)
                continue
            self._handshakes.add(serving)
            serving.add_done_callback(self._handshakes.discard)
