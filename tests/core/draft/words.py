"""The words of the draft's design beside those of a draft group: what docs/draft-0.9.md has."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from groups.core.draft.states import EMPTY, PREPARING, STABLE
from groups.core.journal import Trigger


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

STARTS: Final[Mapping[str, str]] = {
    Trigger.MEMBER_JOINED: "JoinGroup without a consumer id, or of a consumer that the last round"
    " left out",
    Trigger.METADATA_CHANGED: "JoinGroup of a consumer whose topics have changed",
    Trigger.MEMBER_LEFT: "LeaveGroup",
    Trigger.SESSION_EXPIRED: "no heartbeat of a consumer for its session timeout",
    Trigger.TOPICS_CHANGED: "a subscribed topic has another number of partitions than were"
    " assigned",
    Trigger.OPERATOR: "an operator forced it, or evicted a consumer",
}
"""What starts a rebalance of a Stable group. During a rebalance the same events advance it."""
