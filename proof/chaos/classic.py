"""A member of the classic protocol: join, sync, heartbeat, commit, as Java's consumer does it.

The leader assigns the partitions of the one topic round-robin, or by the cooperative protocol
(KIP-429): then members keep what they own while they join, and join again when they had to give
something up. What members share (finding the
coordinator, offsets, the record) is in ``member``.
"""

from collections.abc import Sequence
from typing import Any

from groups.core.assignment import assignment_of, partitions_of
from groups.core.errors import ErrorCode
from proof.chaos.joiner import Joiner
from proof.chaos.record import now
from rollcall.client.assignors.formats import Claim, read_subscription, subscription
from rollcall.client.core.events import TopicPartition
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from rollcall.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from rollcall.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

JOIN_VERSION, SYNC_VERSION, BEAT_VERSION, LEAVE_VERSION = 7, 5, 4, 4
REBALANCE_S = 15.0
JOIN_LIMIT_S = REBALANCE_S + 5
"""Java's consumer waits 5 s more than the rebalance timeout for a JoinGroup."""

PROTOCOL, COOPERATIVE = "range", "cooperative-sticky"

FORGOTTEN = frozenset({ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_INSTANCE_ID})
"""The member id is unknown: the next join requests a new one."""

AGAIN = frozenset({ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.ILLEGAL_GENERATION})
"""Join again, with the same member id."""

LOST = FORGOTTEN | {ErrorCode.ILLEGAL_GENERATION}
"""Others may own by now what a cooperative member does."""


class ClassicMember(Joiner):
    """``partitions`` of the topic are assigned whenever this member is the leader."""

    partitions: int = 0
    is_cooperative: bool = False

    async def leave(self) -> int:
        """Leave the group."""
        me = MemberIdentity(member_id=self.member_id)
        request = LeaveGroupRequest(group_id=self.group_id, members=[me])
        return int((await self.request(request, LEAVE_VERSION)).error_code)

    async def _beat(self) -> bool:
        request = HeartbeatRequest(
            group_id=self.group_id, generation_id=self.generation, member_id=self.member_id
        )
        sent_at = now()
        answer = await self.request(request, BEAT_VERSION)
        good = self._mind(answer.error_code, "Heartbeat")
        if answer.error_code in (ErrorCode.NONE, ErrorCode.REBALANCE_IN_PROGRESS):
            self.renewed()
            self.record.beat(sent_at, self.name)
        return good

    async def _join(self) -> None:
        self.settled.clear()
        answer = await self._request_join()
        if answer.error_code == ErrorCode.MEMBER_ID_REQUIRED:  # KIP-394
            self.member_id, self.generation = answer.member_id, -1
            answer = await self._request_join()
        if not self._mind(answer.error_code, "JoinGroup"):
            return
        self.renewed()
        self.member_id, self.generation = answer.member_id, answer.generation_id
        await self._sync(answer)

    async def _request_join(self) -> Any:
        if not self.is_cooperative:
            self.owned = frozenset()
        owned = frozenset(TopicPartition(self.topic, p) for p in self.owned)
        wanted = subscription(Claim((self.topic,), owned, self.generation))
        protocol = COOPERATIVE if self.is_cooperative else PROTOCOL
        request = JoinGroupRequest(
            group_id=self.group_id,
            session_timeout_ms=round(self.session_s * 1000),
            rebalance_timeout_ms=round(REBALANCE_S * 1000),
            member_id=self.member_id,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name=protocol, metadata=wanted)],
        )
        return await self.request(request, JOIN_VERSION, JOIN_LIMIT_S)

    async def _sync(self, joined: Any) -> None:
        answer = await self.request(self._sync_request(joined), SYNC_VERSION, JOIN_LIMIT_S)
        if not self._mind(answer.error_code, "SyncGroup"):
            return
        self.renewed()
        had = self.owned
        self.owned = frozenset(p for _, p in partitions_of(answer.assignment) or ())
        self.wants_to_join = self.is_cooperative and bool(had - self.owned)
        if not self.wants_to_join:
            self.settled.set()
        await self.fetch(self.owned - had)

    def _sync_request(self, joined: Any) -> SyncGroupRequest:
        shares = self._deal(joined.members) if joined.leader == self.member_id else {}
        return SyncGroupRequest(
            group_id=self.group_id,
            generation_id=self.generation,
            member_id=self.member_id,
            protocol_type="consumer",
            protocol_name=joined.protocol_name,
            assignments=[
                SyncGroupRequestAssignment(
                    member_id=member_id,
                    assignment=assignment_of([(self.topic, p) for p in sorted(share)], 0),
                )
                for member_id, share in shares.items()
            ],
        )

    def _deal(self, members: Sequence[Any]) -> dict[str, set[int]]:
        """Partitions in turn, but none that another one still owns: that follows when it is free
        (KIP-429). Of two that claim one, the newer generation's counts."""
        claims = {m.member_id: read_subscription(m.metadata) for m in members}
        holders: dict[int, str] = {}
        for member_id, claim in sorted(claims.items(), key=lambda each: each[1].generation):
            holders |= {p: member_id for topic, p in claim.owned if topic == self.topic}
        shares: dict[str, set[int]] = {member_id: set() for member_id in sorted(claims)}
        takers = list(shares)
        for p in range(self.partitions):
            taker = takers[p % len(takers)]
            if holders.get(p, taker) == taker:
                shares[taker].add(p)
        return shares

    def _mind(self, code: int, api: str) -> bool:
        """Whether to continue; the next step does what the code requires."""
        self.check(code)
        if code == ErrorCode.NONE:
            return True
        self.wants_to_join = True
        self.settled.clear()
        if code in LOST:
            self.owned = frozenset()
        if code in FORGOTTEN:
            self.evicted(api)
            self.member_id, self.generation = "", -1
        elif code not in AGAIN:
            self.record.defects.append(f"{api} of {self.group_id} was answered {code}")
        return False
