"""Hooks for metrics: a member's measurements, for an application.

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
    """Does nothing; an application overrides the hooks that it needs. Durations are in seconds, a
    ``node`` is ``HOST:PORT``, a ``request`` the name of Kafka's API (``OffsetCommit``)."""

    def connected(self, node: str, seconds: float) -> None:
        """A connection was opened; the time includes TLS, versions and authentication."""

    def connection_failed(self, node: str, reason: str) -> None:
        """A connection failed; it will be tried again, unless authentication failed."""

    def disconnected(self, node: str) -> None:
        """An open connection has ended, on either side."""

    def authenticated(self, node: str, mechanism: str, seconds: float, again: bool) -> None:
        """The node has authenticated the client; ``again``: a session was renewed (KIP-368)."""

    def authentication_failed(self, node: str, reason: str) -> None:
        """Authentication failed. The member ends."""

    def answered(self, request: str, version: int, seconds: float) -> None:
        """A request was answered, with any code. Polls for orders and joins wait long."""

    def unanswered(self, request: str, seconds: float) -> None:
        """A request has no response and will have none."""

    def changed(self, kind: str, partitions: int, seconds: float) -> None:
        """The application was called with a change (``assigned``, ``revoked``, ``lost``,
        ``paused``, ``resumed``) and has returned after this time."""


NONE = Metrics()


def report(hook: Callable[..., None], *values: Any) -> None:
    """Call the hook; its errors are logged."""
    try:
        hook(*values)
    except Exception:
        log.exception("a hook for metrics failed")
