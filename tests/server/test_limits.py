"""Clients that send too much, read too little, stop in the middle, or speak something else."""

import asyncio
import random

import pytest
from twisted.internet import reactor

from benchmarks.wire import create_topic
from groups.core.errors import ErrorCode
from protocol.connection import connection as limits
from protocol.connection.connection import KafkaConnection
from protocol.connection.connection_limits import PATIENCE_MAX, PATIENCES
from rollcall.wire.codec import FrameBuffer
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.server.client import SMALL, Client, hello, join
from tests.server.serving import Serving, until

V = 3
ONE_READ_BYTES = 256 * 1024
"""The most that the loop hands over at once; a pause takes effect behind it."""


async def test_a_flood_behind_a_parked_join_waits_in_the_socket(served: Serving) -> None:
    """Tens of thousands of frames: a few and one read's worth are taken, the rest waits
    outside; once the join is answered, each is answered in its turn."""
    frames = 30_000
    first, _ = await served.connect()
    second, flooded = await served.connect()
    beat = await first.settled("g")
    second.send(join("g"), V)
    await first.hears_of_a_rebalance(beat)
    flood = b"".join(second.packed(beat, V) for _ in range(frames))
    second.writer.write(flood)
    await until(lambda: not flooded._reading)

    paused_at = flooded.pending
    for _ in range(50):  # the loop goes round: nothing more is read
        assert (await first.call(beat, V)).error_code == ErrorCode.REBALANCE_IN_PROGRESS
    assert flooded.pending == paused_at
    assert flooded._queued_bytes <= limits.QUEUED_BYTES_MAX + ONE_READ_BYTES < len(flood)

    first.send(join("g", beat.member_id), V)
    assert (await second.receive()).generation_id == beat.generation_id + 1
    for _ in range(frames):
        assert (await second.receive()).error_code == ErrorCode.ILLEGAL_GENERATION
    assert (flooded.pending, flooded._queued_bytes, flooded._reading) == (0, 0, True)


async def test_few_frames_behind_a_parked_join_do_not_pause_reading(served: Serving) -> None:
    """So the end of its connection is noticed while the join is parked."""
    first, _ = await served.connect()
    second, parked = await served.connect()
    await first.settled("g")
    second.send(join("g"), V)
    for _ in range(limits.QUEUED_FRAMES_MAX - 1):
        second.send(hello(), 3)
    await until(lambda: parked.pending == limits.QUEUED_FRAMES_MAX)

    assert parked._reading
    second.close()
    await until(lambda: len(served.server.pending_replies) == 0)


async def never_reading(served: Serving) -> tuple[Client, KafkaConnection]:
    """A client whose replies pile up until the server has stopped to read from it."""
    await create_topic(served.address, "wide", 3_000)
    client, connection = await served.connect(receive_buffer=SMALL)
    wide = MetadataRequest(
        topics=[MetadataRequestTopic(name="wide")], allow_auto_topic_creation=False
    )
    while connection._writable:
        client.send(wide, 4)
        await until(lambda: connection.requests == len(client.sent) or not connection._writable)
    return client, connection


async def test_a_client_that_never_reads_is_paused_and_closed(served: Serving) -> None:
    client, connection = await never_reading(served)
    await until(lambda: not connection._reading)
    waiting = connection.pending
    client.send(hello(), 3)

    served.sweep(later_s=served.server.unread_s_max - 1)
    assert connection in served.connections and connection._transport is not None
    assert connection.pending == waiting, "it went on to read, or to serve"

    served.sweep(later_s=served.server.unread_s_max)
    await until(lambda: connection._transport is None)


async def test_a_client_that_reads_again_gets_every_reply(served: Serving) -> None:
    client, connection = await never_reading(served)
    client.send(hello(), 3)
    while len(client.sent) > 1:
        assert (await client.receive()).topics[0].name == "wide"
    assert (await client.receive()).api_keys
    assert connection._reading and connection._times.stalled_since is None

    served.sweep(later_s=served.server.unread_s_max * PATIENCE_MAX + 1)
    assert (await client.call(hello(), 3)).api_keys


