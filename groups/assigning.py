"""Large targets, worked out beside the event loop: from question to event (KIP-1263).

The step says what is to be worked out; here it is, in a thread, one at a time; the answer goes into
the group's inbox like any other event. No rule, and no state that matters: what is lost here is
asked for again (``groups.core.consumer.batching``).
"""

import asyncio
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from groups.coordinator import Coordinator
from groups.core.assignors.question import AssignorFailed, Question
from groups.core.consumer.targets import ready as ready_targets
from groups.core.events import TargetComputed

MS_PER_S = 1_000

SWITCH_S = 0.001
"""How long the thread runs before the event loop has its turn, which it needs for every read and
every write; Python's own 5 ms would let each request wait five times as long."""

logger = logging.getLogger(__name__)


class Assigning:
    """Answers the questions of the groups that this node owns, the newest of each group."""

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator
        self._asked: dict[str, Question] = {}
        self._wake = asyncio.Event()
        coordinator.question = self.ask

    def ask(self, group_id: str, question: Question) -> None:
        """Work this out when its turn comes; an older question of the group is dropped."""
        self._asked[group_id] = question
        self._wake.set()

    async def run(self) -> None:
        """One after the other, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._asked:
                group_id = next(iter(self._asked))
                question = self._asked.pop(group_id)
                # A thread takes turns with the loop: requests wait milliseconds, not for the whole
                # of it. A process of its own would have to be sent all of it, which takes longer.
                with short_turns():
                    event = await asyncio.to_thread(answer, group_id, question)
                self._coordinator.submit(group_id, event)


@contextmanager
def short_turns() -> Iterator[None]:
    """While a thread works beside the event loop."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def answer(group_id: str, question: Question) -> TargetComputed:
    """Work the target out, and what the step that goes by it needs."""
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
