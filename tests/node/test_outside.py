"""Input from outside ends no node: notifications of any session, addresses of other nodes."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from console.live.hub import Hub, revisions
from groups.catalogue import cache
from groups.cluster.failure_detector import nobody_listens
from groups.core.rows import slot_of
from groups.operations import requests
from groups.postgres.channels import Rung
from groups.postgres.connections import Connection
from groups.postgres.doorbell import Doorbell, Listener
from groups.reporting import observers
from groups.store.sql import configs, liveness, pauses, slots
from tests.node.running import Running
from tests.node.test_verbs import ask, reached

CHANNELS = (
    cache.Catalogue.BELL,
    requests.BELL,
    configs.BELL,
    liveness.LOOK_BELL,
    liveness.WATCH_BELL,
    pauses.BELL,
    slots.BELL,
    observers.BELL,
)

ODD = (
    "",
    "x",
    "x" * 7_999,
    "\uffff",
    "1" * 7_999,
    "[" * 7_999,
    "null",
    "{}",
    '{"slot": []}',
    '{"slot": 0, "groups": 7}',
    '{"slot": 0, "groups": [null, {}]}',
    '{"slot": 99999999999999999999, "groups": []}',
    '{"g": "1"}',
    '{"g": -1}',
    '{"g": 99999999999999999999}',
)


async def ring(other: Connection, channel: str, payload: str) -> None:
    await other.execute("SELECT pg_notify(%s, %s)", [channel, payload])


async def test_no_notification_ends_a_node(one: Running, other: Connection) -> None:
    """And it serves the next request."""
    for channel in CHANNELS:
        joined = await one.settled("g")
        for payload in ODD:
            await ring(other, channel, payload)
        evicted = await ask(other, "g", "evict", joined.member_id)
        await ring(other, requests.BELL, str(slot_of("g")))

        state, *_ = await reached(other, evicted, "succeeded", "failed")
        assert (state, one.stopped) == ("succeeded", False), channel


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["slot", "groups", "g"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(said=JSON)
async def test_any_text_of_revisions_is_parsed_or_ignored(said: object) -> None:
    found = revisions(json.dumps(said))
    assert all(type(n) is int and 0 <= n < 2**63 for n in found.values())
    await Hub().groups_rang((json.dumps(said),))


async def test_an_unreadable_notification_makes_a_listener_check_everything(
    other: Connection,
) -> None:
    """Later rings are read as ever; a second odd one is not answered before a second is over."""
    heard: list[Rung] = []

    async def listener(rung: Rung) -> None:
        heard.append(rung)
        if rung == ("odd",):
            raise KeyError(rung)

    async with _rings({"bell": listener}):
        while heard != [None]:
            await asyncio.sleep(0.01)
        for payload in ("odd", "odd", "odd"):
            await ring(other, "bell", payload)
        while len(heard) < 3:
            await asyncio.sleep(0.01)
        await ring(other, "bell", "fine")
        while heard[-1] != ("fine",):
            await asyncio.sleep(0.01)
    assert heard == [None, ("odd",), None, ("fine",)]


@asynccontextmanager
async def _rings(listeners: dict[str, Listener]) -> AsyncIterator[None]:
    task = asyncio.create_task(Doorbell(listeners, by_clock=None).run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


@pytest.mark.parametrize(
    ("host", "port"),
    [("a..b", 9092), ("x" * 70 + ".example", 9092), ("127.0.0.1", 70_000), ("\0", 9092)],
)
async def test_an_invalid_address_is_not_reported_as_closed(host: str, port: int) -> None:
    assert not await nobody_listens(host, port)
