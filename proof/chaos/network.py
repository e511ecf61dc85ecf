"""How members reach nodes: bootstrap, FindCoordinator, calls with a timeout.

Knows which error codes send a client elsewhere, as every stock client does; nothing of groups.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Any

from benchmarks.wire import Peer
from groups.core.errors import ErrorCode
from rollcall.wire.errors import WireError
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest

CALL_S = 10.0
"""How long a member waits for a response. Stock clients wait 30 s, which is too long for chaos."""

RETRY_S, RETRY_MAX_S = 0.1, 1.0
"""retry.backoff.ms and retry.backoff.max.ms of stock clients."""

JITTER = 0.2
"""By which part a wait is longer or shorter than twice the one before, as in stock clients."""

FIND_VERSION = 4

SEEK_S = 2.0
"""How long a node may take to answer FindCoordinator: a stopped one must not cost a member a large
part of its session."""

ELSEWHERE = frozenset(
    {
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    }
)
"""Codes after which a client looks for its coordinator again."""

BROKEN = (OSError, asyncio.IncompleteReadError, TimeoutError, WireError)
"""A connection that ended, or on which no response comes."""


class Elsewhere(Exception):
    """The node does not serve the group, or not now: find the coordinator again."""


class Backoff:
    """How long a client waits before it tries again: twice as long each time, until something
    succeeds. Two hundred clients without it would keep a busy machine from ever serving them."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._failures = 0

    def worked(self) -> None:
        """The next wait is a short one."""
        self._failures = 0

    def next_s(self) -> float:
        """Seconds to wait before another attempt."""
        wait_s = min(RETRY_S * 2.0**self._failures, RETRY_MAX_S)
        self._failures += 1
        return wait_s * self._rng.uniform(1 - JITTER, 1 + JITTER)


class Network:
    """The connections to the nodes. ``through`` maps a node's port to the port of a proxy before
    it."""

    make: type[Peer] = Peer

    def __init__(
        self, bootstraps: Sequence[str], rng: Random, through: Mapping[int, int] | None = None
    ) -> None:
        self.bootstraps = tuple(bootstraps)
        self.rng = rng
        self.through = dict(through or {})

    async def connect(self, address: str) -> Peer:
        """A connection to HOST:PORT, through its proxy if there is one."""
        host, _, port = address.rpartition(":")
        there = self.through.get(int(port), int(port))
        async with asyncio.timeout(SEEK_S):
            return await self.make.connect(f"{host}:{there}")

    async def coordinator(self, group_id: str) -> str:
        """HOST:PORT of the group's coordinator according to any node; raises those of ``BROKEN``,
        or Elsewhere."""
        peer = await self.connect(self.rng.choice(self.bootstraps))
        try:
            answer = await call(
                peer, FindCoordinatorRequest(coordinator_keys=[group_id]), FIND_VERSION, SEEK_S
            )
        finally:
            peer.close()
        (found,) = answer.coordinators
        if found.error_code:
            raise Elsewhere
        return f"{found.host}:{found.port}"

    async def reach(
        self,
        group_id: str,
        answered: Callable[[], None] = lambda: None,
        backoff: Backoff | None = None,
    ) -> Peer:
        """A connection to the group's coordinator, however long it takes to find. ``answered`` is
        called when a node has said who that is, or that it does not know: one that is suspended
        accepts connections, and has not heard of the client."""
        backoff = backoff or Backoff(self.rng)
        while True:
            with suppress(*BROKEN):
                found = await self._known(group_id)
                answered()
                if found is not None:
                    return await self.connect(found)
            await asyncio.sleep(backoff.next_s())

    async def _known(self, group_id: str) -> str | None:
        try:
            return await self.coordinator(group_id)
        except Elsewhere:
            return None


async def call(peer: Peer, request: Any, version: int, limit_s: float = CALL_S) -> Any:
    """Send a request and wait; after an exception the connection is unusable."""
    async with asyncio.timeout(limit_s):
        return await peer.call(request, version)
