"""``python -m web.web_server``: daphne, with limits on connections (``http_limits``).

Its options are daphne's. Importing this installs a Twisted reactor, so nothing else does.
"""

import resource
from collections.abc import Iterable
from typing import Any

from daphne.cli import CommandLineInterface
from daphne.server import Server
from django.conf import settings
from django.db import connection
from twisted.internet import reactor

from groups.loop_watch import LoopWatch
from web.concurrency import is_endless
from web.http_limits import Channel, Factory, Websocket
from web.priority import give_way

CONNECTIONS_MAX = "WEB_CONNECTIONS_MAX"

FILES_BESIDE = 256
"""Descriptors other than clients' connections: the pool's, the listener's, those of open files."""

STILL_S = 60.0
"""How long the event loop may stand still. The process ends after that, and another one starts."""

BACKLOG = 1_024
"""Connections that wait to be accepted. Beyond Twisted's 50 the system drops further ones, and
clients that come in a crowd try again after one second, then three. The system's own limit may be
less."""


def listening(endpoints: Iterable[str]) -> list[str]:
    """Twisted's descriptions of endpoints, those of TCP with our backlog."""
    return [f"{each}:backlog={BACKLOG}" if each.startswith("tcp:") else each for each in endpoints]


def open_pool() -> None:
    """Start the threads of the database's pool before anything is served. A pool that once could
    not start one, for want of memory, has none ever after: each request would be answered 503."""
    pool = getattr(connection, "pool", None)
    if pool is not None:
        pool.open()


class LimitedServer(Server):  # type: ignore[misc]  # daphne is untyped
    """daphne's server with our connection factory."""

    def run(self) -> None:
        """Serve until SIGINT or SIGTERM."""
        give_way()
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        # As many websockets as open requests.
        self.connections_max = min(getattr(settings, CONNECTIONS_MAX), (hard - FILES_BESIDE) // 2)
        self.endpoints: list[str] = listening(self.endpoints)
        open_pool()
        LoopWatch(reactor.callLater, STILL_S).start()
        super().run()

    @property
    def http_factory(self) -> Factory:
        """The factory of HTTP connections."""
        return self._factory

    @http_factory.setter
    def http_factory(self, _its_own: Any) -> None:
        self._factory = Factory(self, self.connections_max)

    @property
    def ws_factory(self) -> Any:
        """The factory of websockets."""
        return self._ws_factory

    @ws_factory.setter
    def ws_factory(self, factory: Any) -> None:
        factory.protocol = Websocket
        self._ws_factory = factory

    async def handle_reply(self, protocol: Any, message: Any) -> None:
        """Write a part of a response. A sender of events continues when the client has read them:
        unread events would be kept in memory."""
        if is_endless(message):
            protocol.is_endless = True
        await super().handle_reply(protocol, message)
        channel = getattr(protocol, "channel", None)
        if getattr(protocol, "is_endless", False) and isinstance(channel, Channel):
            await channel.is_read()

    def kill_all_applications(self) -> Any:
        """daphne's own assumes that every connection has an application; one whose request is
        incomplete has none."""
        self.connections: dict[Any, dict[str, Any]] = {
            protocol: details
            for protocol, details in self.connections.items()
            if "application_instance" in details
        }
        return super().kill_all_applications()


class Web(CommandLineInterface):  # type: ignore[misc]
    """daphne's command line."""

    server_class = LimitedServer


if __name__ == "__main__":
    Web.entrypoint()
