"""Unsigned numbers in groups of seven bits: to the byte, in both directions, and their bounds."""

import pytest

from rollcall.wire.errors import WireError
from rollcall.wire.primitives import SIZES, TEXT_SIZES, read_uvarint, uvarint

BYTES = {
    0: b"\x00",
    1: b"\x01",
    0x7F: b"\x7f",
    0x80: b"\x80\x01",
    300: b"\xac\x02",
    0x3FFF: b"\xff\x7f",
    0x4000: b"\x80\x80\x01",
    0x1F_FFFF: b"\xff\xff\x7f",
    0x20_0000: b"\x80\x80\x80\x01",
    0x0FFF_FFFF: b"\xff\xff\xff\x7f",
    0x1000_0000: b"\x80\x80\x80\x80\x01",
    0xFFFF_FFFF: b"\xff\xff\xff\xff\x0f",
}


@pytest.mark.parametrize(("value", "written"), BYTES.items())
def test_a_number_has_its_encoding(value: int, written: bytes) -> None:
    assert uvarint(value) == written
    assert read_uvarint(b"x" + written + b"\x80", 1) == (value, 1 + len(written))


@pytest.mark.parametrize(
    "bad",
    [
        b"\x80\x80\x80\x80\x10",
        b"\xff\xff\xff\xff\x7f",
        b"\xff\xff\xff\xff\xff\x00",
        b"\x80\x80\x80\x80\x80\x00",
    ],
)
def test_more_than_32_bits_are_refused(bad: bytes) -> None:
    with pytest.raises(WireError, match="32 bits"):
        read_uvarint(bad, 0)


def test_a_number_may_be_encoded_longer_than_necessary() -> None:
    """As Kafka's own reader takes it."""
    assert read_uvarint(b"\x81\x80\x80\x80\x00", 0) == (1, 5)


@pytest.mark.parametrize("length", [0, 1, 126, 127, 1_023, 1_024, 32_767])
def test_a_compact_length_is_encoded_plus_one(length: int) -> None:
    assert TEXT_SIZES[length] == SIZES[length] == uvarint(length + 1)
