"""A member of a group of the 0.9 draft: the coordinator assigns the partitions, in JoinGroup.

It speaks on the draft's own listener, to which no proxy leads: what strikes nodes and the database
strikes it, what strikes members' connections does not.
"""

from collections.abc import Iterable
from typing import Any, Self

from benchmarks.wire import Peer, frame
from groups.core.errors import ErrorCode
from proof.chaos.joiner import Joiner
from proof.chaos.network import SEEK_S, Elsewhere, Network, call
from proof.chaos.record import Partition, now
from rollcall.wire.codec import decode
from rollcall.wire.messages.draft import DRAFT_MESSAGES
from rollcall.wire.messages.draft.consumer_metadata import ConsumerMetadataRequest
from rollcall.wire.messages.draft.heartbeat import HeartbeatRequest
from rollcall.wire.messages.draft.join_group import JoinGroupRequest
from rollcall.wire.messages.draft.leave_group import LeaveGroupRequest
from rollcall.wire.messages.draft.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.draft.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic

COMMIT_VERSION, FETCH_VERSION = 2, 1
STRATEGY = "range"

JOIN_LIMIT_S = 40.0
"""A join waits for the others, at most for their sessions."""


class DraftPeer(Peer):
    """A connection to the draft's listener: today's keys have other bodies there."""

    async def exchange(self, request: Any, version: int) -> tuple[bytes, Any]:
        """Ask, and wait for the answer."""
        self.asked += 1
        self.writer.write(frame(request, version, self.asked))
        head = await self.reader.readexactly(4)
        raw = await self.reader.readexactly(int.from_bytes(head, "big"))
        return head + raw, decode(DRAFT_MESSAGES[request.api_key].response, version, raw, 4)


class DraftNetwork(Network):
    """The connections to the draft's listeners of the nodes."""

    make = DraftPeer

    @classmethod
    def beside(cls, network: Network, addresses: Iterable[str]) -> Self:
        """Of the same members' process, by these HOST:PORT."""
        return cls(tuple(addresses), network.rng)

    async def coordinator(self, group_id: str) -> str:
        """HOST:PORT of the group's coordinator, by ConsumerMetadata."""
        peer = await self.connect(self.rng.choice(self.bootstraps))
        try:
            found = await call(peer, ConsumerMetadataRequest(group_id=group_id), 0, SEEK_S)
        finally:
            peer.close()
        if found.error_code:
            raise Elsewhere
        return f"{found.coordinator_host}:{found.coordinator_port}"


class DraftMember(Joiner):
    """The coordinator tells it what it owns in the answer to its JoinGroup."""

    commit_version, fetch_version = COMMIT_VERSION, FETCH_VERSION

    async def leave(self) -> int:
        """Leave the group."""
        request = LeaveGroupRequest(group_id=self.group_id, consumer_id=self.member_id)
        return int((await self.request(request, 0)).error_code)

    async def _beat(self) -> bool:
        request = HeartbeatRequest(
            group_id=self.group_id,
            group_generation_id=self.generation,
            consumer_id=self.member_id,
        )
        sent_at = now()
        answer = await self.request(request, 0)
        good = self._mind(answer.error_code, "Heartbeat")
        if answer.error_code in (ErrorCode.NONE, ErrorCode.ILLEGAL_GENERATION):
            self.renewed()
            self.record.beat(sent_at, self.name)
        return good

    async def _join(self) -> None:
        self.settled.clear()
        self.owned = frozenset()
        request = JoinGroupRequest(
            group_id=self.group_id,
            session_timeout_ms=round(self.session_s * 1000),
            topics=[self.topic],
            consumer_id=self.member_id,
            partition_assignment_strategy=STRATEGY,
        )
        answer = await self.request(request, 0, JOIN_LIMIT_S)
        if not self._mind(answer.error_code, "JoinGroup"):
            return
        self.renewed()
        self.member_id, self.generation = answer.consumer_id, answer.group_generation_id
        self.owned = frozenset(p for t in answer.partitions_to_own for p in t.partitions)
        self.wants_to_join = False
        self.settled.set()
        await self.fetch(self.owned)

    def _mind(self, code: int, api: str) -> bool:
        """Whether to continue; the next step does what the code requires."""
        self.check(code)
        if code == ErrorCode.NONE:
            return True
        self.rejoin()
        if code == ErrorCode.UNKNOWN_MEMBER_ID:
            self.evicted(api)
            self.member_id, self.generation = "", -1
        elif code != ErrorCode.ILLEGAL_GENERATION:
            self.record.defects.append(f"{api} of {self.group_id} was answered {code}")
        return False

    def commit_request(self, sent: Iterable[tuple[Partition, int]]) -> OffsetCommitRequest:
        """The same in the draft's words."""
        partitions = [
            OffsetCommitRequestPartition(
                partition=partition, offset=offset, metadata=self.note_of(offset)
            )
            for (_, partition), offset in sent
        ]
        return OffsetCommitRequest(
            group_id=self.group_id,
            group_generation_id=self.generation,
            consumer_id=self.member_id,
            topics=[OffsetCommitRequestTopic(name=self.topic, partitions=partitions)],
        )

    def fetch_request(self, wanted: list[int]) -> OffsetFetchRequest:
        """The same in the draft's words."""
        topics = [OffsetFetchRequestTopic(name=self.topic, partitions=wanted)]
        return OffsetFetchRequest(group_id=self.group_id, topics=topics)
