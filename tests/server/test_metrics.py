"""A node's own port for Prometheus: counts that are true, readiness, and what HTTP may not do."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from groups.core.errors import ErrorCode
from groups.core.rows import SLOTS
from groups.metrics.node_series import NODE
from groups.postgres.connections import Connection
from groups.runtime import rebalance_log
from protocol.connection.listeners import ListenerError
from protocol.management.commands.runcoordinator import metrics_port
from protocol.metrics.metrics_listener import (
    CONNECTIONS_MAX,
    REQUEST_BYTES_MAX,
    MetricsAddress,
    MetricsListener,
)
from rollcall.wire.messages.leave_group import LeaveGroupRequest
from tests.metrics.scraped import Scrape
from tests.server.client import Client, join
from tests.server.serving import Serving, serving

V = 3
TOKEN = "a token for scrapes"


@pytest.fixture
async def watched(_prepared: None) -> AsyncIterator[Serving]:
    """A server with a port for Prometheus."""
    async with serving(metrics=MetricsAddress("127.0.0.1", 0)) as started:
        yield started


def port(served: Serving) -> int:
    assert served.server.metrics is not None
    return served.server.metrics.bound


async def raw(at: int, request: bytes) -> bytes:
    """Everything that comes back until the connection ends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", at)
    writer.write(request)
    try:
        return await reader.read()
    except ConnectionResetError:  # closed before it was read
        return b""
    finally:
        writer.close()


async def get(at: int, path: str, *headers: str) -> tuple[int, str]:
    lines = "\r\n".join((f"GET {path} HTTP/1.1", "Host: here", *headers))
    answer = (await raw(at, f"{lines}\r\n\r\n".encode())).decode()
    head, _, body = answer.partition("\r\n\r\n")
    return int(head.split(" ")[1]), body


async def scraped(served: Serving) -> Scrape:
    status, body = await get(port(served), "/metrics")
    assert status == 200
    return Scrape(body)


async def beats(client: Client, beat: Any, times: int) -> set[int]:
    return {(await client.call(beat, V)).error_code for _ in range(times)}


async def test_heartbeats_are_counted_by_result(watched: Serving) -> None:
    client, _ = await watched.connect()
    beat = await client.settled("g")
    assert await beats(client, beat, 5) == {0}
    samples = await scraped(watched)
    assert samples("rollcall_heartbeats_total", result="NONE") == 5

    beat.generation_id += 7
    assert await beats(client, beat, 3) == {ErrorCode.ILLEGAL_GENERATION}
    beat.member_id = "nobody"
    assert await beats(client, beat, 2) == {ErrorCode.UNKNOWN_MEMBER_ID}
    client.writer.close()
    while watched.connections:
        watched.sweep()
        await asyncio.sleep(0)
    again = await scraped(watched)

    assert again("rollcall_heartbeats_total", result="NONE") == 5
    assert again("rollcall_heartbeats_total", result="ILLEGAL_GENERATION") == 3
    assert again("rollcall_heartbeats_total", result="UNKNOWN_MEMBER_ID") == 2


