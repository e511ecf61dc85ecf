"""A member of a consumer group (KIP-848), static or not: one heartbeat request does everything."""

import asyncio
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Final
from uuid import UUID

from groups.core.errors import ErrorCode
from groups.core.events import ConsumerHeartbeat, OffsetCommit
from groups.core.replies import ConsumerBeaten
from proof.simulation.clients import AGAIN_S, LOST, Client
from proof.simulation.world import SECOND

REBALANCE_MS: Final = 5_000
START_OVER: Final = frozenset(
    {
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.FENCED_MEMBER_EPOCH,
        ErrorCode.GROUP_ID_NOT_FOUND,
    }
)

LEAVES: Final = -1
LEAVES_FOR_NOW: Final = -2
"""The epoch of a static member that leaves temporarily: it keeps its partitions until its session
ends."""

UNRELEASED_S: Final = 10
"""How long it requests an instance id that another member has, before it ends: longer than any
session, and well before a life is over."""


class ConsumerClient(Client):
    """Heartbeats; revokes and assigns partitions as requested, at once."""

    must_say_all = True
    interval_s = 0.5

    async def live(self) -> None:
        """Until it leaves."""
        self.member_id = str(UUID(int=self.world.rng.getrandbits(128), version=4))
        self.generation = 0
        self.process.spawn(self._work())
        while not self.is_over:
            if self.is_leaving:
                await self._leave()
                return
            pause_s = self.interval_s if await self._beat() else AGAIN_S
            await asyncio.sleep(pause_s * self.world.rng.uniform(0.7, 1.0))

    async def _beat(self) -> bool:
        """Send a heartbeat; returns whether the coordinator answered."""
        joins, sends_all = self.generation == 0, self.must_say_all
        if joins:
            self.owned = frozenset()
        sends_owned = sends_all or joins or self._owes_word
        sent = sorted(map(list, self.owned)) if sends_owned else None
        event = self._event(sends_all or joins, sent)
        reply = await self.beats.call("ConsumerGroupHeartbeat", event, self.patience_s, owned=sent)
        if not isinstance(reply, ConsumerBeaten):
            self.must_say_all = True
            return False
        if reply.error is ErrorCode.NONE:
            self._take(reply)
        elif reply.error in START_OVER:
            self.generation, self.owned, self.is_stable = 0, frozenset(), False
            self.turns += 1
        else:
            self._refused(reply.error)
        return reply.error not in LOST

    def _refused(self, code: ErrorCode) -> None:
        """A static member that was replaced ends; one that joined too early tries again."""
        self.must_say_all = True
        if code is ErrorCode.UNRELEASED_INSTANCE_ID and self.unreleased_at is None:
            self.unreleased_at = self.world.now
        since = self.world.now if self.unreleased_at is None else self.unreleased_at
        is_late = self.world.now - since > UNRELEASED_S * SECOND
        if code is ErrorCode.FENCED_INSTANCE_ID or is_late:
            self.is_over, self.is_stable = True, False

    _owes_word = False

    def _take(self, reply: ConsumerBeaten) -> None:
        self.must_say_all, self._owes_word, self.unreleased_at = False, False, None
        self.turns += self.generation != reply.member_epoch
        self.generation = reply.member_epoch
        self.interval_s = reply.heartbeat_interval_ms / 1000
        if reply.assignment is not None:
            now = frozenset((self.topic, p) for ps in reply.assignment.values() for p in ps)
            self._owes_word = now != self.owned
            self.owned = now
        self.is_stable = not self._owes_word

    async def _leave(self) -> None:
        self.generation = LEAVES if self.instance is None else LEAVES_FOR_NOW
        event = self._event(False, None)
        await self.beats.call("ConsumerGroupHeartbeat", event, owned=None)
        self.die()

    async def _work(self) -> None:
        while not self.is_over:
            await asyncio.sleep(self.world.rng.uniform(0.3, 1.5))
            if self.generation > 0 and not self.is_leaving:
                await self.work()

    # -- requests

    @property
    def topic_id(self) -> str:
        """32 hex digits, the same for all members."""
        return blake2b(self.topic.encode(), digest_size=16).hexdigest()

    def beat_of(self, owned: Sequence[Sequence[Any]]) -> ConsumerHeartbeat:
        """A heartbeat with the partitions that the member owns."""
        return self._event(False, owned)

    def _event(
        self, sends_all: bool, partitions: Sequence[Sequence[Any]] | None
    ) -> ConsumerHeartbeat:
        owned = None if partitions is None else {self.topic_id: tuple(p for _, p in partitions)}
        if partitions is not None and not partitions:
            owned = {}
        return ConsumerHeartbeat(
            member_id=self.member_id,
            member_epoch=self.generation,
            instance_id=self.instance,
            rack_id=None,
            client_id=self.name,
            client_host="/127.0.0.1",
            rebalance_timeout_ms=REBALANCE_MS if sends_all else -1,
            subscribed_topic_names=self.topics if sends_all else None,
            server_assignor=None,
            owned=owned,
            topics={self.topic: (self.topic_id, self.partitions)},
        )

    def commit_of(self, offsets: Sequence[Sequence[Any]]) -> OffsetCommit:
        """OffsetCommit with the member epoch."""
        return OffsetCommit(
            generation_id=self.generation,
            member_id=self.member_id,
            instance_id=self.instance,
            offsets=self.numbers.writes(offsets),
            version=9,
        )

    def facts(self, reply: Any) -> dict[str, Any]:
        """The fields of a success in the history."""
        if not isinstance(reply, ConsumerBeaten):
            return super().facts(reply)
        owned = None
        if reply.assignment is not None:
            owned = sorted([self.topic, p] for ps in reply.assignment.values() for p in ps)
        return {"member": reply.member_id, "generation": reply.member_epoch, "owned": owned}
