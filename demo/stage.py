"""One group on its stage: its members do what the plot says, and every event is printed.

What happens when is in ``plot.py``; how a member does it, in ``member.py`` and ``process.py``.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import count, groupby
from typing import Protocol

from demo import member
from demo.cast import LIBRARY, WIRE, Kind, Part, Scene, Troupe
from demo.ours import LibraryMember
from demo.plot import Act, Beat
from demo.process import StockMember

Say = Callable[[str], None]


class Player(Protocol):
    """A member, of any client."""

    async def enter(self) -> None:
        """Begin to live."""

    async def leave(self) -> None:
        """Say goodbye and stop."""

    async def crash(self) -> None:
        """Stop without a word."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What all stages share. Times are in seconds. ``draft`` is where the draft is spoken."""

    bootstrap: str
    draft: str
    seed: int
    work_s: float


class Stage:
    """One group, played by one library."""

    def __init__(
        self, troupe: Troupe, library: str, terms: Terms, session_s: float, say: Say
    ) -> None:
        self.troupe = troupe
        self.library = library
        self.terms = terms
        self.session_s = session_s
        self._say = say
        self._entrances = count()
        self._players: dict[str, Player] = {}
        self._held: dict[str, tuple[int, ...]] = {}

    async def perform(self, beats: Iterable[Beat]) -> None:
        """Play until cancelled; in the end all members leave."""
        try:
            for beat in beats:
                await asyncio.sleep(beat.pause_s)
                self.say(f"{beat.name} {beat.act.value}{self._why(beat)}")
                await self._act(beat)
        finally:
            await asyncio.gather(*(player.leave() for player in self._players.values()))

    def say(self, text: str) -> None:
        """One line, with the group's name in front."""
        self._say(f"{self.troupe.name:<11} {text}")

    async def _act(self, beat: Beat) -> None:
        if beat.act in (Act.JOIN, Act.RETURN):
            player = self._players[beat.name] = self._player(beat.name)
            await player.enter()
            return
        player = self._players[beat.name]
        await (player.leave() if beat.act is Act.LEAVE else player.crash())
        del self._players[beat.name]
        self._held.pop(beat.name, None)

    def _player(self, name: str) -> Player:
        def tell(held: Collection[int]) -> None:
            self._print_assignment(name, tuple(sorted(held)))

        part = self._part(name)
        if self.library == LIBRARY:
            return LibraryMember(part, tell)
        if self.library == WIRE:
            return member.member(part, self.troupe.partitions, tell)
        return StockMember(part, tell, lambda text: self.say(f"{name} {text}"))

    def _part(self, name: str) -> Part:
        troupe, terms = self.troupe, self.terms
        return Part(
            library=self.library,
            kind=troupe.kind.name,
            bootstrap=terms.draft if troupe.kind is Kind.DRAFT else terms.bootstrap,
            group=troupe.group,
            topic=troupe.topic,
            name=name,
            session_ms=int(self.session_s * 1000),
            work_ms=int(terms.work_s * 1000),
            seed=f"{terms.seed}/{troupe.name}/{name}/{next(self._entrances)}",
        )

    def _print_assignment(self, name: str, held: tuple[int, ...]) -> None:
        """Say what a member holds, where that is news."""
        if held == self._held.get(name, ()):
            return
        self._held[name] = held
        self.say(f"    {name} works on {spans(held) if held else 'nothing now'}")

    def _why(self, beat: Beat) -> str:
        """What there is to add to an act."""
        is_static = self.troupe.kind is Kind.STATIC
        match beat.act, beat.scene:
            case Act.JOIN, _:
                return f" ({self.troupe.kind.value}; {self.library})"
            case Act.CRASH, Scene.CRASH:
                return f"; the group misses it in about {self.session_s:g} s"
            case Act.LEAVE, _ if is_static:
                return "; it is static, so the group waits until its session has ended"
            case Act.RETURN, Scene.RESTART:
                return " to its old place" if is_static else " before the group has missed it"
        return ""


def spans(numbers: Iterable[int]) -> str:
    """Numbers in order, with whole runs as "FIRST-LAST"."""
    runs = groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    ends = ([number for _, number in run] for _, run in runs)
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in ends)
