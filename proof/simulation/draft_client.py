"""A member of a group of the 0.9 draft: the coordinator assigns the partitions, in JoinGroup."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from groups.core.errors import ErrorCode
from groups.core.events import DraftCommit, DraftHeartbeat, DraftJoin, LeaveGroup, Leaver
from groups.core.replies import DraftJoined
from proof.simulation.clients import AGAIN_S, LOST, Client

STRATEGY: Final = "roundrobin"

RETRIABLE: Final = LOST | {ErrorCode.COORDINATOR_LOAD_IN_PROGRESS}


class DraftClient(Client):
    """Joins, heartbeats, works on its assignment, and rejoins on request."""

    must_join = True

    async def live(self) -> None:
        """Until it leaves."""
        self.process.spawn(self._work())
        while not self.is_over:
            if self.is_leaving:
                await self._leave()
                return
            if self.must_join:
                self.is_stable = False
                if not await self._enter():
                    await asyncio.sleep(self.world.rng.uniform(0.05, 0.3))
                continue
            pause_s = self.beat_s if await self._beat() else AGAIN_S
            await asyncio.sleep(pause_s * self.world.rng.uniform(0.7, 1.0))

    async def _enter(self) -> bool:
        if self.owned and self.world.rng.random() < 0.5:
            await self.commit([p for _, p in sorted(self.owned)])  # the last chance
        joined = await self.beats.call("JoinGroup", self._join())
        if joined is None:
            return False
        if joined.error is not ErrorCode.NONE:
            self._refused(joined.error)
            return False
        self.turns += 1
        self.member_id, self.generation = joined.consumer_id, joined.generation_id
        self.owned = _parts(joined)
        self.must_join, self.is_stable = False, True
        return True

    async def _beat(self) -> bool:
        """Send a heartbeat; returns whether the coordinator answered."""
        body = DraftHeartbeat(consumer_id=self.member_id, generation_id=self.generation)
        reply = await self.beats.call("Heartbeat", body, self.patience_s)
        code = ErrorCode.COORDINATOR_NOT_AVAILABLE if reply is None else reply.error
        if code not in (ErrorCode.NONE, *RETRIABLE):
            self._refused(code)
        return code not in RETRIABLE

    def _refused(self, code: ErrorCode) -> None:
        """Illegal generation: join again, with the same id; unknown: without one."""
        if code in RETRIABLE:
            return
        self.must_join, self.is_stable = True, False
        if code is ErrorCode.UNKNOWN_MEMBER_ID:
            self.member_id, self.generation, self.owned = "", -1, frozenset()
            self.turns += 1

    async def _leave(self) -> None:
        if self.member_id:
            leaver = Leaver(self.member_id, None)
            await self.beats.call("LeaveGroup", LeaveGroup(members=(leaver,)))
        self.die()

    async def _work(self) -> None:
        while not self.is_over:
            await asyncio.sleep(self.world.rng.uniform(0.2, 1.2))
            if not (self.must_join or self.is_leaving):
                await self.work()

    # -- requests

    def _join(self) -> DraftJoin:
        return DraftJoin(
            consumer_id=self.member_id,
            client_id=self.name,
            client_host="/127.0.0.1",
            session_timeout_ms=self.session_ms,
            topics=tuple(dict.fromkeys(self.topics)),
            strategy=STRATEGY,
            counts={self.topic: self.partitions},
        )

    def commit_of(self, offsets: Sequence[Sequence[Any]]) -> DraftCommit:
        """OffsetCommit of the current generation."""
        return DraftCommit(
            generation_id=self.generation,
            member_id=self.member_id,
            instance_id=None,
            offsets=self.numbers.writes(offsets),
            version=2,
        )

    def facts(self, reply: Any) -> dict[str, Any]:
        """The fields of a success in the history."""
        if not isinstance(reply, DraftJoined):
            return super().facts(reply)
        return {
            "member": reply.consumer_id,
            "generation": reply.generation_id,
            "owned": sorted(map(list, _parts(reply))),
        }


def _parts(reply: DraftJoined) -> frozenset[tuple[str, int]]:
    return frozenset((t, p) for t, ps in reply.partitions.items() for p in ps)
