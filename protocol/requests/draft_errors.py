"""The draft's errors: the design's name, the number of the code of 2015, and when it is returned.

A table, and the function that reads it. Docs are checked against it (docs/draft-0.9.md). Numbers
that mean something else in Kafka today are used only on the draft's listener.
"""

from typing import Final, NamedTuple

from groups.core.errors import ErrorCode


class DraftError(NamedTuple):
    """One error. ``name`` is the design's, or the code's if the design has none."""

    code: ErrorCode
    name: str
    number: int
    when: str


ERRORS: Final[tuple[DraftError, ...]] = (
    DraftError(
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        "CoordinatorStartupNotComplete",
        14,
        "a heartbeat, commit or join while the coordinator catches up with its groups",
    ),
    DraftError(
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        "ConsumerCoordinatorNotAvailable",
        15,
        "the group has no coordinator at the moment, or the outcome of a write is unknown",
    ),
    DraftError(
        ErrorCode.NOT_COORDINATOR,
        "NotCoordinatorForGroup",
        16,
        "another node coordinates the group: ask ConsumerMetadata again",
    ),
    DraftError(
        ErrorCode.ILLEGAL_GENERATION,
        "IllegalGeneration",
        22,
        "the generation is stale or invalid; or, to a heartbeat, a rebalance has begun: join again",
    ),
    DraftError(
        ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
        "InconsistentPartitioningStrategy",
        23,
        "a join names another strategy than the group's, or the group is not one of the draft",
    ),
    DraftError(
        ErrorCode.UNKNOWN_PARTITION_ASSIGNMENT_STRATEGY,
        "UnknownPartitionAssignmentStrategy",
        24,
        "a join names an unknown strategy",
    ),
    DraftError(
        ErrorCode.UNKNOWN_MEMBER_ID,
        "UnknownConsumer",
        25,
        "the group has no consumer of that id; no rebalance comes of it",
    ),
    DraftError(
        ErrorCode.INVALID_SESSION_TIMEOUT,
        "SessionTimeoutTooHigh",
        26,
        "a join's session timeout is beyond the bounds, or below them",
    ),
    DraftError(
        ErrorCode.COMMITTING_PARTITIONS_NOT_ASSIGNED,
        "CommittingPartitionsNotAssigned",
        27,
        "a commit names a partition that its consumer does not own: nothing of it is stored",
    ),
)

UNKNOWN: Final = -1
"""For errors without a number in the draft: today's numbers would be misread (24 is another
error)."""

_NUMBERS: Final = {int(error.code): error.number for error in ERRORS}

_SAME_TODAY: Final[frozenset[int]] = frozenset(
    {
        ErrorCode.NONE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.OFFSET_METADATA_TOO_LARGE,
        ErrorCode.INVALID_COMMIT_OFFSET_SIZE,
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        ErrorCode.GROUP_MAX_SIZE_REACHED,
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        ErrorCode.GROUP_AUTHORIZATION_FAILED,
    }
)
"""Codes with the same meaning for a draft client as today, or no meaning."""


def number_of(code: int) -> int:
    """The number of a code on the draft's listener."""
    return _NUMBERS.get(code, code if code in _SAME_TODAY else UNKNOWN)
