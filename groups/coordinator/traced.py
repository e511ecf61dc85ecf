"""The membership queue's committer where traces are wanted: it notes when what was done.

What happens is in ``committer`` and ``batch_writer``. A node without traces uses those, and has
none of this in its way; the queue of offsets is never traced (docs/tracing.md).
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groups.coordinator.batch_writer import BatchWriter, Work
from groups.coordinator.committer import Committer
from groups.coordinator.entries import GroupEntry
from groups.coordinator.repeated_commits import NOTHING, Taken
from groups.core.events import Event
from groups.core.group import Decision, Millis

if TYPE_CHECKING:
    from groups.tracing.spans import NodeSpans, Step


@dataclass(frozen=True, slots=True)
class TracedWork(Work):
    """With its times."""

    step: "Step"


class TracedWriter(BatchWriter):
    """Notes when a transaction began and when it had committed."""

    async def _apply(self, works: Sequence[Work], taken: Taken = NOTHING) -> None:
        _begin(works)
        await super()._apply(works, taken)
        _written(works)

    async def _attempt(self, work: Work) -> bool:
        _begin([work])
        return await super()._attempt(work)

    def _written(self, work: Work) -> Awaitable[None] | None:
        if not _step_of(work).written:  # by itself, beside its queue
            _written([work])
        return super()._written(work)


class TracedCommitter(Committer):
    """Notes when a step began and ended, and tells ``spans`` what is in force."""

    writer_class = TracedWriter

    def __init__(self, spans: "NodeSpans", *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.spans = spans
        self._began: dict[str, int] = {}

    def _step(self, entry: GroupEntry, events: Sequence[Event], now: Millis) -> Work | None:
        self._began[entry.group_id] = time.time_ns()
        try:
            return super()._step(entry, events, now)
        finally:
            del self._began[entry.group_id]

    async def _long_step(
        self,
        entry: GroupEntry,
        events: Sequence[Event],
        run: Callable[[Callable[[], Decision]], Awaitable[Decision]],
    ) -> None:
        self._began[entry.group_id] = time.time_ns()
        try:
            await super()._long_step(entry, events, run)
        finally:
            self._began.pop(entry.group_id, None)

    def _work(self, entry: GroupEntry, events: Sequence[Event], decision: Decision) -> Work:
        from groups.tracing.spans import Step

        step = Step(self._began[entry.group_id], time.time_ns())
        work = super()._work(entry, events, decision)
        return TracedWork(work.entry, work.events, work.write, work.size, step)

    def _finish(self, work: Work) -> Awaitable[None] | None:
        # Before the replies are sent: the requests' own spans end with them.
        self.spans.stepped(_step_of(work), work.events, work.write.decision)
        return super()._finish(work)


def _step_of(work: Work) -> "Step":
    assert isinstance(work, TracedWork)
    return work.step


def _begin(works: Sequence[Work]) -> None:
    for work in works:
        _step_of(work).is_being_written(len(works))


def _written(works: Sequence[Work]) -> None:
    now = time.time_ns()
    for work in works:
        _step_of(work).written = now