async def test_rebalances_joins_and_leaves_are_counted(
    watched: Serving, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    client, _ = await watched.connect()
    beat = await client.settled("g")
    leaving = LeaveGroupRequest(group_id="g", member_id=beat.member_id)
    assert (await client.call(leaving, 1)).error_code == 0
    tallies = watched.node.coordinator.tallies
    while tallies.decided:
        tallies.read(tallies.decided.popleft())

    samples = await scraped(watched)

    assert sum(samples.all("rollcall_rebalances_total").values()) == 1
    lines = [vars(each) for each in caplog.records if each.name == rebalance_log.__name__]
    assert [each["msg"] for each in lines] == ["rebalanced", "the group is empty"]
    fields = {name: lines[0][name] for name in ("group", "trigger", "generation", "members")}
    assert fields == {"group": "g", "trigger": "member-joined", "generation": 1, "members": 1}
    assert lines[0]["moved"] == 0 and lines[0]["duration_ms"] >= 0 and lines[0]["reason"]
    assert samples("rollcall_rebalance_seconds_count", phase="rebalance") == 1
    assert samples("rollcall_rebalance_seconds_count", phase="sync") == 1
    assert samples("rollcall_member_arrivals_total") == 1
    assert samples("rollcall_member_departures_total", cause="member-left") == 1
    assert (samples("rollcall_batch_seconds_count", queue="membership") or 0) >= 3
    assert (samples("rollcall_batch_groups_total", queue="membership") or 0) >= 3


async def test_a_node_writes_what_it_did_in_each_minute(watched: Serving) -> None:
    client, _ = await watched.connect()
    beat = await client.settled("g")
    await beats(client, beat, 5)
    node, minutes = watched.node, watched.node.minutes
    node.coordinator.tallies.loop_lag.note(0.04)
    await minutes.look(node.readers)
    beat.member_id = "nobody"
    await beats(client, beat, 2)
    node.coordinator.tallies.loop_lag.note(0.04)
    await minutes.look(node.readers)
    async with node.readers.connection() as connection:
        cursor = await connection.execute(
            b"SELECT node_id, heartbeats, commits, lag_ms >= 50, slots, seconds >= 0"
            b" FROM rollcall_node_minute ORDER BY at"
        )
        assert await cursor.fetchall() == [
            (0, 5, 0, True, SLOTS, True),
            (0, 2, 0, True, SLOTS, True),
        ]


async def test_requests_are_counted_by_api_and_result(watched: Serving) -> None:
    client, _ = await watched.connect()
    await client.settled("g")
    assert (await client.call(join("", ""), V)).error_code == ErrorCode.INVALID_GROUP_ID

    samples = await scraped(watched)

    assert samples("rollcall_requests_total", api="JoinGroup", result="NONE") == 1
    assert samples("rollcall_requests_total", api="JoinGroup", result="INVALID_GROUP_ID") == 1
    assert samples("rollcall_request_seconds_count", api="JoinGroup") == 2
    inf = samples("rollcall_request_seconds_bucket", api="JoinGroup", le="+Inf")
    assert inf == 2


async def test_exposed_series_are_in_the_table(watched: Serving) -> None:
    client, _ = await watched.connect()
    beat = await client.settled("g")
    await beats(client, beat, 1)
    tallies = watched.node.coordinator.tallies
    tallies.commits[ErrorCode.NONE] += 1
    tallies.departures["member-left"] += 1
    metering = watched.server.metering
    metering.paused["user", "request_percentage"] += 1_500
    metering.pauses["user", "request_percentage"] += 2
    tallies.queues["offsets"].failures["Busy"] += 1
    while tallies.decided:
        tallies.read(tallies.decided.popleft())

    samples = await scraped(watched)

    types = {f.name.removesuffix("_total"): f.type for f in samples.families}
    ours = {name: kind for name, kind in types.items() if name.startswith("rollcall_")}
    assert ours == {row.name.removesuffix("_total"): row.type.value for row in NODE}
    rows = {row.name: set(row.labels) for row in NODE}
    for name, labels in samples.values:
        for ending in ("_bucket", "_sum", "_count"):
            if name not in rows:
                name = name.removesuffix(ending)
        if name in rows:
            assert {label for label, _ in labels} - {"le"} == rows[name], name
    assert samples("process_cpu_seconds_total") is not None
    assert samples("rollcall_slots_owned") == 64
    assert samples("rollcall_connections") == 1
    by = {"entity": "user", "quota": "request_percentage"}
    assert samples("rollcall_throttled_seconds_total", **by) == 1.5
    assert samples("rollcall_throttled_total", **by) == 2
    assert (samples("rollcall_lease_seconds") or 0) > 0
    assert (samples("rollcall_limit_max", limit="topics") or 0) > 0


DRAIN = "INSERT INTO rollcall_drain SELECT node_id, 'o', 'r', now(), now() FROM rollcall_node"


async def test_readiness_follows_the_node(watched: Serving) -> None:
    at = port(watched)
    assert await get(at, "/livez") == (200, "ok\n")
    assert await get(at, "/readyz") == (200, "ok\n")
    checks = "[+]listener ok\n[+]lease ok\n[+]draining ok\n[+]slots ok\nok\n"
    assert await get(at, "/readyz?verbose") == (200, checks)

    coordinator = watched.node.coordinator
    held, coordinator.lease_until = coordinator.lease_until, 0
    status, body = await get(at, "/readyz")
    coordinator.lease_until = max(held, coordinator.lease_until)
    assert (status, "[-]lease failed" in body, body.endswith("not ready\n")) == (503, True, True)

    watched.server._closing = True
    status, body = await get(at, "/readyz")
    watched.server._closing = False
    assert (status, "[-]draining failed" in body) == (503, True)
    assert (await scraped(watched))("rollcall_draining") == 0


async def test_a_drained_node_is_ready_and_reports_its_drain(
    watched: Serving, other: Connection
) -> None:
    await other.execute(DRAIN)
    while not watched.node.keeper.is_drained:
        await asyncio.sleep(0.01)
    status, body = await get(port(watched), "/readyz?verbose")
    drained = (await scraped(watched))("rollcall_drained")
    left = f"[!]draining: an operator drained this node; slots left: {SLOTS}\nok\n"
    assert (status, body.endswith(left), drained) == (200, True, 1)


class Nothing:
    """A report of nothing, for what the port itself does."""

    def metrics(self, accept: str) -> Any:
        raise AssertionError(accept)

    readiness = metrics


@pytest.fixture
async def bare() -> AsyncIterator[MetricsListener]:
    """A port without a node behind it."""
    listener = MetricsListener(MetricsAddress("127.0.0.1", 0, TOKEN), Nothing())  # type: ignore[arg-type]
    await listener.start()
    yield listener
    await listener.close()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /elsewhere HTTP/1.1\r\n\r\n", 404),
        (b"GET /metrics/../etc HTTP/1.1\r\n\r\n", 404),
        (b"POST /livez HTTP/1.1\r\n\r\n", 405),
        (b"GET /livez HTTP/2\r\n\r\n", 400),
        (b"\r\n\r\n", 400),
        (b"GET  /livez HTTP/1.1\r\n\r\n", 400),
        (b"\xff\xfe\x00 \x80 HTTP/1.1\r\n\r\n", 404),
        pytest.param(
            b"GET /livez HTTP/1.1\r\nX: " + b"x" * (REQUEST_BYTES_MAX + 1) + b"\r\n\r\n",
            400,
            id="long",
        ),
        (b"GET /metrics HTTP/1.1\r\n\r\n", 401),
        (b"GET /metrics HTTP/1.1\r\nAuthorization: Bearer wrong\r\n\r\n", 401),
        (b"GET /metrics HTTP/1.1\r\nAuthorization: Basic " + TOKEN.encode() + b"\r\n\r\n", 401),
        (b"GET /livez HTTP/1.0\r\n\r\n", 200),
    ],
)
async def test_an_invalid_http_request_is_refused(
    bare: MetricsListener, request_: bytes, status: int
) -> None:
    answer = await raw(bare.bound, request_)
    assert answer.split(b" ")[1] == str(status).encode()
    assert (await raw(bare.bound, b"HEAD /livez HTTP/1.1\r\n\r\n")).endswith(b"\r\n\r\n")


