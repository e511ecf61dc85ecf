"""An hour or more of one group, recorded from the rules themselves: clients that send every
heartbeat (``proof.stories``), which come, leave, crash, stall, restart and are removed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any, Final

from groups.core import events
from groups.core.assignment import assignment_of
from groups.core.assignors.types import Subscriber
from groups.core.group import Decision, Group
from groups.core.replies import JoinedMember
from pipeline.what_if import assignment
from pipeline.what_if.ledger import Ledger
from pipeline.what_if.recording import Recording
from proof.stories.members import SESSION_MS, ClassicMember, ConsumerMember, Member
from proof.stories.world import RULES, World

MEMBERS: Final = 6
ACTS_AN_HOUR: Final = 40


class Classic(ClassicMember):
    """A member whose leader assigns as stock clients do."""

    def deal(self, members: Sequence[JoinedMember]) -> Mapping[str, bytes]:
        known = self.world.group.durable.members
        subscribers = [
            Subscriber(m, known[m].instance_id, frozenset({"t"}), frozenset())
            for m in (each.member_id for each in members)
            if m in known
        ]
        counts = {"t": self.world.parts}
        shares = assignment.LEADERS["range"](subscribers, counts) if subscribers else {}
        return {m: assignment_of(parts, 1) for m, parts in shares.items()}


CLASSES: Final[Mapping[str, type[Member]]] = {"classic": Classic, "consumer": ConsumerMember}


class Hours:
    """One group for some hours."""

    def __init__(self, kind: str, seed: int, session_ms: int = SESSION_MS) -> None:
        self.world = Watched(kind, seed, session_ms)
        self.world.parts = 12
        self.rng = Random(seed)
        self.members: list[Member] = []
        self.done: list[str] = []

    def live(self, hours: float) -> None:
        """From the first member to the end."""
        for _ in range(MEMBERS):
            self.come()
            self.world.run(self.world.now + self.rng.randrange(400))
        for _ in range(round(ACTS_AN_HOUR * hours)):
            self.world.run(self.world.now + self.rng.randrange(2 * 3_600_000 // ACTS_AN_HOUR))
            name = self.rng.choice(sorted(ACTS))
            self.done.append(f"{self.world.now} {name}")
            ACTS[name](self)
        self.world.run(self.world.now + 60_000)

    def _one(self) -> Member:
        living = [member for member in self.members if not member.is_gone]
        return self.rng.choice(living)

    def come(self) -> None:
        """A client joins."""
        name = f"m{len(self.members)}"
        instance = name if self.rng.random() < 0.3 else None
        slow_ms = self.rng.choice([20, 50, 400, 1_200])
        member = CLASSES[self.world.kind](self.world, name, instance, slow_ms=slow_ms)
        self.members.append(member)
        member.later(0, member.begin)
        self.world.run(self.world.now + 1)

    def leave(self) -> None:
        """One leaves, another comes a little later."""
        self._one().leave()
        self.world.run(self.world.now + self.rng.randrange(20_000))
        self.come()

    def crash(self) -> None:
        """One dies, another comes a little later."""
        self._one().kill()
        self.world.run(self.world.now + self.rng.randrange(60_000))
        self.come()

    def stall(self) -> None:
        """One stands still for a while."""
        self._one().stop(self.rng.choice([3_000, 12_000, 18_000, 60_000]))

    def restart(self) -> None:
        """A static one restarts."""
        static = [m for m in self.members if m.instance_id is not None and not m.is_gone]
        if static:
            self.rng.choice(static).restart()

    def grow(self) -> None:
        """The topic grows; leaders of classic groups see it by their own metadata, and join."""
        self.world.parts += 1
        if self.world.kind == "classic":
            self.force()

    def force(self) -> None:
        """An operator forces a rebalance."""
        event = events.ForceRebalance(operation_id=len(self.done), actor="ops", reason="a test")
        self.world.step(event, None)


ACTS: Final[Mapping[str, Callable[[Hours], None]]] = {
    "leave": Hours.leave,
    "leave too": Hours.leave,
    "crash": Hours.crash,
    "stall": Hours.stall,
    "stall too": Hours.stall,
    "restart": Hours.restart,
    "grow": Hours.grow,
    "force": Hours.force,
}


class Watched(World):
    """A world whose decisions are in a ledger as well."""

    def __init__(self, kind: str, seed: int, session_ms: int) -> None:
        super().__init__(kind, seed)
        self.ledger, self.session_ms = Ledger(f"{kind}-{seed}"), session_ms
        rules = replace(RULES, group_consumer_session_timeout_ms=session_ms)
        self.group = self.group.with_rules(rules)

    def step(self, event: events.Event, sender: Any) -> None:
        """Decide, commit, tell; members ask for this session timeout."""
        if isinstance(event, events.JoinGroup):
            event = replace(event, session_timeout_ms=self.session_ms)
        super().step(event, sender)

    def decided(self, before: Group, event: events.Event) -> Decision:
        """Decide, and note it."""
        decision = super().decided(before, event)
        self.ledger.note(self.now, decision)
        return decision


@cache
def recorded(kind: str, seed: int, hours: float = 1.0, session_ms: int = SESSION_MS) -> Recording:
    """One group's hours, which nobody changes: making them takes three times as long as a replay.
    What clients do is the same under another session timeout."""
    story = Hours(kind, seed, session_ms)
    story.live(hours)
    return story.world.ledger.recording(1_000_000, story.world.now)


__all__ = ["RULES", "recorded"]
