"""The membership queue's committer where traces are wanted: it notes when what was done.

What happens is in ``committer`` and ``batch_writer``. A node without traces uses those, and has
none of this in its way; the queue of offsets is never traced (docs/tracing.md).
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groups.core.events import Event
from groups.core.group import Decision, Millis
from groups.runtime.batch_writer import BatchItem, BatchWriter
from groups.runtime.committer import Committer
from groups.runtime.entries import GroupEntry
from groups.runtime.repeated_commits import NOTHING, AcceptedRepeats

if TYPE_CHECKING:
    from groups.tracing.spans import NodeSpans, Step


@dataclass(frozen=True, slots=True)
class TracedItem(BatchItem):
    """With its times."""

    step: "Step"


class TracedWriter(BatchWriter):
    """Notes when a transaction began and when it had committed."""

    async def _apply(self, items: Sequence[BatchItem], taken: AcceptedRepeats = NOTHING) -> None:
        _begin(items)
        await super()._apply(items, taken)
        _written(items)

    async def _attempt(self, item: BatchItem, waited_s: float) -> bool:
        _begin([item])
        return await super()._attempt(item, waited_s)

    def _written(self, item: BatchItem) -> Awaitable[None] | None:
        if not _step_of(item).written:  # by itself, beside its queue
            _written([item])
        return super()._written(item)


class TracedCommitter(Committer):
    """Notes when a step began and ended, and tells ``spans`` what is in force."""

    writer_class = TracedWriter

    def __init__(self, spans: "NodeSpans", *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.spans = spans
        self._began: dict[str, int] = {}

    def _step(self, entry: GroupEntry, events: Sequence[Event], now: Millis) -> BatchItem | None:
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

    def _item(self, entry: GroupEntry, events: Sequence[Event], decision: Decision) -> BatchItem:
        from groups.tracing.spans import Step

        step = Step(self._began[entry.group_id], time.time_ns())
        item = super()._item(entry, events, decision)
        return TracedItem(item.entry, item.events, item.write, item.size, step)

    def _finish(self, item: BatchItem) -> Awaitable[None] | None:
        # Before the replies are sent: the requests' own spans end with them.
        self.spans.stepped(_step_of(item), item.events, item.write.decision)
        return super()._finish(item)


def _step_of(item: BatchItem) -> "Step":
    assert isinstance(item, TracedItem)
    return item.step


def _begin(items: Sequence[BatchItem]) -> None:
    for item in items:
        _step_of(item).is_being_written(len(items))


def _written(items: Sequence[BatchItem]) -> None:
    now = time.time_ns()
    for item in items:
        _step_of(item).written = now
