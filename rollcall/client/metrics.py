"""Hooks for metrics: what a member measures, for an application to count as it likes.

    class Counted(Metrics):
        def answered(self, request, version, seconds):
            LATENCY.labels(request).observe(seconds)

    Member(..., metrics=Counted())

Every hook is called on the member's event loop (``BlockingMember``: in its thread), so it has to
return at once. One that raises is logged, and changes nothing for the member.
"""

import logging
from collections.abc import Callable
from typing import Any

log = logging.getLogger("rollcall.client")


class Metrics:
    """Does nothing; an application overrides what it wants to know. Durations are in seconds, a
    ``node`` is ``HOST:PORT``, a ``request`` the name of Kafka's API (``OffsetCommit``)."""

    def connected(self, node: str, seconds: float) -> None:
        """A connection is there: TLS, versions and authentication included in its time."""

    def connection_failed(self, node: str, reason: str) -> None:
        """There is none; it will be tried again, unless authentication failed."""

    def disconnected(self, node: str) -> None:
        """A connection that was there has ended, whoever ended it."""

    def authenticated(self, node: str, mechanism: str, seconds: float, again: bool) -> None:
        """The node has let the client in; ``again``: a session goes on (KIP-368)."""

    def authentication_failed(self, node: str, reason: str) -> None:
        """It has not. The member ends."""

    def answered(self, request: str, version: int, seconds: float) -> None:
        """A request has its answer, whatever that says. A poll for orders and a join wait long."""

    def unanswered(self, request: str, seconds: float) -> None:
        """A request has none and will have none."""

    def changed(self, kind: str, partitions: int, seconds: float) -> None:
        """The application has been told of a change (``assigned``, ``revoked``, ``lost``,
        ``paused``, ``resumed``) and has returned after so long."""


NONE = Metrics()


def tell(hook: Callable[..., None], *values: Any) -> None:
    """Call the hook; its mistakes are its own."""
    try:
        hook(*values)
    except Exception:
        log.exception("a hook for metrics failed")
