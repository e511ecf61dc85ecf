"""A rebalance as one fact: how long it took, why, whom it waited for, and for how long nobody
worked on partitions meanwhile (docs/facts.md). Pure.

Each kind writes its ``Round`` in the step that ends the rebalance. Its causes and waits are those
of the journal's explanation, which is made once (``explanation``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import Final, NamedTuple

from groups.core.explanation import Awaited, Episode, Explanation, Share
from groups.core.journal import EntryKind
from groups.core.values import quick

Millis = int

PartitionMillis = int
"""Partitions times milliseconds."""


class Outcome(StrEnum):
    """How a rebalance ended. ``INTERRUPTED``: another one began before there was an assignment."""

    ASSIGNED = "assigned"
    INTERRUPTED = "interrupted"
    EMPTIED = EntryKind.EMPTIED.value


class Idle(NamedTuple):
    """For how long nobody worked on partitions, in partition-milliseconds, since the last round.

    ``stopped_ms``: of members that stayed, from when they stopped until they got their assignment.
    ``silent_ms``: of members that were removed, from their last sign of life until then.
    ``unowned_ms``: without an owner. ``parts``: partitions that have none now, ``since``: the sum
    of the times since when.
    """

    stopped_ms: PartitionMillis = 0
    silent_ms: PartitionMillis = 0
    unowned_ms: PartitionMillis = 0
    parts: int = 0
    since: PartitionMillis = 0

    def stopped(self, still: PartitionMillis) -> "Idle":
        """Members that stay did not work on their partitions for so long."""
        return self._replace(stopped_ms=self.stopped_ms + still)

    def freed(
        self, parts: int, now: Millis, silent_ms: Millis, stopped_at: Millis | None
    ) -> "Idle":
        """A member with so many partitions is removed, which had stopped before, or was silent."""
        stopped_ms = 0 if stopped_at is None else max(0, now - stopped_at)
        silent_ms = max(0, silent_ms) if stopped_at is None else 0
        return Idle(
            self.stopped_ms + parts * stopped_ms,
            self.silent_ms + parts * silent_ms,
            self.unowned_ms,
            self.parts + parts,
            self.since + parts * now,
        )

    def until(self, now: Millis) -> "Idle":
        """The sums at the end of a round."""
        unowned_ms = self.unowned_ms + self.parts * now - self.since
        return Idle(self.stopped_ms, self.silent_ms, unowned_ms)


NEVER_IDLE: Final = Idle()


@quick
@dataclass(frozen=True, slots=True)
class Round:
    """One rebalance that has ended, ``age_ms`` ago, after ``ms``. ``generation``: the one that it
    led to. ``moved``: partitions with another owner than before. ``episodes``: what it waited for.
    """

    generation: int
    outcome: Outcome
    ms: Millis
    causes: tuple[Share, ...]
    episodes: tuple[Episode, ...]
    members: int
    moved: int = 0
    idle: Idle = NEVER_IDLE
    age_ms: Millis = 0
    is_partial: bool = False

    @property
    def size(self) -> int:
        """About how many waits it has."""
        return self.members + sum(len(phase.ends) for e in self.episodes for phase in e.phases)

    def awaited(self, least_ms: Millis = 0) -> Sequence[Awaited]:
        """Every member that was waited for, for so long at least, a row for each act, by act, end
        and member: in rounds of the same members in the same order, which packs well."""
        every = (row for episode in self.episodes for row in episode.awaited())
        rows = [row for row in every if row.ms >= least_ms]
        rows.sort(key=attrgetter("member_id"))
        return sorted(rows, key=attrgetter("act", "end"))


def of(
    generation: int,
    outcome: Outcome,
    parts: Sequence[Explanation | None],
    members: int,
    *,
    moved: int = 0,
    idle: Idle = NEVER_IDLE,
    age_ms: Millis = 0,
) -> Round:
    """The round whose phases are explained one by one, None: by nobody. The first has the causes;
    what the others took is time of its first cause."""
    causes: tuple[Share, ...] = ()
    episodes: tuple[Episode, ...] = ()
    ms, is_partial = 0, False
    for part in parts:
        if part is None:
            is_partial = True
            continue
        if not causes:
            causes = part.causes
        elif part.ms:
            causes = (causes[0]._replace(ms=causes[0].ms + part.ms), *causes[1:])
        if part.episode is not None:
            episodes = (*episodes, part.episode)
        ms, is_partial = ms + part.ms, is_partial or part.is_partial
    return Round(
        generation, outcome, ms, causes, episodes, members, moved, idle, age_ms, is_partial
    )
