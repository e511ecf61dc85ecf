"""What a member requests of its assignment: the assignor, and a weight.

The consumer protocol has one field for it, the assignor's name (``group.remote.assignor`` in a
client). ``uniform*3`` requests ``uniform`` and three times the share of a member of weight one
(docs/decisions/0016-assignments.md).
"""

from functools import lru_cache
from typing import Final, NamedTuple

WEIGHT_MAX: Final = 100
"""A hundredth of the others' share is practically nothing."""

SIGN: Final = "*"


class WeightedChoice(NamedTuple):
    """An assignor's name and a weight."""

    assignor: str
    weight: int = 1


@lru_cache(maxsize=1_000)
def read(text: str) -> WeightedChoice | None:
    """The choice in a text; None if it is invalid."""
    name, sign, number = text.partition(SIGN)
    if not sign:
        return WeightedChoice(name)
    if not (number.isascii() and number.isdigit() and len(number) <= len(str(WEIGHT_MAX))):
        return None
    weight = int(number)
    return WeightedChoice(name, weight) if 1 <= weight <= WEIGHT_MAX else None


def weight_of(text: str | None) -> int:
    """The weight in a member's text; 1 if it is missing or invalid."""
    wish = None if text is None else read(text)
    return 1 if wish is None else wish.weight


def assignor_of(text: str | None) -> str | None:
    """The assignor that a member requested, or None."""
    wish = None if text is None else read(text)
    return None if wish is None else wish.assignor
