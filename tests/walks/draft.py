"""Somebody who speaks the 0.9 draft."""

from collections.abc import Iterator
from dataclasses import dataclass

from groups.core import events
from groups.core.errors import ErrorCode
from groups.core.replies import DraftBeaten, DraftJoined, Reply
from tests.walks.people import Person

STRATEGIES = ("range", "range", "roundrobin", "greedy", "careless")


@dataclass
class Draft(Person):
    """``works``: it has received its partitions, and is to continue."""

    strategy: str = ""
    works: bool = False

    def __post_init__(self) -> None:
        self.strategy = self.life.common(STRATEGIES)

    def next(self) -> Iterator[events.Event]:
        life = self.life
        if self.is_busy:
            return
        if not self.works:
            self.is_busy = True
            yield events.DraftJoin(
                ticket=life.ticket(self), consumer_id=self.member_id, client_id=self.name,
                client_host="/a", session_timeout_ms=self.session_ms, topics=self.topics,
                strategy=self.strategy, counts=self.counts(),
            )  # fmt: skip
        elif life.chance.once_in(3):
            yield self.commit()
        else:
            yield from self._beat()

    def changes_its_mind(self) -> None:
        super().changes_its_mind()
        chance = self.life.chance
        self.strategy = chance.pick((self.strategy,) * 4 + (*STRATEGIES, "none"))
        self.works = False

    def mends(self) -> None:
        super().mends()
        self.strategy = self.life.common(STRATEGIES)

    def forget(self) -> None:
        super().forget()
        self.works = False

    def commit(self) -> events.Event:
        life = self.life
        return events.DraftCommit(
            ticket=life.ticket(self), generation_id=self.generation, member_id=self.member_id,
            instance_id=None, offsets=self.writes(), version=1,
        )  # fmt: skip

    def _beat(self) -> Iterator[events.Event]:
        """What the view cannot answer is an event."""
        life = self.life
        code = life.group.heartbeat_view().heartbeat(
            self.member_id, None, self.generation, life.now
        )
        life.heard(f"{self.name} {code.name}")
        if code is not ErrorCode.NONE:
            yield events.DraftHeartbeat(
                ticket=life.ticket(self), consumer_id=self.member_id,
                generation_id=self.generation,
            )  # fmt: skip

    def hear(self, reply: Reply) -> None:
        if not isinstance(reply, DraftJoined | DraftBeaten):
            return
        self.is_busy = False
        if isinstance(reply, DraftJoined) and reply.error is ErrorCode.NONE:
            self.member_id, self.generation = reply.consumer_id, reply.generation_id
            self.works = True
        elif reply.error is ErrorCode.ILLEGAL_GENERATION:
            self.works = False
        elif reply.error is not ErrorCode.NONE:
            self.forget()
