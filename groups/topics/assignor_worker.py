"""Computes target assignments beside the event loop (KIP-1263).

A step requests the computation; a thread does it here; the result goes into the group's inbox as an
event. There are no rules here, and no state that matters: a lost computation is requested again
(``groups.core.consumer.target_schedule``).
"""

import asyncio
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from time import perf_counter

from groups import event_loop
from groups.core.assignors.task import AssignmentTask, AssignorFailed
from groups.core.consumer.target_schedule import ANSWER_MS_MAX
from groups.core.consumer.targets import ready as ready_targets
from groups.core.events import TargetComputed
from groups.runtime.runtime import CoordinatorRuntime

MS_PER_S = 1_000

SWITCH_S = 0.001
"""How long the thread runs before the event loop has its turn, which it needs for every read and
every write; with Python's default of 5 ms each request would wait five times as long."""

logger = logging.getLogger(__name__)


class Line:
    """Computes requested targets one after the other; for each group only the newest request."""

    def __init__(self, coordinator: CoordinatorRuntime) -> None:
        self._coordinator = coordinator
        self._tasks: dict[str, AssignmentTask] = {}
        self._wake = asyncio.Event()

    def submit(self, group_id: str, question: AssignmentTask) -> None:
        """Queue a request; an older one of the group is dropped."""
        self._tasks[group_id] = question
        self._wake.set()

    async def run(self) -> None:
        """Compute one after the other, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._tasks:
                group_id = next(iter(self._tasks))
                await self._answer(group_id, self._tasks.pop(group_id))

    async def _answer(self, group_id: str, question: AssignmentTask) -> None:
        # In a thread, which alternates with the loop: requests wait milliseconds, not for all of
        # it. Sending all the data to a process would take longer.
        with short_turns():
            event = await asyncio.to_thread(answer, group_id, question)
        self._coordinator.submit(group_id, event)


class ForeignLine(Line):
    """The same for one assignor that the installation provides: its run time is unknown."""

    async def _answer(self, group_id: str, question: AssignmentTask) -> None:
        work = asyncio.create_task(event_loop.foreign(partial(answer, group_id, question)))
        await asyncio.wait({work}, timeout=ANSWER_MS_MAX / MS_PER_S)
        if not work.done():
            error = f"The assignor {question.name} has not ended for a minute."
            logger.error("group %r: %s", group_id, error)
            late = TargetComputed(question=question, targets=None, error=error)
            self._coordinator.submit(group_id, late)
        self._coordinator.submit(group_id, await work)


class Assigning:
    """Computes targets for the groups that this node owns: one line for the built-in assignors, and
    one for each other assignor, so that one that does not end blocks no others."""

    def __init__(self, coordinator: CoordinatorRuntime) -> None:
        self._coordinator = coordinator
        self._ours = Line(coordinator)
        self._others: dict[str, tuple[Line, asyncio.Task[None]]] = {}

    def submit(self, group_id: str, question: AssignmentTask) -> None:
        """Queue a request; an older one of the group is dropped."""
        self._line_of(question).submit(group_id, question)

    def _line_of(self, question: AssignmentTask) -> Line:
        if not question.is_foreign:
            return self._ours
        if question.name not in self._others:
            line = ForeignLine(self._coordinator)
            self._others[question.name] = line, asyncio.create_task(line.run())
        return self._others[question.name][0]

    async def run(self) -> None:
        """Compute until cancelled."""
        try:
            await self._ours.run()
        finally:
            for _, task in self._others.values():
                task.cancel()
            self._others.clear()


@contextmanager
def short_turns() -> Iterator[None]:
    """Use ``SWITCH_S`` while a thread works beside the event loop."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def answer(group_id: str, question: AssignmentTask) -> TargetComputed:
    """Compute the target, and the values that the step that installs it needs."""
    began = perf_counter()
    try:
        targets = question.answer()
    except AssignorFailed as error:
        logger.exception("group %r: no target", group_id)
        return TargetComputed(question=question, targets=None, error=str(error))
    took_ms = (perf_counter() - began) * MS_PER_S
    logger.info("group %r: %s took %d ms", group_id, question.name, took_ms)
    ready = ready_targets(question, targets)
    return TargetComputed(question=question, targets=targets, ready=ready)
