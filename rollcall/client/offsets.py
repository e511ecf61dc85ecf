"""Commits and committed offsets of one member, over a connection of their own.

The offsets that the application noted for the next revocation are here too. Membership is not: the
member's id and epoch are read from its ``Standing`` when needed.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import Any, Final

from rollcall.client.cluster import OFFSETS, ClusterClient
from rollcall.client.connection import Broken
from rollcall.client.core.backoff import Backoff
from rollcall.client.core.codes import Code
from rollcall.client.core.events import HandOut, Identity, LookUp, Standing, TopicPartition
from rollcall.client.dialects import Dialect, Offsets
from rollcall.client.errors import CommitRefused, Unavailable
from rollcall.wire.declare import Message

AGAIN: Final = {
    Code.REQUEST_TIMED_OUT,
    Code.COORDINATOR_LOAD_IN_PROGRESS,
    Code.UNSTABLE_OFFSET_COMMIT,
}
STALE: Final = {Code.ILLEGAL_GENERATION, Code.STALE_MEMBER_EPOCH}
ELSEWHERE: Final = {Code.COORDINATOR_NOT_AVAILABLE, Code.NOT_COORDINATOR}


def gone_of(codes: Mapping[TopicPartition, int]) -> set[TopicPartition]:
    """Partitions of topics that do not exist any more."""
    return {partition for partition, code in codes.items() if code == Code.UNKNOWN_TOPIC_ID}


Look = Callable[[], Standing | None]


def check_complete(requested: Iterable[TopicPartition], answered: Iterable[TopicPartition]) -> None:
    """``Broken`` where an answer leaves out what was asked for, or tells of something else: it is
    no answer to that, and counts as none."""
    if set(requested) != set(answered):
        raise Broken("offsets: an answer about other partitions than those that were asked for")


class CommitRequest:
    """Offsets to commit, and the assignments to which they belong."""

    def __init__(self, offsets: Offsets, look: Look, dialect: Dialect) -> None:
        self.offsets = offsets
        self._look = look
        self._dialect = dialect
        standing = look()
        self.hand_outs: dict[TopicPartition, HandOut | None] | None = None
        if standing is not None:
            self.hand_outs = {each: standing.hand_out_of(each) for each in offsets}
        self.topic_ids = {
            partition: each.topic_id
            for partition, each in (self.hand_outs or {}).items()
            if each is not None and each.topic_id is not None and each.topic_id.int
        }

    def check(self) -> Standing:
        """The member's standing; raises ``CommitRefused`` if the offsets are not its own any
        more."""
        standing = self._look()
        if standing is None and self.hand_outs is None:
            return Standing()
        lost = [
            each
            for each in self.offsets
            if standing is None
            or self.hand_outs is None
            or self.hand_outs[each] is None
            or standing.hand_out_of(each) != self.hand_outs[each]
        ]
        if standing is None or lost:
            refused = dict.fromkeys(lost, self._dialect.not_assigned)
            raise CommitRefused(refused, self._dialect.name_of)
        return standing

    def parts(self) -> list["CommitRequest"]:
        """Topics with known ids, and those by name: in separate requests."""
        with_ids = {p: offset for p, offset in self.offsets.items() if p in self.topic_ids}
        by_name = {p: offset for p, offset in self.offsets.items() if p not in self.topic_ids}
        return [self._only(each) for each in (with_ids, by_name) if each]

    def _only(self, offsets: Offsets) -> "CommitRequest":
        part = copy(self)
        part.offsets = offsets
        return part


class Ledger:
    """The member's progress, here and at the coordinator. Commits are sent one after another: a
    repeated one must not come after a later one."""

    def __init__(
        self,
        cluster: ClusterClient,
        identity: Identity,
        backoff: Backoff,
        dialect: Dialect,
        gone: Callable[[Mapping[TopicPartition, HandOut]], None],
    ) -> None:
        self._cluster = cluster
        self._identity = identity
        self._backoff = backoff
        self._dialect = dialect
        self._gone = gone
        self._turn = asyncio.Lock()
        self.noted: dict[TopicPartition, int] = {}

    @property
    def group(self) -> str:
        """The group of the offsets."""
        return self._identity.group

    async def commit(self, offsets: Offsets, look: Look) -> None:
        """Commit; returns when it is durable. ``CommitRefused`` names what was not.

        ``look`` returns the member's current standing; None: it is in no group. A commit belongs to
        the assignments at the time of the call: it is not repeated for a partition that is not the
        member's any more, or was assigned again.
        """
        if not offsets:
            return
        end = time.monotonic() + self._identity.request_timeout_ms / 1000
        request = CommitRequest(dict(offsets), look, self._dialect)
        request.check()
        try:
            async with asyncio.timeout(end - time.monotonic()):
                await self._turn.acquire()
        except TimeoutError:
            raise Unavailable("offsets: an earlier commit is not answered") from None
        try:
            for part in request.parts():
                await self._commit(part, end)
        finally:
            self._turn.release()

    async def _commit(self, part: CommitRequest, end: float) -> None:
        while True:
            standing = part.check()
            epoch = standing.epoch
            try:
                request = self._dialect.commit(
                    self._identity, part.offsets, standing, part.topic_ids
                )
                codes = self._dialect.codes(await self._request(request), part.topic_ids)
                check_complete(part.offsets, codes)
            except OSError as error:
                await self._later(end, str(error), True)
                continue
            refused = {partition: code for partition, code in codes.items() if code}
            if not refused:
                self._backoff.reset()
                return
            # The epoch, or the generation, may have risen while the request was pending.
            stale = STALE if standing.epoch != epoch else set()
            new = {Code.UNKNOWN_TOPIC_ID} if await self._knows(part, refused) else set()
            passing = AGAIN | ELSEWHERE | self._dialect.rebalancing | stale | new
            if not set(refused.values()) <= passing:
                self._drop_gone(part, refused)
                raise CommitRefused(refused, self._dialect.name_of)
            await self._later(end, str(refused), not set(refused.values()).isdisjoint(ELSEWHERE))

    async def _knows(self, part: CommitRequest, refused: Mapping[TopicPartition, int]) -> bool:
        """Whether topics whose ids the coordinator does not know are known elsewhere: then they are
        so new that it has not been notified of them yet."""
        ids = {part.topic_ids[each] for each in gone_of(refused)}
        if not ids:
            return False
        try:
            found = await self._cluster.look_up(LookUp(ids=tuple(sorted(ids))))
        except OSError:
            return True
        return ids <= {topic_id for topic_id, _ in found.known.values()}

    async def committed(
        self, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, int | None]:
        """The group's committed offsets; None if there is none."""
        wanted = list(partitions)
        end = time.monotonic() + self._identity.request_timeout_ms / 1000
        while True:
            try:
                answer = await self._request(self._dialect.fetch(self._identity, wanted))
                found, codes = self._dialect.fetched(answer)
                if not codes:
                    check_complete(wanted, found)
                    return {each: found[each] for each in wanted}
            except OSError as error:
                await self._later(end, str(error), True)
                continue
            if not codes <= AGAIN | ELSEWHERE:
                raise CommitRefused(dict.fromkeys(wanted, min(codes)), self._dialect.name_of)
            await self._later(end, str(codes), not codes.isdisjoint(ELSEWHERE))

    def _drop_gone(self, part: CommitRequest, refused: Mapping[TopicPartition, int]) -> None:
        """Drop offsets of deleted topics: they do not belong to a new topic with the same name."""
        gone = gone_of(refused)
        self.take_noted(gone)
        hand_outs = {each: part.hand_outs[each] for each in gone} if part.hand_outs else {}
        self._gone({p: each for p, each in hand_outs.items() if each is not None})

    def forget(self, committed: Offsets) -> None:
        """Drop noted offsets that are durable now, unless others were noted since."""
        for partition, offset in committed.items():
            if self.noted.get(partition) == offset:
                del self.noted[partition]

    def take_noted(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Take the noted offsets of these partitions."""
        return {each: self.noted.pop(each) for each in partitions if each in self.noted}

    async def _later(self, end: float, why: str, elsewhere: bool) -> None:
        if elsewhere:
            self._cluster.forget_offsets()
        wait = self._backoff.next() / 1000
        if time.monotonic() + wait > end:
            raise Unavailable(f"offsets: {why}")
        await asyncio.sleep(wait)

    async def _request(self, request: Message) -> Any:
        patience_s = self._identity.request_timeout_ms / 1000
        return await self._cluster.request(OFFSETS, request, patience_s)
