"""The words of a commanded group: its states, what starts a rebalance, when one is necessary.
Tables only."""

from collections.abc import Mapping
from typing import Final

EMPTY: Final = "Empty"
PREPARING: Final = "PreparingRebalance"
COMPLETING: Final = "CompletingRebalance"
STABLE: Final = "Stable"
DEAD: Final = "Dead"

TRANSITIONS: Final[Mapping[str, frozenset[str]]] = {
    EMPTY: frozenset({STABLE, DEAD}),
    STABLE: frozenset({PREPARING, EMPTY, DEAD}),
    PREPARING: frozenset({COMPLETING, EMPTY, DEAD}),
    COMPLETING: frozenset({STABLE, EMPTY, DEAD}),
    DEAD: frozenset(),
}
"""The states that may follow each state. Dead is the absence of the row."""


NOTHING_REGISTERED: Final = "3.1"
UNOWNED: Final = "3.2"
GONE: Final = "3.3"
DIFFERS: Final = "3.4"
"""When a queued rebalance is necessary, by the design's numbers (D, 3)."""
