"""How late the run's own loop is, as records of the history.

Members, and the proxies before nodes and database, live in one process. While the machine does not
schedule it, no member sends or receives; the history has to know that, or else it would blame the
coordinator.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from proof.chaos.record import Record, now

LOOK_S: Final = 0.05

LATE_S: Final = 0.25
"""How late a check must be to be recorded: no session depends on less."""


@asynccontextmanager
async def lateness(record: Record, clock: Callable[[], float] = now) -> AsyncIterator[None]:
    """Record each time at which the loop did not run for a while."""
    looking = asyncio.create_task(_look(record, clock))
    try:
        yield
    finally:
        looking.cancel()
        await asyncio.wait([looking])


async def _look(record: Record, clock: Callable[[], float]) -> None:
    while True:
        begun = clock()
        await asyncio.sleep(LOOK_S)
        if (late_s := clock() - begun - LOOK_S) > LATE_S:
            record.late(begun, late_s)
