"""Restarts a node's tasks after a defect: no input from outside ends the process.

A failed task is logged and started again, each time a little later. After several failures in
sequence the task does not work any more: the node then gives its slots away, so that others serve
them, and keeps running for analysis.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from groups.cluster.lease import NodeIdTaken
from groups.event_loop import lasting

logger = logging.getLogger(__name__)

AGAIN_S, AGAIN_S_MAX = 0.1, 5.0
"""The pause before a task is started again: the first, and the maximum."""

FAILURES_MAX = 5
"""Failures in sequence after which the node gives its slots away."""

CALM_S = 60.0
"""After a task ran for this long, a failure counts as the first."""


async def supervised(
    name: str, work: Callable[[], Awaitable[None]], give_up: Callable[[str], None]
) -> None:
    """Run the work until it ends or is cancelled. ``give_up`` is called with the error at the fifth
    failure in sequence and each one after it."""
    loop, failures = asyncio.get_running_loop(), 0
    while True:
        began = loop.time()
        try:
            return await lasting(work())
        except NodeIdTaken:
            raise  # another process has the node id
        except Exception as error:
            failures = 1 if loop.time() - began > CALM_S else failures + 1
            logger.exception("%s failed, for the %d. time in a row", name, failures)
            if failures >= FAILURES_MAX:
                give_up(f"{name} fails: {error}")
        await asyncio.sleep(min(AGAIN_S_MAX, AGAIN_S * 2 ** (failures - 1)))
