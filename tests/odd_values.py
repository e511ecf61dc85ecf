"""Values that no parameter of a page or of REST expects, as they stand in an address."""

from typing import Final
from urllib.parse import quote

ODD: Final = (
    "",
    quote("x" * 10_000),
    quote("a\0b"),
    quote("9999-12-31T23:59:59Z"),
    quote("0001-01-01"),
    quote("2026-02-30"),
    "-1",
    "9" * 30,
    quote("１２"),
    "NaN",
    quote("e\u0301🦀\u202e"),
    "%ff%fe",  # no UTF-8
    "%ed%a0%80",  # half of a surrogate pair
    "%",
)


def query(name: str, number: int) -> str:
    """A query string with an odd value of this parameter, another for each number."""
    return f"{name}={ODD[number % len(ODD)]}"
