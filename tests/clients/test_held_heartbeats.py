"""Stock clients whose heartbeats are held as long as may be: closing and committing are not late.

Classic members beat each half second here, so they are held for a sixth of a second; members of
the consumer protocol beat every five, and are held for four and a half.
"""

import asyncio
import time
from collections.abc import Iterator

import pytest

from launcher.installation import Installation
from tests.clients.conftest import SESSION_MS, Start, topic
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
    "ROLLCALL_GROUP_HEARTBEAT_HOLD_MS": "2000",
    "ROLLCALL_GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS": "5000",
    "ROLLCALL_GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS": "5000",
    "ROLLCALL_GROUP_CONSUMER_HEARTBEAT_HOLD_PERCENT": "90",
}

COMMIT_S = 2.0
"""A commit and a read of what was committed, on a busy machine; half of a consumer's hold."""

CONSUMER_SESSION_S = 45.0
"""``group.consumer.session.timeout.ms``, which members of the consumer protocol cannot choose."""


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    """An installation that holds heartbeats for as long as it may."""
    with Installation(HELD) as running:
        yield running


@pytest.mark.parametrize("library", LIBRARIES)
def test_commits_and_closing_do_not_wait_for_a_held_heartbeat(
    library: str, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    one = start(library, installation.kafka, name)
    other = start(library, installation.kafka, name)
    one.until(lambda: share(one, other), "three and three")
    one.commit(1)

    for offset in range(2, 6):
        began = time.monotonic()
        assert set(one.commit(offset).values()) == {offset}
        assert time.monotonic() - began < COMMIT_S
    other.close()

    session_s = CONSUMER_SESSION_S if library.endswith("-848") else SESSION_MS / 1000
    one.until(lambda: one.owned == ALL, "it left: nobody waits for a session", session_s - 1)
