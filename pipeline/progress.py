"""How far a run is: a line at the terminal and in its row, by stage and per cent.

A stage's share of the work is not known beforehand, so each counts alike; within a stage, the tasks
that Spark has completed.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark import SparkContext

EVERY_S = 1.0
"""People look about so often."""

Note = Callable[[str, int], None]
"""Takes the stage, and how much of the whole run is done, in per cent."""


class Progress:
    """Of one run with so many stages."""

    def __init__(self, stages: int, note: Note) -> None:
        self._stages = stages
        self._note = note
        self._done = -1
        self._stage = ""
        self._last = ("", 0)
        self._told = threading.RLock()

    def begin(self, stage: str) -> None:
        """The next stage; what was done before counts as complete, but for what goes on beside it:
        per cents are rough there."""
        with self._told:
            self._done += 1
            self._stage = stage
            self.note(0.0)

    def note(self, share: float) -> None:
        """So much of the current stage is done. What has not changed is not repeated, and it never
        goes back: Spark plans more tasks while it works."""
        with self._told:
            percent = min(99, int(100 * (self._done + share) / self._stages))
            percent = max(percent, self._last[1])
            if self._last != (self._stage, percent):
                self._last = (self._stage, percent)
                self._note(self._stage, percent)

    @contextmanager
    def watching(self, context: "SparkContext") -> Iterator[None]:
        """Note the tasks that Spark completes meanwhile."""
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(EVERY_S):
                self.note(share_of_tasks(context))

        watcher = threading.Thread(target=watch, name="progress", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()


def share_of_tasks(context: "SparkContext") -> float:
    """Of the tasks of the stages that Spark works on, the share that is completed."""
    tracker = context.statusTracker()
    stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
    total = sum(stage.numTasks for stage in stages if stage is not None)
    done = sum(stage.numCompletedTasks for stage in stages if stage is not None)
    return done / total if total else 0.0
