"""Probes: one heartbeat of an unknown member per group every 100 ms, to see when a group is served.

Separate from the members, whose heartbeats are seconds apart. A probe asks every node at once, as a
client that has lost its coordinator would in the end; the node that answers from the group's own
memory (unknown member) serves the group.
"""

import asyncio
import contextlib
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.wire import Peer
from groups.core.errors import ErrorCode
from proof.chaos.network import BROKEN, Network, call
from proof.chaos.record import now
from rollcall.wire.messages.heartbeat import HeartbeatRequest

EVERY_S = 0.1
PAUSE_S = 3 * EVERY_S
"""More than a late probe: a client would have waited."""
PATIENCE_S = 1.0
VERSION = 3


@dataclass(slots=True)
class Served:
    """When a group was served: one list of times per group."""

    at: dict[str, list[float]] = field(default_factory=dict)
    by: dict[str, list[str]] = field(default_factory=dict)
    """The address of the node that did it, for each of these times."""

    def longest(self, instant: float, within_s: float = 1e9) -> dict[str, float]:
        """The longest time that each group was not served in the span after an instant, as far as
        it was probed; hardly ever less than the interval of probes."""
        last = max((times[-1] for times in self.at.values() if times), default=instant)
        until = min(instant + within_s, last)
        return {group_id: _longest(times, instant, until) for group_id, times in self.at.items()}


def _longest(times: Sequence[float], instant: float, until: float) -> float:
    seen = [instant, *(t for t in times if instant < t < until), max(instant, until)]
    return max(b - a for a, b in itertools.pairwise(seen))


class Prober:
    """``async with Prober(...) as served``: probes while inside."""

    def __init__(self, network: Network, group_ids: Iterable[str]) -> None:
        self.network = network
        ids = list(group_ids)
        self.served = Served({group_id: [] for group_id in ids}, {group_id: [] for group_id in ids})
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Served:
        self._tasks = [
            asyncio.create_task(self._probe(group_id, address))
            for group_id in self.served.at
            for address in self.network.bootstraps
        ]
        return self.served

    async def __aexit__(self, *_error: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _probe(self, group_id: str, address: str) -> None:
        while True:
            with contextlib.suppress(*BROKEN):
                peer = await self.network.connect(address)
                try:
                    await self._request(peer, group_id, address)
                finally:
                    peer.close()
            await asyncio.sleep(EVERY_S)

    async def _request(self, peer: Peer, group_id: str, address: str) -> None:
        nobody = HeartbeatRequest(group_id=group_id, generation_id=1, member_id="nobody")
        while True:
            answer = await call(peer, nobody, VERSION, PATIENCE_S)
            if answer.error_code == ErrorCode.UNKNOWN_MEMBER_ID:
                self.served.at[group_id].append(now())
                self.served.by[group_id].append(address)
            await asyncio.sleep(EVERY_S)
