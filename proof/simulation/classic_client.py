"""A member of a classic group, which behaves as Kafka's own consumers (KIP-62, 345, 394)."""

import asyncio
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from groups.core.assignment import partitions_of
from groups.core.errors import ErrorCode
from groups.core.events import JoinGroup, LeaveGroup, Leaver, OffsetCommit, SyncGroup
from groups.core.replies import Joined, Synced
from proof.simulation.clients import AGAIN_S, LOST, Client, Part

REBALANCE_MS: Final = 5_000


class ClassicClient(Client):
    """Joins, syncs, heartbeats on a separate connection, works, and rejoins on request."""

    must_join = True
    shared = 0
    """Partitions that it assigned last; a leader that finds more of them joins again."""

    async def live(self) -> None:
        """Until it leaves or is fenced."""
        self.process.spawn(self._beat())
        while not self.is_over:
            if self.is_leaving:
                await self._leave()
                return
            if self.must_join:
                self.is_stable = False
                if not await self._enter():
                    await asyncio.sleep(self.world.rng.uniform(0.05, 0.3))
                continue
            await self.work()
            await asyncio.sleep(self.world.rng.uniform(0.2, 1.2))
            self.must_join |= self.shared not in (0, self.partitions)

    async def _enter(self) -> bool:
        if self.owned and not self.must_forget and self.world.rng.random() < 0.5:
            await self.commit([p for _, p in sorted(self.owned)])  # before giving them up
        self.must_forget = False
        joined = await self.main.call("JoinGroup", self._join())
        if joined is None:
            return False
        if joined.error is not ErrorCode.NONE:
            self._refused(joined.error, joined)
            return joined.error is ErrorCode.MEMBER_ID_REQUIRED
        self.member_id, self.generation = joined.member_id, joined.generation_id
        self.turns += 1
        self.owned, self.shared = frozenset(), 0  # until its next assignment
        assignments = self._lead(joined) if joined.leader == joined.member_id else {}
        synced = await self.main.call("SyncGroup", self._sync(joined, assignments))
        if synced is None:
            return False
        if synced.error is not ErrorCode.NONE:
            self._refused(synced.error, None)
            return False
        self.owned = frozenset(partitions_of(synced.assignment) or ())
        self.must_join, self.is_stable = False, True
        return True

    def _lead(self, joined: Joined) -> Mapping[str, bytes]:
        """A leader that returned keeps the previous assignment (KIP-814); if the topic may have
        grown since, it joins again."""
        self.shared = self.partitions
        if not joined.skip_assignment:
            return self._share(joined)
        self.shared = self.partitions if self.topic not in self.network.grown else -1
        return {}

    must_forget = False

    def _refused(self, code: ErrorCode, joined: Any) -> None:
        """What a client does after an error; static members that were replaced end."""
        self.must_join, self.is_stable = True, False
        if code is ErrorCode.MEMBER_ID_REQUIRED:
            self.member_id = joined.member_id
        elif code is ErrorCode.FENCED_INSTANCE_ID:
            self.is_over = True
        elif code is ErrorCode.UNKNOWN_MEMBER_ID:
            self.member_id, self.generation, self.owned = "", -1, frozenset()
            self.turns += 1
        elif code is ErrorCode.ILLEGAL_GENERATION:
            self.generation, self.must_forget = -1, True

    async def _beat(self) -> None:
        pause_s = self.beat_s
        while not self.is_over:
            await asyncio.sleep(pause_s * self.world.rng.uniform(0.7, 1.0))
            if self.must_join or self.is_leaving:
                continue
            sent = (self.member_id, self.generation)
            body = (self.member_id, self.instance, sent[1])
            code = await self.beats.call("Heartbeat", body, self.patience_s)
            same = sent == (self.member_id, self.generation) and not self.must_join
            code = getattr(code, "error", code)
            pause_s = AGAIN_S if code is None or code in LOST else self.beat_s
            if code in TROUBLES and same:
                self._refused(code, None)

    async def _leave(self) -> None:
        leaver = Leaver(self.member_id, self.instance)
        if self.member_id and self.instance is None:
            await self.main.call("LeaveGroup", LeaveGroup(members=(leaver,)))
        self.die()

    # -- requests

    def _join(self) -> JoinGroup:
        return JoinGroup(
            member_id=self.member_id,
            instance_id=self.instance,
            client_id=self.name,
            client_host="/127.0.0.1",
            session_timeout_ms=self.session_ms,
            rebalance_timeout_ms=REBALANCE_MS,
            protocol_type="consumer",
            protocols=(("range", subscription(*self.topics)),),
            needs_member_id=self.instance is None,
            can_skip_assignment=True,
        )

    def _sync(self, joined: Joined, assignments: Mapping[str, bytes]) -> SyncGroup:
        return SyncGroup(
            generation_id=joined.generation_id,
            member_id=joined.member_id,
            instance_id=self.instance,
            assignments=assignments,
        )

    def _share(self, joined: Joined) -> Mapping[str, bytes]:
        """Range, by instance and member id; the offset makes each leader's assignment different."""
        ids = sorted((m.instance_id or m.member_id, m.member_id) for m in joined.members)
        turn = self.world.rng.randrange(len(ids) or 1)
        return {
            member_id: assignment(
                (self.topic, p) for p in range(self.shared) if (p + turn) % len(ids) == rank
            )
            for rank, (_, member_id) in enumerate(ids)
        }

    def commit_of(self, offsets: Sequence[Sequence[Any]]) -> OffsetCommit:
        """OffsetCommit of the current generation."""
        return OffsetCommit(
            generation_id=self.generation,
            member_id=self.member_id,
            instance_id=self.instance,
            offsets=self.numbers.writes(offsets),
            version=9,
        )

    def facts(self, reply: Any) -> dict[str, Any]:
        """The fields of a success in the history."""
        if isinstance(reply, Joined):
            return {
                "member": reply.member_id,
                "generation": reply.generation_id,
                "leader": reply.leader,
            }
        if isinstance(reply, Synced):
            return {"owned": sorted(map(list, partitions_of(reply.assignment) or ()))}
        return super().facts(reply)


TROUBLES: Final = frozenset(
    {
        ErrorCode.REBALANCE_IN_PROGRESS,
        ErrorCode.ILLEGAL_GENERATION,
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.FENCED_INSTANCE_ID,
    }
)


def subscription(*topics: str) -> bytes:
    """ConsumerProtocolSubscription v0."""
    names = [topic.encode() for topic in topics]
    body = b"".join(struct.pack(f">h{len(name)}s", len(name), name) for name in names)
    return struct.pack(">hi", 0, len(names)) + body + struct.pack(">i", -1)


def assignment(parts: Iterable[Part]) -> bytes:
    """ConsumerProtocolAssignment v0 of one topic's partitions."""
    found = sorted(parts)
    if not found:
        return struct.pack(">hii", 0, 0, -1)
    name = found[0][0].encode()
    head = struct.pack(f">hih{len(name)}si", 0, 1, len(name), name, len(found))
    return head + struct.pack(f">{len(found)}ii", *(p for _, p in found), -1)
