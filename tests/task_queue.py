"""A queue of tasks without a worker: a test sees what was sent to it."""

from collections.abc import Iterator
from typing import Any

import pytest
from kombu import Connection, pools

from coordinator_site.celery import app


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """kombu's own broker in memory, in place of the one that the installation has."""
    with Connection("memory://") as connection:
        monkeypatch.setattr(app.amqp, "_producer_pool", pools.producers[connection])
        with connection.SimpleQueue("rollcall") as queue:
            queue.clear()
            yield queue
    pools.reset()
