"""Stock clients whose heartbeats are held as long as may be: closing and committing are not late.

Classic members beat every three seconds here, and are held for nearly all of it once the
coordinator has learnt their pace (``protocol.requests.pace``): the session is long enough for
either kind. Members of the consumer protocol beat every five, and are held for four and a half.
"""

import asyncio
import statistics
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress

import pytest

from launcher.installation import Installation
from tests.clients.conftest import Worker, topic
from tests.clients.programs import WORKERS
from tests.clients.test_sharing import ALL, share
from tests.installations import SETTINGS

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(900),  # the first of them builds
    pytest.mark.xdist_group("held"),
]

LIBRARIES = [name for name in WORKERS if not name.endswith(("-cooperative", "-static"))]

HELD = {
    **SETTINGS,
    "ROLLCALL_GROUP_HEARTBEAT_HOLD_MS": "20000",
    "ROLLCALL_GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS": "5000",
    "ROLLCALL_GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS": "5000",
    "ROLLCALL_GROUP_CONSUMER_HEARTBEAT_HOLD_PERCENT": "90",
}

HEARTBEAT_S = 3.0
SESSION_MS = 36_000

LEARNT_S = 5 * HEARTBEAT_S
"""A pace is known at the fourth heartbeat of a member."""

HELD_S = 4 * HEARTBEAT_S
"""So long commits are watched when the pace is known."""

COMMIT_S = 2.5
"""A commit and a read of what was committed, on a busy machine; half of them take less. (sarama's
wait for a fetch each, which takes half a second, and take up to two. While its heartbeats were
held, they took nine.)"""

CONSUMER_SESSION_S = 45.0
"""``group.consumer.session.timeout.ms``, which members of the consumer protocol cannot choose."""


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    """An installation that holds heartbeats for as long as it may."""
    with Installation(HELD) as running:
        yield running


@pytest.fixture(scope="module")
def pairs(installation: Installation) -> Iterator[Mapping[str, Future[None]]]:
    """What becomes of two members of each library that is installed: a future each. All are
    watched at once, since learning a pace takes as long for one as for all."""
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("HEARTBEAT_MS", str(round(HEARTBEAT_S * 1000)))
        started: dict[str, tuple[Worker, Worker]] = {}
        for library in LIBRARIES:
            with suppress(pytest.skip.Exception):  # its own test is skipped, too
                started[library] = _started(stack, library, installation.kafka)
        pool = stack.enter_context(ThreadPoolExecutor(len(started)))
        yield {library: pool.submit(watch, library, *two) for library, two in started.items()}


def _started(stack: ExitStack, library: str, bootstrap: str) -> tuple[Worker, Worker]:
    """Two members of a group, on a topic of its own; the stack ends them."""
    WORKERS[library].command()  # built, or skipped
    name = asyncio.run(topic(bootstrap, f"held-{library}"))
    one, other = (Worker.of(library, bootstrap, name, SESSION_MS) for _ in range(2))
    stack.callback(one.end)
    stack.callback(other.end)
    return one, other


def watch(library: str, one: Worker, other: Worker) -> None:
    """They commit while their pace is learnt and while heartbeats are held; then one leaves."""
    one.until(lambda: share(one, other), "three and three")
    one.commit(1)

    took, offset, learnt_at = [], 1, time.monotonic() + LEARNT_S
    while (began := time.monotonic()) < learnt_at + HELD_S:
        offset += 1
        assert set(one.commit(offset).values()) == {offset}
        if began >= learnt_at:
            took.append(time.monotonic() - began)
    assert statistics.median(took) < COMMIT_S, "each waited for a heartbeat before it"
    other.close()

    session_s = CONSUMER_SESSION_S if library.endswith("-848") else SESSION_MS / 1000
    one.until(lambda: one.owned == ALL, "it left: nobody waits for a session", session_s - 1)


@pytest.mark.parametrize("library", LIBRARIES)
def test_commits_and_close_do_not_wait_for_a_held_heartbeat(
    library: str, pairs: Mapping[str, Future[None]]
) -> None:
    WORKERS[library].command()  # skips it where its language is missing
    pairs[library].result()
