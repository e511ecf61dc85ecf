"""How late the run's own loop is, as records of the history.

Members, and the proxies before nodes and database, live in one process. While the machine does not
let it run, nobody speaks and nothing arrives; the history has to know that, or what only the run
missed would look like a coordinator's fault.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from proof.chaos.record import Record, now

LOOK_S: Final = 0.05

LATE_S: Final = 0.25
"""By how much a look is late before it is written down: no session is a matter of less."""


@asynccontextmanager
async def lateness(record: Record, clock: Callable[[], float] = now) -> AsyncIterator[None]:
    """Write down each time at which the loop did not run for a while."""
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
