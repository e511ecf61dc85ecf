"""Library members as processes, beside those of stock clients."""

import sys
import uuid
from collections.abc import Callable, Iterator

import pytest

from launcher.installation import Installation
from tests.clients.conftest import SESSION_MS, Worker
from tests.server.conftest import _prepared, served

__all__ = ["_prepared", "served"]

Join = Callable[..., Worker]

LIBRARY = "library"


@pytest.fixture
def name() -> str:
    """A group and a topic of the test's own."""
    return f"lib-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def join(installation: Installation, name: str) -> Iterator[Join]:
    """Starts a worker: ``join("library", "range")`` or ``join("java")``; ends all with the test."""
    workers: list[Worker] = []

    def begin(who: str, how: str = "") -> Worker:
        if who == LIBRARY:
            command = [sys.executable, "-m", "tests.client_library.worker", how]
            worker = Worker([*command, installation.kafka, name])
        else:
            worker = Worker.of(who, installation.kafka, name, SESSION_MS)
        workers.append(worker)
        return worker

    yield begin
    for worker in workers:
        worker.end()
