"""A node's tasks go on after a defect: what arrives from outside ends no process.

A task that fails is logged and started again, each time a little later. One that fails again and
again does its work no more, whatever else does: the node then gives its slots away, so that others
serve them, and stays to be looked at.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from groups.cluster.lease import NodeIdTaken
from groups.event_loop import lasting

logger = logging.getLogger(__name__)

AGAIN_S, AGAIN_S_MAX = 0.1, 5.0
"""Before a task is started again: at first, and at the most."""

FAILURES_MAX = 5
"""Failures in a row after which the node gives its slots away."""

CALM_S = 60.0
"""A task that ran for so long has got over what made it fail before."""


async def supervised(
    name: str, work: Callable[[], Awaitable[None]], give_up: Callable[[str], None]
) -> None:
    """Do the work until it ends by itself or is cancelled. ``give_up`` is told, with every failure
    from the fifth in a row on, what is wrong."""
    loop, failures = asyncio.get_running_loop(), 0
    while True:
        began = loop.time()
        try:
            return await lasting(work())
        except NodeIdTaken:
            raise  # this process is not the node any more
        except Exception as error:
            failures = 1 if loop.time() - began > CALM_S else failures + 1
            logger.exception("%s failed, for the %d. time in a row", name, failures)
            if failures >= FAILURES_MAX:
                give_up(f"{name} fails: {error}")
        await asyncio.sleep(min(AGAIN_S_MAX, AGAIN_S * 2 ** (failures - 1)))
