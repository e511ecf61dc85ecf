"""Probes: one heartbeat of nobody per group every 100 ms, to see when a group is served.

Apart from the members, whose beats are seconds apart. A probe asks every node at once, as a client
that has lost its coordinator would in the end; whoever answers from the group's own memory (that
it does not know such a member) serves the group.
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
from protocol.messages.heartbeat import HeartbeatRequest

EVERY_S = 0.1
PATIENCE_S = 1.0
VERSION = 3


@dataclass(slots=True)
class Served:
    """When a group was found served: one list of times a group."""

    at: dict[str, list[float]] = field(default_factory=dict)

    def after(self, instant: float, within_s: float = 1e9) -> dict[str, float]:
        """Seconds from an instant to each group's first service behind the last hole that ended
        within so many seconds; 0 where there was no hole."""
        return {group_id: _hole(times, instant, within_s) for group_id, times in self.at.items()}

    def longest_after(self, instant: float) -> dict[str, float]:
        """Seconds of each group's longest time without service from an instant on: where a group
        moves twice (its node stops, starts again, and gets it back) each move counts alone."""
        seen = {g: [instant, *(t for t in times if t > instant)] for g, times in self.at.items()}
        return {
            group_id: max((b - a for a, b in itertools.pairwise(times)), default=0.0)
            for group_id, times in seen.items()
        }


def _hole(times: Sequence[float], instant: float, within_s: float) -> float:
    """The end of the last pause of more than three probes, counted from the instant."""
    seen = [instant, *(t for t in times if instant < t < instant + within_s)]
    ends = [b - instant for a, b in itertools.pairwise(seen) if b - a > 3 * EVERY_S]
    return max(ends, default=0.0)


class Prober:
    """``async with Prober(...) as served``: probes while inside."""

    def __init__(self, network: Network, group_ids: Iterable[str]) -> None:
        self.network = network
        self.served = Served({group_id: [] for group_id in group_ids})
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
                    await self._ask(peer, group_id)
                finally:
                    peer.close()
            await asyncio.sleep(EVERY_S)

    async def _ask(self, peer: Peer, group_id: str) -> None:
        nobody = HeartbeatRequest(group_id=group_id, generation_id=1, member_id="nobody")
        while True:
            answer = await call(peer, nobody, VERSION, PATIENCE_S)
            if answer.error_code == ErrorCode.UNKNOWN_MEMBER_ID:
                self.served.at[group_id].append(now())
            await asyncio.sleep(EVERY_S)
