"""The interpreter looks for garbage more often beside long requests, and only then."""

import gc

import pytest

from protocol.connection.application import LARGE_FRAME_BYTES
from protocol.connection.connection import KafkaConnection
from protocol.limits.garbage import THRESHOLDS_WITH_LONG, LongRequests
from rollcall.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tests.server.serving import Serving


def test_the_last_to_finish_restores_the_garbage_collector() -> None:
    before, requests = gc.get_threshold(), LongRequests()
    requests.begin()
    requests.begin()
    requests.end()
    assert gc.get_threshold() == THRESHOLDS_WITH_LONG
    requests.end()
    assert gc.get_threshold() == before


async def test_a_long_request_counts_until_it_is_answered(
    served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Held for as long as its client would wait, so that it can be seen."""
    before, seen = gc.get_threshold(), set[tuple[int, int, int]]()
    client, _ = await served.connect()
    hold = KafkaConnection.hold

    async def noted(connection: KafkaConnection, seconds: float) -> None:
        seen.add(gc.get_threshold())
        await hold(connection, seconds)

    monkeypatch.setattr(KafkaConnection, "hold", noted)
    partitions = [FetchPartition(partition=n) for n in range(LARGE_FRAME_BYTES // 16)]
    request = FetchRequest(max_wait_ms=1, topics=[FetchTopic(topic="t", partitions=partitions)])
    await client.call(request, 4)
    assert seen == {THRESHOLDS_WITH_LONG}
    assert gc.get_threshold() == before
    await client.call(FetchRequest(max_wait_ms=1), 4)
    assert seen == {THRESHOLDS_WITH_LONG, before}
    client.close()
