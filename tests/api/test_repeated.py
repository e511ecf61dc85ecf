"""A rebalance requested twice with one key happens once, though the web is killed before it
has answered."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from http import HTTPStatus
from itertools import count
from typing import Any

import psycopg
import pytest

from launcher.installation import Installation
from tests.api.test_installation import GROUP, Rest
from tests.clients.conftest import Worker, stock_consumer
from tests.installations import SETTINGS
from tests.launcher.waiting import until

pytestmark = pytest.mark.long

ASKED = "SELECT count(*) FROM rollcall_operation WHERE idempotency_key LIKE %s"
PATH = f"/groups/{GROUP}/rebalances"
REASON = {"reason": "a new deployment"}


@pytest.fixture
def running() -> Iterator[Installation]:
    """One whose web may be killed."""
    with Installation(SETTINGS) as installation:
        yield installation


@pytest.fixture
def worker(running: Installation) -> Iterator[Worker]:
    with stock_consumer(running.kafka, GROUP) as consumer:
        yield consumer


def answers(rest: Rest) -> bool:
    try:
        return rest.ask("GET", "/me")[0] == HTTPStatus.OK
    except OSError:
        return False


def asked_and_killed(running: Installation, rest: Rest, key: str) -> bool:
    """Ask with this key, and kill the web once the operation is recorded: whether it died before
    it had answered."""
    url = (running.data_dir / "database-url").read_text().strip()
    with psycopg.connect(url, autocommit=True) as connection, ThreadPoolExecutor() as threads:
        headers = {"Idempotency-Key": key, "Prefer": "wait=20"}
        answer: Future[Any] = threads.submit(rest.ask, "POST", PATH, REASON, **headers)
        of_key = [f"%:{key}"]
        until(lambda: connection.execute(ASKED, of_key).fetchone() == (1,), "recorded", 60)
        os.kill(running.web_pid(), signal.SIGKILL)
        until(lambda: answers(rest), "the web again", 60)
        return isinstance(answer.exception(), OSError)


def test_a_repeated_request_takes_effect_once(running: Installation, worker: Worker) -> None:
    rest = Rest(running.web)
    for key in map("deploy-{}".format, count()):
        rest.settle(worker)
        before = rest.group()["generation"]
        if asked_and_killed(running, rest, key):
            break  # else the rebalance was over before the web was: once more
    headers = {"Idempotency-Key": key, "Prefer": "wait=20"}
    status, told, operation = rest.ask("POST", PATH, REASON, **headers)
    assert (status, operation["outcome"]) == (HTTPStatus.OK, "changed")
    assert told["Idempotency-Replayed"] == "true"

    rest.settle(worker)
    assert rest.group()["generation"] == before + 1 == operation["generation"]
    rebalances = rest.ask("GET", PATH)[2]["data"]
    assert [entry["generation_after"] for entry in rebalances][:2] == [before + 1, before]
