"""A client of the consumer protocol as a small machine, which does what its recorded runs say."""

from typing import Final

from groups.core import events
from groups.core.assignors.types import Parts
from groups.core.authors import Client as Software
from groups.core.consumer.member import STABLE
from groups.core.errors import ErrorCode
from groups.core.facts import grouped
from groups.core.replies import ConsumerBeaten
from groups.core.waiting import Act
from pipeline.what_if.clients import Client
from pipeline.what_if.member import AGAIN_MS, NOTHING, Member
from pipeline.what_if.reactions import Reactions
from pipeline.what_if.recording import Millis
from pipeline.what_if.world import World

RETRY_MS: Final = 500
"""A client that was refused to join tries again, about so soon."""


class ConsumerMember(Member):
    """A member of the consumer protocol."""

    def __init__(self, world: World, client: Client, reactions: Reactions) -> None:
        super().__init__(world, client, reactions)
        self.epoch = 0
        self._next: Millis | None = None
        self._is_revoking = False

    def join(self) -> None:
        recorded = self.recorded_id()
        self.member_id = recorded or f"{self.client.name}-{self.world.rng.getrandbits(64):016x}"
        self.had.add(self.member_id)
        self.world.listeners[self.member_id] = self
        self.epoch, self.owned, self._is_revoking, self._next = 0, NOTHING, False, None
        self._beat()

    def _event(self, epoch: int) -> events.ConsumerHeartbeat:
        life, joins, stays = self.life, epoch == 0, epoch >= 0
        return events.ConsumerHeartbeat(
            ticket=self.ask(self._beaten) if stays else None,
            member_id=self.member_id,
            member_epoch=epoch,
            instance_id=life.instance_id,
            rack_id=None,
            client_id=life.client_id,
            client_host=life.client_host,
            rebalance_timeout_ms=life.rebalance_ms if joins else -1,
            subscribed_topic_names=self.topics() if joins else None,
            server_assignor=life.protocols[0] if joins and life.protocols else None,
            owned={t: tuple(ps) for t, ps in grouped(self.owned).items()} if stays else None,
            topics=self.world.topics,
            client=Software(*life.software),
        )

    def _beat(self) -> None:
        self._next = None
        self.world.step(self._event(self.epoch))

    def _beaten(self, reply: ConsumerBeaten) -> None:
        now = self.world.now
        if reply.error is not ErrorCode.NONE:
            self.join_again(AGAIN_MS if self.epoch else RETRY_MS)
            return
        self.refusals, self.epoch = 0, reply.member_epoch
        if reply.assignment is not None:
            target = frozenset((t, p) for t, ps in reply.assignment.items() for p in ps)
            if self.owned - target:
                self._revoke(target)
                return
            self.owned = target
        if not self._is_settled():
            within = self.world.rules.group_consumer_pending_heartbeat_interval_ms
            self._beat_at(self.reactions.contact(self.member_id, now, within) or now + within)

    def _is_settled(self) -> bool:
        """Whether nothing is to come: a heartbeat would change nothing."""
        group = self.world.group
        known = group.members.get(self.member_id)
        if known is None or known.state != STABLE:
            return False
        return bool(known.epoch == self.world.generation)

    def _revoke(self, target: Parts) -> None:
        now, self._is_revoking = self.world.now, True
        takes = self.reactions.of(self.member_id, Act.REVOKE, now)
        given_up = self.reactions.contact(self.member_id, now, takes) or now + takes

        def done() -> None:
            self.owned, self._is_revoking = target, False
            self._beat()

        self.later(self.able_at(max(given_up, now + 1)), done)

    def called(self, since: Millis) -> None:
        if self.run is None or self._is_revoking or self._next is not None:
            return
        takes = self.reactions.of(self.member_id, Act.HEARTBEAT, since)
        self._beat_at(max(since + takes, self.world.now + 1))

    def _beat_at(self, moment: Millis) -> None:
        """The next heartbeat is at the latest then."""
        if self._next is not None and self._next <= moment:
            return
        self._next = moment

        def go() -> None:
            if self._next == moment and not self._is_revoking:
                self._beat()

        self.later(moment, go)

    def resume(self) -> None:
        if self.member_id not in self.world.group.durable.members:
            self.join()  # what the reply to a heartbeat would tell it
        elif not self._is_revoking:
            self._beat()

    def refresh(self) -> None:
        if self.run is not None and not self._is_revoking:
            self._beat_at(self.world.now)

    def leave(self) -> None:
        self.world.step(self._event(-1))

    def pause(self) -> None:
        if self.life.instance_id is not None:
            self.world.step(self._event(-2))
