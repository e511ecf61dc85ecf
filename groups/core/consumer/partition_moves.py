"""What changed hands in a rebalance, and how long it had no owner meanwhile: for the journal.

Gathered while it happens, told once when the rebalance has ended, and bounded in what it names.
Nothing is decided by it, and it lives in memory only: a new owner begins anew.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from groups.core.assignors.types import Part
from groups.core.group import Millis

PAIRS_NAMED_MAX = 20
"""Givers and takers that one entry names, those with most partitions first; others are counted."""

PARTITIONS_NAMED_MAX = 5
"""Partitions named for each pair, and of those that were without owner for longest."""

Name = Callable[[Part], str]


class Handed(NamedTuple):
    """How many partitions one member had and another has now, and some of them."""

    partitions: int
    some: tuple[Part, ...]


@dataclass(slots=True)
class Moves:
    """``freed``: what nobody holds now, since when, and who did. ``longest``: those that had no
    owner for longest, with milliseconds; ``unowned`` counts all that had none for a while."""

    freed: dict[Part, tuple[Millis, str]] = field(default_factory=dict)
    handed: dict[tuple[str, str], Handed] = field(default_factory=dict)
    longest: tuple[tuple[Millis, Part], ...] = ()
    unowned: int = 0

    def copy(self) -> "Moves":
        """A copy that a step may change."""
        return Moves(self.freed.copy(), self.handed.copy(), self.longest, self.unowned)

    def free(self, parts: Iterable[Part], giver: str, since: Millis) -> None:
        """Nobody holds these any more."""
        self.freed.update(dict.fromkeys(parts, (since, giver)))

    def give(self, parts: Iterable[Part], taker: str, now: Millis) -> None:
        """Somebody holds these from now on. What was nobody's before did not change hands."""
        waits: list[tuple[Millis, Part]] = []
        for part in sorted(parts):
            since, giver = self.freed.pop(part, (now, taker))
            if now > since:
                waits.append((now - since, part))
            if giver != taker:
                count, some = self.handed.get((giver, taker), (0, ()))
                some = (*some, part) if count < PARTITIONS_NAMED_MAX else some
                self.handed[giver, taker] = Handed(count + 1, some)
        self.unowned += len(waits)
        self.longest = _longest((*self.longest, *waits))

    def told(self, members: Collection[str], name: Name) -> dict[str, Any]:
        """The facts for a journal entry, in JSON's types."""
        pairs = sorted(self.handed.items(), key=lambda item: (-item[1].partitions, item[0]))
        return {
            "handed_over": [
                {
                    "from": giver,
                    "to": taker,
                    "gone": giver not in members,
                    "partitions": count,
                    "some": [name(part) for part in some],
                }
                for (giver, taker), (count, some) in pairs[:PAIRS_NAMED_MAX]
            ],
            "handed_over_pairs": len(pairs),
            "unowned": self.unowned,
            "unowned_longest_ms": self.longest[0][0] if self.longest else 0,
            "unowned_longest": [[name(part), ms] for ms, part in self.longest],
        }


def _longest(waits: Iterable[tuple[Millis, Part]]) -> tuple[tuple[Millis, Part], ...]:
    return tuple(sorted(waits, key=lambda wait: (-wait[0], wait[1]))[:PARTITIONS_NAMED_MAX])
