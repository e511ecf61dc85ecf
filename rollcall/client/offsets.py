"""Commit and committed: offsets of one member, over a connection of their own.

What the application noted for the next revocation is kept here too. Membership is not: the
member's id and epoch are read from its ``Standing`` as they are at that moment.
"""

import asyncio
import time
from collections.abc import Iterable
from typing import Any, Final

from protocol.wire.declare import Message
from rollcall.client.cluster import OFFSETS, Cluster
from rollcall.client.core.backoff import Backoff
from rollcall.client.core.codes import Code
from rollcall.client.core.words import Identity, Standing, TopicPartition
from rollcall.client.dialects import Dialect, Offsets
from rollcall.client.errors import CommitRefused, Unavailable

AGAIN: Final = {
    Code.REQUEST_TIMED_OUT,
    Code.COORDINATOR_LOAD_IN_PROGRESS,
    Code.UNSTABLE_OFFSET_COMMIT,
}
ELSEWHERE: Final = {Code.COORDINATOR_NOT_AVAILABLE, Code.NOT_COORDINATOR}


class Ledger:
    """How far this member has come, here and at the coordinator."""

    def __init__(
        self, cluster: Cluster, identity: Identity, backoff: Backoff, dialect: Dialect
    ) -> None:
        self._cluster = cluster
        self._identity = identity
        self._backoff = backoff
        self._dialect = dialect
        self.noted: dict[TopicPartition, int] = {}

    async def commit(self, offsets: Offsets, standing: Standing) -> None:
        """Commit; returns when it is durable. ``CommitRefused`` names what was not."""
        if not offsets:
            return
        end = time.monotonic() + self._identity.request_timeout_ms / 1000
        while True:
            epoch = standing.epoch
            try:
                request = self._dialect.commit(self._identity, offsets, standing)
                codes = self._dialect.codes(await self._ask(request))
            except OSError as error:
                await self._later(end, str(error), True)
                continue
            refused = {partition: code for partition, code in codes.items() if code}
            if not refused:
                self._backoff.reset()
                return
            # The epoch may have risen while the request was on its way (KIP-848).
            stale = {Code.STALE_MEMBER_EPOCH} if standing.epoch != epoch else set()
            if not set(refused.values()) <= AGAIN | ELSEWHERE | stale:
                raise CommitRefused(refused, self._dialect.name_of)
            await self._later(end, str(refused), not set(refused.values()).isdisjoint(ELSEWHERE))

    async def committed(
        self, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, int | None]:
        """What the group has committed; None where it has not."""
        wanted = list(partitions)
        end = time.monotonic() + self._identity.request_timeout_ms / 1000
        while True:
            try:
                answer = await self._ask(self._dialect.fetch(self._identity, wanted))
            except OSError as error:
                await self._later(end, str(error), True)
                continue
            found, codes = self._dialect.fetched(answer)
            if not codes:
                return {each: found.get(each) for each in wanted}
            if not codes <= AGAIN | ELSEWHERE:
                raise CommitRefused(dict.fromkeys(wanted, min(codes)), self._dialect.name_of)
            await self._later(end, str(codes), not codes.isdisjoint(ELSEWHERE))

    def take_noted(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """What was noted for these; it is noted no longer."""
        return {each: self.noted.pop(each) for each in partitions if each in self.noted}

    async def _later(self, end: float, why: str, elsewhere: bool) -> None:
        if elsewhere:
            self._cluster.forget_offsets()
        wait = self._backoff.next() / 1000
        if time.monotonic() + wait > end:
            raise Unavailable(f"offsets: {why}")
        await asyncio.sleep(wait)

    async def _ask(self, request: Message) -> Any:
        patience_s = self._identity.request_timeout_ms / 1000
        return await self._cluster.ask(OFFSETS, request, patience_s)
