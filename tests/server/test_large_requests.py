"""Every API, as large as a request may be: others do not wait for it.

Generated from the tables of both listeners, so that no API can be without its cases.
"""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from benchmarks.wire import create_topic
from protocol.apis import APIS
from protocol.connection.connection import QUEUED_FRAMES_MAX, WRITE_BUFFER_MAX, KafkaConnection
from protocol.draft_apis import DRAFT_APIS
from protocol.limits.garbage import THRESHOLDS
from protocol.limits.request_limits import MAXIMA, refused
from protocol.requests.api_row import Api
from protocol.requests.refusals import Refusal
from protocol.server import SWITCH_S
from rollcall.wire.codec import decode, encode
from rollcall.wire.limits import REPLY_BYTES_MAX
from tests.server.client import SMALL
from tests.server.large_requests import (
    PARTITIONS,
    TICK_S,
    TOPICS,
    Case,
    Gauge,
    Raw,
    arrays,
    cases,
    filled,
    largest,
    measured,
    slowness,
    smallest,
)
from tests.server.serving import Serving, serving, until

TURN_S_MAX = 0.150
"""Of the loop's own CPU time, on a machine that is not slower than usual. 50 ms is the goal; beside
a garbage collection the same takes twice as long, and what ought to be done in pieces takes
hundreds."""

GROWN_BYTES_MAX = 128 * 1024 * 1024
"""100,000 elements of a refused request and of its answer are a hundred megabytes for a moment."""

UNREAD_GROWN_MAX = 64 * 1024 * 1024
"""For who pipelines and reads nothing."""

PARTS = 4
"""Of the APIs, each before one server: its start costs more than the few requests. One of them
is not long."""

FEW, SOME, MANY = 300, 1_000, 10_000
"""Requests in a row."""

CALM = 300
"""Looks at a connection in a row that find nothing more served: parked, or blocked."""

TABLES: Mapping[str, Mapping[int, Api]] = {"": APIS, "draft ": DRAFT_APIS}

EVERY = [(table, key) for table, apis in TABLES.items() for key in apis]
NAMES = [f"{table}{TABLES[table][key].name}" for table, key in EVERY]


@pytest.fixture(autouse=True)
def _as_in_production() -> Any:
    before, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(SWITCH_S)
    gc.set_threshold(*THRESHOLDS)
    yield
    sys.setswitchinterval(before)
    gc.set_threshold(*thresholds)


def was_short(gauge: Gauge) -> bool:
    """Whether no turn of the loop took longer than it may; a slow machine may take longer."""
    return gauge.turn_s <= TURN_S_MAX or gauge.turn_s <= TURN_S_MAX * slowness()


async def worst(served: Serving, table: str, case: Case) -> str | None:
    """What is wrong with how this case was served; None where nothing is."""
    data = case.data
    client = await Raw.connect(served.draft_address if table else served.address)
    with measured() as gauge:
        await client.send(data)
        size = await client.reply_bytes()
    client.close()
    seen = (
        f"{case.version} {case.name}: {gauge.turn_s * 1000:.0f} ms, process"
        f" {gauge.process_s * 1000:.0f} ms, +{gauge.grown_bytes >> 20} MB, reply {size} bytes of"
        f" {len(data)}"
    )
    print(seen)
    is_well = was_short(gauge) and gauge.grown_bytes <= GROWN_BYTES_MAX
    return None if is_well and size <= REPLY_BYTES_MAX else seen


@pytest.fixture
async def brisk(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    """A server that answers at once what it otherwise holds: how long is not what is measured."""
    settings.FETCH_HOLD_MIN_MS = settings.GROUP_INITIAL_REBALANCE_DELAY_MS = 0
    async with serving() as started:
        yield started


async def prepare(served: Serving) -> None:
    """Topics as large as a topic may be."""
    for number in range(TOPICS):
        await create_topic(served.address, f"big{number}", PARTITIONS)


QUICK = {10}
"""FindCoordinator stands for all in ``make test``."""

FEW_OR_LONG = [
    pytest.param(table, key, marks=() if key in QUICK and not table else pytest.mark.long, id=name)
    for (table, key), name in zip(EVERY, NAMES, strict=True)
]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("table", "key"), FEW_OR_LONG)
async def test_a_large_request_does_not_block_the_loop(
    brisk: Serving, table: str, key: int
) -> None:
    api = TABLES[table][key]
    await prepare(brisk)
    found = [
        await worst(brisk, table, case) for case in cases(api, api.max_version, brisk.node.settings)
    ]
    assert [one for one in found if one] == []


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("table", "key"), EVERY, ids=NAMES)
async def test_the_largest_request_of_every_version_does_not_block_the_loop(
    brisk: Serving, table: str, key: int
) -> None:
    api = TABLES[table][key]
    await prepare(brisk)
    found = [
        await worst(brisk, table, case)
        for version in range(api.min_version, api.max_version)
        for case in largest(api, version, brisk.node.settings)
    ]
    assert [one for one in found if one] == []


