"""Those who talk to the group: what each remembers of its answers, and what it says next.

Most of the time a person does what a client of its protocol does next; now and then it says
something old, odd or another's. A person never looks into the group, but for the commands of
a commanded one, which a poll would bring.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from groups.core import events
from groups.core.authors import Author
from groups.core.replies import Reply

if TYPE_CHECKING:
    from tests.walks.life import Life

TOPICS = ("t", "u", "v")
SESSIONS_MS = (6_000,) * 4 + (10_000,) * 4 + (30_000,) * 4 + (5_999, 1_800_001)
REBALANCES_MS = (5_000, 20_000, 60_000)


@dataclass
class Person(ABC):
    """One client as it sees itself. ``generation`` may be an epoch."""

    life: "Life"
    name: str
    instance_id: str | None = None
    member_id: str = ""
    generation: int = -1
    topics: tuple[str, ...] = ("t",)
    session_ms: int = 10_000
    rebalance_ms: int = 20_000
    is_busy: bool = False
    earlier: list[str] = field(default_factory=list)

    @abstractmethod
    def next(self) -> Iterator[events.Event]:
        """What it does now. Nothing: it waits, or has done it already."""

    @abstractmethod
    def hear(self, reply: Reply) -> None:
        """The answer to what it has said last."""

    def odd(self) -> Iterator[events.Event]:
        """The same, with something about it that is not right."""
        for event in self.next():
            yield self.bent(event)

    def bent(self, event: events.Event) -> events.Event:
        """Another id, instance, generation or epoch, where there is one."""
        chance, ids = self.life.chance, ("", "nobody", *self.earlier, *self.life.ids())
        about = {
            **dict.fromkeys(("member_id", "consumer_id"), chance.pick(ids)),
            "instance_id": chance.pick((None, "i-1", "i-2", "i-9")),
            **dict.fromkeys(
                ("generation_id", "member_epoch"),
                self.generation + chance.pick((-2, -1, 1)),
            ),
            "session_timeout_ms": chance.pick((5_999, 6_000, 30_000, 30_001, 1_800_000, 1_800_001)),
        }
        found = [name for name in about if hasattr(event, name)]
        changed: Any = {name: about[name] for name in chance.some(found, 1)}
        return replace(event, **changed)

    def changes_its_mind(self) -> None:
        chance = self.life.chance
        self.topics = chance.some(TOPICS, 3)
        self.session_ms, self.rebalance_ms = chance.pick(SESSIONS_MS), chance.pick(REBALANCES_MS)

    def mends(self) -> None:
        """Its request was refused as wrong."""
        self.session_ms, self.rebalance_ms = 10_000, 20_000

    def starts_again(self) -> None:
        """Its process dies and comes back: it remembers nothing but its instance."""
        self.forget()

    def forget(self) -> None:
        if self.member_id:
            self.earlier.append(self.member_id)
        self.member_id, self.generation, self.is_busy = "", -1, False

    # -- what all of them may say

    def writes(self, *, told: bool = False) -> tuple[events.OffsetWrite, ...]:
        """Offsets of some partitions; ``told``: with an author, so that there is a history."""
        chance = self.life.chance
        at = chance.some([(t, p) for t in TOPICS for p in range(2)], 3)
        author = Author(self.member_id, self.name, "/h") if told else None
        return tuple(
            events.OffsetWrite(
                t, p, chance.below(100), chance.pick((-1, 3)), chance.pick(("", "note")),
                chance.pick((None, 5)), chance.pick((None, 60_000)), author,
            )
            for t, p in at
        )  # fmt: skip

    def commit(self) -> events.Event:
        chance = self.life.chance
        outsider = events.Outsider(Author("", self.name, "/h"), goes_on=chance.once_in(2))
        alone = chance.once_in(5)
        return events.OffsetCommit(
            ticket=self.life.ticket(self), version=chance.pick((1, 8, 9, 9, 9, 9)),
            generation_id=-1 if alone else self.generation,
            member_id="" if alone else self.member_id,
            instance_id=None if alone else self.instance_id,
            offsets=self.writes(told=chance.once_in(2)),
            outsider=outsider if chance.once_in(2) else None,
        )  # fmt: skip

    def commit_in_transaction(self) -> events.Event:
        chance = self.life.chance
        alone = chance.once_in(3)
        return events.TxnOffsetCommit(
            ticket=self.life.ticket(self), producer_id=chance.pick((7, 8)),
            producer_epoch=chance.below(2), generation_id=-1 if alone else self.generation,
            member_id="" if alone else self.member_id,
            instance_id=None if alone else self.instance_id, offsets=self.writes(),
        )  # fmt: skip

    def leave(self) -> events.Event:
        chance, life = self.life.chance, self.life
        others = [person for person in life.people if chance.once_in(6)]
        leavers = tuple(
            events.Leaver(
                "" if one.instance_id and chance.once_in(3) else one.member_id or "nobody",
                one.instance_id, chance.pick((None, "bye")),
            )
            for one in (self, *others)
        )  # fmt: skip
        return events.LeaveGroup(ticket=life.ticket(self), members=leavers)

    def counts(self) -> Mapping[str, int]:
        return {name: self.life.counts[name] for name in self.topics if name in self.life.counts}
