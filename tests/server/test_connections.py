"""Who is connected, as a node notes it for who asks."""

import asyncio
from typing import Any

import pytest

from groups.core.authors import ANONYMOUS
from groups.reporting.client_connections import PAUSE_S
from groups.store.sql.connections import BELL
from protocol.connection.listeners import Listener, Security
from rollcall.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from rollcall.wire.messages.leave_group import LeaveGroupRequest
from tests.commanded.test_apis import poll, registration
from tests.in_process import Other
from tests.security.test_sasl import make_user, with_scram
from tests.server.client import Client, consumer_join, hello
from tests.server.serving import Serving, serving

NOTED_AT = "SELECT noted_at FROM rollcall_connections_noted"
RING = f"SELECT pg_notify('{BELL}', '')"
ROWS = """
SELECT client_id, software, software_version, address, principal, listener, groups,
       connected_at BETWEEN clock_timestamp() - interval '1 hour' AND clock_timestamp()
FROM rollcall_connection ORDER BY number
"""
HERE = ("127.0.0.1", ANONYMOUS, "PLAINTEXT")


async def moment(other: Other) -> Any:
    return await (await other.execute(NOTED_AT)).fetchone()


async def noted(other: Other) -> list[tuple[Any, ...]]:
    """Ring, wait until the node has noted its connections, and read them."""
    before = await moment(other)
    while await moment(other) == before:
        await other.execute(RING)  # one that comes before the node listens is lost
        await asyncio.sleep(0.01)  # it notes them once in a while
    return await (await other.execute(ROWS)).fetchall()


async def named(served: Serving, client_id: str) -> Client:
    client, _ = await served.connect()
    client.client_id = client_id.encode()
    return client


async def test_nothing_is_recorded_until_it_is_requested(served: Serving, other: Other) -> None:
    client = await named(served, "odd\0name")
    await client.call(hello(), 3)
    assert await moment(other) is None
    assert await noted(other) == [("odd\ufffdname", "c", "1", *HERE, [], True)]


async def test_groups_are_those_whose_members_use_the_connection(
    served: Serving, other: Other
) -> None:
    first, second = await named(served, "classic"), await named(served, "consumer")
    beat = await first.settled("orders")
    joining = consumer_join("invoices")
    assert (await second.call(joining, 1)).error_code == 0
    assert [(row[0], row[6]) for row in await noted(other)] == [
        ("classic", ["orders"]),
        ("consumer", ["invoices"]),
    ]
    # A member may come back by another connection, and only its heartbeats tell.
    again = await named(served, "back")
    assert (await again.call(beat, 3)).error_code == 0
    left = LeaveGroupRequest(group_id="orders", member_id=beat.member_id)
    assert [row[6] for row in await noted(other)] == [["orders"], ["invoices"], ["orders"]]
    assert (await first.call(left, 1)).error_code == 0
    joining.member_epoch = -1
    assert (await second.call(joining, 1)).error_code == 0
    assert [row[6] for row in await noted(other)] == [[], [], []]


async def test_a_commanded_member_is_listed_by_its_registration_and_its_polls(
    served: Serving, other: Other
) -> None:
    topic = CreatableTopic(name="orders", num_partitions=2, replication_factor=1)
    first, second = await named(served, "registers"), await named(served, "polls")
    await first.call(CreateTopicsRequest(topics=[topic], timeout_ms=5_000), 5)
    assert (await first.call(registration(), 0)).error_code == 0
    assert (await second.call(poll(wait_ms=0), 0)).error_code == 0
    assert [row[6] for row in await noted(other)] == [["g"], ["g"]]


async def test_a_closed_connection_is_not_listed(served: Serving, other: Other) -> None:
    client, stays = await named(served, "goes"), await named(served, "stays")
    await client.call(hello(), 3)
    await stays.call(hello(), 3)
    ends = served.connections[0]
    client.close()
    while ends.is_open:
        await stays.call(hello(), 3)
    assert [row[0] for row in await noted(other)] == ["stays"]


@pytest.mark.usefixtures("_prepared")
async def test_the_principal_and_the_listener_are_those_of_the_connection(
    other: Other,
) -> None:
    await other.execute("DELETE FROM rollcall_credential")
    await make_user(other, "ann")
    async with serving((Listener("INSIDE", "127.0.0.1", 0, Security.SASL_PLAINTEXT),)) as served:
        client = await named(served, "hers")
        assert (await with_scram(client, "ann")).error_code == 0
        (row,) = await noted(other)
        assert row[:6] == ("hers", "", "", "127.0.0.1", "User:ann", "INSIDE")


async def test_however_often_requested_connections_are_recorded_at_most_once_per_interval(
    served: Serving, other: Other
) -> None:
    await noted(other)
    began = served.clock.time()
    await noted(other)
    await noted(other)
    assert served.clock.time() - began >= PAUSE_S