async def unread(served: Serving, table: str, case: Case, count: int) -> str | None:
    """What is wrong after so many of this request in a row, of whose replies none is read."""
    known = set(served.connections)
    client = await Raw.connect(served.draft_address if table else served.address, SMALL)
    await until(lambda: set(served.connections) - known)
    (connection,) = set(served.connections) - known
    sending = asyncio.create_task(client.send(case.data * count))
    with measured() as gauge:
        most = await _quiet(connection, count)
    served_count = connection.requests
    sending.cancel()
    client.close()
    await until(lambda: connection._transport is None)
    seen = (
        f"{case.version}: {served_count} of {count} served, {gauge.turn_s * 1000:.0f} ms,"
        f" +{gauge.grown_bytes >> 20} MB, at most {most.frames} frames and {most.reply_bytes} bytes"
    )
    print(seen)
    is_well = (
        was_short(gauge)
        and gauge.grown_bytes <= UNREAD_GROWN_MAX
        and most.frames <= QUEUED_FRAMES_MAX + 1
        and most.reply_bytes <= WRITE_BUFFER_MAX + REPLY_BYTES_MAX
    )
    return None if is_well else seen


@dataclass(slots=True)
class Most:
    """What a connection held at the most."""

    frames: int = 0
    reply_bytes: int = 0


async def _quiet(connection: KafkaConnection, count: int) -> Most:
    """Look on until all was served, or nothing more is."""
    most, before, calm = Most(), -1, 0
    while connection.requests < count and calm < CALM and connection._transport is not None:
        await asyncio.sleep(TICK_S)
        calm = calm + 1 if connection.requests == before else 0
        before = connection.requests
        most.frames = max(most.frames, connection.pending)
        if connection._transport is not None:
            unread_bytes = connection._transport.get_write_buffer_size()
            most.reply_bytes = max(most.reply_bytes, unread_bytes)
    return most


@pytest.mark.parametrize(
    "part", [pytest.param(n, marks=pytest.mark.long if n else ()) for n in range(PARTS)]
)
async def test_a_client_that_reads_nothing_is_served_little(served: Serving, part: int) -> None:
    for (table, key), name in list(zip(EVERY, NAMES, strict=True))[part::PARTS]:
        api = TABLES[table][key]
        case = Case(f"smallest {name}", smallest(api, api.max_version), api.max_version)
        assert await unread(served, table, case, FEW) is None, name


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("table", "key"), EVERY, ids=NAMES)
async def test_ten_thousand_unread_requests_take_little_memory(
    served: Serving, table: str, key: int
) -> None:
    """And a thousand of each older version, which has a codec of its own and the same queues."""
    api = TABLES[table][key]
    await prepare(served)
    found = [
        await unread(
            served,
            table,
            Case("smallest", smallest(api, version), version),
            MANY if version == api.max_version else SOME,
        )
        for version in range(api.min_version, api.max_version + 1)
    ]
    assert [one for one in found if one] == []


def test_a_request_with_too_many_elements_is_refused_in_every_version() -> None:
    """With an error that the version can say, about what was asked."""
    for table, key in EVERY:
        check_refusals(TABLES[table][key], key)


def check_refusals(api: Api, key: int) -> None:
    """Of every version and each of its maxima."""
    for version in range(api.min_version, api.max_version + 1):
        for maximum in MAXIMA.get(key, ()):
            path = tuple(maximum.path.split("."))
            deeper = [p for p in arrays(api.request, version) if p[: len(path)] == path]
            if deeper:
                deepest = max(deeper, key=len)
                request = filled(api.request, version, deepest, (2,) * len(deepest), 0)
                refusal = Refusal(api.number_of(maximum.code), "too much")
                said = refused(request, api.response, version, maximum, refusal)
                read = decode(api.response, version, encode(said, version))
                assert f"error_code={refusal.number}" in repr(read), (version, maximum)
