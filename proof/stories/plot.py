"""A story: members come, are slow, stopped, killed, restarted, leave or are removed, and the group
is taken over in between. By a seed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from groups.core import events
from groups.core.assignors.client_side import ClientAssignor
from groups.core.commanded.group import CommandedGroup
from groups.core.draft.group import DraftGroup
from proof.stories.members import CLASSES, ClassicMember, ConsumerMember, Member
from proof.stories.truth import Truth
from proof.stories.world import MIXED, World

KINDS: Final = (*CLASSES, MIXED)

ACTS_MAX: Final = 14
LONGEST_PAUSE_MS: Final = 9_000
MEMBERS_MAX: Final = 8

END_MS: Final = 60_000
"""After the last act, so that every rebalance ends."""


@dataclass
class Cast:
    """All members that ever were."""

    members: list[Member] = field(default_factory=list)

    def by_name(self, name: str) -> Member | None:
        """The member with this name."""
        return next((member for member in self.members if member.name == name), None)


class Story:
    """One story. ``told``: what was done, for a reader who looks for a mistake."""

    def __init__(self, kind: str, seed: int) -> None:
        self.world = World(kind, seed)
        self.cast = Cast()
        self.truth = Truth(self.world, self.cast)
        self.world.watcher = self.truth
        self.told: list[str] = []
        self._operations = 0
        self._assigns = self.world.rng.choice([0.0, 0.0, 0.6]) if kind == "consumer" else 0.0
        self._is_cooperative = kind == MIXED and self.world.rng.random() < 0.5

    def play(self) -> Truth:
        """From the first member to the end."""
        rng = self.world.rng
        for _ in range(rng.randrange(1, 4)):
            self._come()
            self._wait(rng.choice([0, 5, 700]))
        for _ in range(rng.randrange(3, ACTS_MAX)):
            self._wait(rng.choice([0, 30, 400, 2_000, LONGEST_PAUSE_MS]))
            name = rng.choice(sorted(ACTS))
            self.told.append(f"{self.world.now} {name}")
            ACTS[name](self)
        self.world.freeze(is_on=False)
        self._wait(END_MS)
        return self.truth

    def _wait(self, at_most: int) -> None:
        self.world.run(self.world.now + (self.world.rng.randrange(at_most) if at_most else 0))

    def _living(self) -> list[Member]:
        return [member for member in self.cast.members if not member.is_gone]

    def _one(self) -> Member | None:
        living = self._living()
        return self.world.rng.choice(living) if living else None

    # -- what may happen

    def _come(self) -> None:
        if len(self._living()) >= MEMBERS_MAX:
            return
        rng, number = self.world.rng, len(self.cast.members)
        is_static = self.world.kind in ("classic", "consumer", MIXED) and rng.random() < 0.3
        name = f"m{number}"
        kind = rng.choice(("classic", "consumer")) if self.world.kind == MIXED else self.world.kind
        member = CLASSES[kind](
            self.world, name, name if is_static else None,
            slow_ms=rng.choice([20, 50, 1_200, 6_000, 18_000]),
            rebalance_ms=rng.choice([4_000, 15_000]),
        )  # fmt: skip
        if isinstance(member, ConsumerMember) and rng.random() < self._assigns:
            member.own = (ClientAssignor("mine"),)
        if isinstance(member, ClassicMember):
            member.is_cooperative = self._is_cooperative
        self.cast.members.append(member)
        member.later(0, member.begin)
        self.world.run(self.world.now + 1)

    def _stop(self) -> None:
        member = self._one()
        if member is not None:
            member.stop(self.world.rng.choice([500, 3_000, 30_000]))

    def _kill(self) -> None:
        member = self._one()
        if member is not None:
            member.kill()

    def _leave(self) -> None:
        member = self._one()
        if member is not None and member.stopped_until <= self.world.now:
            member.leave()

    def _restart(self) -> None:
        member = self._one()
        if member is not None and member.instance_id is not None:
            member.restart()

    def _evict(self) -> None:
        rows = list(self.world.group.durable.members)
        if rows:
            member_id, self._operations = self.world.rng.choice(rows), self._operations + 1
            self.world.step(
                events.EvictMember(
                    operation_id=self._operations, actor="ops", reason="a test", member_id=member_id
                ),
                None,
            )

    def _force(self) -> None:
        self._operations += 1
        self.world.step(
            events.ForceRebalance(operation_id=self._operations, actor="ops", reason="a test"), None
        )

    def _grow(self) -> None:
        self.world.parts += 1
        if isinstance(self.world.group, DraftGroup | CommandedGroup):
            self.world.step(events.TopicsChanged(counts={"t": self.world.parts}), None)

    def _take_over(self) -> None:
        self.world.take_over()

    def _freeze(self) -> None:
        self.world.freeze(is_on=not self.world.rules.guards.frozen)


ACTS: Final[Mapping[str, Callable[[Story], None]]] = {
    "a member comes": Story._come,
    "another comes": Story._come,
    "a member is stopped": Story._stop,
    "a member is killed": Story._kill,
    "a member leaves": Story._leave,
    "a static member restarts": Story._restart,
    "a member is evicted": Story._evict,
    "a rebalance is forced": Story._force,
    "the topic grows": Story._grow,
    "another node takes over": Story._take_over,
    "an operator freezes the group, or thaws it": Story._freeze,
}
