"""Sequences whose encoding is kept, since many messages contain them.

All members of a group ask for the metadata of the same topics: a thousand partitions take two
milliseconds to encode, and a lookup to be encoded again.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

T = TypeVar("T")

ENCODINGS_MAX: Final = 2
"""Of one sequence: clients of one kind use one version, and most installations have two kinds."""


class Kept(tuple[T, ...]):
    """A sequence that nobody changes, nor its elements, for arrays of one message that are declared
    as ``kept``. ``encodings`` are its bytes by version, for the last versions."""

    encodings: dict[int, bytes]

    def __init__(self, _elements: object = ()) -> None:
        self.encodings = {}


def encoding(items: Sequence[Any], version: int, encode: Callable[[Any], bytes]) -> bytes:
    """``encode(items)``, or what it returned the last time. If two threads call it at once, both
    encode."""
    if not isinstance(items, Kept):
        return encode(items)
    found = items.encodings.get(version)
    if found is None:
        found = encode(items)
        others = list(items.encodings.items())[1 - ENCODINGS_MAX :]
        items.encodings = {**dict(others), version: found}
    return found