async def test_a_partial_frame_times_out(served: Serving) -> None:
    """A slow loris: a byte now and then buys no time."""
    client, connection = await served.connect()
    for _ in range(3):
        await client.call(hello(), 3)
    half = client.packed(hello(), 3)
    client.writer.write(half[:5])
    await until(lambda: len(connection._frames.held) == 5)
    served.sweep(later_s=served.server.read_s_max - 1)
    client.writer.write(half[5:6])
    await until(lambda: len(connection._frames.held) == 6)

    served.sweep(later_s=served.server.read_s_max)

    assert await client.ended() == b""


async def test_a_new_connection_must_send_a_request_soon(served: Serving) -> None:
    """Whole: a part of one is none, whatever it buys later."""
    (silent, _), (slow, half) = await served.connect(), await served.connect()
    slow.writer.write(slow.packed(hello(), 3)[:5])
    await until(lambda: len(half._frames.held) == 5)
    spoke, _ = await served.connect()
    await spoke.call(hello(), 3)

    served.sweep(later_s=served.server.first_s_max * PATIENCE_MAX + 1)

    assert (await silent.ended(), await slow.ended()) == (b"", b"")
    assert (await spoke.call(hello(), 3)).api_keys


async def test_simultaneous_connections_are_not_closed_simultaneously(served: Serving) -> None:
    clients = [client for client, _ in [await served.connect() for _ in range(PATIENCES)]]
    served.sweep(later_s=served.server.first_s_max * (1 + PATIENCE_MAX) / 2)
    await until(lambda: len(served.connections) <= PATIENCES / 2)
    assert len(served.connections) >= PATIENCES / 2 - 1
    served.sweep(later_s=served.server.first_s_max * PATIENCE_MAX)
    assert [await client.ended() for client in clients] == [b""] * PATIENCES


async def test_a_slow_frame_that_progresses_is_answered(served: Serving) -> None:
    client, connection = await served.connect()
    await client.call(hello(), 3)
    whole = client.packed(hello(), 3)
    client.writer.write(whole[:5])
    await until(lambda: len(connection._frames.held) == 5)
    served.sweep(later_s=served.server.read_s_max - 1)
    client.writer.write(whole[5:])
    assert (await client.receive()).api_keys

    served.sweep(later_s=served.server.read_s_max)
    assert (await client.call(hello(), 3)).api_keys


async def test_an_idle_connection_is_closed_but_not_a_parked_one(served: Serving) -> None:
    idle_s = served.server.idle_s_max
    first, _ = await served.connect()
    second, _ = await served.connect()
    beat = await first.settled("g")
    second.send(join("g"), V)
    await until(lambda: len(served.server.pending_replies) == 1)
    first.send(beat, V)
    await first.receive()

    served.sweep(later_s=idle_s + 1)

    assert await first.ended() == b""
    assert len(served.server.pending_replies) == 1