async def test_a_silent_scraper_blocks_nobody_for_long(
    bare: MetricsListener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("protocol.metrics.metrics_listener.REQUEST_S_MAX", 0.2)
    silent = [
        await asyncio.open_connection("127.0.0.1", bare.bound) for _ in range(CONNECTIONS_MAX)
    ]
    one_more = await raw(bare.bound, b"GET /livez HTTP/1.1\r\n\r\n")
    assert one_more == b""
    assert {await reader.read() for reader, _ in silent} == {b""}
    assert b"200 OK" in await raw(bare.bound, b"GET /livez HTTP/1.1\r\n\r\n")
    for _, writer in silent:
        writer.close()


@pytest.mark.parametrize(
    ("node_id", "asked", "environ", "expected"),
    [
        (0, None, "", None),
        (3, None, "-1", None),
        (3, None, "9492", 9495),
        (3, None, "0", 0),
        (3, 7000, "9492", 7000),
        (3, -1, "9492", None),
    ],
)
def test_each_node_has_its_own_metrics_port(
    node_id: int, asked: int | None, environ: str, expected: int | None
) -> None:
    options = {"node_id": node_id, "metrics_port": asked}
    assert metrics_port(options, {"ROLLCALL_METRICS_PORT": environ}) == expected


@pytest.mark.parametrize("wrong", ["x", "-2", "65535", "1e4", "123456"])
def test_an_invalid_port_is_refused(wrong: str) -> None:
    with pytest.raises(ListenerError, match="ROLLCALL_METRICS_PORT"):
        metrics_port({"node_id": 1, "metrics_port": None}, {"ROLLCALL_METRICS_PORT": wrong})


def test_a_public_metrics_port_needs_a_token(settings: Any) -> None:
    settings.METRICS_HOST, settings.METRICS_TOKEN = "0.0.0.0", ""
    with pytest.raises(CommandError, match=r"metrics\.host .* set a token"):
        call_command("runcoordinator", "--metrics-port", "0")
