"""How connections, applications and the server end, and that nothing is left of them."""

import asyncio
import logging
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from groups.core.errors import ErrorCode
from protocol.apis import APIS
from protocol.connection.connection import KafkaConnection
from protocol.connection.connection_limits import PATIENCE_MAX
from protocol.handlers.join_group import MEMBER_ID_REQUIRED_SINCE
from protocol.requests.turns import TurnQueue
from protocol.server import A_TURN
from rollcall.wire.messages.fetch import FetchRequest
from rollcall.wire.messages.join_group import JoinGroupResponse
from tests.server.client import API_VERSIONS, Client, hello, join
from tests.server.serving import Serving, serving, until

V = 3
MANY = 300
TCP_REPAIR = 19


@pytest.mark.parametrize("reset", [False, True])
async def test_the_end_of_a_connection_cancels_its_parked_join_at_once(
    served: Serving, reset: bool
) -> None:
    """The desk is empty and the task gone, without a sweep. The member is gone, too: before version
    4 its id comes with the answer, so nobody will ever use it."""
    first, _ = await served.connect()
    second, parked = await served.connect()
    beat = await first.settled("g")
    second.send(join("g"), V)
    await until(lambda: len(served.server.pending_replies) == 1)
    application = served.application(parked)
    assert application is not None and not application.done()

    (second.abort if reset else second.close)()

    await until(lambda: len(served.server.pending_replies) == 0)
    await asyncio.wait([application], timeout=5)
    assert application.cancelled()
    await first.hears_of_a_rebalance(beat)
    joined = await first.call(join("g", beat.member_id), V)
    assert [member.member_id for member in joined.members] == [beat.member_id]


async def test_a_member_that_knows_its_id_keeps_its_place_when_its_connection_ends(
    served: Serving,
) -> None:
    """It may connect again, and join again with its id."""
    first, _ = await served.connect()
    second, _ = await served.connect()
    beat = await first.settled("g")
    given = await second.call(join("g"), MEMBER_ID_REQUIRED_SINCE)
    second.send(join("g", given.member_id), MEMBER_ID_REQUIRED_SINCE)
    await first.hears_of_a_rebalance(beat)
    second.abort()
    await until(lambda: len(served.server.pending_replies) == 0)
    joined = await first.call(join("g", beat.member_id), V)
    ids = [member.member_id for member in joined.members]
    assert ids == [beat.member_id, given.member_id]


async def test_no_rebalance_waits_for_a_pending_id_whose_client_disconnected(
    served: Serving,
) -> None:
    first, _ = await served.connect()
    ghost, _ = await served.connect()
    second, _ = await served.connect()
    beat = await first.settled("g")
    given = await ghost.call(join("g"), MEMBER_ID_REQUIRED_SINCE)
    assert given.error_code == ErrorCode.MEMBER_ID_REQUIRED
    second.send(join("g"), V)
    await first.hears_of_a_rebalance(beat)
    first.send(join("g", beat.member_id), V)
    await until(lambda: len(served.server.pending_replies) == 2)
    assert len(served.server.handed_out) == 1

    ghost.close()

    for client in (first, second):
        assert (await client.receive()).error_code == ErrorCode.NONE
    assert len(served.server.handed_out) == 0


