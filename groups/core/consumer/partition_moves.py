"""Which partitions changed their holder in a rebalance, and how long they had none: for the
journal.

Collected during the rebalance, written once at its end, and limited in length. Nothing depends on
it, and it is in memory only: a new owner starts again.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from groups.core.assignors.types import Part
from groups.core.group import Millis
from groups.core.rounds import Idle
from groups.core.values import replaced

PAIRS_NAMED_MAX = 20
"""Pairs of old and new holder that one entry names, those with most partitions first; others are
only counted."""

PARTITIONS_NAMED_MAX = 5
"""Partitions that are named for each pair, and of those that had no holder for longest."""

Name = Callable[[Part], str]


class Freed(NamedTuple):
    """A partition without a holder: since when nobody worked on it, its last holder, and when that
    one gave it up or was removed."""

    since: Millis
    giver: str
    at: Millis


class Handed(NamedTuple):
    """The number of partitions that moved from one member to another, and some of them."""

    partitions: int
    some: tuple[Part, ...]


@dataclass(slots=True)
class Moves:
    """``freed``: partitions without a holder now. ``longest``: those
    that had none for longest, with milliseconds; ``unowned`` counts all that had none for a
    while, ``unowned_ms`` and ``silent_ms`` for how long in all, before and after their holder was
    removed: partition-milliseconds."""

    freed: dict[Part, Freed] = field(default_factory=dict)
    handed: dict[tuple[str, str], Handed] = field(default_factory=dict)
    longest: tuple[tuple[Millis, Part], ...] = ()
    unowned: int = 0
    unowned_ms: Millis = 0
    silent_ms: Millis = 0

    def copy(self) -> "Moves":
        """A copy that a step may change."""
        return replaced(self, freed=self.freed.copy(), handed=self.handed.copy())

    def free(self, parts: Iterable[Part], giver: str, since: Millis, now: Millis) -> None:
        """These partitions have no holder any more."""
        self.freed.update(dict.fromkeys(parts, Freed(since, giver, now)))

    def give(self, parts: Iterable[Part], taker: str, now: Millis) -> None:
        """These partitions have a holder from now on. One that had none at the start did not
        move."""
        waits: list[tuple[Millis, Part]] = []
        for part in sorted(parts):
            since, giver, at = self.freed.pop(part, (now, taker, now))
            self.unowned_ms += now - at
            self.silent_ms += at - since
            if now > since:
                waits.append((now - since, part))
            if giver != taker:
                count, some = self.handed.get((giver, taker), (0, ()))
                some = (*some, part) if count < PARTITIONS_NAMED_MAX else some
                self.handed[giver, taker] = Handed(count + 1, some)
        self.unowned += len(waits)
        self.longest = _longest((*self.longest, *waits))

    def idle(self, now: Millis) -> Idle:
        """For how long partitions had no worker, those that have none now among them."""
        silent_ms = self.silent_ms + sum(freed.at - freed.since for freed in self.freed.values())
        unowned_ms = self.unowned_ms + sum(now - freed.at for freed in self.freed.values())
        return Idle(silent_ms=silent_ms, unowned_ms=unowned_ms)

    def details(self, members: Collection[str], name: Name) -> dict[str, Any]:
        """The details for a journal entry, as JSON values."""
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
