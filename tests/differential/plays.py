"""A scenario: steps that are plain data, chosen by a seed, and played on each side in turn.

``do`` plays a step on one side and returns what is compared. Which step comes next may depend on
what the first side's members know; a step itself never does, so that it can be played anywhere,
again, or without some of the others.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar

from tests.differential.talking import Answer, Member, Side

Step = tuple[Any, ...]

HELD = "held"
"""What a request is that has no answer yet."""

LOOK_S = 1.0
"""How long an answer is waited for that may be held. Only live: a recording knows."""

SETTLE_S = 2.0
"""By how much Kafka's coordinator may be behind its metadata, beside a machine that is busy."""

LONG_S = 20.0
"""How long one is waited for that the other side has given."""


Parked = Callable[[str], int]
"""How many requests of a group have no answer yet: a server in this process can tell."""


class Play(ABC):
    """One scenario. ``counts``: the topics and partitions that there are at first."""

    counts: ClassVar[dict[str, int]] = {"A": 4, "B": 2}
    letters: ClassVar[str] = "AB"
    steps_max: ClassVar[int] = 30

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.now = dict(self.counts)
        self.sides: list[Side] = []
        self.wanted: Answer = None
        self.is_live = True
        self.parked: Parked = _nobody_parks
        self.is_downgraded = False
        self.was_refused = False
        self.pending_left = False
        self.emptied_for_pending = False

    async def open(self, *addresses: str) -> None:
        """Topics and connections."""
        self.sides = [Side(address, self.tag, self.letters) for address in addresses]
        for side in self.sides:
            for letter, count in self.counts.items():
                if count:
                    assert await side.create(letter, count) == "NONE"
        await self.settle()
        for side in self.sides:
            await side.ask_again("FindCoordinator", 2, key=side.group, key_type=0)
            await self.prepare(side)

    async def prepare(self, side: Side) -> None:
        """Make what is there before the first step. The topics can be seen."""
        await side.learn()

    async def close(self) -> None:
        """Forget the connections."""
        for side in self.sides:
            await side.close()

    async def settle(self) -> None:
        """Wait until every side shows the topics as they are to be. Kafka's coordinator hears of
        them a little later than who asks for metadata, and nothing says when."""
        wanted = {letter: count for letter, count in self.now.items() if count}
        for side in self.sides:
            while await side.learn() != wanted:
                await asyncio.sleep(0.02)
        if self.is_live:
            await asyncio.sleep(SETTLE_S)

    @property
    def ours(self) -> Side:
        """Rollcall's side: the last."""
        return self.sides[-1]

    @abstractmethod
    def choose(self, rnd: Random, side: Side) -> Step:
        """The next step, by chance."""

    async def do(self, side: Side, step: Step) -> Answer:
        """Play one step on one side."""
        return side.short(await getattr(self, step[0])(side, *step[1:]))

    def note(self, step: Step, answer: Answer) -> None:
        """The first side has answered: remember what accepted differences follow from."""
        if step[0] == "cleave" and any(self.member(self.ours, i).was_handed_out for i in step[1]):
            self.pending_left = True
        if step[0] == "cleave" and self._leave_it_to_pending(step[1]):
            self.emptied_for_pending = True
        if step[0] == "claim" and answer[0] in ("INVALID_PRODUCER_EPOCH", "PRODUCER_FENCED"):
            self.was_refused = True

    def _leave_it_to_pending(self, leavers: Sequence[int]) -> bool:
        """Whether there are only these members, and another client has a pending id."""
        others = [m for i, m in self.ours.members.items() if i not in leavers]
        return any(m.was_handed_out for m in others) and not any(m.is_in for m in others)

    def member(self, side: Side, i: int) -> Member:
        """What a member knows."""
        return side.members.setdefault(i, Member(f"m{i}-{self.tag}"))

    # -- topics

    async def topic(self, side: Side, how: str, letter: str, count: int) -> Answer:
        """A topic comes, grows or goes."""
        if how == "create":
            answer = await side.create(letter, count)
        elif how == "grow":
            answer = await side.grow(letter, count)
        else:
            answer = await side.drop(letter)
        self.now[letter] = count
        if side is self.ours:
            await self.settle()
        return answer

    def choose_topic(self, rnd: Random) -> Step:
        """A change of the catalogue."""
        letter = rnd.choice(self.letters)
        count = self.now.get(letter, 0)
        if not count:
            return ("topic", "create", letter, rnd.randint(1, 4))
        if rnd.random() < 0.5:
            return ("topic", "grow", letter, count + 1)
        return ("topic", "drop", letter, 0)

    # -- answers that may be held

    async def hear(self, member: Member) -> Any:
        """The answer that a member waits for; HELD where there is none yet."""
        assert member.waits is not None
        if self.wanted == HELD and not self.is_live:
            await self._has_parked()
            if not member.waits.done():
                return HELD
        is_awaited = self.wanted is not None and self.wanted != HELD
        done, _ = await asyncio.wait({member.waits}, timeout=LONG_S if is_awaited else LOOK_S)
        if not done:
            return HELD
        answer, member.waits = member.waits.result(), None
        return answer

    async def _has_parked(self) -> None:
        """Wait until all that the server has not answered yet has reached its group."""
        waits = [m.waits for m in self.ours.members.values() if m.waits is not None]
        while self.parked(self.ours.group) != sum(not task.done() for task in waits):
            await asyncio.sleep(0.001)


