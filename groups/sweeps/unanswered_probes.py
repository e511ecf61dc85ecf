"""Which slots gave no echo: what one sweeping process has seen, on its own monotonic clock.

Judgement only: questions come in, verdicts go out. Nothing here reads a clock or a database,
and no verdict rests on a moment in which this process or the database was away.
"""

from collections.abc import Iterable
from typing import NamedTuple

from groups.core.group import Millis

GAP_MS = 2_500
"""Between two looks. After a longer gap this process was away, or was not asked to sweep, and
knows nothing of what happened meanwhile."""

SLOW_LOOK_MS = 1_000
"""A look that took longer saw nobody's silence: the database, or we, were slow."""


class UnansweredProbe(NamedTuple):
    """A slot that has not echoed the sweep's number, and the epoch under which it is owned."""

    slot: int
    epoch: int
    probe: int


class UnansweredProbes:
    """Since when each question has been seen without its answer."""

    def __init__(self, lease_ms: Millis) -> None:
        self.lease_ms = lease_ms
        self._since: dict[UnansweredProbe, Millis] = {}
        self._looked: Millis | None = None

    def forget(self) -> None:
        """A look failed: what was seen before it counts no more."""
        self._since.clear()
        self._looked = None

    def look(
        self, open_now: Iterable[UnansweredProbe], asked: Millis, told: Millis
    ) -> list[UnansweredProbe]:
        """Take in the open questions, read between these instants; returns those that have been
        open for a whole lease."""
        if self._looked is None or asked - self._looked > GAP_MS or told - asked > SLOW_LOOK_MS:
            self._since.clear()
        self._looked = told
        self._since = {question: self._since.get(question, told) for question in open_now}
        return [q for q, since in self._since.items() if asked - since >= self.lease_ms]
