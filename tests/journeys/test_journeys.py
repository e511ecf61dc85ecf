"""Three requests, followed from file to file: what has to be read to understand them.

A bound holds what was won when files that are only read together became one
(docs/architecture.md, *Three journeys*).
"""

from collections.abc import Awaitable, Callable
from itertools import count

from groups.core.errors import ErrorCode
from tests.journeys.tracing import Journey, traced
from tests.server.client import join
from tests.server.serving import Serving

TIMES = 5


async def shortest(request: Callable[[], Awaitable[object]]) -> Journey:
    """Of several, once everything has been used: what is compiled at first is compiled."""
    await request()
    journeys: list[Journey] = []
    for _ in range(TIMES):
        with traced() as journey:
            await request()
        journeys.append(journey)
    return min(journeys, key=lambda journey: len(journey.calls))


async def test_a_join_crosses_few_files(served: Serving) -> None:
    client, _ = await served.connect()
    numbers = count()

    async def request() -> None:
        joined = await client.call(join(f"g{next(numbers)}"), 3)
        assert joined.error_code == ErrorCode.NONE

    journey = await shortest(request)

    assert "groups/core/classic/join.py" in journey.files
    assert "groups/store/apply.py" in journey.files
    assert len(journey.files) <= 43, journey.told()


async def test_a_heartbeat_is_answered_by_five_files(served: Serving) -> None:
    client, _ = await served.connect()
    beat = await client.settled("g")

    async def request() -> None:
        assert (await client.call(beat, 3)).error_code == ErrorCode.NONE

    journey = await shortest(request)

    assert "protocol/heartbeat_fast_path.py" in journey.files
    assert len(journey.files) <= 6, journey.told()
