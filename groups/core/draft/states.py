"""The words of a draft group: its states, their transitions, and what starts a rebalance. Tables
only."""

from collections.abc import Mapping
from typing import Final

from groups.core.journal import Trigger

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

MEMBER_JOINED: Final = Trigger.MEMBER_JOINED
METADATA_CHANGED: Final = Trigger.METADATA_CHANGED
MEMBER_LEFT: Final = Trigger.MEMBER_LEFT
SESSION_EXPIRED: Final = Trigger.SESSION_EXPIRED
TOPICS_CHANGED: Final = Trigger.TOPICS_CHANGED
OPERATOR: Final = Trigger.OPERATOR
OWNER_CHANGED: Final = Trigger.OWNER_CHANGED
