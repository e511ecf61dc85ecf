"""The words of a draft group: its states, their transitions, and what starts a rebalance. Tables
only."""

from collections.abc import Mapping
from typing import Final

EMPTY: Final = "Empty"
PREPARING: Final = "PreparingRebalance"
STABLE: Final = "Stable"
DEAD: Final = "Dead"

TRANSITIONS: Final[Mapping[str, frozenset[str]]] = {
    EMPTY: frozenset({PREPARING, DEAD}),
    PREPARING: frozenset({STABLE, EMPTY, DEAD}),
    STABLE: frozenset({PREPARING, DEAD}),
    DEAD: frozenset(),
}
"""The states that may follow each state. Dead is the absence of the row."""
