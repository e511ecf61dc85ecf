"""A receiver, and a server in this process that sends it its spans."""

import os
from collections.abc import AsyncIterator, Iterator

import pytest

from groups.tracing import context, provider
from groups.tracing.spans import NodeSpans
from tests.server.conftest import _prepared, other
from tests.server.serving import Serving, serving
from tests.tracing.receiver import Receiver, receiving

__all__ = ["_prepared", "other"]


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """What this process traces goes here; afterwards it traces nothing."""
    with receiving() as started:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", started.url)
        try:
            yield started
        finally:
            while provider._started:
                _, ended = provider._started.popitem()
                ended.shutdown()
            context.use(context.Nothing())


@pytest.fixture
async def traced(_prepared: None, receiver: Receiver) -> AsyncIterator[Serving]:
    """A server that owns every slot and is traced."""
    started = provider.start(os.environ, "rollcall-node", "node-0")
    assert started is not None
    async with serving(spans=NodeSpans(started)) as served:
        yield served
