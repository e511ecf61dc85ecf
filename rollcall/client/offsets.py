"""Commit and committed: offsets of one member, over a connection of their own.

What the application noted for the next revocation is kept here too. Membership is not: the
member's id and epoch are read from its ``Standing`` as they are at that moment.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final

from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
)
from rollcall.client.cluster import OFFSETS, Cluster, listed
from rollcall.client.core.backoff import Backoff
from rollcall.client.core.codes import Code
from rollcall.client.core.words import Identity, Standing, TopicPartition
from rollcall.client.errors import CommitRefused, Unavailable

AGAIN: Final = {
    Code.REQUEST_TIMED_OUT,
    Code.COORDINATOR_LOAD_IN_PROGRESS,
    Code.UNSTABLE_OFFSET_COMMIT,
}
ELSEWHERE: Final = {Code.COORDINATOR_NOT_AVAILABLE, Code.NOT_COORDINATOR}

Offsets = Mapping[TopicPartition, int]


class Ledger:
    """How far this member has come, here and at the coordinator."""

    def __init__(self, cluster: Cluster, identity: Identity, backoff: Backoff) -> None:
        self._cluster = cluster
        self._identity = identity
        self._backoff = backoff
        self.noted: dict[TopicPartition, int] = {}

    async def commit(self, offsets: Offsets, standing: Standing) -> None:
        """Commit; returns when it is durable. ``CommitRefused`` names what was not."""
        if not offsets:
            return
        end = time.monotonic() + self._identity.request_timeout_ms / 1000
        while True:
            epoch = standing.epoch
            try:
                codes = await self._commit(offsets, standing)
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
                raise CommitRefused(refused)
            await self._later(end, str(refused), not set(refused.values()).isdisjoint(ELSEWHERE))

    async def committed(
        self, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, int | None]:
        """What the group has committed; None where it has not."""
        wanted = list(partitions)
        end = time.monotonic() + self._identity.request_timeout_ms / 1000
        while True:
            try:
                answer = await self._fetch(wanted)
            except OSError as error:
                await self._later(end, str(error), True)
                continue
            found, codes = _read(answer)
            if not codes:
                return {each: found.get(each) for each in wanted}
            if not codes <= AGAIN | ELSEWHERE:
                raise CommitRefused(dict.fromkeys(wanted, min(codes)))
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

    async def _commit(self, offsets: Offsets, standing: Standing) -> dict[TopicPartition, int]:
        request = OffsetCommitRequest(
            group_id=self._identity.group,
            generation_id_or_member_epoch=standing.epoch,
            member_id=standing.member_id,
            group_instance_id=self._identity.instance_id if standing.member_id else None,
            topics=[
                OffsetCommitRequestTopic(
                    name=topic,
                    partitions=[
                        OffsetCommitRequestPartition(
                            partition_index=index,
                            committed_offset=offsets[TopicPartition(topic, index)],
                            committed_metadata="",
                        )
                        for index in indexes
                    ],
                )
                for topic, indexes in listed(offsets).items()
            ],
        )
        answer = await self._cluster.ask(OFFSETS, request, self._patience)
        return {
            TopicPartition(topic.name, each.partition_index): each.error_code
            for topic in answer.topics
            for each in topic.partitions
        }

    async def _fetch(self, wanted: Iterable[TopicPartition]) -> OffsetFetchResponse:
        by_topic = listed(wanted)
        group = OffsetFetchRequestGroup(
            group_id=self._identity.group,
            topics=[
                OffsetFetchRequestTopics(name=topic, partition_indexes=indexes)
                for topic, indexes in by_topic.items()
            ],
        )
        request = OffsetFetchRequest(
            group_id=self._identity.group,
            topics=[
                OffsetFetchRequestTopic(name=topic, partition_indexes=indexes)
                for topic, indexes in by_topic.items()
            ],
            groups=[group],
            require_stable=True,
        )
        answer: OffsetFetchResponse = await self._cluster.ask(OFFSETS, request, self._patience)
        return answer

    @property
    def _patience(self) -> float:
        return self._identity.request_timeout_ms / 1000


def _read(answer: OffsetFetchResponse) -> tuple[dict[TopicPartition, int], set[int]]:
    """The offsets, and the codes of whatever could not be read."""
    codes = {answer.error_code, *(group.error_code for group in answer.groups)}
    found: dict[TopicPartition, int] = {}
    older: list[Any] = list(answer.topics)
    newer: list[Any] = [topic for group in answer.groups for topic in group.topics]
    for topic in older + newer:
        for each in topic.partitions:
            codes.add(each.error_code)
            if each.committed_offset >= 0:
                found[TopicPartition(topic.name, each.partition_index)] = each.committed_offset
    return found, codes - {0}
