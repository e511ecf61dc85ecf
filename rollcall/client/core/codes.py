"""Kafka's error codes as a member receives them, and their meaning for it.

Numbers and names are Apache Kafka's. The machines decide what follows in each state.
"""

from collections.abc import Mapping
from enum import Enum, IntEnum
from typing import Final


class Code(IntEnum):
    """The codes that a member distinguishes."""

    NONE = 0
    UNKNOWN_TOPIC_OR_PARTITION = 3
    REQUEST_TIMED_OUT = 7
    COORDINATOR_LOAD_IN_PROGRESS = 14
    COORDINATOR_NOT_AVAILABLE = 15
    NOT_COORDINATOR = 16
    ILLEGAL_GENERATION = 22
    INCONSISTENT_GROUP_PROTOCOL = 23
    INVALID_GROUP_ID = 24
    UNKNOWN_MEMBER_ID = 25
    INVALID_SESSION_TIMEOUT = 26
    REBALANCE_IN_PROGRESS = 27
    TOPIC_AUTHORIZATION_FAILED = 29
    GROUP_AUTHORIZATION_FAILED = 30
    CLUSTER_AUTHORIZATION_FAILED = 31
    UNSUPPORTED_SASL_MECHANISM = 33
    ILLEGAL_SASL_STATE = 34
    UNSUPPORTED_VERSION = 35
    INVALID_REQUEST = 42
    SASL_AUTHENTICATION_FAILED = 58
    GROUP_ID_NOT_FOUND = 69
    MEMBER_ID_REQUIRED = 79
    FENCED_INSTANCE_ID = 82
    UNSTABLE_OFFSET_COMMIT = 88
    UNKNOWN_TOPIC_ID = 100
    FENCED_MEMBER_EPOCH = 110
    UNRELEASED_INSTANCE_ID = 111
    STALE_MEMBER_EPOCH = 113
    INVALID_REGULAR_EXPRESSION = 128


class Verdict(Enum):
    """The meaning of a response for membership."""

    GOOD = "go on"
    RETRY = "ask again a little later"
    REDISCOVER = "look for the coordinator, then ask again"
    FENCED = "no member any more: join again, what it worked on is lost"
    REBALANCE = "join the next generation"
    FATAL = "no use in asking again"


_ALWAYS: Final[Mapping[int, Verdict]] = {
    Code.NONE: Verdict.GOOD,
    Code.REQUEST_TIMED_OUT: Verdict.RETRY,
    Code.COORDINATOR_LOAD_IN_PROGRESS: Verdict.RETRY,
    Code.COORDINATOR_NOT_AVAILABLE: Verdict.REDISCOVER,
    Code.NOT_COORDINATOR: Verdict.REDISCOVER,
    Code.UNKNOWN_MEMBER_ID: Verdict.FENCED,
}

CONSUMER: Final[Mapping[int, Verdict]] = {**_ALWAYS, Code.FENCED_MEMBER_EPOCH: Verdict.FENCED}
"""Responses to ConsumerGroupHeartbeat; any other code is fatal."""

CLASSIC: Final[Mapping[int, Verdict]] = {
    **_ALWAYS,
    Code.ILLEGAL_GENERATION: Verdict.FENCED,
    Code.REBALANCE_IN_PROGRESS: Verdict.REBALANCE,
}
"""Responses to JoinGroup, SyncGroup and Heartbeat; any other code is fatal."""


NOBODY: Final = frozenset({Code.INVALID_GROUP_ID, Code.GROUP_AUTHORIZATION_FAILED})
"""Responses to FindCoordinator that are final; after any other error another node is asked."""

COMMANDED: Final[Mapping[int, Verdict]] = _ALWAYS
"""Responses to RegisterConsumer, PollCommands and AcknowledgeCommand; any other code is fatal."""

DRAFT: Final[Mapping[int, Verdict]] = {
    **_ALWAYS,
    Code.ILLEGAL_GENERATION: Verdict.REBALANCE,
}
"""Responses to the draft's JoinGroup and Heartbeat; any other code is fatal. There, the code of an
old generation also reports a rebalance."""

DRAFT_NAMES: Final[Mapping[int, str]] = {
    14: "CoordinatorStartupNotComplete",
    15: "ConsumerCoordinatorNotAvailable",
    16: "NotCoordinatorForGroup",
    22: "IllegalGeneration",
    23: "InconsistentPartitioningStrategy",
    24: "UnknownPartitionAssignmentStrategy",
    25: "UnknownConsumer",
    26: "SessionTimeoutTooHigh",
    27: "CommittingPartitionsNotAssigned",
}
"""The draft's own names. Some of these numbers are other errors in Kafka today."""


def draft_name_of(code: int) -> str:
    """The draft's name of a code, or Kafka's."""
    return DRAFT_NAMES.get(code) or name_of(code)


def name_of(code: int) -> str:
    """The code's name, or its number if it has none here."""
    return Code(code).name if code in set(Code) else f"error {code}"
