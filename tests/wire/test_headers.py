"""The bytes in front of requests and responses."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall.wire.codec import RequestHeader, parse_header, response_frame
from rollcall.wire.errors import WireError
from tests.wire import kafka_python
from tests.wire.samples import often


def heartbeat_since_4(api_key: int, api_version: int) -> bool:
    return api_key == 12 and api_version >= 4


def header(version: int, client_id: bytes = b"\x00\x03app", tags: bytes = b"") -> bytes:
    return struct.pack(">hhi", 12, version, 77) + client_id + tags


def test_a_header_without_tags_ends_behind_the_client_id() -> None:
    frame = header(3) + b"body"
    told, offset = parse_header(frame, heartbeat_since_4)
    assert told == RequestHeader(api_key=12, api_version=3, correlation_id=77, client_id="app")
    assert frame[offset:] == b"body"


@pytest.mark.parametrize("tags", [b"\x00", b"\x01\x09\x02xx", b"\x80\x00", b"\x02\x00\x00\x01\x00"])
def test_tags_of_a_flexible_header_are_skipped(tags: bytes) -> None:
    frame = header(4, tags=tags) + b"body"
    told, offset = parse_header(frame, heartbeat_since_4)
    assert told == RequestHeader(12, 4, 77, "app")
    assert frame[offset:] == b"body"


@pytest.mark.parametrize(
    ("client_id", "told"), [(b"\xff\xff", None), (b"\x00\x00", ""), (b"\x00\x02\xc3\xa9", "é")]
)
def test_a_client_id_may_be_null_empty_or_any_text(client_id: bytes, told: str | None) -> None:
    for version, tags in ((3, b""), (4, b"\x00")):
        frame = header(version, client_id, tags)
        assert parse_header(frame, heartbeat_since_4) == (
            RequestHeader(12, version, 77, told),
            len(frame),
        )


@pytest.mark.parametrize("flexible", [False, True])
def test_kafka_python_writes_the_header_that_we_read(flexible: bool) -> None:
    written = (
        kafka_python.load("api_header")
        .RequestHeader(
            request_api_key=11, request_api_version=9, correlation_id=2**31 - 1, client_id="app"
        )
        .encode(flexible=flexible)
    )
    header, offset = parse_header(written + b"body", lambda *_: flexible)
    assert header == RequestHeader(11, 9, 2**31 - 1, "app")
    assert offset == len(written)


def test_every_prefix_of_a_header_is_refused() -> None:
    for whole in (header(3), header(4, tags=b"\x01\x09\x02xx")):
        for size in range(len(whole)):
            with pytest.raises(WireError, match="request header"):
                parse_header(whole[:size], heartbeat_since_4)


def test_what_is_not_utf_8_in_a_client_id_is_replaced() -> None:
    parsed, _ = parse_header(header(3, b"\x00\x04w\xf6rk"), heartbeat_since_4)
    assert parsed.client_id == "w\ufffdrk"


@given(st.binary(max_size=40), st.booleans())
@often(300)
def test_any_bytes_are_parsed_as_a_header_or_refused(frame: bytes, flexible: bool) -> None:
    try:
        _, offset = parse_header(frame, lambda *_: flexible)
    except WireError:
        return
    assert 10 <= offset <= len(frame)


def test_a_response_is_its_length_its_correlation_id_and_its_body() -> None:
    assert response_frame(77, b"body", flexible=False) == b"\0\0\0\x08\0\0\0\x4dbody"
    assert response_frame(77, b"body", flexible=True) == b"\0\0\0\x09\0\0\0\x4d\0body"