async def test_an_exception_in_an_application_closes_only_its_connection(
    served: Serving, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A defect in a handler: its client is cut off, and the log says why."""

    async def fail(_request: Any, _call: Any) -> Any:
        raise RuntimeError("a defect")

    neighbour, _ = await served.connect()
    beat = await neighbour.settled("g")
    client, _connection = await served.connect()
    monkeypatch.setitem(APIS, API_VERSIONS, replace(APIS[API_VERSIONS], handle=fail))
    client.send(hello(), 3)
    client.send(hello(), 3)

    assert await client.ended() == b""
    with caplog.at_level(logging.ERROR):
        served.sweep()
    assert "a defect" in caplog.text
    assert (await neighbour.call(beat, V)).error_code == ErrorCode.NONE


async def test_hundreds_of_connections_leave_nothing_behind(served: Serving) -> None:
    """Silent ones, busy ones, parked and held ones, halves of frames, garbage: all gone."""
    keeper, _ = await served.connect()
    beat = await keeper.settled("g")
    tasks = len(asyncio.all_tasks())
    clients = await asyncio.gather(*(Client.connect(served.address) for _ in range(MANY)))
    for number, client in enumerate(clients):
        match number % 6:
            case 0:
                client.send(hello(), 3)
            case 1:
                client.send(join("g"), V)
            case 2:
                client.send(FetchRequest(max_wait_ms=30_000, min_bytes=1, topics=[]), 12)
            case 3:
                client.writer.write(client.packed(hello(), 3)[:9])
            case 4:
                client.writer.write(b"GET / HTTP/1.1\r\n\r\n")
    await until(lambda: len(served.server.pending_replies) == MANY // 6)
    await until(lambda: len({*served.connections, *served.ended}) == MANY + 1)

    for number, client in enumerate(clients):
        (client.abort if number % 2 else client.close)()
    await until(lambda: len(served.connections) == 1)

    await until(lambda: len(asyncio.all_tasks()) <= tasks)
    assert len(served.server.pending_replies) == 0
    await keeper.hears_of_a_rebalance(beat)


@pytest.mark.parametrize("by", ["their machine", "the time limit"])
async def test_of_hundreds_that_end_at_once_few_are_handled_per_turn(
    served: Serving, by: str
) -> None:
    """Each takes some 50 us to close and to release; other clients have the loop in between."""
    server, turn = served.server, 0
    worked = dict[str, list[int]](closing=[], ended=[])

    def counted(name: str, work: Callable[[KafkaConnection], None]) -> None:
        def do(connection: KafkaConnection) -> None:
            worked[name].append(turn)
            work(connection)

        setattr(server, name, TurnQueue(server.loop, do, A_TURN))

    counted("closing", KafkaConnection.close)
    counted("ended", KafkaConnection.release)
    host, _, port = served.address.rpartition(":")
    crowd = [socket.create_connection((host, int(port))) for _ in range(MANY)]
    await until(lambda: len(served.connections) == MANY)
    if by == "their machine":
        for each in crowd:
            each.close()
    else:
        served.sweep(later_s=server.first_s_max * PATIENCE_MAX + 1)
    while served.connections:
        turn += 1
        await asyncio.sleep(0)

    assert len(worked["ended"]) == MANY
    for turns in worked.values():
        # What came in at the end of a turn is counted with the beginning of the next.
        assert not turns or max(Counter(turns).values()) <= 2 * A_TURN
    for each in crowd:
        each.close()


@pytest.mark.usefixtures("_prepared")
async def test_a_server_that_stops_answers_parked_requests_and_closes() -> None:
    """NOT_COORDINATOR, on a connection that is still open: the client looks for the next."""
    async with serving() as server:
        first = await Client.connect(server.address)
        second = await Client.connect(server.address)
        await first.settled("g")
        second.send(join("g"), V)
        await until(lambda: len(server.server.pending_replies) == 1)

    answer = await second.receive()
    assert isinstance(answer, JoinGroupResponse)
    assert answer.error_code == ErrorCode.NOT_COORDINATOR
    assert await second.ended() == await first.ended() == b""
    with pytest.raises(ConnectionRefusedError):
        await Client.connect(server.address)


async def test_a_half_open_connection_is_probed_by_the_kernel(served: Serving) -> None:
    """Every accepted connection has the times of the settings."""
    _, connection = await served.connect()
    transport = connection._transport
    assert transport is not None
    accepted = transport.get_extra_info("socket")
    tcp = socket.IPPROTO_TCP
    assert accepted.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    assert accepted.getsockopt(tcp, socket.TCP_KEEPIDLE) == 5
    assert accepted.getsockopt(tcp, socket.TCP_KEEPINTVL) == 5
    assert accepted.getsockopt(tcp, socket.TCP_KEEPCNT) == 3
    assert accepted.getsockopt(tcp, socket.TCP_USER_TIMEOUT) == 15_000


@pytest.mark.usefixtures("_prepared")
async def test_a_parked_request_of_a_client_that_vanished_is_dropped(settings: Any) -> None:
    """No FIN and no reset: the client's socket is gone as with its machine."""
    settings.CONNECTIONS_GONE_MS = 3_000
    async with serving() as served:
        first, _ = await served.connect()
        second, _ = await served.connect()
        beat = await first.settled("g")
        second.send(join("g"), V)
        await until(lambda: len(served.server.pending_replies) == 1)
        try:
            vanish(second)
        except PermissionError:
            pytest.skip("only root may let a socket vanish (TCP_REPAIR)")

        await until(lambda: len(served.server.pending_replies) == 0)
        await first.hears_of_a_rebalance(beat)


def vanish(client: Client) -> None:
    """End the client's socket without a word to the other side."""
    ours = client.writer.transport.get_extra_info("socket")
    with socket.socket(fileno=socket.dup(ours.fileno())) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
    client.abort()
