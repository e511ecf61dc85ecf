"""Chunks become frames, wherever the network happened to cut them."""

import struct
import time
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall.wire.codec import FrameBuffer
from rollcall.wire.errors import FrameError, WireError
from tests.wire.samples import often


def framed(*bodies: bytes) -> bytes:
    return b"".join(struct.pack(">i", len(body)) + body for body in bodies)


def feed(buffer: FrameBuffer, chunk: bytes) -> list[bytes]:
    """The frames that are whole with this chunk."""
    buffer.feed(chunk)
    frames = []
    while (frame := buffer.take()) is not None:
        frames.append(frame)
    return frames


def feed_all(buffer: FrameBuffer, *chunks: bytes) -> list[bytes]:
    return [frame for chunk in chunks for frame in feed(buffer, chunk)]


def test_one_complete_frame_is_returned_at_once() -> None:
    buffer = FrameBuffer(100)
    assert feed(buffer, framed(b"heartbeat")) == [b"heartbeat"]
    assert len(buffer.held) == 0


def test_frames_are_the_same_wherever_the_stream_is_cut() -> None:
    bodies = [b"join", b"s", b"heartbeat"]
    stream = framed(*bodies)
    for first in range(len(stream) + 1):
        for second in range(first, len(stream) + 1):
            buffer = FrameBuffer(100)
            chunks = (stream[:first], stream[first:second], stream[second:])
            assert feed_all(buffer, *chunks) == bodies


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=6), st.randoms(use_true_random=False))
@often(100)
def test_frames_are_the_same_in_any_chunks(bodies: list[bytes], cut: Random) -> None:
    stream, buffer, frames = framed(*bodies), FrameBuffer(50), []
    while stream:
        size = cut.randrange(1, 30)
        frames += feed(buffer, stream[:size])
        stream = stream[size:]
    assert frames == bodies


def test_a_frame_sent_byte_by_byte_is_returned() -> None:
    buffer = FrameBuffer(1000)
    given = [feed(buffer, bytes([byte])) for byte in framed(b"x" * 1000)]
    assert given[:-1] == [[]] * 1003
    assert given[-1] == [b"x" * 1000]


def test_the_work_is_linear_in_the_bytes() -> None:
    """Copying what is held at each of 65,536 chunks would move 130 GB."""
    started = time.thread_time()
    buffer, stream = FrameBuffer(), framed(bytes(4 * 1024 * 1024))
    for start in range(0, len(stream), 64):
        assert feed(buffer, stream[start : start + 64]) or start + 64 < len(stream)
    assert len(buffer.held) == 0
    assert len(feed(buffer, framed(*[b"beat"] * 200_000) + b"\0")) == 200_000
    assert time.thread_time() - started < 2


@pytest.mark.parametrize("length", [0, -1, -(2**31), 2**31 - 1, 101])
def test_an_impossible_length_is_refused_as_soon_as_it_is_read(length: int) -> None:
    for head in (b"", framed(b"sound")):
        for cut in range(5):
            stream, buffer = head + struct.pack(">i", length), FrameBuffer(100)
            point = len(head) + cut
            with pytest.raises(WireError, match=f"{length} bytes"):
                feed_all(buffer, stream[:point], stream[point:])


def test_a_frame_of_the_maximum_length_is_accepted() -> None:
    assert feed(FrameBuffer(100), framed(b"x" * 100)) == [b"x" * 100]


def test_the_limit_can_be_raised_for_a_known_peer() -> None:
    buffer = FrameBuffer(4)
    assert feed(buffer, framed(b"auth")) == [b"auth"]
    buffer.limit = 100
    assert feed(buffer, framed(b"x" * 100)) == [b"x" * 100]


def test_frames_in_front_of_garbage_are_not_lost() -> None:
    buffer = FrameBuffer(100)
    buffer.feed(framed(b"join", b"sync") + b"\xff\xff\xff\xff\0\0")
    assert [buffer.take(), buffer.take()] == [b"join", b"sync"]
    assert buffer.has_frame, "there is something to say of what comes next"
    with pytest.raises(FrameError):
        buffer.take()


def test_unread_frames_are_buffered() -> None:
    buffer, bodies = FrameBuffer(100), [b"join", b"sync", b"heartbeat"]
    for body in bodies:
        buffer.feed(framed(body))
        assert buffer.has_frame
    assert [buffer.take() for _ in bodies] == bodies
    assert not buffer.has_frame and not buffer.held


def test_a_chunk_of_one_frame_is_not_buffered() -> None:
    buffer, one = FrameBuffer(100), framed(b"heartbeat")
    assert buffer.only(one) == b"heartbeat"
    assert buffer.only(framed(b"x")) == b"x"
    assert buffer.only(framed(b"x" * 100)) == b"x" * 100
    for other in (one[:-1], one + b"\0", framed(b"x" * 101), framed(b""), b""):
        assert buffer.only(other) is None
    buffer.feed(one[:3])
    assert buffer.only(one) is None, "it is the rest of another"


def test_a_refused_stream_stays_refused() -> None:
    buffer = FrameBuffer(100)
    for chunk in (b"\xff\xff\xff\xff" + bytes(1000), framed(b"sound")):
        buffer.feed(chunk)
        with pytest.raises(FrameError):
            buffer.take()


@pytest.mark.parametrize(
    ("stranger", "name"),
    [(b"\x16\x03\x01\x02\x00", "TLS handshake"), (b"GET / HTTP/1.1\r\n", "HTTP GET")],
)
def test_other_protocols_are_recognised_and_named(stranger: bytes, name: str) -> None:
    with pytest.raises(WireError, match=name):
        feed(FrameBuffer(), stranger)


@pytest.mark.parametrize("length", [b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff"])
def test_an_invalid_length_is_reported_once_it_is_complete(length: bytes) -> None:
    buffer, found = FrameBuffer(), []
    for part in (length[:3], length[3:]):
        buffer.feed(part)
        found.append(buffer.has_frame)
    assert found == [False, True]
    with pytest.raises(FrameError):
        buffer.take()
