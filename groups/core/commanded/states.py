"""The words of a commanded group: its states, what starts a rebalance, when one is necessary.
Tables only."""

from collections.abc import Mapping
from typing import Final

from groups.core.journal import Trigger

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

MEMBER_JOINED: Final = Trigger.MEMBER_JOINED
METADATA_CHANGED: Final = Trigger.METADATA_CHANGED
MEMBER_LEFT: Final = Trigger.MEMBER_LEFT
SESSION_EXPIRED: Final = Trigger.SESSION_EXPIRED
TOPICS_CHANGED: Final = Trigger.TOPICS_CHANGED
OWNER_CHANGED: Final = Trigger.OWNER_CHANGED
NOT_ACKNOWLEDGED: Final = Trigger.NOT_ACKNOWLEDGED
OPERATOR: Final = Trigger.OPERATOR

NOTHING_REGISTERED: Final = "3.1"
UNOWNED: Final = "3.2"
GONE: Final = "3.3"
DIFFERS: Final = "3.4"
"""When a queued rebalance is necessary, by the design's numbers (D, 3)."""