async def test_a_connection_that_fails_its_check_is_closed_and_affects_no_other(
    served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next check of all connections is due in any case."""
    odd, its_connection = await served.connect()
    silent, _ = await served.connect()
    look = KafkaConnection.check_timeouts

    def fails_over_one(connection: KafkaConnection) -> None:
        if connection is its_connection:
            raise ValueError("a defect of ours")
        look(connection)

    monkeypatch.setattr(KafkaConnection, "check_timeouts", fails_over_one)
    waiting = len(reactor.getDelayedCalls())

    served.sweep(later_s=served.server.idle_s_max + 1)

    assert (await odd.ended(), await silent.ended()) == (b"", b"")
    assert len(reactor.getDelayedCalls()) == waiting + 1, "nobody looks again"


GARBAGE = {
    "http": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "tls": bytes.fromhex("16030100c8010000c40303") + bytes(64),
    "a negative length": b"\xff\xff\xff\xff",
    "no length": bytes(4),
    "a huge length": b"\x7f\xff\xff\xff",
    "a header cut short": b"\0\0\0\x03\0\x12\0",
    "no such API": b"\0\0\0\x0a\x03\xe7\0\0\0\0\0\x01\xff\xff",
    "no such version": b"\0\0\0\x0a\0\x0c\0\x63\0\0\0\x01\xff\xff",
    "a negative version": b"\0\0\0\x0a\0\x0c\xff\xff\0\0\0\x01\xff\xff",
    "a body cut short": b"\0\0\0\x0c\0\x0c\0\0\0\0\0\x01\xff\xff\0\x05",
}


async def test_a_client_of_another_protocol_is_closed(served: Serving) -> None:
    """It gets no response, and no other client notices."""
    neighbour, _ = await served.connect()
    beat = await neighbour.settled("g")
    for name, bytes_sent in GARBAGE.items():
        client, connection = await served.connect()
        client.writer.write(bytes_sent)

        assert await client.ended() == b"", name
        while connection._transport is not None:
            await asyncio.sleep(0.001)
        assert (await neighbour.call(beat, V)).error_code == ErrorCode.NONE, name


async def test_random_bytes_end_only_their_own_connection(served: Serving) -> None:
    """Frames of noise behind good lengths: each is refused or answered, and none kills."""
    neighbour, _ = await served.connect()
    beat = await neighbour.settled("g")
    noise = random.Random(7)
    for _ in range(100):
        client = await Client.connect(served.address)
        key, version = noise.randrange(80), noise.randrange(18)
        body = noise.randbytes(noise.randrange(40))
        payload = key.to_bytes(2, "big") + version.to_bytes(2, "big") + bytes(6) + body
        client.writer.write(len(payload).to_bytes(4, "big") + payload)
        client.writer.write_eof()
        await client.ended()
        client.close()
        assert (await neighbour.call(beat, V)).error_code == ErrorCode.NONE


async def test_an_unknown_version_of_api_versions_gets_the_supported_versions(
    served: Serving,
) -> None:
    """KIP-511: in version 0, with error 35, and the connection stays."""
    client, _ = await served.connect()
    client.writer.write(b"\0\0\0\x0b\0\x12\0\x63\0\0\0\x09\xff\xff\0")
    size = int.from_bytes(await client.reader.readexactly(4), "big")
    raw = await client.reader.readexactly(size)

    assert raw[:6] == b"\0\0\0\x09" + int(ErrorCode.UNSUPPORTED_VERSION).to_bytes(2, "big")
    assert (await client.call(hello(), 3)).api_keys


async def test_replies_to_requests_before_garbage_are_sent(served: Serving) -> None:
    client, _ = await served.connect()
    assert (await client.call(hello(), 3)).api_keys
    client.send(hello(), 3)
    await client.receive()
    client.writer.write(GARBAGE["http"])
    assert await asyncio.wait_for(client.ended(), 10) == b""


@pytest.mark.parametrize("reset", [False, True])
async def test_the_sweep_detects_the_end_of_an_unread_connection(
    served: Serving, reset: bool
) -> None:
    """A paused socket says nothing of its end by itself; the sweep asks."""
    first, _ = await served.connect()
    second, flooded = await served.connect()
    beat = await first.settled("g")
    second.send(join("g"), V)
    await first.hears_of_a_rebalance(beat)
    second.writer.write(b"".join(second.packed(beat, V) for _ in range(1_000)))
    await until(lambda: not flooded._reading)

    (second.abort if reset else second.close)()
    async with asyncio.timeout(10):
        while flooded in served.connections:
            served.sweep()
            await asyncio.sleep(0.01)

    assert len(served.server.pending_replies) == 0


async def test_bytes_that_do_not_fit_into_memory_end_their_connection_with_a_log_line(
    served: Serving, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    client, _ = await served.connect()
    neighbour, _ = await served.connect()

    def exhausted(_frames: FrameBuffer, _data: bytes) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(FrameBuffer, "feed", exhausted)
        client.writer.write(client.packed(hello(), 3)[:-1])
        await until(lambda: "there is no memory for what it sent" in caplog.text)

    assert await client.ended() == b""
    assert "Traceback" not in caplog.text and "Fatal error" not in caplog.text
    assert (await neighbour.call(hello(), 3)).error_code == ErrorCode.NONE


async def test_frames_in_front_of_garbage_are_answered(served: Serving) -> None:
    """What was whole is served in order; then the connection ends."""
    client, _ = await served.connect()
    client.writer.write(client.packed(hello(), 3) + b"\xff\xff\xff\xff")

    assert (await client.receive()).error_code == ErrorCode.NONE
    assert await client.ended() == b""
