"""A member of the consumer protocol (KIP-848): it heartbeats, takes its assignment, and revokes at
once.

What members share (finding the coordinator, offsets, the record) is in ``member``.
"""

import uuid
from typing import Any
from uuid import UUID

from groups.core.errors import ErrorCode
from proof.chaos.member import Member
from proof.chaos.record import now
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)

VERSION = 1
JOIN, LEAVE = 0, -1
REBALANCE_S = 15.0

JOIN_AGAIN = frozenset({ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH})
"""The member gives up all partitions, and joins again with epoch 0."""

LATE = frozenset({ErrorCode.STALE_MEMBER_EPOCH, ErrorCode.ILLEGAL_GENERATION})
"""Of a commit: the epoch has changed; the next heartbeat returns the new one."""


class ConsumerMember(Member):
    """Its ``generation`` is the member epoch; it chooses its own id."""

    topic_id: UUID = UUID(int=0)
    _beats: int = 0
    _full: bool = True

    async def step(self) -> float:
        """Heartbeat until the assignment and the owned partitions agree, and commit now and
        then."""
        waits_s = await self._beat()
        self._beats += 1
        if self.generation > 0 and self._beats % self.commits_every == 0:
            error = await self.commit()
            if error in JOIN_AGAIN:
                self._start_anew(error)
            elif error != ErrorCode.NONE and error not in LATE:
                self.record.defects.append(f"OffsetCommit of {self.group_id}: {error}")
        return waits_s

    def rejoin(self) -> None:
        """The next heartbeat has all fields, as the first one."""
        self._full = True

    async def leave(self) -> int:
        """Leave the group."""
        request = ConsumerGroupHeartbeatRequest(
            group_id=self.group_id, member_id=self.member_id, member_epoch=LEAVE
        )
        return int((await self.request(request, VERSION)).error_code)

    def _hang_up(self) -> None:
        super()._hang_up()
        self._full = True  # it is unknown which fields of the last heartbeat arrived

    async def _beat(self) -> float:
        sent_at, request = now(), self._request()
        reported = request.topic_partitions
        held = (
            None if reported is None else [[self.topic, p] for t in reported for p in t.partitions]
        )
        answer = await self.request(request, VERSION, owned=held)
        self.check(answer.error_code)
        if answer.error_code in JOIN_AGAIN:
            self._start_anew(answer.error_code)
            return 0.0
        if answer.error_code != ErrorCode.NONE:
            self.record.defects.append(
                f"ConsumerGroupHeartbeat of {self.group_id}: {answer.error_code}"
            )
            return self.beats_s
        self.renewed()
        self.record.beat(sent_at, self.name)
        self._full = False
        self.generation = answer.member_epoch
        if await self._take(answer.assignment):
            self._full = True
            return 0.0
        self.settled.set()
        return min(self.beats_s, float(answer.heartbeat_interval_ms) / 1000)

    def _request(self) -> ConsumerGroupHeartbeatRequest:
        if not self.member_id:
            self.member_id = str(uuid.uuid4())
        joins = self.generation < 0
        held = [TopicPartitions(topic_id=self.topic_id, partitions=sorted(self.owned))]
        return ConsumerGroupHeartbeatRequest(
            group_id=self.group_id,
            member_id=self.member_id,
            member_epoch=JOIN if joins else self.generation,
            rebalance_timeout_ms=round(REBALANCE_S * 1000) if self._full else -1,
            subscribed_topic_names=[self.topic] if self._full else None,
            topic_partitions=[] if joins else (held if self.owned else []) if self._full else None,
        )

    async def _take(self, assignment: Any) -> bool:
        """Work on exactly these from now on; returns whether the coordinator must be notified."""
        given = self.owned
        if assignment is not None:
            given = frozenset(p for t in assignment.topic_partitions for p in t.partitions)
        new, differs = given - self.owned, given != self.owned
        self.owned = given
        await self.fetch(new)
        return differs

    def _start_anew(self, code: int) -> None:
        if code == ErrorCode.UNKNOWN_MEMBER_ID:
            self.evicted("ConsumerGroupHeartbeat")
        self.generation, self.owned, self._full = -1, frozenset(), True
        self.settled.clear()
