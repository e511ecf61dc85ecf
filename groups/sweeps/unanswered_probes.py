"""Slots without an echo: observations of one sweeping process, on its own monotonic clock.

Pure decisions about given observations. Nothing here reads a clock or a database, and times in
which this process or the database was unavailable do not count.
"""

from collections.abc import Iterable
from typing import NamedTuple

from groups.core.group import Millis

GAP_MS = 2_500
"""Maximum time between two checks. After a longer gap this process was suspended, or had no sweeps,
and does not know what happened meanwhile."""

SLOW_LOOK_MS = 1_000
"""A check that took longer proves no silence: the database, or this process, was slow."""


class UnansweredProbe(NamedTuple):
    """A slot that has not echoed the sweep's number, and its epoch."""

    slot: int
    epoch: int
    probe: int


class UnansweredProbes:
    """Since when each probe has been seen without an echo."""

    def __init__(self, lease_ms: Millis) -> None:
        self.lease_ms = lease_ms
        self._since: dict[UnansweredProbe, Millis] = {}
        self._looked: Millis | None = None

    def forget(self) -> None:
        """A check failed: earlier observations do not count any more."""
        self._since.clear()
        self._looked = None

    def look(
        self, open_now: Iterable[UnansweredProbe], began: Millis, ended: Millis
    ) -> list[UnansweredProbe]:
        """Process the open probes, read between these times; returns those that have been open for
        a whole lease."""
        if self._looked is None or began - self._looked > GAP_MS or ended - began > SLOW_LOOK_MS:
            self._since.clear()
        self._looked = ended
        self._since = {question: self._since.get(question, ended) for question in open_now}
        return [q for q, since in self._since.items() if began - since >= self.lease_ms]
