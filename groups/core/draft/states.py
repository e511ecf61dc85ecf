"""The words of a draft group: its states compared with the design's, their transitions, what starts
a rebalance.

Tables only. Docs and tests are checked against them (docs/draft-0.9.md).
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

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


class Word(NamedTuple):
    """One state of the design: the corresponding state here, and its meaning."""

    name: str
    ours: str
    meaning: str


COORDINATOR_STATES: Final[tuple[Word, ...]] = (
    Word("Down", "no node owns the group's slot", "requests are answered 15 or 16"),
    Word("Catch up", "the slot's new owner loads it", "heartbeats, commits and joins get 14"),
    Word("Ready", EMPTY, "loaded; the group has no members: the first join is answered at once"),
    Word(
        "Prepare for rebalance",
        PREPARING,
        "heartbeats get IllegalGeneration; joins are held until all live consumers have sent one",
    ),
    Word(
        "Rebalancing",
        "one step, between two states",
        "the generation rises, ids and partitions are assigned; no request observes this state",
    ),
    Word("Steady", STABLE, "heartbeats and commits of the current generation are accepted"),
)
"""The design's states of a coordinator, for one group."""

CONSUMER_STATES: Final[tuple[Word, ...]] = (
    Word("Down", "no member", "the consumer's process is down, or has sent no request yet"),
    Word("Startup up & discover co-ordinator", "a held join without an id", "it has asked to join"),
    Word(
        "Part of a group", "a member's row", "it owns the partitions of the last JoinGroupResponse"
    ),
    Word("Re-discover co-ord", "a member's row", "it continues, and looks up the coordinator"),
    Word("Stopped consumption", "a member's row, then a held join", "it has to join again"),
)
"""The design's states of a consumer, which only it knows, and the coordinator's corresponding
state."""

MEMBER_JOINED: Final = Trigger.MEMBER_JOINED
METADATA_CHANGED: Final = Trigger.METADATA_CHANGED
MEMBER_LEFT: Final = Trigger.MEMBER_LEFT
SESSION_EXPIRED: Final = Trigger.SESSION_EXPIRED
TOPICS_CHANGED: Final = Trigger.TOPICS_CHANGED
OPERATOR: Final = Trigger.OPERATOR
OWNER_CHANGED: Final = Trigger.OWNER_CHANGED

STARTS: Final[Mapping[str, str]] = {
    MEMBER_JOINED: "JoinGroup without a consumer id, or of a consumer that the last round left out",
    METADATA_CHANGED: "JoinGroup of a consumer whose topics have changed",
    MEMBER_LEFT: "LeaveGroup",
    SESSION_EXPIRED: "no heartbeat of a consumer for its session timeout",
    TOPICS_CHANGED: "a subscribed topic has another number of partitions than were assigned",
    OPERATOR: "an operator forced it, or evicted a consumer",
}
"""What starts a rebalance of a Stable group. During a rebalance the same events advance it."""
