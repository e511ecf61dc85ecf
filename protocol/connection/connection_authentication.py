"""Whether the client of one connection has authenticated, and until when (KIP-368).

The connection (``protocol.connection.connection``) serves the APIs of SASL alone while it has not.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from rollcall.wire.errors import WireError

BYTES_MAX: Final = 64 * 1024
"""The maximum length of a frame before the client has authenticated."""

REQUESTS_MAX: Final = 16
"""How many requests it may send until then: clients need five (ApiVersions in two versions, a
handshake, two messages)."""


class Authentication:
    """One connection's. ``changed`` is called with True when the client has authenticated, and with
    False when it must do so again."""

    __slots__ = ("_changed", "_expiry", "_loop", "_requests", "is_needed", "is_refused")

    def __init__(
        self, loop: asyncio.AbstractEventLoop, changed: Callable[[bool], None], *, is_needed: bool
    ) -> None:
        self.is_needed = is_needed
        self.is_refused = False
        self._loop = loop
        self._changed = changed
        self._requests = 0
        self._expiry: asyncio.TimerHandle | None = None

    def is_valid(self) -> bool:
        """Whether the client has authenticated, and need not do so again."""
        return not self.is_needed

    def succeeded(self, lifetime_ms: int) -> None:
        """The client has authenticated; after this time it must authenticate again (0: never)."""
        self.end()
        self._requests = 0
        if lifetime_ms:
            self._expiry = self._loop.call_later(lifetime_ms / 1000, self._expired)
        if self.is_needed:
            self.is_needed = False
            self._changed(True)

    def _expired(self) -> None:
        self.is_needed = True
        self._changed(False)

    def count_request(self) -> None:
        """A request of a client that has not authenticated; raises ``WireError`` for one too
        many."""
        self._requests += 1
        if self._requests > REQUESTS_MAX:
            raise WireError("too many requests before it has authenticated")

    def end(self) -> None:
        """The connection has ended, or another authentication follows."""
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