def _nobody_parks(group_id: str) -> int:
    return 0


Judge = Callable[[Play, Step, Answer, Answer], "Accepted | None"]


@dataclass(frozen=True)
class Accepted:
    """A difference that is known and meant. ``goes_on``: the scenario does, too."""

    name: str
    kinds: tuple[str, ...]
    reason: str
    is_this: Callable[[Play, Step, Answer, Answer], bool]
    goes_on: bool = False


@dataclass
class Outcome:
    """How a scenario went: what was asked, what each side said, and where they parted."""

    lines: list[tuple[Step, Answer]] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    parted: tuple[Step, Answer, Answer] | None = None

    @property
    def sign(self) -> tuple[Any, ...]:
        """What makes two endings the same."""
        if self.parted is None:
            return ()
        step, *answers = self.parted
        return (step[0], *(a[0] if isinstance(a, tuple | list) and a else str(a) for a in answers))


async def perform(play: Play, steps: Iterable[Step], judge: Judge) -> Outcome:
    """Play steps on both sides until they part, or part in a known way that ends it."""
    outcome = Outcome()
    for step in steps:
        play.wanted = None
        theirs = await play.do(play.sides[0], step)
        play.note(step, theirs)
        play.wanted = theirs
        if not await _goes_on(play, step, theirs, judge, outcome):
            break
    return outcome


async def replay(play: Play, lines: Sequence[tuple[Step, Answer]], judge: Judge) -> Outcome:
    """The same with answers that were recorded."""
    play.is_live = False
    outcome = Outcome()
    for step, theirs in lines:
        play.note(step, theirs)
        play.wanted = theirs
        if not await _goes_on(play, step, theirs, judge, outcome):
            break
    return outcome


async def _goes_on(play: Play, step: Step, theirs: Answer, judge: Judge, outcome: Outcome) -> bool:
    answer = await play.do(play.ours, step)
    if answer == theirs:
        outcome.lines.append((step, theirs))
        return True
    known = judge(play, step, theirs, answer)
    if known is None:
        outcome.parted = (step, theirs, answer)
        return False
    outcome.accepted.append(known.name)
    if known.goes_on:
        outcome.lines.append((step, theirs))
    return known.goes_on


def chosen(play: Play, rnd: Random) -> Iterable[Step]:
    """Steps by chance, each after the one before was played."""
    for _ in range(play.steps_max):
        yield play.choose(rnd, play.sides[0])
