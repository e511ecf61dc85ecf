"""Somebody who speaks the consumer protocol, and assigns when asked to."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from groups.core import events
from groups.core.assignors.client_side import ClientAssignor, ClientAssignors
from groups.core.errors import ErrorCode
from groups.core.replies import ConsumerBeaten, Prepared, Reply
from tests.walks.people import Person

Parts = dict[str, tuple[int, ...]]

SAID: tuple[ClientAssignors | None, ...] = (
    None, None, None, (),
    (ClientAssignor("own", 1, 0, 2, 1, b"m"),),
    (ClientAssignor("other"), ClientAssignor("own", 0, 1, 1, 1)),
    (ClientAssignor("own", 0, 2, 3, 1),),
)  # fmt: skip
"""The last of them is refused."""
PATTERNS = ("t", "[tu]", "t|v", "")
LOST = (
    ErrorCode.UNKNOWN_MEMBER_ID,
    ErrorCode.FENCED_MEMBER_EPOCH,
    ErrorCode.UNRELEASED_INSTANCE_ID,
)
SERVER_ASSIGNORS = ("uniform", "range", "own", "bad", "none such", "range*0")


@dataclass
class Consumer(Person):
    """``owned`` is what it works on and ``told`` what it shall, by topic id; ``news``: fields of
    its next heartbeat that have changed since the last."""

    generation: int = 0
    owned: Parts = field(default_factory=dict)
    told: Parts | None = None
    is_asked: bool = False
    prepared: Prepared | None = None
    lives: int = 0
    news: dict[str, Any] = field(default_factory=dict)
    said: ClientAssignors | None = None

    def __post_init__(self) -> None:
        self.said = self.life.common(SAID[:-1])

    def next(self) -> Iterator[events.Event]:
        chance = self.life.chance
        if self.generation > 0 and chance.once_in(4):
            yield self.commit()
        elif self.prepared is not None:
            yield self._install(self.prepared)
        elif self.is_asked and self.generation > 0:
            yield events.PrepareAssignment(
                ticket=self.life.ticket(self), member_id=self.member_id,
                member_epoch=self.generation,
            )  # fmt: skip
        else:
            yield self.beat()

    def odd(self) -> Iterator[events.Event]:
        chance = self.life.chance
        if chance.once_in(4):
            yield self.bent(self.beat(version=chance.below(2)))
        elif chance.once_in(4):
            yield self.beat(regex_problem="no pattern", subscribed_topic_regex="(")
        elif chance.once_in(4):
            yield self._odd_install()
        elif chance.once_in(2):
            yield self.beat(server_assignor=chance.pick(SERVER_ASSIGNORS))
        else:
            yield from super().odd()

    def changes_its_mind(self) -> None:
        super().changes_its_mind()
        chance = self.life.chance
        news = {
            "subscribed_topic_names": self.topics,
            "subscribed_topic_regex": chance.pick((None, *PATTERNS)),
            "server_assignor": chance.pick((None, "uniform", "range", "uniform*3", "own")),
            "rack_id": chance.pick((None, "r-1", "r-2")),
            "rebalance_timeout_ms": self.rebalance_ms,
            "client_assignors": chance.pick(SAID),
            "client_host": chance.pick(("/a", "/b")),
        }
        for name in chance.some(tuple(news), 3):
            self.news[name] = news[name]

    def mends(self) -> None:
        super().mends()
        self.said = self.life.common(SAID[:-1])

    def forget(self) -> None:
        super().forget()
        self.generation, self.owned, self.told = 0, {}, None
        self.is_asked, self.prepared = False, None

    def beat(self, **over: Any) -> events.ConsumerHeartbeat:
        """Its owned partitions are sent when they change, and always on joining."""
        chance, life = self.life.chance, self.life
        joins = self.generation == 0
        if joins and not self.member_id:
            self.lives += 1
            self.member_id = f"{self.name}{self.lives}"
        if self.told is not None and not chance.once_in(4):
            self.owned, self.told = self.told, None
            over.setdefault("owned", self.owned)
        names = self.topics if joins else self.news.get("subscribed_topic_names")
        asked = frozenset(life.names()) | frozenset(names or ())
        said: dict[str, Any] = {
            "member_id": self.member_id, "member_epoch": self.generation,
            "instance_id": self.instance_id, "rack_id": None, "client_id": self.name,
            "client_host": "/a", "rebalance_timeout_ms": self.rebalance_ms if joins else -1,
            "subscribed_topic_names": names, "server_assignor": None,
            "owned": {} if joins else None, "looked_up": asked if chance.below(8) else None,
            "topics": {t: (f"id-{t}", life.counts[t]) for t in sorted(asked) if t in life.counts},
            "racks": life.racks, "client_assignors": self.said if joins else None,
        }  # fmt: skip
        made = {**said, **self.news, **over}
        self.said, self.news = made["client_assignors"] or self.said, {}
        return events.ConsumerHeartbeat(ticket=life.ticket(self), **made)

    def leave(self) -> events.Event:
        chance = self.life.chance
        if chance.once_in(4):
            return super().leave()
        return self.beat(member_epoch=chance.pick((-1, -2)), subscribed_topic_names=None)

    def _install(self, prepared: Prepared) -> events.Event:
        """Everything to one, or in turn; ``failure`` now and then."""
        chance, self.prepared = self.life.chance, None
        ids = [member.subscriber.member_id for member in prepared.members]
        given: dict[str, set[tuple[str, int]]] = {member_id: set() for member_id in ids}
        for topic, (topic_id, count) in prepared.topics.items():
            takers = [
                m.subscriber.member_id for m in prepared.members if topic_id in m.subscriber.topics
            ]
            for p in range(count if takers else 0):
                given[takers[(p + len(topic)) % len(takers)]].add((topic_id, p))
        targets = {member_id: frozenset(parts) for member_id, parts in given.items()}
        failure = "it cannot" if chance.once_in(5) else None
        return events.InstallAssignment(
            ticket=self.life.ticket(self), member_id=self.member_id, member_epoch=self.generation,
            group_epoch=prepared.group_epoch, targets={} if failure else targets, failure=failure,
        )  # fmt: skip

    def _odd_install(self) -> events.Event:
        chance = self.life.chance
        parts = frozenset(chance.some((("id-t", 0), ("id-t", 99), ("id-x", 0)), 2))
        return events.InstallAssignment(
            ticket=self.life.ticket(self), member_id=self.member_id, member_epoch=self.generation,
            group_epoch=self.life.group.durable.group.generation + chance.pick((-1, 0, 0, 1)),
            targets=dict.fromkeys(chance.some(("nobody", *self.life.ids()), 2), parts),
        )  # fmt: skip

    def bent(self, event: events.Event) -> events.Event:
        chance = self.life.chance
        if isinstance(event, events.ConsumerHeartbeat) and chance.once_in(3):
            owned = {"id-t": (0, 1), "id-u": (chance.below(3),)}
            return replace(event, owned=chance.pick((owned, {"id-t": (0,)}, None)))
        return super().bent(event)

    def hear(self, reply: Reply) -> None:
        if isinstance(reply, Prepared):
            self.is_asked = False
            self.prepared = reply if reply.error is ErrorCode.NONE else None
        if not isinstance(reply, ConsumerBeaten):
            return
        if reply.error in LOST or reply.member_epoch < 0:
            self.forget()
        elif reply.error is ErrorCode.NONE:
            self.member_id = reply.member_id or self.member_id
            self.generation, self.is_asked = reply.member_epoch, reply.should_assign
            if reply.assignment is not None:
                self.told = dict(reply.assignment)
