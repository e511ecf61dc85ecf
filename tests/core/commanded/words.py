"""What the words of a commanded group mean: what docs/commanded.md has, and transcripts show."""

from collections.abc import Mapping
from typing import Final

from groups.core.commanded.states import (
    COMPLETING,
    DEAD,
    DIFFERS,
    EMPTY,
    GONE,
    NOTHING_REGISTERED,
    PREPARING,
    STABLE,
    UNOWNED,
)
from groups.core.journal import Trigger

MEANINGS: Final[Mapping[str, str]] = {
    EMPTY: "no consumer is registered",
    STABLE: "every fetcher was started, or the queued rebalance has to wait",
    PREPARING: "stop-fetcher was sent to all; some have not acknowledged it",
    COMPLETING: "start-fetcher was sent to all; some have not acknowledged it",
    DEAD: "the group does not exist",
}

QUEUES: Final[Mapping[str, str]] = {
    Trigger.MEMBER_JOINED: "a consumer registered, or restarted: it works on nothing",
    Trigger.METADATA_CHANGED: "a consumer registered again with other topics, filter or threads",
    Trigger.MEMBER_LEFT: "LeaveGroup",
    Trigger.SESSION_EXPIRED: "no poll of a consumer for its session timeout",
    Trigger.TOPICS_CHANGED: "a topic of the group was created or deleted, or its partitions"
    " changed",
    Trigger.OWNER_CHANGED: "another node took the group's slot (the design's startup and session"
    " expiry)",
    Trigger.NOT_ACKNOWLEDGED: "a consumer did not start its fetchers after all retries",
    Trigger.OPERATOR: "an operator forced it (past the check), or evicted a consumer",
}
"""What puts a group into the rebalance queue."""

CONDITIONS: Final[Mapping[str, str]] = {
    NOTHING_REGISTERED: "there is no registered ownership info",
    UNOWNED: "some partitions are not owned by any threads",
    GONE: "some partitions in the ownership map do not exist any longer",
    DIFFERS: "the ownership map does not match the new one",
}
"""When a queued rebalance is necessary, by the design's numbers (D, 3). 3.5: otherwise it is
not."""
