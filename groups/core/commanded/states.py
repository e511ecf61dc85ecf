"""The words of a commanded group: its states, what starts a rebalance, when one is necessary.

Tables only. Docs and tests are checked against them (docs/commanded.md).
"""

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

MEANINGS: Final[Mapping[str, str]] = {
    EMPTY: "no consumer is registered",
    STABLE: "every fetcher was started, or the queued rebalance has to wait",
    PREPARING: "stop-fetcher was sent to all; some have not acknowledged it",
    COMPLETING: "start-fetcher was sent to all; some have not acknowledged it",
    DEAD: "the group does not exist",
}

MEMBER_JOINED: Final = Trigger.MEMBER_JOINED
METADATA_CHANGED: Final = Trigger.METADATA_CHANGED
MEMBER_LEFT: Final = Trigger.MEMBER_LEFT
SESSION_EXPIRED: Final = Trigger.SESSION_EXPIRED
TOPICS_CHANGED: Final = Trigger.TOPICS_CHANGED
OWNER_CHANGED: Final = Trigger.OWNER_CHANGED
NOT_ACKNOWLEDGED: Final = Trigger.NOT_ACKNOWLEDGED
OPERATOR: Final = Trigger.OPERATOR

QUEUES: Final[Mapping[str, str]] = {
    MEMBER_JOINED: "a consumer registered, or restarted: it works on nothing",
    METADATA_CHANGED: "a consumer registered again with other topics, filter or threads",
    MEMBER_LEFT: "LeaveGroup",
    SESSION_EXPIRED: "no poll of a consumer for its session timeout",
    TOPICS_CHANGED: "a topic of the group was created or deleted, or its partitions changed",
    OWNER_CHANGED: "another node took the group's slot (the design's startup and session expiry)",
    NOT_ACKNOWLEDGED: "a consumer did not start its fetchers after all retries",
    OPERATOR: "an operator forced it (past the check), or evicted a consumer",
}
"""What puts a group into the rebalance queue."""

NOTHING_REGISTERED: Final = "3.1"
UNOWNED: Final = "3.2"
GONE: Final = "3.3"
DIFFERS: Final = "3.4"

CONDITIONS: Final[Mapping[str, str]] = {
    NOTHING_REGISTERED: "there is no registered ownership info",
    UNOWNED: "some partitions are not owned by any threads",
    GONE: "some partitions in the ownership map do not exist any longer",
    DIFFERS: "the ownership map does not match the new one",
}
"""When a queued rebalance is necessary, by the design's numbers (D, 3). 3.5: otherwise it is
not."""
